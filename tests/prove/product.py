"""The product under test: `abl serve` as a process of its own, and the processes that may be killed."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.ports import free_port
from benchmarks.serving import children
from storage.embedded.processes import command_line
from tests.prove.clock import Clocks
from tests.prove.disk import SmallDisk

ROOT = Path(__file__).parents[2]
START_S = 240.0
POLL_S = 0.05
STOP_S = 100.0
"""Longer than the gateway and its hosts may take together to let turns finish."""
PAGE = {"Origin": "http://localhost:3000"}
"""What a page says that is written on this machine; the first page key lists it."""
HOST_PROGRAMS = {"process": "actors.hosts.child", "ray": "ray::SessionHostActor"}


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
    public_key: str = ""
    page_keys: dict[str, str] = field(default_factory=dict)
    model_url: str = ""
    runtime: str = "process"
    clocks: Clocks | None = None
    disk: SmallDisk | None = None
    process: asyncio.subprocess.Process | None = None
    frozen: set[int] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it and wait for the line that can be pasted."""
        self.port = self.port or free_port()
        command = ["serve", "--project", str(self.project), "--runtime", self.runtime, "--hosts", str(self.hosts)]
        command += ["--port", str(self.port), "--data-dir", str(self.data)]
        environment = {**os.environ, "ABL_ALLOWED_NETWORKS": self.allowed, "ABL_RATE_LIMITS": "off"}
        environment["ABL_EMBEDDED_MODEL"] = "off"  # whether its file is on this machine changes no test
        if self.clocks is not None:
            environment |= self.clocks.variables
        if self.model_url:
            environment |= {"ABL_MODEL_URL": self.model_url, "ABL_MODEL_KEY": "none", "ABL_MODEL": "stub"}
        abl = str(Path(sys.executable).with_name("abl"))
        before = len(self.log)
        with self.log_file.open("ab") as output:  # not a pipe: hosts that outlive their gateway would hold it open
            self.process = await asyncio.create_subprocess_exec(
                abl, *command, stdout=output, stderr=asyncio.subprocess.STDOUT, env=environment, cwd=ROOT
            )
        text = await self._greeting(before)
        self.project_id = re.search(r"(?m)^ +project\s+(\S+)", text)[1]  # type: ignore[index]
        self.key = re.search(r"(?m)^ +api key\s+(\S+)", text)[1]  # type: ignore[index]
        self.public_key = re.search(r"(?m)^ +page key\s+(\S+)", text)[1]  # type: ignore[index]

    async def _greeting(self, before: int) -> str:
        """Return what the product says until it can be used."""
        assert self.process is not None
        loop = asyncio.get_running_loop()
        give_up = loop.time() + START_S
        while loop.time() < give_up and self.process.returncode is None:
            said = self.log[before:]
            if any(line.startswith("Try:") for line in said):
                return "\n".join(said)
            await asyncio.sleep(POLL_S)
        if self.process.returncode is None:
            self.process.kill()
        raise RuntimeError("abl serve did not start:\n" + "\n".join(self.log[before:]))

    @property
    def log_file(self) -> Path:
        """Where everything is kept that the product's processes print."""
        return self.data.with_name("product.log")

    @property
    def log(self) -> list[str]:
        """The lines that were printed so far."""
        return self.log_file.read_text(errors="replace").splitlines() if self.log_file.exists() else []

    async def stop(self) -> int:
        """Ask it to end, as an operator would, and return its exit status; it is killed when it does not end."""
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(STOP_S):
                return await self.process.wait()
        except TimeoutError:
            self.process.kill()
            return await self.process.wait()

    async def kill_gateway(self) -> None:
        """Kill the gateway and start it again."""
        assert self.process is not None
        self.process.kill()
        await self.process.wait()
        await self.start()

    def kill_host(self, number: int) -> bool:
        """Kill one session host; those that are frozen are harmed enough."""
        pids = [pid for pid in self.host_pids() if pid not in self.frozen]
        return bool(pids) and kill(pids[number % len(pids)])

    def freeze_host(self, number: int) -> int | None:
        """Stop one session host in the middle of what it does; return its pid."""
        pids = self.host_pids()
        if not pids:
            return None
        pid = pids[number % len(pids)]
        self.frozen.add(pid)
        return pid if send(pid, signal.SIGSTOP) else None

    def thaw_host(self, pid: int) -> bool:
        """Let a frozen host go on as if nothing had happened."""
        self.frozen.discard(pid)
        return send(pid, signal.SIGCONT)

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
        """Return the session hosts: children of the gateway, or of the Ray node that it has started."""
        assert self.process is not None
        started = children(self.process.pid)
        if self.runtime == "ray":
            started = [pid for node in started for pid in children(node)]
        return sorted(pid for pid in started if HOST_PROGRAMS[self.runtime] in command_line(pid))


def kill(pid: int) -> bool:
    return send(pid, signal.SIGKILL)


def send(pid: int, number: signal.Signals) -> bool:
    """Send a signal; return whether the process was there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
