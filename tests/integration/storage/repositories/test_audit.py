"""The audit log: in order, found by what is asked, and a change of it is noticed."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from actors.clocks import RandomIds
from domain.audit import SYSTEM, Actor, AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import FixedClock
from domain.errors import InvalidInput
from storage.database import Database
from storage.repositories.audit import AuditFilter, AuditLog
from storage.statements import Statement

pytestmark = pytest.mark.anyio

ANNA = Initiator(Actor("user", "usr_1", "anna@example.com"), "192.0.2.7", "req_1")
DISABLE = "ALTER TABLE audit_log DISABLE TRIGGER audit_log_unchanged"
ENABLE = "ALTER TABLE audit_log ENABLE TRIGGER audit_log_unchanged"
FORGE = Statement("""
    UPDATE audit_log SET entry = jsonb_set(entry, '{outcome}', '"failure"')
    WHERE tenant_id = :tenant_id AND number = :number
""")
REMOVE = Statement("DELETE FROM audit_log WHERE tenant_id = :tenant_id AND number = :number")


def entry(number: int, by: Initiator = SYSTEM) -> AuditEntry:
    return AuditEntry(
        by=by, action="api_key.create", category=AuditCategory.ACCESS, resource=Resource("api_key", f"key_{number}")
    )


@pytest.fixture
def log(database: Database) -> AuditLog:
    return AuditLog(database, FixedClock(), RandomIds())


async def test_entries_of_many_at_once_stand_in_one_chain(log: AuditLog, tenant_id: str) -> None:
    await asyncio.gather(*(log.note(tenant_id, entry(number)) for number in range(20)))
    found, total = await log.page(tenant_id, AuditFilter(), limit=50, offset=0)
    assert total == 20
    assert [one.number for one in found] == list(range(20, 0, -1))
    assert {one.entry.resource.id for one in found} == {f"key_{number}" for number in range(20)}
    assert await log.broken_at(tenant_id) is None


async def test_an_entry_of_an_action_that_failed_is_not_there(
    log: AuditLog, database: Database, tenant_id: str
) -> None:
    async def act() -> None:
        async with database.transaction() as connection:
            await log.append(connection, tenant_id, entry(1))
            raise InvalidInput("the action fails")

    with pytest.raises(InvalidInput):
        await act()
    assert await log.page(tenant_id, AuditFilter(), limit=50, offset=0) == ([], 0)


async def test_entries_are_found_by_what_is_asked(log: AuditLog, tenant_id: str) -> None:
    await log.note(tenant_id, entry(1))
    await log.note(tenant_id, entry(2, ANNA))
    (found,), total = await log.page(tenant_id, AuditFilter(actor_id="usr_1"), limit=50, offset=0)
    assert (found.entry.by, total) == (ANNA, 1)
    for wanted in (AuditFilter(category="system"), AuditFilter(action="x"), AuditFilter(outcome="failure")):
        assert await log.page(tenant_id, wanted, limit=50, offset=0) == ([], 0)
    assert await log.page(f"{tenant_id} other", AuditFilter(), limit=50, offset=0) == ([], 0)


async def test_no_entry_can_be_changed(log: AuditLog, database: Database, tenant_id: str) -> None:
    await log.note(tenant_id, entry(1))
    with pytest.raises(Exception, match="not changed"):
        await database.execute(FORGE, tenant_id=tenant_id, number=1)


@pytest.mark.parametrize("touched", [1, 2, 3])
@pytest.mark.parametrize("how", [FORGE, REMOVE])
async def test_a_changed_chain_is_noticed(
    how: Statement, touched: int, log: AuditLog, database: Database, tenant_id: str
) -> None:
    for number in range(3):
        await log.note(tenant_id, entry(number))
    async with database.connection() as connection:
        await connection.script(DISABLE)
        await connection.execute(how, tenant_id=tenant_id, number=touched)
        await connection.script(ENABLE)
    broken = await log.broken_at(tenant_id)
    if how is REMOVE and touched == 1:
        assert broken is None  # as retention does
    else:
        assert broken in (touched, touched + 1)


async def test_what_is_too_old_goes_and_the_rest_still_holds(database: Database, tenant_id: str) -> None:
    clock = FixedClock()
    log = AuditLog(database, clock, RandomIds())
    await log.note(tenant_id, entry(1))
    clock.move(seconds=timedelta(days=366).total_seconds())
    await log.note(tenant_id, entry(2))
    await log.prune(clock.now() - timedelta(days=365), limit=1_000)
    found, _ = await log.page(tenant_id, AuditFilter(), limit=50, offset=0)
    assert [one.entry.resource.id for one in found] == ["key_2"]
    assert await log.broken_at(tenant_id) is None


async def test_a_clock_that_is_put_back_does_not_change_the_order(database: Database, tenant_id: str) -> None:
    clock = FixedClock()
    log = AuditLog(database, clock, RandomIds())
    for seconds in (0, -60, 1):
        clock.move(seconds=seconds)
        await log.note(tenant_id, entry(1))
    found, _ = await log.page(tenant_id, AuditFilter(), limit=50, offset=0)
    assert [one.number for one in found] == [3, 2, 1]
    assert len({one.at for one in found}) == 1
    assert await log.broken_at(tenant_id) is None


async def test_who_was_not_let_in_is_noted_where_the_tenant_is_known(log: AuditLog, tenant_id: str) -> None:
    await log.note_refusal(None, entry(1))
    assert "" not in await log.heads()
    await log.note_refusal(tenant_id, entry(1))
    assert (await log.heads())[tenant_id] == 1
    assert await log.broken_at(tenant_id) is None


async def test_entries_below_a_number_follow_one_another(log: AuditLog, tenant_id: str) -> None:
    for number in range(5):
        await log.note(tenant_id, entry(number))
    first = await log.below(tenant_id, AuditFilter(), 2**62, limit=2)
    rest = await log.below(tenant_id, AuditFilter(), first[-1].number, limit=9)
    assert [one.number for one in [*first, *rest]] == [5, 4, 3, 2, 1]
