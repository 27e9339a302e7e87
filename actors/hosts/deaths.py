"""Hears of the death of processes on this machine that are not our children, the moment it happens.

Where the system has no such thing (before Linux 5.3, on macOS) nothing is heard, and leases run out by themselves.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from actors.hosts.task import Ready


class Deaths:
    """The hosts whose end is waited for."""

    def __init__(self, machine: str, on_death: Callable[[Ready], None]) -> None:
        """`on_death` is told what a host had said of itself that is gone."""
        self._machine = machine
        self._on_death = on_death
        self._open: dict[Ready, int] = {}

    def watch(self, ready: Ready) -> None:
        """Wait for the end of a host; nothing when it is on another machine, or waited for already."""
        if ready.machine != self._machine or ready in self._open or not hasattr(os, "pidfd_open"):
            return
        try:
            place = os.pidfd_open(ready.pid)
        except ProcessLookupError:
            self._on_death(ready)
            return
        self._open[ready] = place
        asyncio.get_running_loop().add_reader(place, self._died, ready)

    def close(self) -> None:
        """Wait no more."""
        for ready in tuple(self._open):
            self._forget(ready)

    def _died(self, ready: Ready) -> None:
        self._forget(ready)
        self._on_death(ready)

    def _forget(self, ready: Ready) -> None:
        place = self._open.pop(ready)
        asyncio.get_running_loop().remove_reader(place)
        os.close(place)
