"""`make prove`: many conversations at once, processes killed all the time, and in the end nothing is lost or done twice.

Clients send numbered orders and, when a request fails, send it again with the same Idempotency-Key. Afterwards every
acknowledged turn must stand in the transcript once and in order, every order must have been carried out at most once,
and every journal must fold to the stored state again. The last line says so in numbers; the exit status follows it.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from tests.prove.counting_server import CountingServer
from tests.prove.product import Product
from tests.prove.project import texts

RETRY_S = 0.1
TURN_PATIENCE_S = 90.0
UNKEYED_SHARE = 0.2
PAGE = 200
LOGGED = re.compile(r"\d{4}-\d\d-\d\d \d\d:")
VICTIMS = ("host", "host", "host", "postgres", "host", "host", "valkey", "gateway")


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@dataclass
class Conversation:
    """One client: what it sent and what was acknowledged."""

    number: int
    session_id: str = ""
    sent: list[str] = field(default_factory=list)
    replies: dict[str, str] = field(default_factory=dict)
    retries: int = 0
    stuck: str = ""


@dataclass
class Proof:
    """Everything that was seen."""

    acknowledged: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


async def converse(product: Product, http: aiohttp.ClientSession, one: Conversation, turns: int, proof: Proof) -> None:
    """Send orders one after the other, each until it is acknowledged."""
    chance = random.Random(one.number)
    for turn in range(turns):
        kind = "unkeyed" if chance.random() < UNKEYED_SHARE else "keyed"
        order = f"{kind}-{one.number}-{turn}"
        one.sent.append(order)
        reply = await _until_acknowledged(product, http, one, order)
        if reply is None:
            one.stuck = order
            return
        one.session_id = reply["sessionId"]
        one.replies[order] = reply["response"]
        proof.acknowledged += 1


async def _until_acknowledged(
    product: Product, http: aiohttp.ClientSession, one: Conversation, order: str
) -> dict[str, str] | None:
    give_up = time.monotonic() + TURN_PATIENCE_S
    body = {"projectId": product.project_id, "message": order}
    if one.session_id:
        body["sessionId"] = one.session_id
    while time.monotonic() < give_up:
        headers = {"X-API-Key": product.key, "Idempotency-Key": f"key-{order}"}
        try:
            async with http.post(f"{product.url}/api/v1/chat/agent", json=body, headers=headers) as response:
                if response.status == 200:
                    return await response.json()
                refusal = f"{response.status} {await response.text()}"
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            refusal = repr(error)
        one.retries += 1
        one.stuck = refusal
        await asyncio.sleep(RETRY_S)
    say(f"gave up on {order}: {one.stuck}")
    return None


async def torment(product: Product, proof: Proof, every: int, running: asyncio.Event) -> None:
    """Kill something each time so many turns were acknowledged."""
    chance = random.Random(7)
    done = 0
    next_at = every
    while not running.is_set():
        if proof.acknowledged < next_at:
            await asyncio.sleep(0.02)
            continue
        next_at = proof.acknowledged + every
        victim = VICTIMS[done % len(VICTIMS)]
        done += 1
        match victim:
            case "host":
                killed = product.kill_host(chance.randrange(8))
            case "postgres":
                killed = product.kill_postgres()
            case "valkey":
                killed = product.kill_valkey()
            case _:
                await product.kill_gateway()
                killed = True
        if killed:
            proof.kills[victim] += 1


async def transcript(product: Product, http: aiohttp.ClientSession, session_id: str) -> list[dict[str, str]]:
    """Read a session's messages."""
    lines: list[dict[str, str]] = []
    path = f"{product.url}/api/v1/sessions/{session_id}/transcripts"
    while True:
        params = {"projectId": product.project_id, "limit": str(PAGE), "offset": str(len(lines))}
        async with http.get(path, params=params, headers={"X-API-Key": product.key}) as response:
            body = await response.json()
            if response.status != 200:
                raise RuntimeError(f"{path}: {body}")
        page = body.get("messages") or body.get("transcript") or []
        lines += page
        if len(page) < PAGE:
            return lines


def compare(one: Conversation, lines: list[dict[str, str]], server: CountingServer) -> tuple[list[str], list[str]]:
    """Return what of a conversation was lost, and what was done twice."""
    said = [line["content"] for line in lines if line["role"] == "user"]
    answered = [line["content"] for line in lines if line["role"] == "assistant"]
    lost = [order for order in one.replies if order not in said]
    lost += [order for order, reply in one.replies.items() if not any(reply in text for text in answered)]
    for order, reply in one.replies.items():
        was_done = bool(server.applied.get(order)) or bool(server.runs.get(order))
        if reply.endswith(f"noted {order}") and not was_done:
            lost.append(f"{order}: acknowledged and never carried out")
    twice = [order for order, count in Counter(said).items() if count > 1]
    if said != [order for order in one.sent if order in said]:
        lost.append(f"conversation {one.number}: out of order")
    return lost, twice


