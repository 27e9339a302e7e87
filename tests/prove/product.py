"""The product under test: `abl serve` as a process of its own, and the processes that may be killed."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
START_S = 90.0
HOST_PROGRAM = "actors.hosts.child"


@dataclass
class Product:
    """One installation; it is started again by whoever killed its gateway."""

    project: Path
    data: Path
    hosts: int
    allowed: str
    port: int = 0
    project_id: str = ""
    key: str = ""
    process: asyncio.subprocess.Process | None = None
    log: list[str] = field(default_factory=list)
    reader: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it and wait for the line that can be pasted."""
        self.port = self.port or free_port()
        command = ["serve", "--project", str(self.project), "--runtime", "process", "--hosts", str(self.hosts)]
        command += ["--port", str(self.port), "--data-dir", str(self.data)]
        environment = {**os.environ, "ABL_ALLOWED_NETWORKS": self.allowed, "ABL_RATE_LIMITS": "off"}
        abl = str(Path(sys.executable).with_name("abl"))
        self.process = await asyncio.create_subprocess_exec(
            abl, *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, env=environment, cwd=ROOT
        )
        assert self.process.stdout is not None
        seen: list[str] = []
        async with asyncio.timeout(START_S):
            while line := (await self.process.stdout.readline()).decode():
                seen.append(line)
                if line.startswith("Try:"):
                    break
        text = "".join(seen)
        if "Try:" not in text:
            raise RuntimeError(f"abl serve did not start:\n{text}")
        self.project_id = re.search(r"project\s+(\S+)", text)[1]  # type: ignore[index]
        self.key = re.search(r"api key\s+(\S+)", text)[1]  # type: ignore[index]
        self.reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process is not None
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            self.log.append(line.decode().rstrip())

    async def stop(self) -> int:
        """Ask it to end, as an operator would, and return its exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(60):
            return await self.process.wait()

    async def kill_gateway(self) -> None:
        """Kill the gateway and start it again."""
        assert self.process is not None
        self.process.kill()
        await self.process.wait()
        await self.start()

    def kill_host(self, number: int) -> bool:
        """Kill one session host."""
        pids = self.host_pids()
        return bool(pids) and kill(pids[number % len(pids)])

    def kill_postgres(self) -> bool:
        """Kill the database server, and with it everything it had not written."""
        return self._kill_server("postgres")

    def kill_valkey(self) -> bool:
        """Kill the coordination server."""
        return self._kill_server("redis")

    def _kill_server(self, name: str) -> bool:
        record = self.data / name / "server.json"
        if not record.exists():
            return False
        return kill(int(json.loads(record.read_text())["process"]["pid"]))

    def host_pids(self) -> list[int]:
        assert self.process is not None
        return sorted(pid for pid in children(self.process.pid) if HOST_PROGRAM in command_line(pid))


def children(parent: int) -> list[int]:
    """Pids of the processes that this one started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            if int(stat.rpartition(")")[2].split()[1]) == parent:
                found.append(int(entry.name))
    return found


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
