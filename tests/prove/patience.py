"""How long a client of the kill test waits: a machine with more to do than it has cores for is slower, not broken."""

from __future__ import annotations

import os

CORES = os.cpu_count() or 1
LONGEST_SHARE = 16.0
"""No wait is stretched further: what takes longer is stuck on any machine."""


def patient(seconds: float) -> float:
    """Return a wait in seconds: as given on an idle machine, longer by as many processes as wait for each core.

    `os.getloadavg` (POSIX) tells how many were running or waiting in the last minute.
    """
    return seconds * min(max(1.0, os.getloadavg()[0] / CORES), LONGEST_SHARE)
