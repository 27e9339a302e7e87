"""A port belongs to one process until it ends, and the system gives it to nobody else."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

from benchmarks import ports
from benchmarks.ports import FIRST_PORT, LOOPBACK, free_port

PROGRAM = """
import sys
from benchmarks.ports import free_port
print(*(free_port() for _ in range(50)), flush=True)
sys.stdin.read()
"""
"""Ends, and lets its ports go, when it is told so."""


def test_a_port_is_one_that_the_system_gives_to_nobody_by_itself() -> None:
    port = free_port()
    assert FIRST_PORT <= port < ports._first_of_the_system()
    socket.create_server((LOOPBACK, port)).close()


def test_no_two_calls_of_no_two_processes_get_the_same_port() -> None:
    programs = [
        subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    given = [str(free_port()) for _ in range(50)]
    for program in programs:
        given += program.stdout.readline().split()
    for program in programs:
        program.communicate()
    assert (len(given), len(set(given))) == (150, 150)


def test_a_port_that_somebody_else_listens_on_is_passed_over(monkeypatch) -> None:
    taken = free_port()
    monkeypatch.setattr(ports, "FIRST_PORT", taken)
    monkeypatch.setattr(ports, "_held", {})
    monkeypatch.setattr(ports, "_hold", lambda port: ports._held.setdefault(port, os.open(os.devnull, os.O_RDONLY)))
    monkeypatch.setattr(ports.os, "getpid", lambda: 0)
    with socket.create_server((LOOPBACK, taken)):
        assert free_port() > taken
