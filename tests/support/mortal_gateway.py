"""A process that serves gateways in children whose writes can be made to fail, and which can kill themselves, for real,
behind one of them.

`python -m tests.support.mortal_gateway DATABASE_URL REDIS_URL FOLDER SOCKET` makes, for each line that it reads, a child
by fork, which listens on the socket it was given and has nothing of its parent's but what is imported; it says `started
PID`, and `ended STATUS` once that is gone. What is to happen to its writes stands in a file, see `Fate`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from msgspec import Struct

from actors.clocks import RandomIds, SystemClock
from actors.settings import Settings
from actors.wiring import open_runtime
from cli.serving import access_services, server_config
from domain.errors import Unavailable
from gateway.app import build_app
from gateway.settings import GatewaySettings
from storage.database import Connection, Database
from storage.statements import Statement
from tests.support.live_gateway import NO_RATES, SECRET
from tests.support.repository import ROOT

SENDERS = ("rows", "row", "value", "execute")
FATE = "fate.json"
KILLED = -int(signal.SIGKILL)
LOOPBACK = ("127.0.0.1/32",)


class Fate(Struct, frozen=True, kw_only=True):
    """What happens at the first statement with these words.

    Attributes:
        is_sent: It is sent, and once what it has written stands, the process is killed; otherwise the statement fails,
            and those after it with the same words.
        about: A key that has to be among what is given to the statement; "": any will do. What another session still
            owes after a restart is written with the same words.
    """

    write: str
    is_sent: bool
    about: str = ""


class MortalGateway:
    """The process that runs the children, of which there is one at a time."""

    def __init__(self, process: asyncio.subprocess.Process, fate: Path) -> None:
        self._process = process
        self._fate = fate
        self._pid = 0

    def meet(self, fate: Fate | None) -> None:
        """Say what is to happen from now on; None: nothing."""
        if fate is None:
            self._fate.unlink(missing_ok=True)
            return
        draft = self._fate.with_suffix(".draft")
        draft.write_bytes(msgspec.json.encode(fate))
        draft.replace(self._fate)

    async def start(self) -> None:
        """Have a gateway begin to serve, to which nothing is to happen."""
        self.meet(None)
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        self._pid = await self._told("started")

    async def ended(self) -> int:
        """Wait until the gateway is gone; return its status, negative for a signal."""
        status = await self._told("ended")
        self._pid = 0
        return status

    async def kill(self) -> None:
        """Kill the gateway, if there is one."""
        if self._pid:
            with suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(self._pid, signal.SIGKILL)
            await self.ended()

    async def _told(self, word: str) -> int:
        assert self._process.stdout is not None
        said, _, number = (await self._process.stdout.readline()).decode().partition(" ")
        assert said == word, said
        return int(number)


@asynccontextmanager
async def mortal_gateway(
    database_url: str, redis_url: str, folder: str, listener: socket.socket
) -> AsyncIterator[MortalGateway]:
    """Yield a process that serves gateways on this socket; requests that come in between wait for the next one."""
    command = (sys.executable, "-m", "tests.support.mortal_gateway", database_url, redis_url, folder)
    pipe, number = asyncio.subprocess.PIPE, listener.fileno()
    process = await asyncio.create_subprocess_exec(
        *command, str(number), cwd=ROOT, stdin=pipe, stdout=pipe, pass_fds=(number,)
    )
    gateway = MortalGateway(process, Path(folder, FATE))
    try:
        yield gateway
    finally:
        await gateway.kill()
        process.kill()
        await process.wait()


def main(database_url: str, redis_url: str, folder: str, number: str) -> None:
    """Serve a gateway for each line that is read."""
    for _ in sys.stdin.buffer:
        pid = os.fork()
        if not pid:
            _be_mortal(Path(folder, FATE))
            asyncio.run(_serve(database_url, redis_url, folder, int(number)))
            os._exit(0)
        _say(f"started {pid}")
        _, status = os.waitpid(pid, 0)
        _say(f"ended {os.waitstatus_to_exitcode(status)}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def _serve(database_url: str, redis_url: str, folder: str, number: int) -> None:
    settings = Settings(database_url=database_url, redis_url=redis_url, data_dir=folder, allowed_networks=LOOPBACK)
    async with open_runtime(settings) as running:
        access = access_services(running, SystemClock(), RandomIds())
        app = build_app(running.runtime, access, GatewaySettings(token_secret=SECRET, rates=NO_RATES))
        server = uvicorn.Server(server_config(app, lifespan="on"))
        await server.serve(sockets=[socket.socket(fileno=number)])


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _be_mortal(place: Path) -> None:
    """Have what stands in the file happen to this process; behind a statement of a transaction, once that stands."""
    within: ContextVar[list[bool] | None] = ContextVar("within", default=None)

    def fate_of(statement: Statement, given: dict[str, object]) -> Fate | None:
        try:
            fate = msgspec.json.decode(place.read_bytes(), type=Fate)
        except FileNotFoundError:
            return None
        return fate if fate.write in statement.sql and fate.about in repr(given) else None

    def mortal(original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def send(self: Connection, statement: Statement, **given: object) -> Any:
            fate, transaction = fate_of(statement, given), within.get()
            if fate is not None and not fate.is_sent:
                raise Unavailable("The store was cut off before the write.")
            answer = await original(self, statement, **given)
            if fate is not None and transaction is None:
                _die()
            elif fate is not None and transaction is not None:
                transaction.append(True)
            return answer

        return send

    for name in SENDERS:
        setattr(Connection, name, mortal(getattr(Connection, name)))
    transactional = Database.transaction

    @asynccontextmanager
    async def transaction(self: Database) -> AsyncIterator[Connection]:
        written: list[bool] = []
        token = within.set(written)
        try:
            async with transactional(self) as connection:
                yield connection
        finally:
            within.reset(token)
        if written:
            _die()

    Database.transaction = transaction  # type: ignore[method-assign]


if __name__ == "__main__":
    main(*sys.argv[1:])
