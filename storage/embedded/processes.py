"""Which process is which: a pid together with the moment it started, so that a pid given out again is not mistaken."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from msgspec import Struct

PS_DEADLINE_S = 5.0
_STATE_FIELD = 0  # of /proc/<pid>/stat, counted behind the command's closing bracket
_PARENT_FIELD = 1
_CPU_FIELDS = (11, 12)
_START_FIELD = 19
_DEAD = ("Z", "X")


class ProcessMark(Struct, frozen=True):
    """One process: its pid and the kernel's word for when it started."""

    pid: int
    started: str


def mark(pid: int) -> ProcessMark | None:
    """Return the mark of a running process; None when there is none, or only what is left of one."""
    started = _start_in_proc(pid) if sys.platform == "linux" else _ask_ps(pid, "lstart=")
    return ProcessMark(pid, started) if started else None


def is_alive(known: ProcessMark) -> bool:
    """Return whether this very process still runs."""
    return mark(known.pid) == known


def command_line(pid: int) -> str:
    """Return the command line of a process, empty when it is gone or not ours to read."""
    if sys.platform != "linux":
        return _ask_ps(pid, "args=")
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def working_folder(pid: int) -> Path | None:
    """Return where a process works; None when it is gone, not ours to read, or the system has no `/proc`."""
    try:
        return Path(f"/proc/{pid}/cwd").readlink()
    except OSError:
        return None


def working_in(folder: Path, program: str) -> list[int]:
    """Return the processes of a program that work in a folder, however it is spelt; none without `/proc`."""
    place = folder.resolve()
    pids = (int(path.name) for path in Path("/proc").glob("[0-9]*"))
    return [pid for pid in pids if working_folder(pid) == place and program in command_line(pid).partition(" ")[0]]


def send(known: ProcessMark, number: signal.Signals) -> None:
    """Send a signal to this very process; nothing when it is gone."""
    if is_alive(known):
        try:
            os.kill(known.pid, number)
        except ProcessLookupError:
            return


def descendants_cpu_s(pid: int) -> float:
    """Return the processor time that a process and its children have used, in seconds; 0 without `/proc`."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        fields = text.rpartition(")")[2].split()
        if pid in (int(fields[_PARENT_FIELD]), int(path.parent.name)):
            total += sum(int(fields[place]) for place in _CPU_FIELDS)
    return total / os.sysconf("SC_CLK_TCK")


def _start_in_proc(pid: int) -> str:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = text.rpartition(")")[2].split()
    return "" if fields[_STATE_FIELD] in _DEAD else fields[_START_FIELD]


def _ask_ps(pid: int, column: str) -> str:
    asked = ["ps", "-o", column, "-p", str(pid)]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=PS_DEADLINE_S)
    return answer.stdout.strip()
