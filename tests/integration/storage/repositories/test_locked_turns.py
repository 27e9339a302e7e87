"""Turns whose key cannot be opened stop no other tenant's analytics, and count as soon as it can be."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from actors.uncounted import UncountedTurns
from storage.crypto import MasterKeys, new_data_key
from storage.database import Database
from storage.keys import session_key
from storage.repositories.analytics_counting import READER, Counting
from storage.repositories.sessions import NewSession, Sessions
from storage.repositories.turn_readers import TurnReader
from storage.statements import Statement
from tests.integration.storage.repositories.test_turn_readers import WRITE, a_call
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
CALLS = 3
DESTROY = Statement("DELETE FROM tenant_keys WHERE tenant_id = :tenant_id")
MODEL_CALLS = Statement("SELECT count(*) FROM analytics_told WHERE tenant_id = :tenant_id AND category = 'llm'")
ASIDE = Statement("SELECT count(*) FROM turns_aside WHERE tenant_id = :tenant_id")


@pytest.fixture
async def theirs(servers: Servers) -> AsyncIterator[Database]:
    """Yield the database as another installation sees it, under a master key of its own."""
    opened = await Database.open(servers.database_url, master_keys=MasterKeys([new_data_key()]))
    yield opened
    await opened.close()


@pytest.fixture
async def ours(servers: Servers) -> AsyncIterator[Database]:
    opened = await Database.open(servers.database_url, master_keys=MasterKeys([new_data_key()]))
    yield opened
    await opened.close()


async def spoken(database: Database, tenant_id: str) -> None:
    """Have a tenant's session call a model some times."""
    new = NewSession(session_id="s", project_id="p", runtime_session_id="r", entry_agent_name="Desk")
    await Sessions(database).create(tenant_id, new)
    seal = await database.contents.seal(tenant_id, session_key(tenant_id, "s"))
    assert seal is not None
    for seq in range(1, CALLS + 1):
        await database.execute(WRITE, tenant_id=tenant_id, session_id="s", seq=seq, events=seal.close(a_call(seq)))


async def count(database: Database) -> None:
    """Count all that can be counted by a process."""
    while await Counting(database).go_on(datetime.now(UTC)):
        pass


async def calls(database: Database, tenant_id: str) -> int:
    """Return how many calls of models are counted."""
    return int(await database.value(MODEL_CALLS, tenant_id=tenant_id))


async def test_a_process_without_a_master_key_counts_what_it_can(
    database: Database, theirs: Database, tenant_id: str
) -> None:
    """Decision: 0101."""
    await spoken(theirs, tenant_id)
    await count(database)
    assert await calls(database, tenant_id) == 0
    await count(theirs)
    assert await calls(theirs, tenant_id) == CALLS


async def test_one_tenant_whose_key_is_not_here_stops_no_other(
    theirs: Database, ours: Database, tenant_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    other_id = f"{tenant_id} other"
    await spoken(theirs, tenant_id)
    await spoken(ours, other_id)
    caplog.set_level(logging.ERROR)
    for _ in range(2):
        await count(ours)
    assert (await calls(ours, other_id), await calls(ours, tenant_id)) == (CALLS, 0)
    told = [record.getMessage() for record in caplog.records if tenant_id in record.getMessage()]
    assert len(told) == 1, "once for a key, not for each turn"
    assert "is not configured; add it to the master keys" in told[0]
    uncounted = UncountedTurns(ours)
    assert await uncounted.count() == (await TurnReader(ours, READER).aside()).turns >= CALLS
    assert "add it to ABL_MASTER_KEYS" in await uncounted.state()
    await count(theirs)
    assert await calls(theirs, tenant_id) == CALLS
    await count(theirs)
    assert (await calls(theirs, tenant_id), await theirs.value(ASIDE, tenant_id=tenant_id)) == (CALLS, 0)


async def test_turns_whose_key_is_gone_for_good_wait_no_more(theirs: Database, ours: Database, tenant_id: str) -> None:
    await spoken(theirs, tenant_id)
    await count(ours)
    assert await ours.value(ASIDE, tenant_id=tenant_id) == CALLS
    await ours.execute(DESTROY, tenant_id=tenant_id)
    await count(ours)
    assert (await calls(ours, tenant_id), await ours.value(ASIDE, tenant_id=tenant_id)) == (0, 0)


async def test_a_session_that_is_deleted_takes_what_waits_of_it_along(
    theirs: Database, ours: Database, tenant_id: str
) -> None:
    await spoken(theirs, tenant_id)
    await count(ours)
    await Sessions(theirs).delete(tenant_id, "s")  # who can read it counts it before
    assert (await calls(theirs, tenant_id), await ours.value(ASIDE, tenant_id=tenant_id)) == (CALLS, 0)
