"""The folder of a Ray that belongs to this installation alone, and the processes that run in it.

They are written down, each with the moment it started. A start that finds what a killed one has left ends exactly
those processes and removes their folder; a Ray of anybody else is never touched.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import signal
import tempfile
import time
from pathlib import Path
from threading import Event

import msgspec
from msgspec import Struct

from actors.hosts.ray_settings import ENVIRONMENT, TOKEN_PATH
from storage.embedded.processes import ProcessMark, command_line, is_alive, mark, send

log = logging.getLogger(__name__)

RECORD = "ray.json"
TOKEN = "token"
TOKEN_BYTES = 32
PRIVATE = 0o600
PREFIX = "abl-ray-"
"""In the system's folder for temporary files: the paths of Ray's sockets have to be short."""
END_S = 10.0
POLL_S = 0.05
WORKER = "ray::"
"""Begins the title of every worker."""


class Record(Struct, frozen=True):
    """What runs for us, and where."""

    folder: str
    processes: tuple[ProcessMark, ...] = ()


class RayFolder:
    """A private temporary folder of Ray, written down in a folder that survives."""

    def __init__(self, place: Path, path: str) -> None:
        self.path = path
        self._place = place
        self._marks: dict[int, ProcessMark] = {}

    @classmethod
    def make(cls, kept_in: Path) -> RayFolder:
        """Return a new folder, after ending and removing what an earlier start has left.

        To be called before Ray is loaded: that is when it reads its environment.
        """
        place = kept_in / RECORD
        if ended := end_stale(place):
            log.warning("%s processes of an earlier Ray were ended", ended)
        made = cls(place, tempfile.mkdtemp(prefix=PREFIX))
        made._write()
        made._prepare_environment()
        return made

    def _prepare_environment(self) -> None:
        """Give Ray a token of its own instead of one in the user's home, and have it keep to itself."""
        token = Path(self.path) / TOKEN
        token.touch(mode=PRIVATE)
        token.write_text(secrets.token_hex(TOKEN_BYTES), encoding="ascii")
        os.environ.update(ENVIRONMENT)
        os.environ[TOKEN_PATH] = str(token)

    def note_processes(self) -> None:
        """Write down every process that runs in the folder."""
        for pid in processes_in(self.path):
            self.note(pid, write=False)
        self._write()

    def note(self, pid: int, *, write: bool = True) -> None:
        """Write down one process."""
        known = mark(pid)
        if known is not None and self._marks.get(pid) != known:
            self._marks[pid] = known
            if write:
                self._write()

    def clear(self) -> None:
        """End what is still there and remove the folder."""
        end_stale(self._place)

    def _write(self) -> None:
        self._place.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._place.with_suffix(".new")
        fresh.write_bytes(msgspec.json.encode(Record(self.path, tuple(self._marks.values()))))
        fresh.replace(self._place)


def processes_in(folder: str) -> list[int]:
    """Return the pids of the Ray processes of a folder: its servers by their arguments, its workers by their token."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        pid = int(entry.name)
        command = command_line(pid)
        if pid != os.getpid() and (folder in command or (command.startswith(WORKER) and _has_token_of(folder, entry))):
            found.append(pid)
    return found


def end_stale(place: Path) -> int:
    """End the processes that a record names and remove their folder; return how many there were."""
    try:
        record = msgspec.json.decode(place.read_bytes(), type=Record)
    except (FileNotFoundError, msgspec.DecodeError):
        return 0
    alive = {one for one in record.processes if is_alive(one)}
    alive.update(one for pid in processes_in(record.folder) if (one := mark(pid)) is not None)
    for one in alive:
        send(one, signal.SIGKILL)
    give_up_s = time.monotonic() + END_S
    while any(is_alive(one) for one in alive) and time.monotonic() < give_up_s:
        Event().wait(POLL_S)
    if Path(record.folder).name.startswith(PREFIX):
        shutil.rmtree(record.folder, ignore_errors=True)
    place.unlink(missing_ok=True)
    return len(alive)


def _has_token_of(folder: str, process: Path) -> bool:
    try:
        return f"{TOKEN_PATH}={folder}/".encode() in (process / "environ").read_bytes()
    except OSError:
        return False