def unexpected(log: list[str]) -> list[str]:
    """Return what the product logged as an error, each with its trace: a killed server is no reason for one."""
    found: list[list[str]] = []
    for line in log:
        if LOGGED.match(line):
            found.append([line])
        elif found:
            found[-1].append(line)
    return ["\n".join([*one[:1], *one[-12:]]) for one in found if " ERROR " in one[0] or "Traceback" in "".join(one)]


def make_product(folder: Path, hosts: int, port: int) -> Product:
    project = folder / "ledger"
    project.mkdir()
    for name, text in texts(port).items():
        (project / name).write_text(text)
    return Product(project, folder / "data", hosts, f"127.0.0.1:{port}")


def _client() -> aiohttp.ClientSession:
    timeout = aiohttp.ClientTimeout(total=TURN_PATIENCE_S)
    return aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=0))


async def _talk(product: Product, turns: int, sessions: int, every: int, proof: Proof) -> list[Conversation]:
    """Hold all conversations while things are killed."""
    conversations = [Conversation(number) for number in range(sessions)]
    over = asyncio.Event()
    tormentor = asyncio.create_task(torment(product, proof, every, over))
    async with _client() as http:
        share = turns // sessions
        await asyncio.gather(*(converse(product, http, one, share, proof) for one in conversations))
    over.set()
    await tormentor
    return conversations


async def _compare_all(
    product: Product, conversations: list[Conversation], server: CountingServer
) -> tuple[list[str], list[str]]:
    lost: list[str] = []
    twice = server.done_twice()
    async with _client() as http:
        for one in conversations:
            if one.session_id:
                found = compare(one, await transcript(product, http, one.session_id), server)
                lost += found[0]
                twice += found[1]
    return lost, twice


async def prove(turns: int, sessions: int, every: int, hosts: int) -> bool:
    """Run it; return whether everything held."""
    began = time.monotonic()
    server, proof = CountingServer(), Proof()
    await server.start()
    with tempfile.TemporaryDirectory(prefix="abl-prove-", ignore_cleanup_errors=True) as folder:
        product = make_product(Path(folder), hosts, server.port)
        await product.start()
        try:
            conversations = await _talk(product, turns, sessions, every, proof)
            lost, twice = await _compare_all(product, conversations, server)
        finally:
            status = await product.stop()
        replayed = await replay(product)
        faults = unexpected(product.log)
    await server.stop()
    stuck = [one for one in conversations if len(one.replies) < turns // sessions]
    unknown = sum(reply.startswith("unknown") for one in conversations for reply in one.replies.values())
    for what, these in (("lost", lost), ("twice", twice), ("log", faults)):
        for item in these[:5]:
            say(f"{what}: {item}")
    say(
        f"kills: {dict(proof.kills)}  retries={sum(one.retries for one in conversations)} "
        f"repeated tool requests={server.repeats} outcome unknown={unknown} exit status={status} "
        f"seconds={time.monotonic() - began:.0f}"
    )
    sent = sum(len(one.sent) for one in conversations)
    say(
        f"turns={sent} acknowledged={proof.acknowledged} lost={len(lost)} twice={len(twice)} "
        f"stuck={len(stuck)} replayed={replayed}"
    )
    same, _, total = replayed.partition("/")
    return not lost and not twice and not stuck and same == total == str(sessions) and proof.acknowledged == sent


async def replay(product: Product) -> str:
    """Fold every journal again in a fresh process; return `same/all`."""
    abl = str(Path(sys.executable).with_name("abl"))
    process = await asyncio.create_subprocess_exec(
        abl, "replay", "all", "--data-dir", str(product.data), stdout=asyncio.subprocess.PIPE
    )
    output = (await process.communicate())[0].decode()
    for line in output.splitlines()[:-1][:10]:
        say(line)
    return output.rpartition("replayed=")[2].split(" ")[0].strip() or "0/0"


def main() -> int:
    """Run the kill test as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=2_000)
    parser.add_argument("--sessions", type=int, default=40)
    parser.add_argument("--every", type=int, default=50, help="turns between two kills")
    parser.add_argument("--hosts", type=int, default=2)
    asked = parser.parse_args()
    return 0 if asyncio.run(prove(asked.turns, asked.sessions, asked.every, asked.hosts)) else 1


if __name__ == "__main__":
    sys.exit(main())
