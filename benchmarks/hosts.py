"""What each kind of host costs: a question's round trip, memory and first turn of a session. `make bench-hosts`.

A packed session shares a host with thousands; a dedicated one has a process, on Ray an actor, of its own. The baseline
of a round trip is a frame there and back over a Unix socket of asyncio, that of a dedicated session is a packed one.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from time import perf_counter

import msgspec
import uvloop

from actors.messages import Look
from actors.projects import Seeded, put_project
from actors.runtime import ChatTurn
from actors.settings import Settings
from actors.wiring import RunningRuntime, open_runtime
from benchmarks.report import Figure, publish
from benchmarks.serving import a_folder, children
from benchmarks.turn_agents import FLOW
from benchmarks.turns import MESSAGE
from storage.embedded.processes import command_line
from storage.repositories.deployments import Deployments, NewDeployment
from storage.repositories.projects import Projects

RUNTIMES = ("local", "process", "ray")
ASKS, WARM_UP = 2_000, 200
PACKED, TOGETHER = 2_000, 32
FIRST_TURNS, DEDICATED = 20, 4
FILES = {"flow.agent.abl": FLOW}
HOST_TITLES = ("ray::SessionHostActor", "actors.hosts.child")
MS_PER_S, MIB, KIB = 1_000, 1024**2, 1024
FRAME = b"x" * 100


def private_bytes(pid: int) -> int:
    """Return the memory that is a process's alone."""
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return sum(int(row.split()[1]) * KIB for row in rows if row.startswith(("Private_Clean", "Private_Dirty")))


def host_pids() -> set[int]:
    """Return the hosts below this process: its children, or on Ray the children of its raylet."""
    near = children(os.getpid())
    below = [*near, *(pid for one in near for pid in children(one))]
    return {pid for pid in below if any(title in command_line(pid) for title in HOST_TITLES)}


async def round_trip_ms(ask: Callable[[], Awaitable[object]]) -> float:
    """Return the median time of a call."""
    for _ in range(WARM_UP):
        await ask()
    times = []
    for _ in range(ASKS):
        began = perf_counter()
        await ask()
        times.append(perf_counter() - began)
    return median(times) * MS_PER_S


async def echo_ms(folder: Path) -> float:
    """Return the round trip of a frame over a Unix socket within this process."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while frame := await reader.read(len(FRAME)):
            writer.write(frame)
        writer.close()

    path = str(folder / "echo.sock")
    server = await asyncio.start_unix_server(answer, path)
    reader, writer = await asyncio.open_unix_connection(path)

    async def ask() -> None:
        writer.write(FRAME)
        await reader.readexactly(len(FRAME))

    took = await round_trip_ms(ask)
    writer.close()
    server.close()
    return took


class Talk:
    """Speaks with sessions of one project."""

    def __init__(self, running: RunningRuntime, seeded: Seeded) -> None:
        self._running = running
        self._seeded = seeded

    async def first_turn(self) -> tuple[str, float]:
        """Open a session with a turn; return its id and how many seconds that took."""
        seeded, began = self._seeded, perf_counter()
        turn = ChatTurn(tenant_id=seeded.tenant_id, project_id=seeded.project_id, message=MESSAGE)
        reply = await self._running.runtime.chat(turn)
        return reply.session_id, perf_counter() - began

    async def first_turns_ms(self, count: int) -> float:
        """Return the median time of the first turn of a session, one after the other."""
        return median([(await self.first_turn())[1] for _ in range(count)]) * MS_PER_S

    async def look_ms(self) -> float:
        """Return the round trip of a question that the host answers from memory."""
        session_id, _ = await self.first_turn()
        seeded = self._seeded
        look = Look(tenant_id=seeded.tenant_id, project_id=seeded.project_id, session_id=session_id)
        return await round_trip_ms(lambda: self._running.runtime.ask(look))

    async def open(self, count: int) -> None:
        """Open sessions, some at a time."""
        gate = asyncio.Semaphore(TOGETHER)

        async def one() -> None:
            async with gate:
                await self.first_turn()

        await asyncio.gather(*(one() for _ in range(count)))


async def put_apart(running: RunningRuntime) -> Seeded:
    """Store a project whose deployment is dedicated."""
    seeded = await put_project(running.database, "apart", FILES)
    project = await Projects(running.database).get(seeded.tenant_id, seeded.project_id)
    deployment = NewDeployment(
        deployment_id="dep_apart",
        project_id=seeded.project_id,
        environment="production",
        endpoint_slug="apart",
        entry_agent_name=seeded.agents[0],
        program_id=project.program_id,
        agent_version_manifest={},
        details={"placement": "dedicated"},
    )
    await Deployments(running.database).create(seeded.tenant_id, deployment)
    return seeded


async def of_runtime(kind: str, folder: Path, echo: float) -> list[Figure]:
    """Measure one runtime with one host."""
    settings = msgspec.convert({"data_dir": str(folder / kind), "runtime": kind, "hosts": 1}, Settings)
    async with open_runtime(settings) as running:
        packed = Talk(running, await put_project(running.database, "packed", FILES))
        figures = [Figure(f"{kind}: a question and its answer", await packed.look_ms(), "ms", echo)]
        shared = host_pids() or {os.getpid()}
        first_ms = await packed.first_turns_ms(FIRST_TURNS)
        before = sum(private_bytes(pid) for pid in shared)
        await packed.open(PACKED)
        grown = sum(private_bytes(pid) for pid in shared) - before
        figures.append(Figure(f"{kind}: memory of a packed session", grown / PACKED / KIB, "KiB"))
        if kind == "local":
            return [*figures, Figure(f"{kind}: first turn of a packed session", first_ms, "ms")]
        apart = Talk(running, await put_apart(running))
        apart_ms = await apart.first_turns_ms(DEDICATED)
        alone = median(private_bytes(pid) for pid in host_pids() - shared)
    return [
        *figures,
        Figure(f"{kind}: memory of a dedicated session", alone / MIB, "MiB", grown / PACKED / MIB),
        Figure(f"{kind}: first turn of a dedicated session", apart_ms, "ms", first_ms),
    ]


async def measure(runtimes: list[str]) -> list[Figure]:
    """Measure these runtimes, one after the other."""
    figures = []
    with a_folder() as folder:
        echo = await echo_ms(folder)
        for kind in runtimes:
            figures += await of_runtime(kind, folder, echo)
    return figures


def main() -> int:
    """Measure the runtimes that the command line names, or all; return the exit status."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(measure(sys.argv[1:] or list(RUNTIMES)))
    return 0 if publish("hosts", figures) else 1


if __name__ == "__main__":
    sys.exit(main())
