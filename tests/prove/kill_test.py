"""`make prove`: many conversations at once, processes killed all the time, and in the end nothing is lost or done twice.

Clients send numbered orders and, when a request fails, send it again with the same Idempotency-Key; some also cancel,
reset, end, delete, decide, spend and remember (`tests.prove.acts`). Afterwards every acknowledged turn must stand in the
transcript once and in order, every order must have been carried out at most once, every act must have had its effect,
every journal must be one history and fold to the stored state again, with no model and no tool called. The last line
says so in numbers; the exit status follows it.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from tests.prove.acts import Asker, Purse
from tests.prove.audit import Findings, check_store, compare, store_of
from tests.prove.audit_of_acts import (
    budget_is_right,
    ended_stay_ended,
    nothing_remains,
    stores_are_kept,
    tasks_are_one_each,
)
from tests.prove.clients import Client, transcript
from tests.prove.clock import Clocks
from tests.prove.conversation import Conversation
from tests.prove.counting_server import CountingServer
from tests.prove.disk import SmallDisk
from tests.prove.model_server import THRIFTY_COUNT, model_calls, model_server
from tests.prove.pages import deploy
from tests.prove.product import Product
from tests.prove.project import texts
from tests.prove.speakers import Refused
from tests.prove.spending import note_charges
from tests.prove.torment import Torment

LOGGED = re.compile(r"\d{4}-\d\d-\d\d \d\d:")
LOST_LEASE = "lost its lease"
SHOWN = 8
CLIENT_S = 90.0


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@dataclass
class Outcome:
    """What a run has shown, and whether everything held."""

    conversations: list[Conversation]
    found: Findings
    turns: int
    clients: int
    replayed: str = "0/0"
    waiting: str = ""
    calls_of_replay: int = 0
    remembered: int = 0
    harm: Counter[str] = field(default_factory=Counter)
    budget: str = ""
    faults: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Harm that was to be done and was not: a run without it shows nothing of it."""
    status: int = 0

    @property
    def sent(self) -> int:
        return sum(len(one.sent) for one in self.conversations)

    @property
    def acknowledged(self) -> int:
        return sum(len(one.replies) for one in self.conversations)

    @property
    def stuck(self) -> list[str]:
        return [f"{one.number} {one.agent}: {one.stuck}" for one in self.conversations if one.stuck]

    @property
    def acts(self) -> str:
        """What was done beside speaking, and how often."""
        done = sum((one.done for one in self.conversations), Counter())
        done["interrupted"] = sum(len(one.interrupted) for one in self.conversations)
        done["remembered"] = self.remembered
        return " ".join(f"{what}={count}" for what, count in sorted((done + self.harm).items()))

    @property
    def streams(self) -> list[str]:
        return [fault for one in self.conversations for fault in one.faults]

    @property
    def holds(self) -> bool:
        found, (same, _, total) = self.found, self.replayed.partition("/")
        broken = (
            *found.lost,
            *found.twice,
            *found.failed,
            *found.split,
            *self.stuck,
            *self.streams,
            *self.faults,
            *self.missing,
        )
        kept = sum(not one.is_deleted for one in self.conversations)
        is_replayed = same == total and int(total) >= kept and not self.calls_of_replay
        is_whole = self.acknowledged == self.sent == self.turns // self.clients * self.clients
        return not broken and is_replayed and is_whole and self.waiting == "0" and self.status == 0

    @property
    def last_line(self) -> str:
        found = self.found
        return (
            f"turns={self.sent} acknowledged={self.acknowledged} lost={len(found.lost)} twice={len(found.twice)} "
            f"stuck={len(self.stuck)} replayed={self.replayed} {self.acts}"
        )

    def tell(self, counters: str) -> None:
        """Print what does not hold, the counters, and the line that says it all."""
        found = self.found
        refusals = sum((one.refusals for one in self.conversations), Counter())
        for text, count in refusals.most_common(SHOWN):
            say(f"refused {count} times: {text}")
        lists = {"lost": found.lost, "twice": found.twice, "stuck": self.stuck, "failed": found.failed}
        for what, these in {
            **lists,
            "split": found.split,
            "broken": self.streams,
            "log": self.faults,
            "never done": self.missing,
        }.items():
            for item in these[:SHOWN]:
                say(f"{what}: {item}")
        say(
            f"split={len(found.split)} failed={len(found.failed)} promises broken={len(self.streams)} "
            f"outcome unknown={found.unknown} left waiting={self.waiting} calls of the replay={self.calls_of_replay} {counters}"
        )
        say(self.last_line)


def unexpected(log: list[str]) -> list[str]:
    """Return what the product logged as an error, each with its trace: a killed server is no reason for one."""
    found: list[list[str]] = []
    for line in log:
        if LOGGED.match(line):
            found.append([line])
        elif found:
            found[-1].append(line)
    return ["\n".join([*one[:1], *one[-12:]]) for one in found if " ERROR " in one[0] or "Traceback" in "".join(one)]


def make_product(folder: Path, hosts: int, port: int, model_url: str) -> Product:
    """Write the project down; return the product that will serve it."""
    project = folder / "ledger"
    project.mkdir(parents=True)
    for name, text in texts(port).items():
        (project / name).write_text(text)
    return Product(project, folder / "data", hosts, f"127.0.0.1:{port}", model_url=model_url)


def _client() -> aiohttp.ClientSession:
    timeout = aiohttp.ClientTimeout(total=CLIENT_S)
    return aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=0))


