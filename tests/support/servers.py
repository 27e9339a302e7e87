"""The embedded PostgreSQL and Valkey of a test run: on private sockets in temporary folders.

One PostgreSQL serves all tests of a process; every folder of tests that asks for `servers` has a database of its own.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
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
from storage.statements import Statement

POLL_S = 0.005
DEADLINE_S = 60.0
POSTGRES = pytest.StashKey[str]()
_numbers = count(1)


class Servers(Struct, frozen=True):
    """Where the servers of this run are."""

    database_url: str
    redis_url: str

    def beside(self, name: str) -> str:
        """Return the address of another database of the same server."""
        return re.sub(r"/\w+\?", f"/{name}?", self.database_url, count=1)


def make_folder() -> Path:
    """Return a temporary folder that every account can pass through: servers may run under another one."""
    folder = Path(tempfile.mkdtemp(prefix="abl-test-"))
    folder.chmod(0o755)
    return folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a folder for servers of a test's own."""
    made = make_folder()
    yield made
    shutil.rmtree(made)


def start_program(text: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a Python program with its output in a pipe."""
    return subprocess.Popen([sys.executable, "-c", text, *arguments], stdout=subprocess.PIPE, text=True)


async def trust_the_system(database_url: str) -> None:
    """Have a server leave it to the operating system when what it has written reaches the disk.

    What a killed server has written the system still has: only a power cut would lose it, and no test makes one. Every
    commit waits some milliseconds for the disk otherwise, and stopping a server some seconds.
    """
    database = await Database.open(database_url)
    await database.execute(Statement("ALTER SYSTEM SET fsync = off"))
    await database.execute(Statement("SELECT pg_reload_conf()"))
    await database.close()


def run_postgres(config: pytest.Config) -> str:
    """Return the address of the one PostgreSQL of this process: started when it is first asked for.

    Its database has all tables and nothing in them, and is copied for those that ask for `servers`.
    """
    if POSTGRES not in config.stash:
        folder = make_folder()
        server = PostgresServer(folder)

        async def start() -> None:
            await server.start()
            await trust_the_system(server.url)
            database = await Database.open(server.url)
            await migrate(database)
            await ensure_partitions(database)
            await database.close()
            await server.leave()

        def end() -> None:
            asyncio.run(server.stop())
            shutil.rmtree(folder)

        config.add_cleanup(end)
        asyncio.run(start())
        config.stash[POSTGRES] = server.url
    return config.stash[POSTGRES]


async def copy_of(database_url: str, name: str) -> None:
    """Make another database with all that stands in this one, to which nobody is connected."""
    database = await Database.open(database_url.replace("/postgres?", "/template1?"))
    await database.execute(Statement(f"CREATE DATABASE {name} TEMPLATE postgres"))
    await database.close()


@contextmanager
def run_servers(config: pytest.Config) -> Iterator[Servers]:
    """Yield a database with all tables in place, and a Redis, that nobody else of this run uses."""
    postgres_url, name = run_postgres(config), f"run_{next(_numbers)}"
    folder = make_folder()
    redis = RedisServer(folder)

    async def start() -> None:
        await copy_of(postgres_url, name)
        await redis.start()
        await redis.leave()

    asyncio.run(start())
    yield Servers(postgres_url.replace("/postgres?", f"/{name}?"), redis.url)
    asyncio.run(redis.stop())
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def servers(pytestconfig: pytest.Config) -> Iterator[Servers]:
    """Yield servers with all tables in place."""
    with run_servers(pytestconfig) as found:
        yield found


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


@pytest.fixture
def tenant_id() -> str:
    """Return a tenant that no other test of this run has."""
    return f"ten_{next(_numbers)}"


async def until(condition: Callable[[], Awaitable[bool]], *, within_s: float = DEADLINE_S) -> None:
    """Wait for a condition by asking again and again; fail when it does not come true in time."""
    deadline = monotonic() + within_s
    while not await condition():
        assert monotonic() < deadline, f"not within {within_s:g} s: {getattr(condition, '__qualname__', condition)}"
        await asyncio.sleep(POLL_S)


@asynccontextmanager
async def an_empty_database(servers: Servers, name: str) -> AsyncIterator[Database]:
    """Yield a database without any tables on the server of the run; `name` is good for one of its kind."""
    name = f"{name}_{os.getpid()}"
    root = await Database.open(servers.database_url)
    async with root.connection() as connection:
        await connection.script(f"CREATE DATABASE {name}")
    database = await Database.open(servers.beside(name))
    yield database
    await database.close()
    async with root.connection() as connection:
        await connection.script(f"DROP DATABASE {name}")
    await root.close()


@pytest.fixture(name="database")
async def own_database(servers: Servers) -> AsyncIterator[Database]:
    """Yield a database with all tables and nothing in it: counting reads all turns of one, also those of other tests."""
    async with an_empty_database(servers, "own") as found:
        await migrate(found)
        await ensure_partitions(found)
        yield found
