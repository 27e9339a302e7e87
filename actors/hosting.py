"""The hosts of a gateway: it has them started, finds them by their leases, asks for more, and ends them.

A gateway needs not have started the hosts it uses; it finds every host of its database.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from importlib import import_module
from pathlib import Path
from typing import cast

import msgspec

from actors.directory import Directory, Member
from actors.hosts.port import Host, HostMaker
from actors.hosts.process import ChildHost, ChildHosts
from actors.hosts.stale_ray import RayFolder
from actors.hosts.task import Task
from actors.hosts.tenancy import BYTES, COUNTS, DRAINING, SESSIONS, TURNS, WAITING
from actors.installation import master_key_text
from actors.keeper import HostKeeper
from actors.link.addresses import machine_name, parse_address, reachable
from actors.link.client import LinkedHost
from actors.messages import Failed
from actors.peers import Bounds, Peers
from actors.session_host import SessionHost
from actors.settings import Settings
from actors.supervisor import Sizing
from domain.errors import Unavailable
from storage.crypto import kept_secret
from storage.leases import HostRow, Leases

log = logging.getLogger(__name__)

LOCAL, RAY = "local", "ray"
SOCKETS = "run"
TOKEN_FILE = "link_token"
NAME_CHARS = 12
RAY_MODULE = "actors.hosts.ray"
Seen = Callable[[Sequence[HostRow]], None]
NO_RAY = "Ray is not installed here; install the extra `server`, or take `--runtime local`."


class Hosting:
    """The hosts that one gateway keeps; none when sessions live in the gateway itself."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        """Sockets and what is kept from one start to the next are in `folder`."""
        self.maker: HostMaker | None = None
        self._count = settings.hosts or os.cpu_count() or 1
        self._settings = settings
        self._folder = folder
        self._leases: Leases | None = None
        self._directory: Directory | None = None
        self._keeper: HostKeeper | None = None
        self._peers: Peers | None = None
        self._own: RayFolder | None = None
        self._is_open = False

    async def start(self) -> None:
        """Bring up what hosts need; may be done before the store answers.

        Raises:
            Unavailable: Ray is not there or does not start.
        """
        if self._settings.runtime == LOCAL:
            return
        token = self._settings.link_token or kept_token(self._folder)
        keys = master_key_text(self._settings)  # a host on another machine would make one of its own
        self._settings = msgspec.structs.replace(self._settings, link_token=token, master_keys=keys)
        if self._settings.runtime == RAY:
            if not self._settings.ray_address:
                await self._make_ray_folder()  # Ray reads its environment when loaded
            self.maker = await asyncio.to_thread(self._ray)
        else:
            self.maker = ChildHosts(self._child)
        await self.maker.start()

    async def _make_ray_folder(self) -> None:
        making = asyncio.ensure_future(asyncio.to_thread(RayFolder.make, self._folder / SOCKETS))
        try:
            await asyncio.shield(making)
        finally:
            self._own = await making

    async def open(self, stack: AsyncExitStack, leases: Leases) -> Directory:
        """Have all hosts serve and return the directory that knows them."""
        if self.maker is None:
            raise RuntimeError("hosts are opened before they are started")
        self._leases = leases
        self._directory = await follow_hosts(stack, leases, self._settings.link_token)
        sizing = sizing_of(self._settings, self._count)
        if self._settings.runtime == RAY and self._settings.ray_address:
            name = gateway_name(self._settings, self._folder)
            self._peers = Peers(leases, name, Bounds(sizing.min_hosts, sizing.max_hosts))
        self._keeper = HostKeeper(self.maker, self._directory, sizing, self._settings.max_dedicated, self._peers)
        stack.push_async_callback(self._rest)  # while the store is still open
        await self._keeper.first_hosts()
        self._keeper.start()
        self._is_open = True
        return self._directory

    async def summon(self, host_id: str) -> Failed | None:
        """Have a dedicated host started; satisfies `actors.router.Summon`."""
        if self._keeper is None:
            return Failed(kind="Unavailable", message="There are no dedicated hosts here.")
        return await self._keeper.summon(host_id)

    async def leave(self, kind: type[BaseException] | None, *_why: object) -> None:
        """End everything that was started here; at once when nobody waits any more for the start."""
        if not self._is_open and kind is not None and issubclass(kind, asyncio.CancelledError):
            if self.maker is not None:
                await self.maker.break_off()
            elif self._own is not None:
                self._own.clear()
            return
        await self.stop()

    async def stop(self) -> None:
        """End everything that was started here; what other gateways use is left to them."""
        await self._rest()
        if self.maker is None:
            return
        if self._peers is not None and self._peers.others:
            await self.maker.leave()
        else:
            await self.maker.stop()

    async def _rest(self) -> None:
        """Look after hosts no more."""
        if self._keeper is not None:
            await self._keeper.stop()
        if self._peers is not None:
            await self._peers.stop()

    def task(self, host_id: str) -> Task:
        """Return what a host is told, on whichever machine it is."""
        ends_after_s = self._settings.hosts_end_after_s if self._settings.ray_address else 0.0
        return Task(
            host_id=host_id,
            address="",
            token=self._settings.link_token,
            settings=self._settings,
            ends_after_s=ends_after_s,
        )

    def _ray(self) -> HostMaker:
        place = self._folder / SOCKETS
        try:
            module = import_module(RAY_MODULE)  # an extra, and slow to load: only when it is wanted
        except ModuleNotFoundError as error:
            if self._own is not None:
                self._own.clear()
            if error.name != RAY:
                raise
            raise Unavailable(NO_RAY) from error
        made = module.RayHosts(self._settings, self.task, place, self._count, self._own, self._died)
        return cast("HostMaker", made)

    def _child(self, host_id: str) -> ChildHost:
        return ChildHost(self.task(host_id), self._folder / SOCKETS, self._died, self._changed)

    async def _died(self, epoch: int) -> None:
        if self._leases is not None:
            await self._leases.release_host(epoch)
        await self._changed()

    async def _changed(self) -> None:
        if self._directory is not None:
            await self._directory.refresh()


def sizing_of(settings: Settings, hosts: int) -> Sizing:
    """Return when there are more hosts than `hosts`, in shares of what one may hold at the most."""
    limits = settings.limits
    return Sizing(
        sessions_per_host=max(1, limits.max_sessions // 2),
        turns_per_host=max(1, limits.max_at_once // 10),
        bytes_per_host=limits.pressure_bytes,
        min_hosts=hosts,
        max_hosts=max(hosts, settings.max_hosts),
    )


def gateway_name(settings: Settings, folder: Path) -> str:
    """Return a name that a gateway has again after its restart, and no other has."""
    place = hashlib.sha256(f"{folder} {settings.port}".encode()).hexdigest()[:NAME_CHARS]
    return f"{socket.gethostname()}-{place}"


async def follow_hosts(stack: AsyncExitStack, leases: Leases, token: str, seen: Seen | None = None) -> Directory:
    """Return a directory of all hosts of the store, each behind a link.

    `seen` is told all leases whenever they were read, those of gateways too.
    """
    machine = machine_name()

    async def members() -> Sequence[Member]:
        rows = await leases.hosts()
        if seen is not None:
            seen(rows)
        return [member_of(row, machine) for row in rows if row.address != LOCAL]

    def connect(host_id: str, address: str) -> Host:
        return LinkedHost(host_id, parse_address(address), token)

    directory = Directory(members, connect)
    stack.push_async_callback(directory.stop)
    await directory.start()
    return directory


async def own_directory(stack: AsyncExitStack, leases: Leases, host: SessionHost) -> Directory:
    """Return a directory of the one host in this process."""

    async def members() -> Sequence[Member]:
        return [member_of(row, "") for row in await leases.hosts() if row.host_id == host.host_id]

    directory = Directory(members, lambda _host_id, _address: host)
    stack.push_async_callback(directory.stop)
    await directory.start()
    return directory


def member_of(row: HostRow, machine: str) -> Member:
    """Return a host as its lease tells of it, with the address to use on a machine."""
    told = row.labels
    return Member(
        row.host_id,
        reachable(row.address, told, machine),
        bool(told.get(DRAINING)),
        int(told.get(SESSIONS, 0)),
        int(told.get(TURNS, 0)),
        int(told.get(WAITING, 0)),
        int(told.get(BYTES, 0)),
        told.get(COUNTS) or {},
    )


def kept_token(folder: Path) -> str:
    """Return the word that hosts ask of their callers: the one of the last start, made at the first."""
    return kept_secret(folder / TOKEN_FILE).strip()
