"""Several gateways on one cluster: one leads, its bounds are those of all, and none undoes what another does."""

from __future__ import annotations

import asyncio
from itertools import count

import pytest

from actors.directory import Directory
from actors.hosts.port import HostDoesNotStart
from actors.keeper import HostKeeper
from actors.peers import Bounds, Peers
from actors.supervisor import Sizing
from domain.json_values import JsonObject
from storage.errors import StaleEpoch
from storage.leases import HostRow
from tests.support.until import until
from tests.unit.actors.test_keeper import Line, Maker


class Book:
    """Leases in a dictionary. Stands for `storage.leases.Leases`."""

    def __init__(self) -> None:
        self.rows: dict[str, HostRow] = {}
        self._epochs = count(1)

    async def register_host(self, host_id: str, address: str, labels: JsonObject | None = None) -> int:
        epoch = next(self._epochs)
        self.rows[host_id] = HostRow(host_id, epoch, address, labels or {})
        return epoch

    async def renew(self, epoch: int, labels: JsonObject | None = None) -> None:
        if epoch not in {row.epoch for row in self.rows.values()}:
            raise StaleEpoch("over")

    async def release_host(self, epoch: int) -> None:
        self.rows = {name: row for name, row in self.rows.items() if row.epoch != epoch}

    async def hosts(self) -> list[HostRow]:
        return list(self.rows.values())


def a_peer(book: Book, name: str, lowest: int, highest: int) -> Peers:
    return Peers(book, name, Bounds(lowest, highest))  # type: ignore[arg-type]


def test_the_gateway_that_came_first_leads_with_the_widest_bounds_of_all() -> None:
    async def story() -> None:
        book = Book()
        large, small = a_peer(book, "large", 4, 4), a_peer(book, "small", 1, 6)
        await large.start()
        await small.start()
        await large.look()
        assert (large.leads, small.leads) == (True, False)
        assert large.bounds == small.bounds == Bounds(4, 6)
        assert (large.others, small.others) == (1, 1)
        await large.stop()
        await small.look()
        assert (small.leads, small.bounds, small.others) == (True, Bounds(1, 6), 0)
        await small.stop()
        assert book.rows == {}

    asyncio.run(story())


def test_of_two_gateways_that_leave_at_the_same_moment_one_sees_that_nobody_stays() -> None:
    """Who stays behind would keep the hosts; each of two that thought so of the other would leave them to nobody."""

    class SlowBook(Book):
        async def release_host(self, epoch: int) -> None:
            await asyncio.sleep(0)
            await super().release_host(epoch)

        async def hosts(self) -> list[HostRow]:
            await asyncio.sleep(0)
            return await super().hosts()

    async def story() -> None:
        book = SlowBook()
        first, second = a_peer(book, "first", 1, 1), a_peer(book, "second", 1, 1)
        await first.start()
        await second.start()
        await asyncio.gather(first.stop(), second.stop())
        assert 0 in (first.others, second.others)

    asyncio.run(story())


def test_a_gateway_whose_lease_is_over_does_not_lead_until_it_has_another() -> None:
    async def story() -> None:
        book = Book()
        first, second = a_peer(book, "first", 1, 1), a_peer(book, "second", 1, 1)
        await first.start()
        await second.start()
        await book.release_host(1)
        await first.look()
        await second.look()
        assert (first.leads, second.leads) == (False, True)
        await first._renew()
        await first.look()
        await second.look()
        assert (first.leads, second.leads) == (False, True)
        await first.stop()
        await second.stop()

    asyncio.run(story())


