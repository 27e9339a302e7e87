"""Which host serves a session: the one known to hold it, else the rendezvous hash over the hosts that are alive.

Membership comes from the leases in the store, read once a second; a connection that breaks takes its host out until the
next reading. No correctness rests on it: a host that is asked wrongly says so, and the store refuses a second writer.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from actors.hosts.port import Host
from actors.rendezvous import choose
from domain.errors import Unavailable

log = logging.getLogger(__name__)

POLL_S = 1.0
MAX_PINS = 100_000
"""Sessions whose host is known to differ from the hash; the longest unused are forgotten."""


class LinkedHosts(Protocol):
    """Makes the connection to a host from the address in its lease."""

    def __call__(self, host_id: str, address: str) -> Host:
        """Return the host at an address."""
        ...


class Directory:
    """The hosts that are alive, and exceptions from the hash."""

    def __init__(self, members: Callable[[], Awaitable[Mapping[str, str]]], connect: LinkedHosts) -> None:
        """`members` returns host id -> address of every live host."""
        self._members = members
        self._connect = connect
        self._hosts: dict[str, Host] = {}
        self._addresses: dict[str, str] = {}
        self._pins: OrderedDict[str, str] = OrderedDict()
        self._changed = asyncio.Event()
        self._poller: asyncio.Task[None] | None = None

    @property
    def host_ids(self) -> tuple[str, ...]:
        """The hosts that are alive."""
        return tuple(self._hosts)

    @property
    def hosts(self) -> tuple[Host, ...]:
        """The hosts that are alive."""
        return tuple(self._hosts.values())

    async def start(self) -> None:
        """Read the members once and from then on every `POLL_S`."""
        await self.refresh()
        self._poller = asyncio.get_running_loop().create_task(self._poll())

    async def stop(self) -> None:
        """Read no more."""
        if self._poller is not None:
            self._poller.cancel()
            await asyncio.wait([self._poller])

    def find(self, session_id: str) -> Host | None:
        """Return the host to ask for a session; None when no host is alive."""
        pinned = self._pins.get(session_id)
        if pinned is not None and pinned in self._hosts:
            self._pins.move_to_end(session_id)
            return self._hosts[pinned]
        chosen = choose(session_id, self.host_ids)
        return self._hosts[chosen] if chosen is not None else None

    def pin(self, session_id: str, host_id: str) -> None:
        """Remember that a session lives on another host than the hash says; an empty id forgets it."""
        self._pins.pop(session_id, None)
        if host_id:
            self._pins[session_id] = host_id
            if len(self._pins) > MAX_PINS:
                self._pins.popitem(last=False)

    def leave(self, host_id: str) -> None:
        """Take a host out that does not answer, until its lease is seen again."""
        if self._hosts.pop(host_id, None) is not None:
            self._addresses.pop(host_id, None)

    async def refresh(self) -> None:
        """Read the members now."""
        members = await self._members()
        for gone in self._hosts.keys() - members.keys():
            self.leave(gone)
        for host_id, address in members.items():
            if self._addresses.get(host_id) != address:
                self._hosts[host_id] = self._connect(host_id, address)
                self._addresses[host_id] = address
        self._changed.set()

    async def next_reading(self, timeout_s: float) -> None:
        """Wait until the members have been read again, at most so long."""
        self._changed.clear()
        try:
            async with asyncio.timeout(timeout_s):
                await self._changed.wait()
        except TimeoutError:
            return

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(POLL_S)
            try:
                await self.refresh()
            except Unavailable:
                log.warning("the leases cannot be read; the hosts are taken to be the ones known last")
