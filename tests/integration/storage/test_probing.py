"""Readiness writes: what only answers is not ready. Spec: platform-api 14.8."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from actors import probing
from actors.health import OK
from actors.probing import WriteProbe
from storage.database import Database
from storage.errors import DiskFull
from storage.statements import Statement
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
PING = Statement("SELECT 1")
SIZE = Statement("SELECT pg_database_size(current_database())")


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture(autouse=True)
def looks_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "KEPT_S", 0.0)


async def test_a_store_that_takes_writes_is_ready_and_nothing_grows(database: Database) -> None:
    probe = WriteProbe(database)
    assert await probe.state() == OK
    before = await database.value(SIZE)
    for _ in range(20):
        assert await probe.state() == OK
    assert await database.value(SIZE) - before < 256 * 1024


async def test_a_store_that_only_answers_is_not_ready(servers: Servers, database: Database) -> None:
    read_only = await Database.open(servers.database_url + "&default_transaction_read_only=on")
    try:
        assert await read_only.value(PING) == 1
        assert await WriteProbe(read_only).state() != OK
    finally:
        await read_only.close()


async def test_a_disk_with_little_room_is_told(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = WriteProbe(database, tmp_path)
    assert await probe.state() == OK
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(100, 99, 3 * 1024 * 1024))
    assert await probe.state() == (
        "The disk of the database has 3 MB left, at least 64 MB are needed; make room on it."
    )


async def test_a_disk_that_a_statement_found_full_is_told_for_a_while(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = WriteProbe(database)
    with pytest.raises(DiskFull):
        async with database.connection():
            raise DiskFull("full")
    assert await probe.state() == "The disk of the database is full; make room on it."
    monkeypatch.setattr(probing, "FULL_TOLD_S", 0.0)
    assert await probe.state() == OK


async def test_many_who_ask_make_one_write(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "KEPT_S", 1e9)
    probe = WriteProbe(database)
    assert await probe.state() == OK
    database.disk_full_at_s = 1e12
    assert await probe.state() == OK
