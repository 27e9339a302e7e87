"""The number of a tenant's sessions at once: a burst does not get past it between two counts of the store."""

from __future__ import annotations

import asyncio

import pytest

from domain.clock import FixedClock
from gateway import bounds
from gateway.session_room import SessionRoom

pytestmark = pytest.mark.anyio
LIMIT = 10


class Store:
    """Counts sessions that have come to it."""

    def __init__(self) -> None:
        self.active = 0
        self.asked = 0

    async def count(self, _tenant_id: str) -> int | None:
        self.asked += 1
        await asyncio.sleep(0)
        return self.active


async def test_a_burst_before_the_store_counts_any_of_it_ends_at_the_limit() -> None:
    store = Store()
    room = SessionRoom(store.count, FixedClock())
    entered = await asyncio.gather(*(room.enter("t", LIMIT) for _ in range(50)))
    assert (sum(entered), store.asked) == (LIMIT, 1)
    assert await room.enter("another", LIMIT)


async def test_sessions_that_the_store_counts_are_counted_once_and_ended_ones_make_room() -> None:
    store, clock = Store(), FixedClock()
    room = SessionRoom(store.count, clock)
    for _ in range(LIMIT):
        assert await room.enter("t", LIMIT)
    store.active = LIMIT - 1
    clock.move(seconds=bounds.SESSION_APPEARS_S + 2 * bounds.CONCURRENCY_RECOUNT_S)
    assert await room.enter("t", LIMIT)
    assert not await room.enter("t", LIMIT)
    store.active = LIMIT
    clock.move(seconds=bounds.CONCURRENCY_RECHECK_S)
    assert not await room.enter("t", LIMIT)
    store.active = 0
    assert not await room.enter("t", LIMIT)
    clock.move(seconds=2 * bounds.CONCURRENCY_RECOUNT_S)
    assert await room.enter("t", LIMIT)


async def test_what_is_counted_nowhere_is_limited_here() -> None:
    async def unknown(_tenant_id: str) -> int | None:
        return None

    room = SessionRoom(unknown, FixedClock())
    assert [await room.enter("t", 2) for _ in range(3)] == [True, True, False]
