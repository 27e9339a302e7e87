from __future__ import annotations

import asyncio

import pytest

from domain.errors import Unavailable
from storage.coordination import Coordination

pytestmark = pytest.mark.anyio

AWAY = "unix:///nowhere/redis.sock"


async def test_a_bucket_gives_its_burst_and_then_says_how_long_to_wait(
    coordination: Coordination, tenant_id: str
) -> None:
    taken = [await coordination.take_token(tenant_id, per_s=0.5, burst=3) for _ in range(4)]
    assert [one.is_allowed for one in taken] == [True, True, True, False]
    assert [one.remaining for one in taken] == [2, 1, 0, 0]
    assert 0 < taken[3].retry_after_ms <= 2_000
    assert all(one.is_known for one in taken)


async def test_a_window_counts_each_event_once(coordination: Coordination, tenant_id: str) -> None:
    counted = await asyncio.gather(
        *(coordination.count_in_window(tenant_id, limit=60, window_ms=60_000) for _ in range(70))
    )
    assert sum(one.is_allowed for one in counted) == 60
    assert min(one.remaining for one in counted) == 0
    assert all(0 < one.retry_after_ms <= 60_000 for one in counted if not one.is_allowed)


async def test_places_are_limited_and_can_be_held_longer_and_given_back(
    coordination: Coordination, tenant_id: str
) -> None:
    async def hold(member: str) -> bool:
        return await coordination.hold(tenant_id, member, limit=2, ttl_ms=60_000)

    assert [await hold("a"), await hold("b"), await hold("c"), await hold("a")] == [True, True, False, True]
    await coordination.let_go(tenant_id, "a")
    assert await hold("c")


async def test_a_lock_is_one_holders_and_opened_only_by_its_token(coordination: Coordination, tenant_id: str) -> None:
    token = await coordination.lock(tenant_id, ttl_ms=60_000)
    assert token is not None
    assert await coordination.lock(tenant_id, ttl_ms=60_000) is None
    assert not await coordination.unlock(tenant_id, "another")
    assert await coordination.unlock(tenant_id, token)
    assert await coordination.lock(tenant_id, ttl_ms=60_000) is not None


async def test_what_is_published_reaches_who_listens(coordination: Coordination, tenant_id: str) -> None:
    async with coordination.subscribed(tenant_id) as messages:
        assert await coordination.publish(tenant_id, b"one")
        async with asyncio.timeout(10):
            assert await anext(messages) == (tenant_id, b"one")


async def test_without_the_server_limits_let_pass_and_locks_are_not_given() -> None:
    coordination = Coordination.open(AWAY)
    assert not await coordination.is_there()
    allowance = await coordination.take_token("k", per_s=1, burst=1)
    assert (allowance.is_allowed, allowance.is_known) == (True, False)
    assert await coordination.hold("k", "m", limit=1, ttl_ms=1_000)
    assert not await coordination.publish("k", b"x")
    await coordination.let_go("k", "m")
    assert not await coordination.unlock("k", "token")
    with pytest.raises(Unavailable):
        await coordination.lock("k", ttl_ms=1_000)
    with pytest.raises(Unavailable):
        async with coordination.subscribed("k"):
            pytest.fail("nobody can listen")
    await coordination.close()
