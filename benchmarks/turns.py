"""What a turn costs: the product against a bare FastAPI + httpx application that calls the same model stub.

Durable PostgreSQL and traces are on; the stub of the model runs in the same run, beside both. "CPU" is the processor
time of gateway and session hosts; the database's own time stands in rows of its own. Both servers are up all the time
and are loaded in turn, round by round; ratios are medians over the rounds and other figures the best of them, because
machines are shared. `make bench-turns`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from time import process_time

import msgspec

from benchmarks.load import Conversations, Target, percentile, session_id
from benchmarks.report import Figure, publish
from benchmarks.serving import Served, a_folder, bare_app, children, cpu_s, product, stub_model
from benchmarks.turn_agents import texts

TOGETHER = 16
TURNS = 40
ROUNDS = 9
SLOW_MODEL_MS = 300.0
SLOW_TOGETHER = 32
SLOW_TURNS = 10
SLOW_PAUSE_S = 0.3
LONG_TOGETHER = 64
LONG_TURNS = 41
EARLY, LATE = range(4, 7), range(38, 41)
"""The rounds around the fifth and the fortieth turn, counted from nought."""
US_PER_S = 1_000_000
MS_PER_S = 1_000
MESSAGE = "Where is my parcel?"
BARE_BODY = msgspec.json.encode({"message": MESSAGE})


@dataclass(frozen=True, slots=True)
class Cost:
    """What one turn took of one server: processor time, the database's processor time, and turns a second."""

    cpu_us: float
    database_us: float
    turns_per_s: float
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Spread:
    """A round of turns: how many, in which time, and the processor time that each process has used for them."""

    turns: int
    wall_s: float
    used_s: dict[str, float]

    @property
    def turns_per_s(self) -> float:
        """Turns ended in a second."""
        return self.turns / self.wall_s

    @property
    def whole_us(self) -> float:
        """Processor time of a turn in all processes together."""
        return sum(self.used_s.values()) / self.turns * US_PER_S


@contextmanager
def only_product(*, delay_ms: float = 0, runtime: str = "local", hosts: int = 1) -> Iterator[Served]:
    """Yield the product on a data folder of its own, beside a stub of the model."""
    with (
        stub_model(delay_ms=delay_ms) as model,
        a_folder() as folder,
        product(folder, texts(tool_url(model)), model, runtime=runtime, hosts=hosts) as served,
    ):
        yield served


@contextmanager
def both(*, delay_ms: float = 0) -> Iterator[tuple[Served, Served]]:
    """Yield the bare application and the product beside one stub of the model."""
    with (
        stub_model(delay_ms=delay_ms) as model,
        bare_app(model) as bare,
        a_folder() as folder,
        product(folder, texts(tool_url(model)), model) as served,
    ):
        yield bare, served


def tool_url(model_url: str) -> str:
    """Return an address of the stub that answers a tool's call."""
    return model_url.removesuffix("/v1") + "/tool"


def bare_target(served: Served, pause_s: float = 0.0) -> Target:
    """Return where the bare application takes messages."""
    return Target(served.port, "/chat", {}, lambda _session: BARE_BODY, pause_s=pause_s)


def product_target(served: Served, agent: str, pause_s: float = 0.0) -> Target:
    """Return where the product takes messages for one agent."""

    def body(session: str) -> bytes:
        asked = {"projectId": served.project_id, "message": MESSAGE}
        return msgspec.json.encode({**asked, "sessionId": session} if session else {**asked, "agentId": agent})

    return Target(served.port, "/api/v1/chat/agent", {"X-API-Key": served.key}, body, session_id, pause_s)


async def cost(served: Served, talk: Conversations, turns: int, *, new_sessions: bool = False) -> Cost:
    """Load one server with turns and return what each of them took."""
    cpu, database = served.cpu_s(), served.database_cpu_s()
    waits: list[float] = []
    wall_s = 0.0
    for _ in range(turns if new_sessions else 1):
        if new_sessions:
            talk.forget_sessions()
        taken = await talk.hold(1 if new_sessions else turns)
        waits += taken.waits_s
        wall_s += taken.wall_s
    done = len(waits)
    return Cost(
        cpu_us=(served.cpu_s() - cpu) / done * US_PER_S,
        database_us=(served.database_cpu_s() - database) / done * US_PER_S,
        turns_per_s=done / wall_s,
        p50_ms=percentile(waits, 0.5) * MS_PER_S,
        p99_ms=percentile(waits, 0.99) * MS_PER_S,
    )


