"""The embedded PostgreSQL and Valkey of a test run: started once, on private sockets in a temporary folder."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import count
from pathlib import Path
from time import monotonic

import pytest
from msgspec import Struct

from storage.coordination import Coordination
from storage.database import Database
from storage.embedded import PostgresServer, RedisServer
from storage.journal import Journal
from storage.leases import Leases
from storage.migrate import migrate
from storage.partitions import ensure_partitions

POLL_S = 0.005
DEADLINE_S = 20.0


class Servers(Struct, frozen=True):
    """Where the servers of this run are."""

    database_url: str
    redis_url: str


def make_folder() -> Path:
    """Return a temporary folder that every account can pass through: servers may run under another one."""
    folder = Path(tempfile.mkdtemp(prefix="abl-test-"))
    folder.chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def data_folder() -> Iterator[Path]:
    """Yield the folder of the servers of this run."""
    folder = make_folder()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a folder for servers of a test's own."""
    made = make_folder()
    yield made
    shutil.rmtree(made)


def start_program(text: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a Python program with its output in a pipe."""
    return subprocess.Popen([sys.executable, "-c", text, *arguments], stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="session")
def servers(data_folder: Path) -> Iterator[Servers]:
    """Yield servers with all tables in place."""
    postgres, redis = PostgresServer(data_folder), RedisServer(data_folder)

    async def start() -> None:
        await asyncio.gather(postgres.start(), redis.start())
        database = await Database.open(postgres.url)
        await migrate(database)
        await ensure_partitions(database)
        await database.close()
        await asyncio.gather(postgres.leave(), redis.leave())

    async def stop() -> None:
        await asyncio.gather(postgres.stop(), redis.stop())

    asyncio.run(start())
    yield Servers(postgres.url, redis.url)
    asyncio.run(stop())


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def database(servers: Servers) -> AsyncIterator[Database]:
    opened = await Database.open(servers.database_url)
    yield opened
    await opened.close()


@pytest.fixture
async def journal(database: Database) -> AsyncIterator[Journal]:
    opened = Journal(database)
    yield opened
    await opened.close()


@pytest.fixture
def leases(database: Database) -> Leases:
    return Leases(database)


@pytest.fixture
async def coordination(servers: Servers) -> AsyncIterator[Coordination]:
    opened = Coordination.open(servers.redis_url)
    yield opened
    await opened.close()


_numbers = count(1)


@pytest.fixture
def tenant_id() -> str:
    """Return a tenant that no other test of this run has."""
    return f"ten_{next(_numbers)}"


async def until(condition: Callable[[], Awaitable[bool]], *, within_s: float = DEADLINE_S) -> None:
    """Wait for a condition by asking again and again; fail when it does not come true in time."""
    deadline = monotonic() + within_s
    while not await condition():
        assert monotonic() < deadline, "the condition did not come true in time"
        await asyncio.sleep(POLL_S)
