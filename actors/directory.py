"""Which host serves a session: the one known to hold it, else the rendezvous hash over the hosts that are alive.

Membership comes from the leases in the store, read once a second; a connection that breaks takes its host out until the
next reading. A host that drains is left to the sessions it still has, and one that is dedicated to a session is found
by that session alone. No correctness rests on any of it: a host that is asked wrongly says so, and the store refuses a
second writer.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct, field

from actors.hosts.port import Host
from actors.looping import again_and_again
from actors.placement import dedicated_host, is_dedicated
from actors.rendezvous import choose

UNREAD = "the leases cannot be read; the hosts are taken to be the ones known last"

POLL_S = 1.0
MAX_PINS = 100_000
"""Sessions whose host is known to differ from the hash; the longest unused are forgotten."""


class Member(Struct, frozen=True):
    """A host whose lease holds, with what it last said of itself; `counts` are those of `actors.tally`."""

    host_id: str
    address: str
    is_draining: bool = False
    sessions: int = 0
    turns: int = 0
    waiting: int = 0
    rss_bytes: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)


class LinkedHosts(Protocol):
    """Makes the connection to a host from the address in its lease."""

    def __call__(self, host_id: str, address: str) -> Host:
        """Return the host at an address."""
        ...


class Directory:
    """The hosts that are alive, and exceptions from the hash."""

    def __init__(self, members: Callable[[], Awaitable[Sequence[Member]]], connect: LinkedHosts) -> None:
        """`members` returns every live host."""
        self._members = members
        self._connect = connect
        self._hosts: dict[str, Host] = {}
        self._known: dict[str, Member] = {}
        self._shared: tuple[str, ...] = ()
        self._waiting = 0
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

    @property
    def members(self) -> tuple[Member, ...]:
        """What the hosts that are alive last said of themselves."""
        return tuple(self._known.values())

    @property
    def waiting(self) -> int:
        """How many turns wait in all hosts, as these last said."""
        return self._waiting

    async def start(self) -> None:
        """Read the members once and from then on every `POLL_S`."""
        await self.refresh()
        self._poller = asyncio.get_running_loop().create_task(again_and_again(UNREAD, POLL_S, self.refresh))

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
        own = self._hosts.get(dedicated_host(session_id))
        if own is not None:
            return own
        chosen = choose(session_id, self._shared)
        return self._hosts[chosen] if chosen is not None else None

    def pin(self, session_id: str, host_id: str) -> None:
        """Remember that a session lives on another host than the hash says; an empty id forgets it."""
        self._pins.pop(session_id, None)
        if host_id:
            self._pins[session_id] = host_id
            if len(self._pins) > MAX_PINS:
                self._pins.popitem(last=False)

    def leave(self, host_id: str) -> None:
        """Take a host out that does not answer, until its lease is seen again; calls that are out end with HostGone."""
        host = self._hosts.pop(host_id, None)
        if host is not None:
            host.close()
        self._known.pop(host_id, None)
        self._share()

    def drains(self, host_id: str) -> None:
        """Give a host no session any more that it does not have."""
        self._shared = tuple(one for one in self._shared if one != host_id)

    async def refresh(self) -> None:
        """Read the members now."""
        members = {member.host_id: member for member in await self._members()}
        for gone in self._hosts.keys() - members.keys():
            self.leave(gone)
        for host_id, member in members.items():
            before = self._known.get(host_id)
            if before is None or before.address != member.address:
                self.leave(host_id)
                self._hosts[host_id] = self._connect(host_id, member.address)
            self._known[host_id] = member
        self._waiting = sum(one.waiting for one in members.values())
        self._share()
        self._changed.set()

    async def next_reading(self, timeout_s: float) -> None:
        """Wait until the members have been read again, at most so long."""
        self._changed.clear()
        try:
            async with asyncio.timeout(timeout_s):
                await self._changed.wait()
        except TimeoutError:
            return

    def _share(self) -> None:
        """Work out between whom the hash chooses."""
        self._shared = tuple(
            host_id for host_id, one in self._known.items() if not one.is_draining and not is_dedicated(host_id)
        )
