"""The gateways that share the hosts of one cluster, and which of them looks after the hosts.

Each gateway holds a lease beside those of the hosts, with the bounds that it was given. The one that has held its lease
longest leads: it alone starts shared hosts and lets them go. Its bounds are the widest of all, so that a gateway on a
small machine never ends a host that a larger one wants. For the moments in which two take themselves for the leader
nothing is lost: both compute the same from the same leases, and hosts are started and ended by name.
"""

from __future__ import annotations

import asyncio
import logging

from msgspec import Struct

from actors.looping import again_and_again
from domain.errors import AppError
from storage.errors import StaleEpoch
from storage.leases import RENEW_EVERY_S, HostRow, Leases

log = logging.getLogger(__name__)

PREFIX = "gateway-"
NOWHERE = "local"
"""The address of a lease that no session can be asked for at."""
LOWEST, HIGHEST = "minHosts", "maxHosts"


class Bounds(Struct, frozen=True):
    """Between which numbers the shared hosts move."""

    lowest: int
    highest: int


class Peers:
    """This gateway among those of its store."""

    def __init__(self, leases: Leases, name: str, bounds: Bounds) -> None:
        """`name` is the same after a restart of this gateway, and no other gateway's."""
        self._leases = leases
        self._name = PREFIX + name
        self._own = bounds
        self._epoch = 0
        self._keeper: asyncio.Task[None] | None = None
        self.bounds = bounds
        self.leads = False
        self.others = 0

    async def start(self) -> None:
        """Be one of them from now on, and know the others. Raises Unavailable."""
        await self._register()
        await self.look()
        renewing = again_and_again("the lease of this gateway cannot be renewed", RENEW_EVERY_S, self._renew)
        self._keeper = asyncio.get_running_loop().create_task(renewing)

    async def look(self) -> None:
        """See who is there, who leads, and what the bounds of all are together. Raises Unavailable."""
        rows = await self._gateways()
        if self._epoch not in {row.epoch for row in rows}:
            self.leads = False  # our lease has run out; it is renewed or taken anew
            return
        self.others = len(rows) - 1
        self.leads = self._epoch == min(row.epoch for row in rows)
        self.bounds = Bounds(
            max(int(row.labels[LOWEST]) for row in rows), max(int(row.labels[HIGHEST]) for row in rows)
        )

    async def stop(self) -> None:
        """Be one of them no more; `others` then says how many stay.

        The lease goes first: of two that leave at the same moment, the later one sees that nobody stays.
        """
        if self._keeper is None:
            return
        self._keeper.cancel()
        await asyncio.wait([self._keeper])
        self._keeper = None
        try:
            await self._leases.release_host(self._epoch)
            self.others = len(await self._gateways())
        except AppError as error:
            log.warning("the lease of this gateway could not be given back; it runs out by itself: %s", error.message)

    async def _gateways(self) -> list[HostRow]:
        return [row for row in await self._leases.hosts() if row.host_id.startswith(PREFIX)]

    async def _register(self) -> None:
        told = {LOWEST: self._own.lowest, HIGHEST: self._own.highest}
        self._epoch = await self._leases.register_host(self._name, NOWHERE, told)

    async def _renew(self) -> None:
        try:
            await self._leases.renew(self._epoch)
        except StaleEpoch:
            await self._register()
