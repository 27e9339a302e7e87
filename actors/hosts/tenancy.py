"""A host's lease: taken at the start, renewed every second, taken anew when it was lost, given back at the end.

When the lease is lost somebody may have taken sessions over; the host drops all of them before it registers again.
"""

from __future__ import annotations

import asyncio
import logging

from actors.session_host import SessionHost
from domain.errors import Unavailable
from storage.errors import StaleEpoch
from storage.leases import RENEW_EVERY_S, Leases

log = logging.getLogger(__name__)


class Epoch:
    """The epoch of this process's lease, shared with whoever writes under it."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


class Tenancy:
    """Keeps one host's lease."""

    def __init__(self, leases: Leases, host_id: str, address: str, epoch: Epoch) -> None:
        self._leases = leases
        self._host_id = host_id
        self._address = address
        self._epoch = epoch
        self._keeper: asyncio.Task[None] | None = None

    async def start(self, host: SessionHost) -> None:
        """Take the lease and keep it."""
        self._epoch.value = await self._leases.register_host(self._host_id, self._address)
        self._keeper = asyncio.get_running_loop().create_task(self._keep(host))

    async def stop(self) -> None:
        """Give the lease back: the host's sessions may be claimed at once."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        try:
            await self._leases.release_host(self._epoch.value)
        except Unavailable:
            log.warning("the lease of %s could not be given back; it runs out by itself", self._host_id)

    async def _keep(self, host: SessionHost) -> None:
        while True:
            await asyncio.sleep(RENEW_EVERY_S)
            try:
                await self._leases.renew(self._epoch.value)
            except StaleEpoch:
                log.warning("%s lost its lease; its sessions are dropped", self._host_id)
                host.lose_everything()
                await self._register()
            except Unavailable:
                log.warning("the lease of %s cannot be renewed: the store does not answer", self._host_id)

    async def _register(self) -> None:
        try:
            self._epoch.value = await self._leases.register_host(self._host_id, self._address)
        except Unavailable:
            log.warning("%s cannot register again yet", self._host_id)
