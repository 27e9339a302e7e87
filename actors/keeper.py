"""Keeps as many hosts as there should be: starts what is missing, more under load, and dedicated ones on demand."""

from __future__ import annotations

import asyncio
import itertools
import logging

from actors.directory import Directory, Member
from actors.hosts.port import HostMaker
from actors.looping import again_and_again
from actors.messages import Failed
from actors.placement import SLOT_PREFIX, is_dedicated, slot_host
from actors.supervisor import Load, Sizing, wanted_hosts
from domain.errors import AppError

log = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often it is looked whether a host is missing."""
LOOKS_PER_SIZING = 5
"""How many looks it takes until the number of hosts is thought over again."""
FULL_RETRY_AFTER_MS = 5_000


class HostKeeper:
    """The hosts of one gateway, as many as they should be."""

    def __init__(self, maker: HostMaker, directory: Directory, sizing: Sizing, max_dedicated: int) -> None:
        self._maker = maker
        self._directory = directory
        self._sizing = sizing
        self._max_dedicated = max_dedicated
        self._wanted = sizing.min_hosts
        self._coming: dict[str, asyncio.Task[Failed | None]] = {}
        self._looks = itertools.count(1)
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look after the hosts."""
        looking = again_and_again("hosts cannot be looked after", LOOK_S, self._look)
        self._loop = asyncio.get_running_loop().create_task(looking)

    async def stop(self) -> None:
        """Look after them no more; what is being started is broken off."""
        out = [one for one in (self._loop, *self._coming.values()) if one is not None]
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

    async def size(self) -> None:
        """Have one host more, or one fewer, when the load says so."""
        shared = self._shared()
        load = Load(
            hosts=self._wanted,
            live_sessions=sum(one.sessions for one in shared.values()),
            running_turns=sum(one.turns for one in shared.values()),
        )
        before, self._wanted = self._wanted, wanted_hosts(load, self._sizing)
        for slot in range(self._wanted, before):
            await self._maker.end(slot_host(slot))

    def mend(self) -> None:
        """Begin to start the hosts that should be there and are not."""
        shared = self._shared()
        for host_id in (slot_host(slot) for slot in range(self._wanted)):
            if host_id not in shared:
                self._have(host_id)

    def _shared(self) -> dict[str, Member]:
        return {one.host_id: one for one in self._directory.members if one.host_id.startswith(SLOT_PREFIX)}

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
        self.mend()
        if next(self._looks) % LOOKS_PER_SIZING == 0:
            await self.size()
