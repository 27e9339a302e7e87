"""A database is opened or refused, and its tables are made once."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from domain.errors import Unavailable
from storage.database import Database
from storage.errors import MigrationRefused
from storage.migrate import Migration, known_migrations, migrate
from storage.partitions import PARTITIONED, WEEKS_AHEAD, drop_older, ensure_partitions
from storage.statements import Statement
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio

CREATE = "CREATE DATABASE {}"
DROP = "DROP DATABASE {}"
NOW = Statement("SELECT clock_timestamp()")
ROW = Statement("INSERT INTO journal (at, session_key, seq, epoch, count) VALUES (:at, gen_random_uuid(), 1, 1, 1)")


async def test_a_database_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(Unavailable):
        await Database.open("postgresql://nobody@/none?host=/nowhere&port=5432")


async def test_a_database_that_refuses_says_why(servers: Servers) -> None:
    with pytest.raises(Unavailable, match="refuses the connection"):
        await Database.open(servers.beside("none"))


@pytest.fixture
def fresh_name(tenant_id: str) -> str:
    return f"fresh_{tenant_id}"


async def test_migrations_are_applied_once_by_many_and_in_order(
    servers: Servers, database: Database, fresh_name: str
) -> None:
    async with database.connection() as connection:
        await connection.script(CREATE.format(fresh_name))
    url = servers.beside(fresh_name)
    opened = [await Database.open(url) for _ in range(4)]
    applied = await asyncio.gather(*(migrate(one) for one in opened))
    assert sorted(applied) == [0, 0, 0, len(known_migrations())]

    newer = Migration(known_migrations()[-1].number + 1, "9999_newer.sql", "CREATE TABLE newer (n int);")
    assert await migrate(opened[0], [*known_migrations(), newer]) == 1
    with pytest.raises(MigrationRefused, match="newer version"):
        await migrate(opened[0])

    made = await asyncio.gather(*(ensure_partitions(one) for one in opened))
    assert max(made) == len(PARTITIONED) * (WEEKS_AHEAD + 1)
    assert await ensure_partitions(opened[0]) == 0
    now = await opened[0].value(NOW)
    assert await drop_older(opened[0], "journal", timedelta(), now) == []
    assert await ensure_partitions(opened[0], since=now - timedelta(weeks=4)) > 3 * len(PARTITIONED)
    assert await drop_older(opened[0], "journal", timedelta(weeks=1), now) == []  # no row says that it is so late
    await opened[0].execute(ROW, at=now)
    assert len(await drop_older(opened[0], "journal", timedelta(weeks=2), now)) in (2, 3)
    assert await drop_older(opened[0], "journal", timedelta(weeks=2), now + timedelta(days=400)) == []
    with pytest.raises(ValueError, match="not partitioned"):
        await drop_older(opened[0], "sessions", timedelta(), now)

    for one in opened:
        await one.close()
    async with database.connection() as connection:
        await connection.script(DROP.format(fresh_name))
