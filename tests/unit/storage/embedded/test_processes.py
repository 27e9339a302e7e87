from __future__ import annotations

import os
import signal
import subprocess
import sys

from storage.embedded.processes import ProcessMark, command_line, is_alive, mark, send


def test_a_running_process_is_known_again() -> None:
    me = mark(os.getpid())
    assert me is not None
    assert is_alive(me)
    assert "pytest" in command_line(me.pid) or "python" in command_line(me.pid)


def test_a_pid_that_was_given_out_again_is_not_mistaken() -> None:
    assert not is_alive(ProcessMark(os.getpid(), "another moment"))


def test_what_is_left_of_an_ended_process_is_not_alive() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    known = mark(child.pid)
    assert known is not None
    send(known, signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # ended, but not yet reaped
    assert not is_alive(known)
    child.communicate()
    send(known, signal.SIGKILL)
    assert command_line(child.pid) == ""
