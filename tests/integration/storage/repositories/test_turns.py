from __future__ import annotations

import asyncio

import pytest

from storage.database import Database
from storage.errors import TurnRepeated
from storage.journal import Journal
from storage.leases import Leases
from storage.repositories.turns import StoredTurn, Turns
from storage.statements import Statement
from storage.turn_end import KeyedReply, TurnEnd

pytestmark = pytest.mark.anyio

AGE = Statement("""
    UPDATE turns SET at = at - interval '25 hours' WHERE session_key = session_key(:tenant_id, :session_id)
""")
CALLERS = 50


@pytest.fixture
def turns(database: Database) -> Turns:
    return Turns(database)


def ended_under(key: str, reply: bytes, request_hash: str = "hash") -> TurnEnd:
    return TurnEnd(turn=1, keyed=KeyedReply(key, request_hash, reply))


async def test_of_fifty_turns_under_one_key_one_is_written(
    turns: Turns, journal: Journal, leases: Leases, tenant_id: str
) -> None:
    epoch = await leases.register_host(f"h {tenant_id}", "unix:h")
    await journal.open_session(tenant_id, "s", epoch)

    async def request(number: int) -> bool:
        for seq in range(CALLERS):
            try:
                await journal.append(
                    tenant_id, "s", epoch, [b"f"], expect_seq=seq, turn=ended_under("k", b"%d" % number)
                )
            except TurnRepeated:
                return False
            return True
        return False

    outcomes = await asyncio.gather(*(request(number) for number in range(CALLERS)))
    assert outcomes.count(True) == 1
    found = await turns.find(tenant_id, "s", "k")
    assert found is not None
    assert found.reply == b"%d" % outcomes.index(True)
    assert len(await journal.read(tenant_id, "s")) == 1


async def test_a_key_belongs_to_its_session_and_tenant(
    turns: Turns, journal: Journal, leases: Leases, tenant_id: str
) -> None:
    epoch = await leases.register_host(f"h {tenant_id}", "unix:h")
    await journal.open_session(tenant_id, "s", epoch)
    await journal.append(tenant_id, "s", epoch, [b"f"], expect_seq=0, turn=ended_under("k", b"reply"))
    assert await turns.find(tenant_id, "s", "k") == StoredTurn("hash", 1, b"reply")
    assert await turns.find(tenant_id, "s", "k2") is None
    assert await turns.find(tenant_id, "two", "k") is None
    assert await turns.find(f"{tenant_id} other", "s", "k") is None


async def test_a_key_is_forgotten_after_a_day(
    turns: Turns, journal: Journal, leases: Leases, database: Database, tenant_id: str
) -> None:
    epoch = await leases.register_host(f"h {tenant_id}", "unix:h")
    await journal.open_session(tenant_id, "s", epoch)
    await journal.append(tenant_id, "s", epoch, [b"x"], expect_seq=0, turn=ended_under("k", b"first"))
    await database.execute(AGE, tenant_id=tenant_id, session_id="s")
    assert await turns.find(tenant_id, "s", "k") is None
    await journal.append(tenant_id, "s", epoch, [b"x"], expect_seq=1, turn=ended_under("k", b"second", "another hash"))
    assert await turns.find(tenant_id, "s", "k") == StoredTurn("another hash", 1, b"second")
    await database.execute(AGE, tenant_id=tenant_id, session_id="s")
    assert await turns.forget_old() >= 1
