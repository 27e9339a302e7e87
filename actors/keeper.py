"""Keeps as many hosts as there should be: starts what is missing, more under load, and dedicated ones on demand.

Of several gateways on one cluster the leader does so for all (`actors.peers`). A host that is wanted and finds no room
stays wanted: an actor that waits for a node is what Ray's autoscaler brings nodes for, and nothing else is asked of it.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from dataclasses import replace
from functools import partial

from actors.directory import Directory, Member
from actors.hosts.port import HostDoesNotStart, HostMaker
from actors.looping import again_and_again
from actors.messages import Failed
from actors.peers import Peers
from actors.placement import SLOT_PREFIX, is_dedicated, slot_host, slot_of
from actors.supervisor import Aim, Load, Sizing, next_aim
from domain.errors import AppError

log = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often it is looked whether a host is missing."""
LOOKS_PER_SIZING = 5
"""How many looks it takes until the number of hosts is thought over again."""
FIRST_HOST_S = 120.0
"""How long a gateway waits at its start for the first host of a cluster."""
FULL_RETRY_AFTER_MS = 5_000


class HostKeeper:
    """The hosts of one store, as many as they should be, as far as this gateway has to see to it."""

    def __init__(
        self, maker: HostMaker, directory: Directory, sizing: Sizing, max_dedicated: int, peers: Peers | None = None
    ) -> None:
        """`peers` are the other gateways on the same cluster; None when there cannot be any."""
        self._maker = maker
        self._directory = directory
        self._sizing = sizing
        self._max_dedicated = max_dedicated
        self._peers = peers
        self._aim: Aim | None = None
        self._coming: dict[str, asyncio.Task[Failed | None]] = {}
        self._going: asyncio.Task[None] | None = None
        self._moving: dict[str, asyncio.Task[None]] = {}
        self._looks = itertools.count(1)
        self._loop: asyncio.Task[None] | None = None

    async def first_hosts(self) -> None:
        """Have the hosts there that are wanted at the least; return once they serve, or some do and the rest is late.

        Raises:
            Unavailable: None serves.
        """
        if self._peers is None:
            await asyncio.gather(*(self._maker.keep(slot_host(slot)) for slot in range(self._sizing.min_hosts)))
            await self._directory.refresh()
            return
        await self._peers.start()
        give_up_s = time.monotonic() + FIRST_HOST_S
        failed: Failed | None = None
        while time.monotonic() < give_up_s:
            if await self._leads():
                out = (self._have(slot_host(slot)) for slot in range(self._aimed().hosts))
                failed = next((one for one in await asyncio.gather(*out) if one is not None), None)
            await self._directory.refresh()
            if self._shared():
                return
            await self._directory.next_reading(LOOK_S)
        raise HostDoesNotStart(failed.message if failed else "no session host of the cluster serves")

    def start(self) -> None:
        """Begin to look after the hosts."""
        looking = again_and_again("hosts cannot be looked after", LOOK_S, self._look)
        self._loop = asyncio.get_running_loop().create_task(looking)

    async def stop(self) -> None:
        """Look after them no more; what is being started is broken off."""
        out = [
            one for one in (self._loop, self._going, *self._moving.values(), *self._coming.values()) if one is not None
        ]
        for task in out:
            task.cancel()
        if out:
            await asyncio.wait(out)

    async def summon(self, host_id: str) -> Failed | None:
        """Have a dedicated host there; return the refusal when there are too many or it does not start."""
        if host_id not in self._coming:
            there = {one for one in self._directory.host_ids if is_dedicated(one)}
            there.update(one for one in self._coming if is_dedicated(one))
            if len(there - {host_id}) >= self._max_dedicated:
                return Failed(
                    kind="Overloaded",
                    message=f"{self._max_dedicated} dedicated sessions are awake, which is the limit.",
                    retry_after_ms=FULL_RETRY_AFTER_MS,
                )
        return await asyncio.shield(self._have(host_id))

    def size(self, now_s: float) -> None:
        """Want more hosts, or let one go, when the load says so; `now_s` is of a clock that only rises."""
        shared = self._shared().values()
        load = Load(
            live_sessions=sum(one.sessions for one in shared),
            turns=sum(one.turns + one.waiting for one in shared),
            rss_bytes=sum(one.rss_bytes for one in shared),
        )
        before = self._aimed()
        self._aim = next_aim(before, load, self._sizing, now_s)
        if self._aim.hosts != before.hosts:
            log.info("%s hosts are wanted in place of %s: %s", self._aim.hosts, before.hosts, load)

    def mend(self) -> None:
        """Begin to start the hosts that should be there and are not, and to end one that is there beyond them."""
        shared, wanted = self._shared(), self._aimed().hosts
        for host_id in map(slot_host, range(wanted)):
            if host_id not in shared:
                self._have(host_id)
        beyond = sorted((slot_of(one), one) for one in shared if slot_of(one) >= wanted)
        if beyond and (self._going is None or self._going.done()):
            self._going = asyncio.get_running_loop().create_task(self._end(beyond[-1][1]))

    def _shared(self) -> dict[str, Member]:
        return {one.host_id: one for one in self._directory.members if one.host_id.startswith(SLOT_PREFIX)}

    def _aimed(self) -> Aim:
        """Return how many hosts are wanted; who begins to lead takes over those that are there."""
        if self._aim is None:
            self._aim = Aim(max([self._sizing.min_hosts, *(slot_of(one) + 1 for one in self._shared())]))
        return self._aim

    async def _end(self, host_id: str) -> None:
        """Drain a host and let it go."""
        try:
            await self._maker.end(host_id)
            await self._directory.refresh()
        except AppError as error:
            log.warning("%s is not let go: %s", host_id, error.message)

    def _have(self, host_id: str) -> asyncio.Task[Failed | None]:
        """Return what brings a host, the same one for all who ask for it at the same time."""
        coming = self._coming.get(host_id)
        if coming is None:
            coming = self._coming[host_id] = asyncio.get_running_loop().create_task(self._bring(host_id))
            coming.add_done_callback(lambda _task: self._coming.pop(host_id, None))
        return coming

    async def _bring(self, host_id: str) -> Failed | None:
        try:
            await self._maker.keep(host_id)
            await self._directory.refresh()
        except AppError as error:
            log.warning("%s is not there: %s", host_id, error.message)
            return Failed(kind="Unavailable", message=error.message, retry_after_ms=FULL_RETRY_AFTER_MS)
        return None

    async def _look(self) -> None:
        self._maker.watch(self._directory.host_ids)
        if not await self._leads():
            self._aim = None
            return
        await self._clear_nodes()
        if next(self._looks) % LOOKS_PER_SIZING == 0:
            self.size(time.monotonic())
        self.mend()

    async def _leads(self) -> bool:
        """Return whether this gateway is the one that looks after the shared hosts, with the bounds of all."""
        if self._peers is None:
            return True
        await self._peers.look()
        bounds = self._peers.bounds
        self._sizing = replace(self._sizing, min_hosts=bounds.lowest, max_hosts=bounds.highest)
        return self._peers.leads

    async def _clear_nodes(self) -> None:
        """Begin to move the hosts off nodes that are drained; the last ones that serve go one by one."""
        leaving = await self._maker.leaving()
        stay = [one for one in self._shared().values() if one.host_id not in leaving and not one.is_draining]
        for host_id in sorted(leaving - self._moving.keys()):
            if not stay and self._moving:
                return
            task = self._moving[host_id] = asyncio.get_running_loop().create_task(self._move(host_id))
            task.add_done_callback(partial(self._moved, host_id))

    def _moved(self, host_id: str, _task: asyncio.Task[None]) -> None:
        self._moving.pop(host_id, None)

    async def _move(self, host_id: str) -> None:
        try:
            await self._maker.move(host_id)
            await self._directory.refresh()
        except AppError as error:
            log.warning("%s does not come up elsewhere: %s", host_id, error.message)
