"""A session host as a child process: started, watched, started again when it dies, ended with this process.

The child gets its settings on standard input and lives as long as that stays open, so it cannot outlive its parent.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from actors.settings import Settings
from actors.supervisor import Life, after_death
from domain.errors import AppError

log = logging.getLogger(__name__)

START_S = 60.0
STOP_S = 40.0
"""Longer than a drain may take."""
LINE_LIMIT_BYTES = 1_000_000
MAX_SOCKET_PATH_CHARS = 100
"""The system allows 107 on Linux and 103 on macOS."""
NONCE_BYTES = 4
NAME_CHARS = 12
PRIVATE = 0o700


class Task(Struct, frozen=True):
    """What a child is told, as one line of JSON."""

    host_id: str
    address: str
    token: str
    settings: Settings


class Ready(Struct, frozen=True):
    """What a child says once it serves, as one line of JSON."""

    pid: int
    epoch: int


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

    @property
    def pid(self) -> int | None:
        """The pid of the child that runs now."""
        return self._ready.pid if self._ready is not None else None

    async def start(self) -> None:
        """Start the child and wait until it serves."""
        await self._launch()
        self._watcher = asyncio.get_running_loop().create_task(self._watch())

    async def stop(self) -> None:
        """Close the child's input, which has it drain and end; kill it when it does not."""
        self._stopping = True
        process = self._process
        if process is not None and process.returncode is None:
            if process.stdin is not None:
                process.stdin.close()
            try:
                async with asyncio.timeout(STOP_S):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait([self._watcher])

    async def _launch(self) -> None:
        task = msgspec.structs.replace(self._task, address=socket_address(self._folder, self._task.host_id))
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
            raise ChildDied(f"the session host {self._task.host_id} ended with {process.returncode} while starting")
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
            decision = after_death(self._life, time.monotonic())
            self._life = decision.life
            if decision.give_up:
                log.error("%s died %s times in a row and is given up", self._task.host_id, decision.life.deaths)
                return
            log.warning("%s died; it is started again in %.1f s", self._task.host_id, decision.delay_s)
            await asyncio.sleep(decision.delay_s)
            try:
                await self._launch()
                self.restarts += 1
            except (ChildDied, OSError) as error:
                log.warning("%s", error)


class ChildDied(Exception):
    """A child ended before it served."""


def socket_address(folder: Path, host_id: str) -> str:
    """Return a place for a socket that no other start of this host uses, short enough for the system."""
    name = f"{host_id}-{secrets.token_hex(NONCE_BYTES)}.sock"
    if len(str(folder / name)) > MAX_SOCKET_PATH_CHARS:
        folder = Path(tempfile.gettempdir()) / f"abl-{hashlib.sha256(str(folder).encode()).hexdigest()[:NAME_CHARS]}"
    folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    return str(folder / name)