async def _talk(product: Product, torment: Torment, purse: Purse, outcome: Outcome) -> None:
    """Hold all conversations while things are killed."""
    over = asyncio.Event()
    async with _client() as http:
        await deploy(product, http)
        await note_charges(product)
        await purse.open(Asker(product, http, Conversation(-1, "", "json")))
        tormentor = asyncio.create_task(torment.go_on(over))
        share = outcome.turns // outcome.clients
        client = Client(product, http, purse, outcome.conversations)
        await asyncio.gather(*(client.hold(number, share) for number in range(outcome.clients)))
    over.set()
    await tormentor


async def _compare_all(
    product: Product, conversations: list[Conversation], server: CountingServer, found: Findings
) -> None:
    found.twice += server.done_twice()
    found.failed += server.refused()
    async with _client() as http:
        await tasks_are_one_each(Asker(product, http, Conversation(-1, "", "json")), conversations, found)
        for one in conversations:
            if one.session_id and not one.is_deleted:
                try:
                    lines = await transcript(product, http, one.session_id)
                except Refused as error:
                    found.lost.append(f"conversation {one.number} {one.habit}: {error}")
                    continue
                compare(one, lines, server, found)


async def prove(
    turns: int,
    sessions: int,
    every: int,
    hosts: int,
    *,
    runtime: str = "process",
    verbose: bool = False,
    keep: Path | None = None,
) -> Outcome:
    """Run it and print what it has shown; when verbose, also what was killed when, and the product's log.

    With `keep`, the project, the data and the log are made in that folder and stay there when it is over.
    """
    began = time.monotonic()
    server, found = CountingServer(), Findings()
    await server.start()
    conversations: list[Conversation] = []
    outcome, purse = Outcome(conversations, found, turns, sessions), Purse()
    temporary = tempfile.TemporaryDirectory(prefix="abl-prove-", ignore_cleanup_errors=True)
    with nullcontext(str(keep)) if keep else temporary as name, ExitStack() as cleaning:
        async with model_server() as model_url:
            product = make_product(Path(name), hosts, server.port, model_url)
            product.runtime, product.clocks = runtime, Clocks(Path(name) / "clocks")
            product.disk = disk = SmallDisk(product.data)
            cleaning.callback(disk.unmount, is_kept=keep is not None)
            if not disk.mount():
                say("no file system can be mounted here, so the disk is never full")
            torment = Torment(product, lambda: outcome.acknowledged, lambda: outcome.sent, every)
            await product.start()
            try:
                await _talk(product, torment, purse, outcome)
                await server.settled()
                await _compare_all(product, conversations, server, found)
            finally:
                outcome.status = await product.stop()
            outcome.missing = torment.missing(turns)
            talked = time.monotonic() - began
            models, tools = await model_calls(model_url), server.calls
            told = await replay_told(product)
            outcome.replayed, outcome.waiting = told["replayed"], told["waiting"]
            outcome.calls_of_replay = await model_calls(model_url) - models + server.calls - tools
            thrifty = await model_calls(model_url, THRIFTY_COUNT)
            async with store_of(product) as database:
                await check_store(database, conversations, found)
                await nothing_remains(database, conversations, found)
                await ended_stay_ended(database, conversations, found)
                await stores_are_kept(database, conversations, server, found)
                outcome.budget = await budget_is_right(database, purse.budget_id, purse.max_tokens, thrifty, found)
                outcome.remembered = server.remembered
            log = product.log
    await server.stop()
    outcome.faults, outcome.harm = [*unexpected(log), *torment.faults], torment.done
    for line in (*torment.diary, *log) if verbose else ():
        say(line)
    outcome.tell(
        f"leases lost={sum(LOST_LEASE in line for line in log)} "
        f"retries={sum(one.refusals.total() for one in conversations)} cuts={sum(one.cuts for one in conversations)} "
        f"taken and answered unasked={sum(one.taken for one in conversations)} "
        f"{outcome.budget} model calls={models} tool calls={tools} of them repeated={server.repeats} slow={server.slow} "
        f"exit status={outcome.status} seconds={talked:.0f}+{time.monotonic() - began - talked:.0f}"
    )
    return outcome


async def replay(product: Product) -> str:
    """Fold every journal again in a fresh process; return `same/all`."""
    return (await replay_told(product))["replayed"]


async def replay_told(product: Product) -> dict[str, str]:
    """Do the same; return what the last line says, by its words."""
    abl = str(Path(sys.executable).with_name("abl"))
    process = await asyncio.create_subprocess_exec(
        abl, "replay", "all", "--data-dir", str(product.data), stdout=asyncio.subprocess.PIPE
    )
    output = (await process.communicate())[0].decode()
    for line in output.splitlines()[:-1][:10]:
        say(line)
    found = dict(word.split("=", 1) for word in output.splitlines()[-1].split() if "=" in word) if output else {}
    return {"replayed": "0/0", "waiting": "", **found}


def main() -> int:
    """Run the kill test as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=2_000)
    parser.add_argument("--sessions", type=int, default=40)
    parser.add_argument("--every", type=int, default=50, help="turns between two kills")
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--runtime", choices=("process", "ray"), default="process")
    parser.add_argument("--verbose", action="store_true", help="also print what was killed when, and the log")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work in this new folder and leave it there")
    asked = parser.parse_args()
    numbers = asked.turns, asked.sessions, asked.every, asked.hosts
    outcome = asyncio.run(prove(*numbers, runtime=asked.runtime, verbose=asked.verbose, keep=asked.keep))
    return 0 if outcome.holds else 1


if __name__ == "__main__":
    sys.exit(main())
