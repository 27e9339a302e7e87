"""What is left to code that has broken out of its interpreter: no socket, no file, no program, no process."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.serving import children
from cli.doctor import machine
from cli.doctor.faults import Place
from providers.tools import confinement, confining, javascript_worker
from providers.tools.confining import CONFINED, ConfinedProgram, missing, most_confined, what_is_missing
from providers.tools.python_tool import PythonTool
from storage.embedded.processes import command_line
from tests.suites.tool_runner import invocation
from tests.support.servers import until

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(bool(what_is_missing()), reason=f"this kernel does not hold it: {what_is_missing()}"),
]
WITHIN_S = 60.0
REFUSED = ("EPERM", "EACCES", "EAGAIN")
LENGTH = struct.Struct(">I")
BROKEN_ENGINE = """
import ctypes, errno, json, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
PARENT = os.getppid()

def traced():
    if libc.ptrace(16, PARENT, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")

ATTEMPTS = {
    "socket": lambda: socket.socket(),
    "socket of the machine": lambda: socket.socket(socket.AF_UNIX),
    "read": lambda: open(SECRET).read(),
    "read anything": lambda: open("/etc/passwd").read(),
    "write": lambda: open(SECRET + ".new", "w"),
    "list": lambda: os.listdir("/"),
    "exec": lambda: os.execv("/bin/sh", ["sh"]),
    "fork": lambda: os.fork(),
    "signal": lambda: os.kill(PARENT, 0),
    "trace": traced,
    "more files": lambda: __import__("resource").setrlimit(7, (1024, 1024)),
    "environment of the server": lambda: open(f"/proc/{PARENT}/environ").read(),
}
import resource

def outcome():
    found = {"uid": os.geteuid()}
    for name, attempt in ATTEMPTS.items():
        try:
            attempt()
            found[name] = "done"
        except OSError as error:
            found[name] = errno.errorcode[error.errno]
        except ValueError:
            found[name] = "EPERM"
    return json.dumps({"value": found})

class JSException(Exception): pass
class StackOverflow(Exception): pass

class Context:
    def set_memory_limit(self, size): pass
    def set_max_stack_size(self, size): pass
    def execute_pending_job(self): return False
    def eval(self, prelude): return lambda code: outcome() if code is None else None
"""


def frame(message: dict[str, Any]) -> bytes:
    body = json.dumps(message).encode()
    return LENGTH.pack(len(body)) + body


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    kept = tmp_path / "master.key"
    kept.write_text("of the server", encoding="utf-8")
    kept.chmod(0o600)
    return kept


def test_who_breaks_out_of_the_javascript_engine_reaches_nothing(secret: Path) -> None:
    """An engine that does in the worker whatever it likes stands in for one that was broken out of."""
    engine = secret.with_name("broken.py")
    engine.write_text(f"SECRET = {str(secret)!r}\n{BROKEN_ENGINE}", encoding="utf-8")
    task = {"code": "", "arguments": {}, "memory_bytes": 1 << 24, "timeout_s": 30, "has_memory": False}
    worker = [sys.executable, "-I", "-S", str(javascript_worker.__file__), str(engine)]
    done = subprocess.run(worker, input=frame(task), capture_output=True, timeout=WITHIN_S, check=True, env={})
    found = json.loads(json.loads(done.stdout[LENGTH.size :])["json"])["value"]
    uid = found.pop("uid")
    assert uid != 0
    assert {name: how for name, how in found.items() if how not in REFUSED} == {}


def confined(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*CONFINED, *command], capture_output=True, text=True, timeout=WITHIN_S, check=False)


@pytest.mark.parametrize(
    "script",
    [
        "read line < {secret} && echo escaped",
        "read line < /etc/passwd && echo escaped",
        "exec /bin/echo escaped",
        "exec {monty} --version",
        "(echo escaped)",
        "echo x > {secret}.new && echo escaped",
    ],
)
def test_who_breaks_out_of_the_python_interpreter_reaches_nothing(script: str, secret: Path) -> None:
    """A shell stands in for an interpreter that was broken out of: it is started exactly as that one."""
    text = script.format(secret=secret, monty=Path(sys.executable).with_name("monty"))
    said = confined("/bin/sh", "-c", f"echo started; {text}").stdout
    assert said == "started\n"
    assert not secret.with_name("master.key.new").exists()


def test_what_is_left_to_it_is_no_way_out_either(secret: Path) -> None:
    """This process keeps what is left to one that may still be loaded, and tries the same attempts itself."""
    confine = "confinement.confine(readable=confinement.SYSTEM_FILES, may_start=(4096, 4096), processes=None)"
    path = "sys.path.append(sys.argv[1]); import confinement"
    text = f"SECRET = {str(secret)!r}\n{BROKEN_ENGINE}\n{path}; {confine}; print(outcome())"
    done = subprocess.run([*CONFINED[:4], text, CONFINED[5]], capture_output=True, timeout=WITHIN_S, check=True)
    found = json.loads(done.stdout)["value"]
    assert found.pop("uid") != 0
    assert {name: how for name, how in found.items() if how not in REFUSED} == {}


def test_it_is_given_nothing_of_the_environment_and_no_open_file() -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    done = subprocess.run(
        [*CONFINED, "/bin/sh", "-c", f"echo started; export; echo escaped >&{writing}"],
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
        env={"ABL_MASTER_KEYS": "secret"},
        pass_fds=[writing],
    )
    os.close(writing)
    assert "started" in done.stdout
    assert "secret" not in done.stdout
    assert os.read(reading, 100) == b""
    os.close(reading)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_an_ordinary_user_is_confined_as_well() -> None:
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if python is None:
        pytest.skip("there is no Python that an ordinary user could start")
    command = [python, *CONFINED[1:], "/bin/sh", "-c", "echo started; exec /bin/echo escaped"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=WITHIN_S, check=False, user=65_534, group=65_534, cwd="/"
    )
    assert done.stdout == "started\n", done.stderr


def test_where_the_kernel_does_not_allow_it_that_is_said_and_nothing_fails() -> None:
    """A process that is confined already may not confine itself again: as on a kernel that knows nothing of it."""
    text = "import sys; sys.path.append(sys.argv[1]); import confinement; confinement.confine(); print(confinement.confine())"
    command = [*CONFINED[:4], text, CONFINED[5]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=True)
    assert "'calls': 'Operation not permitted'" in done.stdout
    assert "'files': 'Landlock: Operation not permitted'" in done.stdout


def test_what_is_missing_is_told_by_name() -> None:
    said = "limits=\nprivileges=\nfiles=Landlock: Function not implemented\naccount=\ncalls=\n"
    assert missing(said) == {"no files": "Landlock: Function not implemented"}


async def test_a_program_that_does_not_run_confined_says_why() -> None:
    program = ConfinedProgram("/nowhere/monty")
    assert "/nowhere/monty" in await program.complaint("--version")
    program.remove()
    assert not program.path.exists()


@pytest.fixture
async def tool() -> AsyncIterator[PythonTool]:
    made = PythonTool(max_workers=1)
    yield made
    await made.close()


async def test_the_workers_of_python_tools_are_confined(tool: PythonTool) -> None:
    assert (await tool.run(invocation("sandbox", {"code_content": "1 + 1"}))).value == 2
    found: list[dict[str, str]] = []

    async def is_there() -> bool:
        found[:] = [status(pid) for pid in children(os.getpid()) if "monty" in command_line(pid).split()[0:1][0]]
        return bool(found)

    await until(is_there, within_s=WITHIN_S)
    assert {one["Seccomp"] for one in found} == {"2"}
    assert {one["NoNewPrivs"] for one in found} == {"1"}
    assert "0" not in {uid for one in found for uid in one["Uid"].split()}


async def test_python_tools_run_where_they_cannot_be_confined(
    tool: PythonTool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(confining, "LIMITED", ("/bin/false",))
    monkeypatch.setattr(confining, "CONFINED", ("/bin/false",))
    assert (await tool.run(invocation("sandbox", {"code_content": "1 + 1"}))).value == 2
    assert "nothing holds" in caplog.text


def status(pid: int) -> dict[str, str]:
    """Return what the kernel tells of a process; nothing when it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}


