"""The processes of a benchmark: `abl serve`, the bare application, the stub of a model; and what each of them used.

Every process is started in a session of its own and ended by its pid; processor times come from the kernel.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, perf_counter

from actors.installation import MASTER_KEY_FILE
from benchmarks.ports import free_port
from storage.embedded import PostgresServer
from storage.embedded.processes import command_line, descendants_cpu_s

ROOT = Path(__file__).resolve().parent.parent
START_S = 120.0
STOP_S = 60.0
POLL_S = 0.02
NS_PER_S = 1_000_000_000
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
HOST_PROGRAM = "actors.hosts.child"


class NotServing(Exception):
    """A process ended, or said nothing in time."""


def cpu_s(pid: int) -> float:
    """Return the processor time of all threads of one process in seconds, its children not counted.

    From the scheduler's nanoseconds: the usual counters step by ten milliseconds, which is a dozen turns.
    """
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(one.read_text(encoding="ascii").split()[0]) for one in threads) / NS_PER_S


def resident_bytes(pid: int) -> int:
    """Return the resident memory of one process in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * PAGE_BYTES


def children(pid: int) -> list[int]:
    """Return the pids of what any thread of a process has started; none of one that has gone."""
    try:
        lists = [one.read_text(encoding="ascii") for one in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    return [int(one) for text in lists for one in text.split()]


@contextmanager
def a_folder() -> Iterator[Path]:
    """Yield a temporary folder that the database's account can pass through."""
    folder = Path(tempfile.mkdtemp(prefix="abl-bench-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def wait_for_port(port: int, process: subprocess.Popen[str]) -> None:
    """Return when somebody listens on a port of loopback. Raises NotServing."""
    end = monotonic() + START_S
    while monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        try:
            process.wait(POLL_S)
        except subprocess.TimeoutExpired:
            continue
        break
    raise NotServing(f"nobody listens on port {port}")


def stop(process: subprocess.Popen[str]) -> None:
    """End a process as an operator would."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def running(*command: str, environment: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """Yield a process of this interpreter, its output on a pipe, and end it."""
    whole = {**os.environ, **(environment or {})}
    process = subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, text=True, cwd=ROOT, env=whole, start_new_session=True
    )
    try:
        yield process
    finally:
        stop(process)


@contextmanager
def stub_model(*, delay_ms: float = 0, call_first_tool: bool = True) -> Iterator[str]:
    """Yield the address of a model stub that answers after a fixed time."""
    options = ["--delay-ms", str(delay_ms), *(["--call-first-tool"] if call_first_tool else [])]
    with running("tests/support/stub_model.py", *options) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()


@dataclass(slots=True)
class Served:
    """A server that answers.

    Attributes:
        pids: The processes whose time and memory count as the server's: gateway and session hosts.
        database_pid: The database server, 0 where there is none.
        start_s: From the start of the process to the first answered health request.
    """

    process: subprocess.Popen[str]
    port: int
    pids: list[int]
    database_pid: int = 0
    project_id: str = ""
    key: str = ""
    database_url: str = ""
    master_key_file: Path = Path()
    start_s: float = 0.0
    said: list[str] = field(default_factory=list)

    def cpu_s(self) -> float:
        """Return the processor time used so far by gateway and hosts, in seconds."""
        return sum(map(cpu_s, self.pids))

    def database_cpu_s(self) -> float:
        """Return the processor time of the database server and its backends, in seconds."""
        return descendants_cpu_s(self.database_pid) if self.database_pid else 0.0

    def resident_bytes(self) -> int:
        """Return the resident memory of gateway and hosts, in bytes."""
        return sum(map(resident_bytes, self.pids))


@contextmanager
def bare_app(model_url: str) -> Iterator[Served]:
    """Yield the bare application, ready."""
    port = free_port()
    with running("-m", "benchmarks.bare_app", model_url, str(port)) as process:
        wait_for_port(port, process)
        yield Served(process, port, [process.pid])


@contextmanager
def product(
    folder: Path,
    project: Mapping[str, str],
    model_url: str = "",
    *,
    runtime: str = "local",
    hosts: int = 1,
    options: Mapping[str, str] | None = None,
) -> Iterator[Served]:
    """Yield `abl serve` on a folder of its own, ready."""
    where = folder / "project"
    where.mkdir(exist_ok=True)
    for name, text in project.items():
        (where / name).write_text(text, encoding="utf-8")
    port = free_port()
    command = ["-m", "cli.main", "serve", "--project", str(where), "--runtime", runtime, "--hosts", str(hosts)]
    command += ["--port", str(port), "--data-dir", str(folder / "data")]
    environment = {"ABL_RATE_LIMITS": "off", "ABL_ALLOWED_NETWORKS": "127.0.0.1", "ABL_EMBEDDED_MODEL": "off"}
    environment |= options or {}
    if model_url:
        environment |= {"ABL_MODEL_URL": model_url, "ABL_MODEL": "openai/stub"}
    began = perf_counter()
    with running(*command, environment=environment) as process:
        said = _greeting(process)
        text = "".join(said)
        wait_for_port(port, process)
        start_s = perf_counter() - began
        record = json.loads((folder / "data" / "postgres" / "server.json").read_text(encoding="utf-8"))
        yield Served(
            process,
            port,
            [process.pid, *_hosts_of(process.pid)],
            database_pid=int(record["process"]["pid"]),
            project_id=_word(r"^  project +(\S+)", text),
            key=_word(r"^  api key +(\S+)", text),
            database_url=PostgresServer(folder / "data").url,
            master_key_file=folder / "data" / MASTER_KEY_FILE,
            start_s=start_s,
            said=said,
        )


def _greeting(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line)
        if line.startswith("Try:"):
            return said
    raise NotServing(f"abl serve did not start:\n{''.join(said)}")


def _hosts_of(pid: int) -> list[int]:
    return [one for one in children(pid) if HOST_PROGRAM in command_line(one)]


def _word(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise NotServing(f"abl serve did not say what matches {pattern!r}:\n{text}")
    return found[1]