class Pair:
    """Two gateways over the same hosts."""

    def __init__(self, sizes: tuple[tuple[int, int], tuple[int, int]], maker: Maker) -> None:
        self.maker = maker
        self.book = Book()
        self.peers = [a_peer(self.book, f"g{number}", *size) for number, size in enumerate(sizes)]
        self.directories = [Directory(maker.read, Line) for _ in sizes]
        self.keepers = [
            HostKeeper(maker, directory, Sizing(min_hosts=low, max_hosts=high), 2, peers)
            for directory, peers, (low, high) in zip(self.directories, self.peers, sizes, strict=True)
        ]

    async def look(self, times: int = 1) -> None:
        """Have both look at their hosts."""
        for _ in range(times):
            for directory, keeper in zip(self.directories, self.keepers, strict=True):
                await directory.refresh()
                await keeper._look()
                await asyncio.sleep(0)

    async def stop(self) -> None:
        for keeper, peers in zip(self.keepers, self.peers, strict=True):
            await keeper.stop()
            await peers.stop()


def test_a_gateway_of_fewer_cores_ends_no_host_of_another_and_starts_none() -> None:
    async def story() -> None:
        pair = Pair(((3, 3), (1, 1)), maker := Maker())
        await pair.keepers[0].first_hosts()
        await pair.keepers[1].first_hosts()
        await pair.look(20)
        assert set(maker.members) == {"host-0", "host-1", "host-2"}
        assert sorted(maker.kept) == ["host-0", "host-1", "host-2"]
        assert maker.ended == []
        await pair.stop()

    asyncio.run(story())


def test_when_the_leader_is_gone_the_next_one_goes_on_with_the_hosts_that_are_there() -> None:
    async def story() -> None:
        pair = Pair(((3, 3), (1, 3)), maker := Maker())
        for keeper in pair.keepers:
            await keeper.first_hosts()
        await pair.keepers[0].stop()
        await pair.peers[0].stop()
        del maker.members["host-2"]
        maker.members["host-0"], *_ = await maker.read()
        await pair.directories[1].refresh()
        await pair.keepers[1]._look()
        assert pair.peers[1].leads
        assert maker.ended == []
        assert set(maker.members) >= {"host-0", "host-1"}
        await pair.keepers[1].stop()
        await pair.peers[1].stop()

    asyncio.run(story())


def test_two_that_both_lead_for_a_moment_want_the_same_by_name() -> None:
    async def story() -> None:
        pair = Pair(((2, 2), (2, 2)), maker := Maker())
        for keeper in pair.keepers:
            await keeper.first_hosts()
        for peers in pair.peers:
            peers.leads = True
        for keeper in pair.keepers:
            keeper.mend()
        await asyncio.sleep(0)
        assert set(maker.members) == {"host-0", "host-1"}
        assert maker.ended == []
        await pair.stop()

    asyncio.run(story())


def test_a_gateway_serves_when_some_hosts_have_no_room_yet_and_not_when_all_have_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("actors.keeper.FIRST_HOST_S", 0.05)
    monkeypatch.setattr("actors.keeper.LOOK_S", 0.05)

    class Full(Maker):
        async def keep(self, host_id: str) -> None:
            self.fails = host_id != "host-0" or not self.room
            await super().keep(host_id)

        room = True

    async def story(maker: Full) -> None:
        pair = Pair(((2, 2), (1, 1)), maker)
        try:
            await pair.keepers[0].first_hosts()
            assert set(maker.members) == {"host-0"}
        finally:
            await pair.stop()

    asyncio.run(story(Full()))
    full = Full()
    full.room = False
    with pytest.raises(HostDoesNotStart, match="no room"):
        asyncio.run(story(full))


def test_hosts_move_off_a_node_that_is_drained_and_the_last_ones_one_by_one() -> None:
    async def story() -> None:
        maker = Maker()
        pair = Pair(((3, 3), (1, 1)), maker)
        for keeper in pair.keepers:
            await keeper.first_hosts()
        maker.gate = asyncio.Event()
        maker.on_leaving_nodes = {"host-1", "host-2"}
        await pair.look()
        assert sorted(maker.moved) == ["host-1", "host-2"]
        maker.gate.set()
        await until(lambda: not maker.on_leaving_nodes)
        maker.moved.clear()
        maker.gate = asyncio.Event()
        maker.on_leaving_nodes = {"host-0", "host-1", "host-2"}
        await pair.look(3)
        assert maker.moved == ["host-0"]
        maker.gate.set()
        await pair.stop()

    asyncio.run(story())
