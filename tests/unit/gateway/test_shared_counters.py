from __future__ import annotations

import pytest

from gateway.counters import Taken
from gateway.shared_counters import SharedCounters
from storage.coordination import Allowance

pytestmark = pytest.mark.anyio


class FakeCoordination:
    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []
        self.answer = Allowance(is_allowed=False, remaining=0, retry_after_ms=1500, reset_after_ms=3000)
        self.locked = False

    async def take_token(self, key: str, *, per_s: float, burst: int) -> Allowance:
        self.asked.append((key, per_s, burst))
        return self.answer

    async def count_in_window(self, key: str, *, limit: int, window_ms: int) -> Allowance:
        self.asked.append((key, limit, window_ms))
        return self.answer

    async def lock(self, name: str, *, ttl_ms: int) -> str | None:
        self.asked.append((name, ttl_ms))
        was, self.locked = self.locked, True
        return None if was else "token"


async def test_the_store_is_asked_in_its_units() -> None:
    coordination = FakeCoordination()
    counters = SharedCounters(coordination)  # type: ignore[arg-type]
    refused = Taken(allowed=False, limit=4, remaining=0, reset_s=3.0, retry_after_ms=1500)
    assert await counters.take("a", per_s=2, burst=4) == refused
    assert (await counters.count("b", limit=60, window_s=60)).limit == 60
    assert [await counters.once("t", ttl_s=60) for _ in range(2)] == [True, False]
    assert coordination.asked == [("a", 2, 4), ("b", 60, 60_000), ("t", 60_000), ("t", 60_000)]
