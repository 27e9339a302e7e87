"""A session host as a child process: started, watched, started again when it dies, ended with this process.

The child gets its settings on standard input and lives as long as that stays open, so it cannot outlive its parent.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path

import msgspec

from actors.hosts.port import HostDoesNotStart
from actors.hosts.task import Ready, Task
from actors.link.addresses import socket_address
from actors.placement import is_dedicated
from actors.supervisor import Life, after_death
from domain.errors import AppError

log = logging.getLogger(__name__)

START_S = 60.0
STOP_S = 40.0
"""Longer than a drain may take."""
LINE_LIMIT_BYTES = 1_000_000


class ChildHost:
    """One slot: a child process that is started again when it dies."""

    def __init__(
        self,
        task: Task,
        folder: Path,
        on_death: Callable[[int], Awaitable[None]],
        on_start: Callable[[], Awaitable[None]],
    ) -> None:
        """The child's socket is made in `folder`.

        `on_death` is told the epoch of a child that is gone; `on_start` that one has begun to serve.
        """
        self._task = task
        self._folder = folder
        self._on_death = on_death
        self._on_start = on_start
        self._process: asyncio.subprocess.Process | None = None
        self._ready: Ready | None = None
        self._life = Life()
        self._watcher: asyncio.Task[None] | None = None
        self._stopping = False
        self.restarts = 0
        self.is_over = False

    @property
    def host_id(self) -> str:
        """The id of the host the child serves as."""
        return self._task.host_id

    @property
    def pid(self) -> int | None:
        """The pid of the child that runs now."""
        return self._ready.pid if self._ready is not None else None

    async def start(self) -> None:
        """Start the child and wait until it serves; who does not wait for it has none. Raises HostDoesNotStart."""
        try:
            await self._launch()
        except asyncio.CancelledError:
            if self._process is not None and self._process.returncode is None:
                self._process.kill()
                await self._process.wait()
            raise
        self._watcher = asyncio.get_running_loop().create_task(self._watch())

    async def stop(self) -> None:
        """Tell the child to drain and end; kill it when it does not."""
        self._stopping = True
        process = self._process
        if process is not None and process.returncode is None:
            process.terminate()
            try:
                async with asyncio.timeout(STOP_S):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait([self._watcher])
        self.is_over = True

    async def _launch(self) -> None:
        address = str(socket_address(self._folder, self._task.host_id))
        task = msgspec.structs.replace(self._task, address=address)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "actors.hosts.child",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE_LIMIT_BYTES,
        )
        self._process = process
        self._life = Life(self._life.deaths, time.monotonic())
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("a child was started without its pipes")
        line = b""
        process.stdin.write(msgspec.json.encode(task) + b"\n")
        try:
            async with asyncio.timeout(START_S):
                await process.stdin.drain()
                line = await process.stdout.readline()
        except (TimeoutError, ConnectionError) as error:
            log.warning("%s does not come up: %r", self._task.host_id, error)
        if not line:
            if process.returncode is None:
                process.kill()
            await process.wait()
            host_id = self._task.host_id
            raise HostDoesNotStart(f"The session host {host_id} ended with {process.returncode} while starting.")
        self._ready = msgspec.json.decode(line, type=Ready)
        try:
            await self._on_start()
        except AppError:
            log.warning("the directory will see %s at its next reading", self._task.host_id)

    async def _tell_of_death(self, epoch: int) -> None:
        try:
            await self._on_death(epoch)
        except AppError:
            log.warning("the lease of %s cannot be given back now; it runs out by itself", self._task.host_id)

    async def _watch(self) -> None:
        while True:
            process, ready = self._process, self._ready
            if process is not None:
                await process.wait()
            if self._stopping:
                return
            self._ready = None
            if ready is not None:
                await self._tell_of_death(ready.epoch)
            if process is not None and process.returncode == 0 and is_dedicated(self._task.host_id):
                self.is_over = True  # its session sleeps; a message will have it started again
                return
            decision = after_death(self._life, time.monotonic())
            self._life = decision.life
            if decision.give_up:
                log.error("%s died %s times in a row and is given up", self._task.host_id, decision.life.deaths)
                self.is_over = True
                return
            status = process.returncode if process is not None else None
            host_id = self._task.host_id
            log.warning("%s ended with %s; it is started again in %.1f s", host_id, status, decision.delay_s)
            await asyncio.sleep(decision.delay_s)
            try:
                await self._launch()
                self.restarts += 1
            except (HostDoesNotStart, OSError) as error:
                log.warning("%s", error)


class ChildHosts:
    """Hosts as children of this process. Satisfies `actors.hosts.port.HostMaker`."""

    def __init__(self, start_child: Callable[[str], ChildHost]) -> None:
        """`start_child` makes the child of a host id; it is started here."""
        self._make = start_child
        self._children: dict[str, ChildHost] = {}

    @property
    def children(self) -> tuple[ChildHost, ...]:
        """The children that are kept."""
        return tuple(self._children.values())

    async def start(self) -> None:
        """Do nothing: a process needs no base."""

    async def keep(self, host_id: str) -> None:
        """Have a child with this id from now on."""
        known = self._children.get(host_id)
        if known is not None and not known.is_over:
            return
        child = self._children[host_id] = self._make(host_id)
        try:
            await child.start()
        except BaseException:
            self._children.pop(host_id, None)
            raise

    async def end(self, host_id: str) -> None:
        """Drain a child and let it go."""
        child = self._children.pop(host_id, None)
        if child is not None:
            await child.stop()

    def watch(self, host_ids: Collection[str]) -> None:
        """Do nothing: each child is watched from its start."""

    async def leaving(self) -> frozenset[str]:
        """Return none: there is one machine."""
        return frozenset()

    async def move(self, host_id: str) -> None:
        """Start a child anew."""
        await self.end(host_id)
        await self.keep(host_id)

    async def leave(self) -> None:
        """End all children: they would not outlive this process."""
        await self.stop()

    async def break_off(self) -> None:
        """End all children."""
        await self.stop()

    async def stop(self) -> None:
        """Drain and end all children."""
        await asyncio.gather(*(self.end(host_id) for host_id in tuple(self._children)))
