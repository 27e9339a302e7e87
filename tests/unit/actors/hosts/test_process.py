from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from actors.hosts.port import HostDoesNotStart
from actors.hosts.process import ChildHosts


@dataclass
class Child:
    """A child that is only said to be there. Stands for `ChildHost`."""

    host_id: str
    fails: bool = False
    starts: int = 0
    is_over: bool = False
    was_stopped: bool = False

    async def start(self) -> None:
        self.starts += 1
        if self.fails:
            raise HostDoesNotStart("no")

    async def stop(self) -> None:
        self.was_stopped = True


class Made:
    """Every child that was made."""

    def __init__(self) -> None:
        self.all: list[Child] = []
        self.fails = False

    def __call__(self, host_id: str) -> Child:
        self.all.append(Child(host_id, self.fails))
        return self.all[-1]


def test_a_host_that_is_there_is_not_started_twice() -> None:
    async def story() -> None:
        made = Made()
        hosts = ChildHosts(made)
        await hosts.keep("host-0")
        await hosts.keep("host-0")
        assert [(one.host_id, one.starts) for one in made.all] == [("host-0", 1)]

    asyncio.run(story())


def test_one_that_has_ended_for_good_is_made_anew() -> None:
    async def story() -> None:
        made = Made()
        hosts = ChildHosts(made)
        await hosts.keep("solo-s")
        made.all[0].is_over = True
        await hosts.keep("solo-s")
        assert len(made.all) == 2

    asyncio.run(story())


def test_one_that_did_not_start_is_not_kept() -> None:
    async def story() -> None:
        made = Made()
        made.fails = True
        hosts = ChildHosts(made)
        with pytest.raises(HostDoesNotStart):
            await hosts.keep("host-0")
        assert hosts.children == ()

    asyncio.run(story())


def test_the_end_stops_all_of_them() -> None:
    async def story() -> None:
        made = Made()
        hosts = ChildHosts(made)
        for slot in range(3):
            await hosts.keep(f"host-{slot}")
        await hosts.end("host-1")
        assert [one.was_stopped for one in made.all] == [False, True, False]
        await hosts.stop()
        assert all(one.was_stopped for one in made.all)

    asyncio.run(story())
