"""Keeps one bundled server running: starts it or adopts the one that is there, starts it again when it dies, stops it.

The server outlives a supervisor that is killed; the next one adopts it. A lock that the kernel releases with its holder
keeps a second supervisor from the same folder.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Protocol

import msgspec
from msgspec import Struct

from domain.errors import Unavailable
from storage.embedded.accounts import Account
from storage.embedded.processes import ProcessMark, is_alive, mark, send

START_DEADLINE_S = 60.0
RETRY_DEADLINE_S = 5.0
ADOPT_DEADLINE_S = 5.0
STOP_DEADLINE_S = 20.0
KILL_DEADLINE_S = 5.0
POLL_S = 0.005
WATCH_S = 0.05
RESTART_DELAY_S = 0.05
RESTART_DELAY_MAX_S = 2.0
LOG_MAX_BYTES = 4_000_000
LOG_TAIL_CHARS = 600
POSTGRES, REDIS = "postgres", "redis"
"""Folders of the servers in a data directory."""
LOCK = "supervisor.lock"
RECORD = "server.json"
LOG = "server.log"


class DirectoryInUse(Unavailable):
    """Another running program has this data directory."""


class Program(Protocol):
    """What is particular to one kind of server.

    Attributes:
        name: For messages.
        folder: Where its lock, record and log stand.
        sockets: The private folder in which it listens.
        account: Who runs it.
        stop_signal: Asks it to end in good order.
    """

    name: str
    folder: Path
    sockets: Path
    account: Account
    stop_signal: signal.Signals

    async def prepare(self) -> None:
        """Make what the server needs before it can start."""
        ...

    def command(self) -> list[str]:
        """Return its command line."""
        ...

    def recorded_pid(self) -> int | None:
        """Return the pid of a running server that its own files name; clear files that stand for none."""
        ...

    async def is_ready(self, pid: int) -> bool:
        """Return whether this process takes connections."""
        ...


def locked(folder: Path) -> int:
    """Return the open lock of a folder, held until it is closed or this process ends.

    Raises:
        DirectoryInUse: Another program holds it.
        OSError: The folder cannot be used.
    """
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(lock, 32).decode(errors="replace").strip() or "unknown"
        os.close(lock)
        raise DirectoryInUse(
            f"{folder} is in use by another running server (process {holder}); "
            "stop that one, or give this one another data directory."
        ) from None
    os.ftruncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())
    return lock


def check_is_free(data_folder: Path, servers: Sequence[str]) -> None:
    """Do nothing when no other program has one of these servers in a data directory.

    Raises:
        DirectoryInUse: One has.
    """
    for name in servers:
        if (data_folder / name / LOCK).exists():
            os.close(locked(data_folder / name))


class Record(Struct, frozen=True):
    """What is written down of a running server."""

    process: ProcessMark
    command: list[str]


class Supervisor:
    """Runs one `Program`."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._lock: int | None = None
        self._process: ProcessMark | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._has_begun = False
        self.restarts = 0
        self.adopted = False

    @property
    def pid(self) -> int | None:
        """Return the server's pid; None while there is none."""
        return self._process.pid if self._process and self._is_running() else None

    def claim(self) -> None:
        """Take the directory for this program before anything is brought up. `stop` gives it back.

        Raises:
            DirectoryInUse: Another program has it.
            Unavailable: It cannot be used: no room, no right to write.
        """
        if self._lock is None:
            try:
                self._take_lock()
            except OSError as error:
                raise self._unusable(error) from error

    async def start(self) -> None:
        """Return once the server takes connections; it is then watched.

        Raises:
            DirectoryInUse: Another program has the directory.
            Unavailable: The server does not start; the message ends with the end of its log, or says what is wrong with
                the directory (no room, no right to write).
        """
        try:
            self.claim()
            self._has_begun = True
            await self._program.prepare()
            self.adopted = await self._adopt()
            if not self.adopted:
                await self._launch(START_DEADLINE_S)
        except OSError as error:
            await self.stop()
            raise self._unusable(error) from error
        except BaseException:
            await self.stop()
            raise
        self._watcher = asyncio.create_task(self._watch(), name=f"watch {self._program.name}")

    async def stop(self) -> None:
        """Stop the server in good order, by force when it takes longer than `STOP_DEADLINE_S`.

        What was not begun is not touched: what stands in the directory then belongs to another supervisor, or to a
        server that outlived one.
        """
        await self.leave()
        if self._lock is None:
            return
        if not self._has_begun:
            self._release_lock()
            return
        try:
            if self._process is not None:
                await self._end(self._process)
                self._process = None
            (self._program.folder / RECORD).unlink(missing_ok=True)
            shutil.rmtree(self._program.sockets, ignore_errors=True)
        finally:
            self._release_lock()

    async def leave(self) -> None:
        """Stop watching, and leave the server running."""
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.gather(self._watcher, return_exceptions=True)
            self._watcher = None

    def _unusable(self, error: OSError) -> Unavailable:
        return Unavailable(
            f"The embedded {self._program.name} cannot use {self._program.folder}: {error.strerror or error}."
        )

    def _take_lock(self) -> None:
        self._program.folder.mkdir(parents=True, exist_ok=True)
        self._lock = locked(self._program.folder)

    def _release_lock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
            self._has_begun = False

    async def _adopt(self) -> bool:
        """Return whether a server was running already and is now ours; one that does not answer is ended."""
        found = self._find()
        if found is None:
            return False
        process, is_same = found
        if is_same and await self._becomes_ready(process, ADOPT_DEADLINE_S):
            self._process = process
            self._write_record()
            return True
        await self._end(process)
        return False

    def _find(self) -> tuple[ProcessMark, bool] | None:
        """Return a server that runs already, and whether it was started with the command we would use."""
        record = self._read_record()
        if record is not None and is_alive(record.process):
            return record.process, record.command == self._program.command()
        pid = self._program.recorded_pid()
        process = mark(pid) if pid is not None else None
        return (process, True) if process is not None else None

    async def _launch(self, within_s: float) -> None:
        last_try = monotonic() + RETRY_DEADLINE_S
        while True:
            self._spawn()
            if self._process is not None and await self._becomes_ready(self._process, within_s):
                return
            if monotonic() > last_try:
                raise Unavailable(f"The embedded {self._program.name} does not start: {self._log_tail()}")
            await asyncio.sleep(RESTART_DELAY_S)  # what is left of a killed one may still be ending

    def _spawn(self) -> None:
        if self._child is not None:
            self._child.poll()  # what ended before it could be marked is reaped here
        log = self._program.folder / LOG
        if log.exists() and log.stat().st_size > LOG_MAX_BYTES:
            log.unlink()
        with log.open("ab") as output:
            self._child = subprocess.Popen(
                self._program.command(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a Ctrl-C in the terminal is for us alone
                cwd="/",
                **self._program.account.to_become(),
            )
        self._process = mark(self._child.pid)
        self._write_record()

    async def _becomes_ready(self, process: ProcessMark, within_s: float) -> bool:
        deadline = monotonic() + within_s
        while monotonic() < deadline:
            if not self._is_running(process):
                return False
            if await self._program.is_ready(process.pid):
                return True
            await asyncio.sleep(POLL_S)
        return False

    def _is_running(self, process: ProcessMark | None = None) -> bool:
        process = process or self._process
        if process is None:
            return False
        if self._child is not None and self._child.pid == process.pid:
            return self._child.poll() is None
        return is_alive(process)

    async def _watch(self) -> None:
        delay_s = RESTART_DELAY_S
        while True:
            await asyncio.sleep(WATCH_S)
            if self._is_running():
                delay_s = RESTART_DELAY_S
                continue
            self.restarts += 1
            try:
                await self._launch(START_DEADLINE_S)
            except (Unavailable, OSError):  # no room for its record, perhaps: it may come back
                await asyncio.sleep(delay_s)
                delay_s = min(delay_s * 2, RESTART_DELAY_MAX_S)

    async def _end(self, process: ProcessMark) -> None:
        for number, within_s in ((self._program.stop_signal, STOP_DEADLINE_S), (signal.SIGKILL, KILL_DEADLINE_S)):
            send(process, number)
            deadline = monotonic() + within_s
            while monotonic() < deadline:
                if not self._is_running(process):
                    return
                await asyncio.sleep(POLL_S)
        raise Unavailable(f"The embedded {self._program.name} (process {process.pid}) does not end.")

    def _read_record(self) -> Record | None:
        try:
            return msgspec.json.decode((self._program.folder / RECORD).read_bytes(), type=Record)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def _write_record(self) -> None:
        if self._process is None:
            return
        path = self._program.folder / RECORD
        fresh = path.with_suffix(".new")
        fresh.write_bytes(msgspec.json.encode(Record(self._process, self._program.command())))
        fresh.replace(path)

    def _log_tail(self) -> str:
        log = self._program.folder / LOG
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        return text[-LOG_TAIL_CHARS:].strip() or "its log is empty"
