"""A process that runs imports in children which kill themselves, for real, at one of their statements.

`python -m tests.support.killed_imports DATABASE_URL` reads an `Order` a line. For each it makes a child by fork, which
has nothing of its parent's but what is imported, says `started PID`, and `ended STATUS` once that is gone.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from msgspec import Struct

from actors.clocks import RandomIds, SystemClock
from actors.stored_transfer import StoredTransfer
from domain.audit import SYSTEM
from domain.transfer import ImportMode, checked_files
from storage.database import Connection, Database
from storage.repositories.audit import AuditLog
from storage.statements import Statement
from tests.support.repository import ROOT

SENDERS = ("rows", "row", "value", "execute")
KILLED = -int(signal.SIGKILL)


class Order(Struct, frozen=True, kw_only=True):
    """One import.

    Attributes:
        dies_at: Number of the statement, from 1, at which its process is killed; 0 lets it live.
        behind: Once the statement was answered, not before it is sent.
    """

    tenant_id: str
    project_id: str
    files: dict[str, str]
    dies_at: int = 0
    behind: bool = False


class Mortal:
    """The process that runs the children."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def start(self, order: Order) -> int:
        """Have an import begun; return the id of its process."""
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        return await self._told("started")

    async def end(self) -> int:
        """Wait until the import's process is gone; return its status, negative for a signal."""
        return await self._told("ended")

    async def run(self, order: Order) -> int:
        """Have an import run to its end, whatever that is; return the status."""
        await self.start(order)
        return await self.end()

    async def _told(self, word: str) -> int:
        assert self._process.stdout is not None
        said, _, number = (await self._process.stdout.readline()).decode().partition(" ")
        assert said == word, said
        return int(number)


@asynccontextmanager
async def mortal_imports(database_url: str) -> AsyncIterator[Mortal]:
    """Yield a process that runs imports in this database."""
    command = (sys.executable, "-m", "tests.support.killed_imports", database_url)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=pipe, stdout=pipe)
    try:
        yield Mortal(process)
    finally:
        process.kill()
        await process.wait()


def main(database_url: str) -> None:
    """Run the orders that are read."""
    decoder = msgspec.json.Decoder(Order)
    for line in sys.stdin.buffer:
        order = decoder.decode(line)
        pid = os.fork()
        if not pid:
            _die_at(order)
            asyncio.run(_import(database_url, order))
            os._exit(0)
        _say(f"started {pid}")
        _, status = os.waitpid(pid, 0)
        _say(f"ended {os.waitstatus_to_exitcode(status)}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def _import(database_url: str, order: Order) -> None:
    database, clock, ids = await Database.open(database_url), SystemClock(), RandomIds()
    desk = StoredTransfer(database, AuditLog(database, clock, ids), clock, ids)
    await desk.import_files(
        order.tenant_id, order.project_id, checked_files(dict(order.files)), ImportMode.REPLACE, SYSTEM
    )
    await database.close()


def _die_at(order: Order) -> None:
    """Have this process killed at a statement of the order."""
    sent = 0

    def mortal(original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def send(self: Connection, statement: Statement, **given: object) -> Any:
            nonlocal sent
            sent += 1
            is_last = sent == order.dies_at
            if is_last and not order.behind:
                os.kill(os.getpid(), signal.SIGKILL)
            answer = await original(self, statement, **given)
            if is_last:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        return send

    for name in SENDERS:
        setattr(Connection, name, mortal(getattr(Connection, name)))


if __name__ == "__main__":
    main(sys.argv[1])
