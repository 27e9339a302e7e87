"""Ports of loopback for servers that are told where to listen, and may be stopped and started there again.

A port that the system names (`bind` to 0) can be given to the next process in the moment it is let go, and the address
of an outgoing connection comes from the same range: two servers of two tests met so. These ports lie below that range,
and each belongs to one process until it ends.
"""

from __future__ import annotations

import fcntl
import os
import socket
import tempfile
from pathlib import Path
from typing import Final

LOOPBACK: Final = "127.0.0.1"
FIRST_PORT: Final = 20_000
"""Above the ports of Ray's workers (10002 to 19999)."""
SYSTEM_RANGE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
USUAL_SYSTEM_RANGE: Final = 32_768
MODE_SHARED: Final = 0o666

_held: dict[int, int] = {}
"""Port -> the open file whose lock holds it for this process."""


class NoPort(Exception):
    """All ports of the range are taken."""


def free_port() -> int:
    """Return a port of loopback that nobody listens on, and that no other call returns while this process lives.

    Raises:
        NoPort: There is none left.
    """
    end = _first_of_the_system()
    count = end - FIRST_PORT
    begin = os.getpid() * 61 % count  # processes that start together look in different places first
    for step in range(count):
        port = FIRST_PORT + (begin + step) % count
        if port not in _held and _hold(port):
            if _is_free(port):
                return port
            os.close(_held.pop(port))
    raise NoPort(f"every port of loopback from {FIRST_PORT} to {end - 1} is taken")


def _first_of_the_system() -> int:
    """Return the first port that the system gives away by itself, or the usual one where it does not say."""
    try:
        first = int(SYSTEM_RANGE.read_text(encoding="ascii").split()[0])
    except FileNotFoundError:
        return USUAL_SYSTEM_RANGE
    return first if first > FIRST_PORT else USUAL_SYSTEM_RANGE


def _hold(port: int) -> bool:
    """Return whether the port's lock is this process's now; the system opens it when the process ends."""
    folder = Path(tempfile.gettempdir()) / f"abl-ports-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    lock = os.open(folder / str(port), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, MODE_SHARED)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return False
    _held[port] = lock
    return True


def _is_free(port: int) -> bool:
    try:
        socket.create_server((LOOPBACK, port)).close()
    except OSError:
        return False
    return True
