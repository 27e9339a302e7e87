"""Values that are too large for the journal stand beside it, once, as long as somebody holds them."""

from __future__ import annotations

import asyncio
import random

import pytest

from storage.database import Connection, Database, Row
from storage.frames import BLOB_MIN_BYTES
from storage.journal import Journal
from storage.journal_statements import APPENDS
from storage.leases import Leases
from storage.repositories.sessions import NewSession, Sessions
from storage.statements import Statement
from tests.support.servers import until

pytestmark = pytest.mark.anyio

SOMEBODY_WAITS = Statement("""
    SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database())
""")
BLOBS = Statement("SELECT count(*) FROM journal_blobs WHERE tenant_id = :tenant_id")


@pytest.fixture
async def epoch(leases: Leases, tenant_id: str) -> int:
    return await leases.register_host(f"host of {tenant_id}", "unix:here")


async def test_a_large_value_that_is_just_kept_stays_when_its_last_other_holder_is_deleted(
    journal: Journal, database: Database, tenant_id: str, epoch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions, large = Sessions(database), random.Random(2).randbytes(BLOB_MIN_BYTES)
    for name in ("gone", "kept"):
        new = NewSession(session_id=name, project_id="p", runtime_session_id=name, entry_agent_name="Desk")
        await sessions.create(tenant_id, new, epoch=epoch)
    await journal.append(tenant_id, "gone", epoch, [large], expect_seq=0)
    is_kept, go_on, real = asyncio.Event(), asyncio.Event(), Connection.rows

    async def slowly(self: Connection, statement: Statement, **given: object) -> list[Row]:
        if statement in APPENDS.values():
            is_kept.set()
            await go_on.wait()
        return await real(self, statement, **given)

    monkeypatch.setattr(Connection, "rows", slowly)
    keeping = asyncio.create_task(journal.append(tenant_id, "kept", epoch, [large], expect_seq=0))
    await is_kept.wait()
    deleting = asyncio.create_task(sessions.delete(tenant_id, "gone"))

    async def waits_or_is_done() -> bool:
        return deleting.done() or bool(await database.value(SOMEBODY_WAITS))

    await until(waits_or_is_done)
    go_on.set()
    assert await asyncio.gather(keeping, deleting) == [1, True]
    assert await journal.read(tenant_id, "kept") == [(1, large)]
    assert await sessions.delete(tenant_id, "kept")
    assert await database.value(BLOBS, tenant_id=tenant_id) == 0


async def test_large_facts_are_kept_once(journal: Journal, database: Database, tenant_id: str, epoch: int) -> None:
    large = random.Random(1).randbytes(BLOB_MIN_BYTES)
    for name in ("a", "b"):
        await journal.open_session(tenant_id, name, epoch)
    await asyncio.gather(*(journal.append(tenant_id, name, epoch, [large], expect_seq=0) for name in ("a", "b")))
    assert await journal.read(tenant_id, "b") == [(1, large)]
    assert await database.value(BLOBS, tenant_id=tenant_id) == 1