STARTS_ONLY_OUTSIDE = """#!/bin/sh
[ "$1" = --version ] && read line < /etc/passwd && ulimit -n
"""
"""It reads what a confined program may not, and says how many files it may open."""


@pytest.fixture
def stubborn(tmp_path: Path) -> str:
    program = tmp_path / "stubborn"
    program.write_text(STARTS_ONLY_OUTSIDE, encoding="utf-8")
    program.chmod(0o755)
    return str(program)


async def test_a_program_that_does_not_start_confined_keeps_the_limits_of_the_kernel(stubborn: str) -> None:
    program, lost = await most_confined(stubborn, "--version")
    assert program is not None
    assert lost.startswith("only limits of the kernel hold")
    command = [str(program.path), "--version"]
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, timeout=WITHIN_S, check=True
    )
    program.remove()
    assert done.stdout == f"{confinement.OPEN_FILES}\n"


async def test_workers_of_python_tools_that_do_not_start_confined_run_in_the_limits(
    tool: PythonTool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(confining, "CONFINED", ("/bin/false",))
    assert (await tool.run(invocation("sandbox", {"code_content": "1 + 1"}))).value == 2
    assert "only limits of the kernel hold" in caplog.text
    (worker,) = [pid for pid in children(os.getpid()) if "monty" in command_line(pid)]
    limits = Path(f"/proc/{worker}/limits").read_text(encoding="utf-8")
    assert f"Max open files            {confinement.OPEN_FILES} " in limits


def test_doctor_says_which_confinement_holds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = Place({}, tmp_path)
    assert not list(machine.look_at_sandboxes(place))
    monkeypatch.setattr(confining, "CONFINED", ("/bin/false",))
    (fault,) = machine.look_at_sandboxes(place)
    assert "only limits of the kernel hold" in fault.what
