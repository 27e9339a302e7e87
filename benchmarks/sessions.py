"""What sessions weigh: memory while they live and when they sleep, disk for each turn. `make bench-sessions`.

Memory is the growth of the resident set of gateway and host in one process. The baseline is a plain Python process
that holds, for each session, only what was said in it: one dictionary with the texts of its turns.
"""

from __future__ import annotations

import asyncio
import sys
import tracemalloc
from pathlib import Path
from urllib.request import urlopen

from benchmarks.load import Conversations
from benchmarks.report import Figure, publish
from benchmarks.serving import Served, a_folder, product, stub_model
from benchmarks.turn_agents import texts
from benchmarks.turns import MESSAGE, product_target, tool_url

LIVE = 10_000
TOGETHER = 50
HIGH_WATER = LIVE // 2
"""Sessions opened before anything is measured: what so much work at once takes is reached once and then used again."""
IDLE_S = 0.5
GONE_S = 60.0
POLL_S = 0.25
LOOK_S = 6.0
LOOKS = 5
STEADY_BYTES = 500_000
MB = 1_000_000
DISK_SESSIONS, DISK_TURNS = 50, 40
SAYS = "You said {}. We shall look after it and come back to you."


def live_sessions(served: Served) -> int:
    """Return how many sessions are awake, as the metrics say."""
    with urlopen(f"http://127.0.0.1:{served.port}/metrics", timeout=10) as answer:
        rows = answer.read().decode().splitlines()
    return round(sum(float(row.rpartition(" ")[2]) for row in rows if row.startswith("abl_host_live_sessions{")))


async def open_sessions(served: Served, agent: str, count: int) -> None:
    """Hold one turn with each of `count` new sessions."""
    async with Conversations.open(product_target(served, agent), TOGETHER) as talk:
        for _ in range(count // TOGETHER):
            talk.forget_sessions()
            await talk.hold(1)


async def until_asleep(served: Served) -> None:
    """Return when no session is awake. Raises TimeoutError."""
    async with asyncio.timeout(GONE_S):
        while await asyncio.to_thread(live_sessions, served):  # noqa: ASYNC110 (another process counts them)
            await asyncio.sleep(POLL_S)


async def settled_bytes(served: Served) -> int:
    """Return the resident memory once it stays the same: quiet sessions are packed some seconds after their turn."""
    before = served.resident_bytes()
    for _ in range(LOOKS):
        await asyncio.sleep(LOOK_S)
        now = served.resident_bytes()
        if abs(now - before) < STEADY_BYTES:
            return now
        before = now
    return before


def kept_texts() -> float:
    """Return the bytes that one session's bare texts take in memory."""
    tracemalloc.start()
    kept = [{"id": f"sess_{at:024}", "said": [f"{MESSAGE} "[:-1], SAYS.format(at)]} for at in range(LIVE)]
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size / len(kept)


def awake() -> list[Figure]:
    """Measure sessions that are kept awake."""
    with a_folder() as folder, product(folder, texts("http://127.0.0.1/tool")) as served:
        empty = asyncio.run(settled_bytes(served))
        asyncio.run(open_sessions(served, "Flow", HIGH_WATER))
        before, count = asyncio.run(settled_bytes(served)), live_sessions(served)
        asyncio.run(open_sessions(served, "Flow", LIVE))
        grown, held = asyncio.run(settled_bytes(served)) - before, live_sessions(served) - count
    each, first = grown / held / MB * 1_000, (before - empty) / count / MB * 1_000
    return [
        Figure("sessions awake in one host", held + count, "sessions", target=f"{LIVE:,}", met=held >= LIVE),
        Figure("memory of the first 5,000, opened at once, each 1,000", first, "MB"),
        Figure(
            "memory of 1,000 idle sessions, awake", each, "MB", kept_texts() * 1_000 / MB, "at most 10", met=each <= 10
        ),
    ]


def asleep() -> list[Figure]:
    """Measure what is left of sessions that went to sleep."""
    options = {"ABL_SESSION_IDLE_S": str(IDLE_S)}
    with a_folder() as folder, product(folder, texts("http://127.0.0.1/tool"), options=options) as served:
        asyncio.run(open_sessions(served, "Flow", HIGH_WATER))
        asyncio.run(until_asleep(served))
        before = asyncio.run(settled_bytes(served))
        asyncio.run(open_sessions(served, "Flow", LIVE))
        asyncio.run(until_asleep(served))
        grown = asyncio.run(settled_bytes(served)) - before
    each = grown / LIVE / MB * 1_000
    return [Figure("memory of 1,000 sessions, asleep", each, "MB", target="about 0 (0.3)", met=each <= 0.3)]


def tables_bytes(folder: Path) -> int:
    """Return the size of the database's tables and indexes on disk, without its log."""
    base = folder / "data" / "postgres"
    return sum(one.stat().st_size for one in base.rglob("base/*/*") if one.is_file())


async def _disk(served: Served, folder: Path, agent: str) -> float:
    async with Conversations.open(product_target(served, agent), DISK_SESSIONS) as talk:
        await talk.hold(DISK_TURNS)
        before = tables_bytes(folder)
        talk.forget_sessions()
        await talk.hold(DISK_TURNS)
    return (tables_bytes(folder) - before) / (DISK_SESSIONS * DISK_TURNS)


def disk() -> list[Figure]:
    """Measure what a turn leaves on disk."""
    figures = []
    with a_folder() as folder, stub_model() as model, product(folder, texts(tool_url(model)), model) as served:
        for agent in ("Text", "Flow"):
            each = asyncio.run(_disk(served, folder, agent))
            said = len(MESSAGE) + len(SAYS.format(MESSAGE))
            figures.append(Figure(f"disk for a {agent} turn", each, "bytes", said, "at most 2,048", met=each <= 2_048))
    return figures


SECTIONS = {"awake": awake, "asleep": asleep, "disk": disk}


def main() -> int:
    """Run the sections that the command line names, or all of them; return the exit status."""
    wanted = sys.argv[1:] or list(SECTIONS)
    return 0 if publish("sessions", [figure for name in wanted for figure in SECTIONS[name]()]) else 1


if __name__ == "__main__":
    sys.exit(main())