def best(rounds: list[Cost]) -> Cost:
    """Return the least of every cost over some rounds, and the most turns a second."""
    return Cost(
        cpu_us=min(one.cpu_us for one in rounds),
        database_us=min(one.database_us for one in rounds),
        turns_per_s=max(one.turns_per_s for one in rounds),
        p50_ms=min(one.p50_ms for one in rounds),
        p99_ms=min(one.p99_ms for one in rounds),
    )


async def compared(
    subjects: dict[str, tuple[Served, Target, bool]], together: int, turns: int
) -> dict[str, list[Cost]]:
    """Load several servers in turn; return name -> cost of every round. The flag says: every turn opens a session."""
    taken: dict[str, list[Cost]] = {name: [] for name in subjects}
    talks = {name: Conversations.open(target, together) for name, (_, target, _) in subjects.items()}
    for name, talk in talks.items():
        await cost(subjects[name][0], talk, turns // 2, new_sessions=subjects[name][2])
    for _ in range(ROUNDS):
        for name, (served, _, new_sessions) in subjects.items():
            taken[name].append(await cost(served, talks[name], turns, new_sessions=new_sessions))
    for talk in talks.values():
        talk.close()
    return taken


def times(rounds: list[Cost], others: list[Cost]) -> float:
    """Return the median, over the rounds, of a turn's processor time over another's in the same round."""
    return median(one.cpu_us / other.cpu_us for one, other in zip(rounds, others, strict=True))


def ratio(figure: str, value: float, baseline: float, most: float) -> Figure:
    """Return a figure that promises to be at most so many times the baseline."""
    found = value / baseline
    return Figure(figure, found, "times the baseline", 1.0, f"at most {most}", met=found <= most)


def ratio_least(figure: str, found: float, least: float) -> Figure:
    """Return a figure that promises to be at least so many times the baseline."""
    return Figure(figure, found, "times the baseline", 1.0, f"at least {least}", met=found >= least)


def kinds_of_turn() -> list[Figure]:
    """Compare every kind of turn at a model that answers at once."""
    with both() as (bare, served):
        subjects = {
            "bare": (bare, bare_target(bare), False),
            "text": (served, product_target(served, "Text"), False),
            "flow": (served, product_target(served, "Flow"), False),
            "tool": (served, product_target(served, "Tool"), False),
            "flow with a tool": (served, product_target(served, "Caller"), False),
            "first text": (served, product_target(served, "Clerk"), True),
            "handoff": (served, product_target(served, "Desk"), True),
        }
        rounds = asyncio.run(compared(subjects, TOGETHER, TURNS))
    costs = {name: best(each) for name, each in rounds.items()}
    base, text = costs["bare"], costs["text"]
    against_bare = times(rounds["text"], rounds["bare"])
    return [
        Figure("CPU per turn of the bare application", base.cpu_us, "us"),
        Figure("CPU per text turn", text.cpu_us, "us", base.cpu_us),
        Figure("CPU per text turn, database server", text.database_us, "us"),
        Figure("CPU per FLOW turn without a model", costs["flow"].cpu_us, "us", base.cpu_us),
        ratio("CPU per text turn / bare", against_bare, 1.0, 1.0),
        ratio("CPU per text turn, database included / bare", text.cpu_us + text.database_us, base.cpu_us, 1.5),
        ratio_least("turns/s a core (gateway and host), 0 ms model / bare", 1 / against_bare, 1.0),
        Figure("turns/s, 0 ms model, everything on this machine", text.turns_per_s, "turns/s", base.turns_per_s),
        ratio("CPU of a tool turn / text turn", times(rounds["tool"], rounds["text"]), 1.0, 2.0),
        Figure("CPU that one call of the model adds to a turn", text.cpu_us - costs["flow"].cpu_us, "us"),
        Figure(
            "CPU that one call of a tool adds to a turn", costs["flow with a tool"].cpu_us - costs["flow"].cpu_us, "us"
        ),
        Figure("CPU of a tool turn: asks the model twice, calls a tool", costs["tool"].cpu_us, "us"),
        ratio(
            "CPU of a handoff turn / text turn, both opening a session",
            times(rounds["handoff"], rounds["first text"]),
            1.0,
            2.0,
        ),
    ]


def slow_model() -> list[Figure]:
    """Compare what is added to a model's 300 ms with 32 sessions."""
    with both(delay_ms=SLOW_MODEL_MS) as (bare, served):
        subjects = {
            "bare": (bare, bare_target(bare, SLOW_PAUSE_S), False),
            "text": (served, product_target(served, "Text", SLOW_PAUSE_S), False),
        }
        rounds = asyncio.run(compared(subjects, SLOW_TOGETHER, SLOW_TURNS))
    costs = {name: best(each) for name, each in rounds.items()}
    bare_added, added = (costs[name].p50_ms - SLOW_MODEL_MS for name in ("bare", "text"))
    return [
        Figure("added to a 300 ms model at 32 sessions, p50", added, "ms", bare_added),
        ratio("added p50 / bare", added, bare_added, 2.0),
        ratio("p99 / bare", costs["text"].p99_ms, costs["bare"].p99_ms, 1.5),
    ]


async def _long(served: Served) -> float:
    """Return the CPU of the fortieth turn of a session over that of its fifth."""
    found = []
    for _ in range(ROUNDS):
        async with Conversations.open(product_target(served, "Text"), LONG_TOGETHER) as talk:
            taken: list[float] = []
            for _ in range(LONG_TURNS):
                before = served.cpu_s()
                await talk.hold(1)
                taken.append(served.cpu_s() - before)
        found.append(median(taken[at] for at in LATE) / median(taken[at] for at in EARLY))
    return median(found)


def long_sessions() -> list[Figure]:
    """Compare a late turn of a session with an early one."""
    with only_product() as served:
        growth = asyncio.run(_long(served))
    return [ratio("CPU of the 40th turn / 5th turn", growth, 1.0, 1.15)]


async def _throughput(served: Served) -> Spread:
    """Return the turns a second of the best round, and where the processor time of its turns went."""
    async with Conversations.open(product_target(served, "Text"), 2 * TOGETHER) as talk:
        await talk.hold(TURNS // 2)
        runs = []
        for _ in range(ROUNDS):
            before = _used_s(served)
            taken = await talk.hold(TURNS)
            used = {name: used_s - before[name] for name, used_s in _used_s(served).items()}
            runs.append(Spread(len(taken.waits_s), taken.wall_s, used))
    return min(runs, key=lambda one: one.wall_s)


def _used_s(served: Served) -> dict[str, float]:
    """Return the processor time that everything in this run has used so far, in seconds, by what used it."""
    gateway, *hosts = served.pids
    return {
        "gateway": cpu_s(gateway),
        "hosts": sum(map(cpu_s, hosts)),
        "database": served.database_cpu_s(),
        "model stub": sum(cpu_s(pid) for pid in children(os.getpid()) if pid != gateway),
        "load": process_time(),
    }


def more_hosts() -> list[Figure]:
    """Compare two host processes with one, and with what a machine with these cores has left for a second one."""
    runs = []
    for hosts in (1, 2):
        with only_product(runtime="process", hosts=hosts) as served:
            runs.append(asyncio.run(_throughput(served)))
    one, two = runs
    more = two.turns_per_s / one.turns_per_s
    cores = len(os.sched_getaffinity(0))
    room = cores * US_PER_S / two.whole_us / one.turns_per_s
    shares = [
        Figure(f"two hosts: CPU of a turn in the {name}", used_s / two.turns * US_PER_S, "us")
        for name, used_s in two.used_s.items()
    ]
    return [
        ratio_least("turns/s with two host processes / one, all else on the same cores", more, 1.7),
        *shares,
        Figure("cores busy with one host, load and model included", one.whole_us * one.turns_per_s / US_PER_S, "cores"),
        Figure("cores busy with two hosts", two.whole_us * two.turns_per_s / US_PER_S, "cores", cores),
        Figure(f"two hosts / one, were all {cores} cores busy all the time", room, "times the baseline", 1.0),
    ]


SECTIONS = {"kinds": kinds_of_turn, "slow": slow_model, "long": long_sessions, "hosts": more_hosts}


def main() -> int:
    """Run the sections that the command line names, or all of them; return the exit status."""
    wanted = sys.argv[1:] or list(SECTIONS)
    figures = [figure for name in wanted for figure in SECTIONS[name]()]
    return 0 if publish("turns", figures) else 1


if __name__ == "__main__":
    sys.exit(main())
