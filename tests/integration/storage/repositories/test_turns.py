from __future__ import annotations

import asyncio

import pytest

from storage.database import Database
from storage.errors import KeyReused, TurnRepeated
from storage.journal import Journal
from storage.leases import Leases
from storage.repositories.turns import StoredTurn, Turns
from storage.statements import Statement
from storage.turn_end import KeyedReply, TurnEnd

pytestmark = pytest.mark.anyio

AGE = Statement("""
    UPDATE turns SET at = at - interval '25 hours' WHERE tenant_id = :tenant_id AND idempotency_key = :key
""")
CALLERS = 50


@pytest.fixture
def turns(database: Database) -> Turns:
    return Turns(database)


async def test_of_fifty_requests_with_one_key_all_get_the_first_ones_session(turns: Turns, tenant_id: str) -> None:
    known = await asyncio.gather(
        *(turns.claim(tenant_id, "project", "k", "hash", f"s{number}") for number in range(CALLERS))
    )
    assert len(set(known)) == 1
    assert known[0].reply is None


async def test_of_fifty_turns_under_one_key_one_is_written(
    turns: Turns, journal: Journal, leases: Leases, tenant_id: str
) -> None:
    epoch = await leases.register_host(f"h {tenant_id}", "unix:h")
    sessions = [f"s{number}" for number in range(CALLERS)]
    for name in sessions:
        await journal.open_session(tenant_id, name, epoch)

    async def request(name: str) -> bytes | None:
        known = await turns.claim(tenant_id, "project", "k", "hash", name)
        end = TurnEnd(turn=1, keyed=KeyedReply("project", "k", "hash", f"reply of {name}".encode()))
        try:
            await journal.append(tenant_id, known.session_id, epoch, [b"fact"], expect_seq=0, turn=end)
        except TurnRepeated:
            known = await turns.claim(tenant_id, "project", "k", "hash", name)
            return known.reply
        return f"reply of {name}".encode()

    replies = await asyncio.gather(*(request(name) for name in sessions))
    assert len(set(replies)) == 1
    written = [name for name in sessions if await journal.read(tenant_id, name)]
    assert len(written) == 1


async def test_a_key_belongs_to_its_scope_and_tenant(turns: Turns, tenant_id: str) -> None:
    await turns.claim(tenant_id, "one", "k", "hash", "s")
    assert await turns.find(tenant_id, "two", "k") is None
    assert await turns.find(f"{tenant_id} other", "one", "k") is None
    assert await turns.find(tenant_id, "one", "k") == StoredTurn("s", "hash", None, None)


async def test_a_key_for_another_request_is_refused(turns: Turns, tenant_id: str) -> None:
    await turns.claim(tenant_id, "project", "k", "hash", "s")
    with pytest.raises(KeyReused):
        await turns.claim(tenant_id, "project", "k", "another hash", "s")


async def test_a_key_is_forgotten_after_a_day(
    turns: Turns, journal: Journal, leases: Leases, database: Database, tenant_id: str
) -> None:
    epoch = await leases.register_host(f"h {tenant_id}", "unix:h")
    await journal.open_session(tenant_id, "s", epoch)
    end = TurnEnd(turn=1, keyed=KeyedReply("s", "k", "hash", b"first"))
    await journal.append(tenant_id, "s", epoch, [b"x"], expect_seq=0, turn=end)
    await database.execute(AGE, tenant_id=tenant_id, key="k")
    assert await turns.find(tenant_id, "s", "k") is None
    end = TurnEnd(turn=2, keyed=KeyedReply("s", "k", "another hash", b"second"))
    await journal.append(tenant_id, "s", epoch, [b"x"], expect_seq=1, turn=end)
    found = await turns.find(tenant_id, "s", "k")
    assert found is not None
    assert found.reply == b"second"
    await database.execute(AGE, tenant_id=tenant_id, key="k")
    assert (await turns.claim(tenant_id, "s", "k", "third", "s2")).session_id == "s2"
    await database.execute(AGE, tenant_id=tenant_id, key="k")
    assert await turns.forget_old() >= 1
