"""Connections of one process: shared, bounded, opened again with back-off."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from providers.mcp import bounds
from providers.mcp.calls import Listed, NotConnected
from providers.mcp.connections import Connections, Resting
from providers.mcp.servers import Target
from providers.tools.results import ToolFault

pytestmark = pytest.mark.anyio


@dataclass
class Fake:
    """A connection that opens when the test lets it. Satisfies `Opened`."""

    target: Target
    made: list[Fake]
    refuses: list[bool]
    go_on: asyncio.Event
    began: asyncio.Event
    tools: dict[str, Listed] = field(default_factory=dict)
    calls: int = 0
    is_open: bool = False
    closed: int = 0

    async def open(self, within_s: float) -> None:
        self.made.append(self)
        self.began.set()
        await self.go_on.wait()
        if self.refuses[0]:
            raise NotConnected("no")
        self.is_open = True

    async def call(self, tool: str, arguments: dict[str, Any], key: str, timeout_s: float) -> Any:
        return None

    async def close(self) -> None:
        self.closed += 1
        self.is_open = False


class Pool:
    def __init__(self) -> None:
        self.made: list[Fake] = []
        self.refuses = [False]
        self.go_on, self.began = asyncio.Event(), asyncio.Event()
        self.go_on.set()
        self.now_s = 0.0
        self.connections = Connections(
            lambda target: Fake(target, self.made, self.refuses, self.go_on, self.began), seconds=lambda: self.now_s
        )

    async def get(self, name: str) -> Any:
        return await self.connections.get(Target("t/p/dev", name))


@pytest.fixture
def pool() -> Pool:
    return Pool()


async def test_all_who_come_share_one_connection_also_while_it_is_opened(pool: Pool) -> None:
    pool.go_on.clear()
    waiting = [asyncio.create_task(pool.get("a")) for _ in range(5)]
    await pool.began.wait()
    waiting[0].cancel()
    pool.go_on.set()
    got = await asyncio.gather(*waiting[1:])
    assert len({id(one) for one in got}) == len(pool.made) == 1
    assert await pool.get("a") is got[0]


async def test_a_connection_that_has_ended_is_opened_anew_and_the_old_one_closed(pool: Pool) -> None:
    first = await pool.get("a")
    first.is_open = False
    assert await pool.get("a") is not first
    await pool.connections.close()
    assert [one.closed for one in pool.made] == [1, 1]


async def test_a_server_that_refuses_rests_longer_each_time(pool: Pool) -> None:
    pool.refuses[0] = True
    waits: list[float] = []
    for _ in range(6):
        with pytest.raises(NotConnected):
            await pool.get("a")
        with pytest.raises(Resting) as rests:
            await pool.get("a")
        waits.append(rests.value.wait_s)
        pool.now_s += rests.value.wait_s
    assert len(pool.made) == 6
    assert waits[-1] > 4 * waits[0]
    pool.refuses[0] = False
    assert (await pool.get("a")).is_open


async def test_there_is_a_bound_and_the_longest_unused_one_makes_room(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "CONNECTIONS_MAX", 2)
    first, second = await pool.get("a"), await pool.get("b")
    second.calls = 1
    await pool.get("a")
    first.calls = 1
    with pytest.raises(ToolFault, match="All 2 MCP connections are in use"):
        await pool.get("c")
    first.calls = 0
    third = await pool.get("c")
    await asyncio.sleep(0)
    assert (first.closed, second.closed, third.is_open) == (1, 0, True)


async def test_what_is_not_used_for_long_is_closed_when_another_comes(pool: Pool) -> None:
    first = await pool.get("a")
    pool.now_s += bounds.IDLE_S
    await pool.get("b")
    await asyncio.sleep(0)
    assert first.closed == 1


async def test_after_the_end_nothing_is_opened(pool: Pool) -> None:
    pool.go_on.clear()
    opening = asyncio.create_task(pool.get("a"))
    await pool.began.wait()
    await pool.connections.close()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert pool.made[0].closed == 1
    with pytest.raises(NotConnected):
        await pool.get("b")
