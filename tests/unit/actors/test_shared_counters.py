from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pytest

from actors.shared_counters import SharedCounters
from domain.clock import FixedClock
from domain.errors import Unavailable
from storage.coordination import Counted, Spent

pytestmark = pytest.mark.anyio


class FakeCoordination:
    """What two gateways share; `away` makes it unreachable."""

    def __init__(self) -> None:
        self.lacking_ms: dict[str, float] = defaultdict(float)
        self.counts: dict[tuple[str, int], int] = defaultdict(int)
        self.names: set[str] = set()
        self.away = False
        self.asked = 0

    async def spend(self, spent: Sequence[Spent]) -> list[float] | None:
        self.asked += 1
        if self.away:
            return None
        for one in spent:
            self.lacking_ms[one.key] = min(self.lacking_ms[one.key] + one.count * one.every_ms, one.most_ms)
        return [self.lacking_ms[one.key] for one in spent]

    async def add(self, counted: Sequence[Counted]) -> list[tuple[int, int]] | None:
        self.asked += 1
        if self.away:
            return None
        for one in counted:
            self.counts[one.key, one.window] += one.count
        return [(self.counts[one.key, one.window], self.counts[one.key, one.window - 1]) for one in counted]

    async def first(self, name: str, *, ttl_ms: int) -> bool:
        if self.away:
            raise Unavailable("The coordination store is not reachable.")
        was = name in self.names
        self.names.add(name)
        return not was

    async def is_there(self) -> bool:
        return not self.away


def two_gateways() -> tuple[FakeCoordination, FixedClock, SharedCounters, SharedCounters]:
    coordination, clock = FakeCoordination(), FixedClock()
    return (
        coordination,
        clock,
        SharedCounters(coordination, clock),  # type: ignore[arg-type]
        SharedCounters(coordination, clock),  # type: ignore[arg-type]
    )


async def test_a_bucket_is_one_for_all_gateways_from_the_moment_they_have_told_each_other() -> None:
    _, clock, one, other = two_gateways()
    assert [(await one.take("t", per_s=2, burst=4)).allowed for _ in range(5)] == [True] * 4 + [False]
    assert (await other.take("t", per_s=2, burst=4)).allowed
    await one.tell()
    await other.tell()
    assert not (await other.take("t", per_s=2, burst=4)).allowed
    clock.move(seconds=1)
    assert [(await other.take("t", per_s=2, burst=4)).allowed for _ in range(3)] == [True, True, False]
    await one.close()
    await other.close()


async def test_a_window_is_one_for_all_gateways_from_the_moment_they_have_told_each_other() -> None:
    _, _, one, other = two_gateways()
    for gateway in (one, other):
        assert [(await gateway.count("s", limit=6, window_s=60)).allowed for _ in range(3)] == [True] * 3
        await gateway.tell()
    assert not (await other.count("s", limit=6, window_s=60)).allowed
    await one.close()
    await other.close()


async def test_a_request_never_waits_for_the_store_and_many_are_told_at_once() -> None:
    coordination, _, one, _ = two_gateways()
    for number in range(50):
        await one.take("t", per_s=100, burst=100)
        await one.count(f"s{number % 5}", limit=60, window_s=60)
    assert coordination.asked == 0
    await one.tell()
    assert coordination.asked == 2
    assert coordination.lacking_ms["t"] == 500
    assert sum(coordination.counts.values()) == 50
    await one.close()


async def test_while_the_store_is_away_each_gateway_limits_by_itself_and_says_so() -> None:
    coordination, _, one, _ = two_gateways()
    coordination.away = True
    assert [(await one.take("t", per_s=1, burst=2)).allowed for _ in range(3)] == [True, True, False]
    await one.tell()
    assert not (await one.take("t", per_s=1, burst=2)).allowed
    assert {name: value for name, _, value in one.numbers()} == {
        "abl_rate_store_up": 0.0,
        "abl_rate_store_failures_total": 1.0,
    }
    assert not await one.is_reachable()
    with pytest.raises(Unavailable):
        await one.once("ticket", ttl_s=60)
    coordination.away = False
    await one.count("s", limit=6, window_s=60)
    await one.tell()
    assert one.numbers()[0][2] == 1.0
    await one.close()


async def test_once_is_exact_over_all_gateways() -> None:
    _, _, one, other = two_gateways()
    assert [await gateway.once("ticket", ttl_s=60) for gateway in (one, other, one)] == [True, False, False]


async def test_what_was_let_through_is_told_by_itself_and_at_the_end() -> None:
    coordination, clock, _, _ = two_gateways()
    counters = SharedCounters(coordination, clock, sync_s=0.0)  # type: ignore[arg-type]
    await counters.take("t", per_s=1, burst=2)
    await counters.close()
    assert coordination.lacking_ms["t"] == 1_000


async def test_who_only_looks_sees_what_the_others_have_counted_since() -> None:
    coordination, _, one, other = two_gateways()
    assert (await other.look("tokens", limit=100, window_s=60)).allowed
    await other.tell()
    await one.add("tokens", 100, window_s=60)
    await one.tell()
    assert (await other.look("tokens", limit=100, window_s=60)).allowed
    await other.tell()
    assert not (await other.look("tokens", limit=100, window_s=60)).allowed
    assert sum(coordination.counts.values()) == 100
    await one.close()
    await other.close()
