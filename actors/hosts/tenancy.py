"""A host's lease: taken at the start, renewed every second, taken anew when it was lost, given back at the end.

When the lease is lost somebody may have taken sessions over; the host drops all of them before it registers again.
Each renewal says what the host carries and whether it is draining, so that everybody who reads leases knows.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime

from actors.looping import Enough, again_and_again
from actors.session_host import SessionHost
from actors.tally import Tally
from domain.errors import AppError, Unavailable
from domain.json_values import JsonObject
from storage.errors import StaleEpoch
from storage.leases import RENEW_EVERY_S, Leases

log = logging.getLogger(__name__)

DRAINING, SESSIONS, TURNS, WAITING, BYTES = "draining", "sessions", "turns", "waiting", "rssBytes"
COUNTS = "counts"
"""Labels of a lease."""


class Epoch:
    """The epoch of this process's lease, shared with whoever writes under it."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


class Tenancy:
    """Keeps one host's lease."""

    def __init__(
        self,
        leases: Leases,
        host: SessionHost,
        epoch: Epoch,
        tally: Tally | None = None,
        told: Callable[[datetime], None] = lambda _at: None,
    ) -> None:
        """`tally` is of what the host asks, None of one that asks nothing; `told` hears the database's clock."""
        self._heard = told
        self._leases = leases
        self._host = host
        self._epoch = epoch
        self._tally = tally or Tally()
        self._address = ""
        self._labels: JsonObject = {}
        self._keeper: asyncio.Task[None] | None = None

    async def start(self, address: str, labels: JsonObject) -> None:
        """Take the lease of a host that is reached at an address, and keep it."""
        self._address, self._labels = address, labels
        await self._register()
        await self._renew()
        self._keeper = asyncio.get_running_loop().create_task(self._keep())

    async def announce(self) -> None:
        """Let everybody know at once what the host is doing."""
        try:
            await self._leases.renew(self._epoch.value, self._told())
        except AppError as error:
            log.warning("%s cannot say that it drains: %s", self._host.host_id, error.message)

    async def stop(self) -> None:
        """Give the lease back: the host's sessions may be claimed at once."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        try:
            await self._leases.release_host(self._epoch.value)
        except Unavailable:
            log.warning("the lease of %s could not be given back; it runs out by itself", self._host.host_id)

    def _told(self) -> JsonObject:
        stats = self._host.stats()
        return {
            **self._labels,
            DRAINING: stats.draining,
            SESSIONS: stats.live_sessions,
            TURNS: stats.running_turns,
            WAITING: stats.waiting_turns,
            BYTES: stats.rss_bytes,
            COUNTS: self._tally.counts(),
        }

    async def _keep(self) -> None:
        what = f"the lease of {self._host.host_id} cannot be renewed"
        await again_and_again(what, RENEW_EVERY_S, self._renew)

    async def _renew(self) -> None:
        try:
            self._heard(await self._leases.renew(self._epoch.value, self._told()))
        except StaleEpoch:
            log.warning("%s lost its lease; its sessions are dropped", self._host.host_id)
            self._host.lose_everything()
            if self._host.is_draining:
                raise Enough from None  # whoever has the name now shall keep it
            await self._register()

    async def _register(self) -> None:
        self._epoch.value = await self._leases.register_host(self._host.host_id, self._address, self._told())
