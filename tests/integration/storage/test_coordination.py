from __future__ import annotations

import asyncio

import pytest

from domain.errors import Unavailable
from storage.coordination import Coordination, Counted, Spent

pytestmark = pytest.mark.anyio

AWAY = "unix:///nowhere/redis.sock"


async def test_of_many_at_once_one_is_first_under_a_name(coordination: Coordination, tenant_id: str) -> None:
    asked = (coordination.first(tenant_id, ttl_ms=60_000) for _ in range(20))
    assert sum(await asyncio.gather(*asked)) == 1
    assert await coordination.first(f"{tenant_id} another", ttl_ms=60_000)


async def test_without_the_server_counters_say_so_and_nobody_is_first() -> None:
    coordination = Coordination.open(AWAY)
    assert not await coordination.is_there()
    assert await coordination.spend([Spent("k", 1, 1.0, 1.0)]) is None
    assert await coordination.add([Counted("k", 1, 1, 60_000)]) is None
    with pytest.raises(Unavailable):
        await coordination.first("k", ttl_ms=1_000)
    await coordination.close()
