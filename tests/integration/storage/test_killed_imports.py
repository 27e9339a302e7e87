"""A process that is killed in the middle of an import, at each of its statements: nothing of it is there.

What is left is its lock, for as long as locks last; then the next import works. Spec: platform-api 9.
"""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from itertools import count

import pytest

from domain.errors import AppError
from storage.database import Database
from storage.statements import Statement
from tests.integration.storage.test_import_kill_points import AFTER, ALL, END_LOCK, NOTHING, Imports
from tests.support.killed_imports import KILLED, Mortal, Order, mortal_imports
from tests.support.servers import Servers, until

pytestmark = pytest.mark.anyio
UNTOUCHED, DONE = (NOTHING, None, 1), (ALL, "New", 2)
"""Documents, entry agent and how many imports the audit log has, before and after."""
LOCKED = Statement("""
    SELECT count(*) > 0 FROM import_locks
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND expires_at > clock_timestamp()
""")
HOLD = Statement("""
    SELECT name FROM agents WHERE tenant_id = :tenant_id AND project_id = :project_id FOR UPDATE
""")
WAITS = Statement(
    "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
)
NOBODY_WAITS = Statement("""
    SELECT count(*) = 0 FROM pg_stat_activity
    WHERE datname = current_database() AND (wait_event_type = 'Lock' OR state LIKE 'idle in transaction%')
""")
LEAST_STATEMENTS = 13


@pytest.fixture
async def mortal(servers: Servers) -> AsyncIterator[Mortal]:
    async with mortal_imports(servers.database_url) as found:
        yield found


async def prepared(database: Database, tenant_id: str) -> Imports:
    imports = Imports(database, tenant_id)
    await imports.prepare()
    return imports


async def is_locked(imports: Imports) -> bool:
    named = {"tenant_id": imports.tenant_id, "project_id": imports.project_id}
    return bool(await imports.database.value(LOCKED, **named))


async def works_again(imports: Imports) -> None:
    """Import, once the lock that was left behind is over, if there is one; until then nobody may."""
    if await is_locked(imports):
        before = await imports.stands()
        with pytest.raises(AppError, match="Import already in progress"):
            await imports.run(AFTER)
        assert await imports.stands() == before
        await imports.database.execute(END_LOCK, tenant_id=imports.tenant_id, project_id=imports.project_id)
    await imports.run(AFTER)
    documents, entry, _ = await imports.stands()
    assert (documents, entry) == DONE[:2]


@pytest.mark.parametrize("behind", [False, True])
async def test_a_process_killed_at_any_statement_leaves_nothing(
    database: Database, tenant_id: str, mortal: Mortal, behind: bool
) -> None:
    seen = []
    for at in count(1):
        imports = await prepared(database, f"{tenant_id}_{at}")
        named = {"tenant_id": imports.tenant_id, "project_id": imports.project_id}
        status = await mortal.run(Order(**named, files=AFTER, dies_at=at, behind=behind))
        stands = await imports.stands()
        if status == 0:
            assert stands == DONE
            assert not await is_locked(imports)
            break
        assert status == KILLED
        assert stands == UNTOUCHED, f"killed at statement {at}: nothing is asked of the database behind the commit"
        seen.append(await is_locked(imports))
        await works_again(imports)
    assert len(seen) >= LEAST_STATEMENTS
    assert seen.count(True) >= LEAST_STATEMENTS - 2


async def test_a_process_killed_while_the_database_works_for_it_leaves_nothing(
    database: Database, tenant_id: str, mortal: Mortal
) -> None:
    imports = await prepared(database, tenant_id)
    named = {"tenant_id": imports.tenant_id, "project_id": imports.project_id}
    async with database.transaction() as holding:
        await holding.rows(HOLD, **named)
        pid = await mortal.start(Order(**named, files=AFTER))
        await until(lambda: database.value(WAITS))
        os.kill(pid, signal.SIGKILL)
        assert await mortal.end() == KILLED
        assert await imports.stands() == UNTOUCHED
    await until(lambda: database.value(NOBODY_WAITS))
    assert await imports.stands() == UNTOUCHED, "what the dead process had asked for is not done after its death"
    await works_again(imports)
