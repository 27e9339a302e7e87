from __future__ import annotations

import math

import pytest

from actors.counters import LocalCounters
from domain.clock import FixedClock

pytestmark = pytest.mark.anyio


async def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    clock = FixedClock()
    counters = LocalCounters(clock)
    taken = [await counters.take("a", per_s=2, burst=4) for _ in range(5)]
    assert [one.allowed for one in taken] == [True] * 4 + [False]
    assert [one.remaining for one in taken] == [3, 2, 1, 0, 0]
    assert taken[4].retry_after_ms == 500
    assert taken[3].reset_s == pytest.approx(2)
    clock.move(ms=500)
    assert (await counters.take("a", per_s=2, burst=4)).allowed
    assert not (await counters.take("a", per_s=2, burst=4)).allowed
    assert (await counters.take("b", per_s=2, burst=4)).allowed


async def test_a_window_slides() -> None:
    clock = FixedClock()
    counters = LocalCounters(clock)

    async def one() -> bool:
        return (await counters.count("s", limit=60, window_s=60)).allowed

    clock.move(seconds=59)
    assert all([await one() for _ in range(60)])
    refused = await counters.count("s", limit=60, window_s=60)
    assert (refused.allowed, refused.remaining) == (False, 0)
    clock.move(seconds=2)
    assert [await one() for _ in range(2)] == [True, False]
    clock.move(seconds=29)
    assert sum([await one() for _ in range(60)]) == 29
    clock.move(seconds=120)
    assert sum([await one() for _ in range(100)]) == 60


async def test_waiting_as_long_as_told_is_enough() -> None:
    clock = FixedClock()
    counters = LocalCounters(clock)
    for limit in (1, 3, 7):
        key = f"k{limit}"
        for _ in range(40):
            taken = await counters.count(key, limit=limit, window_s=60)
            if taken.allowed:
                clock.move(seconds=7)
                continue
            clock.move(ms=taken.retry_after_ms)
            again = await counters.count(key, limit=limit, window_s=60)
            assert again.allowed


async def test_a_caller_that_waits_the_whole_seconds_it_was_told_is_let_through_at_whatever_moment_it_came() -> None:
    for begun_s in (0.0, 12.01, 47.99, 59.999):
        clock = FixedClock()
        counters = LocalCounters(clock)
        clock.move(ms=int(begun_s * 1_000))
        for _ in range(60):
            assert (await counters.count("s", limit=60, window_s=60)).allowed
        refused = await counters.count("s", limit=60, window_s=60)
        clock.move(seconds=math.ceil(refused.retry_after_ms / 1_000))
        assert (await counters.count("s", limit=60, window_s=60)).allowed, begun_s


async def test_a_key_is_new_once_within_its_time() -> None:
    clock = FixedClock()
    counters = LocalCounters(clock)
    assert [await counters.once("t", ttl_s=60) for _ in range(2)] == [True, False]
    clock.move(seconds=61)
    assert await counters.once("t", ttl_s=60)


async def test_only_so_many_keys_are_held() -> None:
    counters = LocalCounters(FixedClock(), held=2)
    for key in "abc":
        await counters.take(key, per_s=1, burst=1)
    assert (await counters.take("a", per_s=1, burst=1)).allowed
    assert not (await counters.take("c", per_s=1, burst=1)).allowed


async def test_a_bucket_that_was_filled_by_a_leapt_clock_is_full() -> None:
    clock = FixedClock()
    counters = LocalCounters(clock)
    clock.move(seconds=400 * 86_400)
    for _ in range(4):
        await counters.take("a", per_s=2, burst=4)
    clock.move(seconds=-400 * 86_400)
    taken = [(await counters.take("a", per_s=2, burst=4)).allowed for _ in range(5)]
    assert taken == [True] * 4 + [False]
