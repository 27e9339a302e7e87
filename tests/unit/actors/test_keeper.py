from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field

from actors.directory import Directory, Member
from actors.hosts.port import HostDoesNotStart
from actors.keeper import HostKeeper
from actors.messages import Failed
from actors.placement import dedicated_host
from actors.supervisor import Sizing
from tests.support.until import until


@dataclass
class Maker:
    """Makes hosts by writing them down. Satisfies `HostMaker`."""

    members: dict[str, Member] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    fails: bool = False
    gate: asyncio.Event | None = None
    on_leaving_nodes: set[str] = field(default_factory=set)
    moved: list[str] = field(default_factory=list)

    async def start(self) -> None: ...

    async def keep(self, host_id: str) -> None:
        self.kept.append(host_id)
        if self.gate is not None:
            await self.gate.wait()
        if self.fails:
            raise HostDoesNotStart("no room")
        self.members[host_id] = Member(host_id, f"unix:/{host_id}")

    async def end(self, host_id: str) -> None:
        self.ended.append(host_id)
        self.members.pop(host_id, None)

    async def stop(self) -> None: ...

    def watch(self, host_ids: Collection[str]) -> None: ...

    async def leaving(self) -> frozenset[str]:
        return frozenset(self.on_leaving_nodes)

    async def move(self, host_id: str) -> None:
        self.moved.append(host_id)
        if self.gate is not None:
            await self.gate.wait()
        self.on_leaving_nodes.discard(host_id)

    async def read(self) -> list[Member]:
        return list(self.members.values())


class Line:
    def __init__(self, host_id: str, _address: str) -> None:
        self.host_id = host_id

    def close(self) -> None: ...


async def a_keeper(maker: Maker, sizing: Sizing, max_dedicated: int = 2) -> tuple[HostKeeper, Directory]:
    directory = Directory(maker.read, Line)
    keeper = HostKeeper(maker, directory, sizing, max_dedicated)
    for slot in range(sizing.min_hosts):
        await maker.keep(f"host-{slot}")
    await directory.refresh()
    return keeper, directory


def test_a_host_that_is_missing_is_started_again() -> None:
    async def story() -> None:
        maker = Maker()
        keeper, directory = await a_keeper(maker, Sizing(min_hosts=2, max_hosts=2))
        del maker.members["host-1"]
        await directory.refresh()
        keeper.mend()
        await until(lambda: set(directory.host_ids) == {"host-0", "host-1"})

    asyncio.run(story())


def test_under_load_there_are_more_hosts_and_later_fewer_again() -> None:
    async def story() -> None:
        maker = Maker()
        sizing = Sizing(sessions_per_host=100, min_hosts=1, max_hosts=3)
        keeper, directory = await a_keeper(maker, sizing)
        maker.members["host-0"] = Member("host-0", "unix:/host-0", sessions=150)
        await directory.refresh()
        keeper.size(0.0)
        keeper.mend()
        await until(lambda: set(directory.host_ids) == {"host-0", "host-1"})
        maker.members["host-0"] = Member("host-0", "unix:/host-0", sessions=10)
        await directory.refresh()
        keeper.size(0.0)
        keeper.mend()
        await asyncio.sleep(0)
        assert maker.ended == []
        keeper.size(sizing.shrink_after_s)
        keeper.mend()
        await until(lambda: set(directory.host_ids) == {"host-0"})
        assert maker.ended == ["host-1"]
        await keeper.stop()

    asyncio.run(story())


def test_a_dedicated_host_is_started_once_for_all_who_ask_at_the_same_time() -> None:
    async def story() -> None:
        maker = Maker()
        keeper, directory = await a_keeper(maker, Sizing())
        maker.gate = asyncio.Event()
        home = dedicated_host("s")
        asked = [asyncio.create_task(keeper.summon(home)) for _ in range(5)]
        await asyncio.sleep(0)
        maker.gate.set()
        assert await asyncio.gather(*asked) == [None] * 5
        assert maker.kept.count(home) == 1
        assert home in directory.host_ids

    asyncio.run(story())


def test_over_the_limit_a_dedicated_host_is_refused_with_a_time() -> None:
    async def story() -> None:
        keeper, _ = await a_keeper(Maker(), Sizing(), max_dedicated=1)
        assert await keeper.summon(dedicated_host("one")) is None
        refused = await keeper.summon(dedicated_host("two"))
        assert isinstance(refused, Failed)
        assert refused.kind == "Overloaded"
        assert refused.retry_after_ms > 0
        assert await keeper.summon(dedicated_host("one")) is None

    asyncio.run(story())


def test_a_dedicated_host_that_does_not_start_is_told_to_who_asked() -> None:
    async def story() -> None:
        maker = Maker()
        keeper, _ = await a_keeper(maker, Sizing())
        maker.fails = True
        refused = await keeper.summon(dedicated_host("s"))
        assert isinstance(refused, Failed)
        assert (refused.kind, refused.message) == ("Unavailable", "no room")
        assert not refused.moved

    asyncio.run(story())


def test_dedicated_hosts_do_not_count_as_load_of_the_shared_ones() -> None:
    async def story() -> None:
        maker = Maker()
        keeper, directory = await a_keeper(maker, Sizing(sessions_per_host=1, min_hosts=1, max_hosts=5))
        maker.members[dedicated_host("s")] = Member(dedicated_host("s"), "unix:/solo", sessions=50)
        await directory.refresh()
        keeper.size(0.0)
        keeper.mend()
        await asyncio.sleep(0)
        assert "host-1" not in maker.kept

    asyncio.run(story())


def test_a_host_that_does_not_come_does_not_keep_others_from_being_mended() -> None:
    async def story() -> None:
        maker = Maker()
        keeper, directory = await a_keeper(maker, Sizing(min_hosts=2, max_hosts=2))
        maker.gate = asyncio.Event()
        del maker.members["host-0"]
        await directory.refresh()
        keeper.mend()
        keeper.mend()
        await asyncio.sleep(0)
        assert maker.kept.count("host-0") == 2  # at the start, and once now
        del maker.members["host-1"]
        await directory.refresh()
        keeper.mend()
        await asyncio.sleep(0)
        assert maker.kept.count("host-1") == 2
        maker.gate.set()
        await until(lambda: set(directory.host_ids) == {"host-0", "host-1"})

    asyncio.run(story())
