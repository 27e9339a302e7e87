"""What gateways share, on the real servers: kept replies and counts. Spec: house 5; platform-api 2.5."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from actors.clocks import SystemClock
from actors.shared_counters import SharedCounters
from storage.coordination import Coordination, Counted, Spent
from storage.database import Database
from storage.repositories.replies import KnownRequest, Replies
from storage.statements import Statement

pytestmark = pytest.mark.anyio

AGE = Statement("UPDATE replies SET at = at - :age::interval WHERE tenant_id = :tenant_id AND idempotency_key = :key")
AWAY = "unix:///nowhere/redis.sock"


async def test_of_fifty_requests_with_one_key_one_is_told_to_run(database: Database, tenant_id: str) -> None:
    replies = Replies(database)
    known = await asyncio.gather(*(replies.claim(tenant_id, "", "k", b"hash", claim_life_s=60) for _ in range(50)))
    assert known.count(None) == 1
    assert set(known) - {None} == {KnownRequest(b"hash", None, None)}


async def test_a_reply_is_kept_for_its_tenant_scope_and_key(database: Database, tenant_id: str) -> None:
    replies = Replies(database)
    assert await replies.claim(tenant_id, "one", "k", b"hash", claim_life_s=60) is None
    await replies.keep(tenant_id, "one", "k", 201, b"done")
    assert await replies.claim(tenant_id, "one", "k", b"other", claim_life_s=60) == KnownRequest(b"hash", 201, b"done")
    assert await replies.claim(tenant_id, "two", "k", b"hash", claim_life_s=60) is None
    assert await replies.claim(f"{tenant_id}b", "one", "k", b"hash", claim_life_s=60) is None


async def test_what_was_refused_may_run_again_but_not_what_ended_and_what_died_only_if_it_may_be_repeated(
    database: Database, tenant_id: str
) -> None:
    replies = Replies(database)
    for key in ("refused", "died", "ended"):
        assert await replies.claim(tenant_id, "", key, b"hash", claim_life_s=60) is None
    await replies.release(tenant_id, "", "refused")
    await replies.keep(tenant_id, "", "ended", 200, b"done")
    await replies.release(tenant_id, "", "ended")
    for key in ("died", "ended"):
        await database.execute(AGE, tenant_id=tenant_id, key=key, age=timedelta(seconds=61))
    again = {
        key: await replies.claim(tenant_id, "", key, b"hash", claim_life_s=60) for key in ("refused", "died", "ended")
    }
    lost = KnownRequest(b"hash", None, None, is_stale=True)
    assert again == {"refused": None, "died": lost, "ended": KnownRequest(b"hash", 200, b"done")}
    assert await replies.claim(tenant_id, "", "died", b"other", claim_life_s=60, repeatable=True) == lost
    assert await replies.claim(tenant_id, "", "died", b"hash", claim_life_s=60, repeatable=True) is None
    assert await replies.claim(tenant_id, "", "died", b"hash", claim_life_s=60) == KnownRequest(b"hash", None, None)


async def test_a_request_that_gives_a_sign_of_life_is_not_taken_for_dead(database: Database, tenant_id: str) -> None:
    replies = Replies(database)
    assert await replies.claim(tenant_id, "", "slow", b"hash", claim_life_s=60) is None
    for _ in range(3):
        await database.execute(AGE, tenant_id=tenant_id, key="slow", age=timedelta(seconds=45))
        await replies.renew(tenant_id, "", "slow")
    known = await replies.claim(tenant_id, "", "slow", b"hash", claim_life_s=60, repeatable=True)
    assert known == KnownRequest(b"hash", None, None)


async def test_replies_are_forgotten_after_a_day(database: Database, tenant_id: str) -> None:
    replies = Replies(database)
    for key in ("old", "new"):
        await replies.claim(tenant_id, "", key, b"hash", claim_life_s=60)
        await replies.keep(tenant_id, "", key, 200, b"")
    await database.execute(AGE, tenant_id=tenant_id, key="old", age=timedelta(hours=25))
    assert await replies.claim(tenant_id, "", "old", b"another", claim_life_s=60) is None
    await database.execute(AGE, tenant_id=tenant_id, key="old", age=timedelta(hours=25))
    assert await replies.forget_old() >= 1
    assert await replies.claim(tenant_id, "", "new", b"hash", claim_life_s=60) is not None


async def test_what_gateways_spend_adds_up(coordination: Coordination, tenant_id: str) -> None:
    spent = Spent(tenant_id, 3, 1_000, 5_000)
    assert await coordination.spend([spent]) == [3_000]
    two = await coordination.spend([spent, Spent(tenant_id + "b", 1, 1_000, 5_000)])
    assert two is not None
    assert 4_900 <= two[0] <= 5_000, "what a bucket lacks has an end"
    assert two[1] == 1_000


async def test_what_gateways_count_adds_up(coordination: Coordination, tenant_id: str) -> None:
    assert await coordination.add([Counted(tenant_id, 2, 7, 60_000)]) == [(2, 0)]
    assert await coordination.add([Counted(tenant_id, 1, 7, 60_000), Counted(tenant_id, 5, 8, 60_000)]) == [
        (3, 0),
        (5, 3),
    ]


async def test_without_the_store_nothing_is_known_of_others() -> None:
    coordination = Coordination.open(AWAY)
    assert await coordination.spend([Spent("k", 1, 1_000, 5_000)]) is None
    assert await coordination.add([Counted("k", 1, 7, 60_000)]) is None
    await coordination.close()


async def test_gateways_together_let_through_little_more_than_one_would(
    coordination: Coordination, tenant_id: str
) -> None:
    gateways = [SharedCounters(coordination, SystemClock()) for _ in range(3)]
    allowed = 0
    for _ in range(40):
        taken = [await one.count(tenant_id, limit=30, window_s=3_600) for one in gateways]
        allowed += sum(one.allowed for one in taken)
        for one in gateways:
            await one.tell()
    assert 30 <= allowed <= 30 + len(gateways)
    for one in gateways:
        await one.close()
