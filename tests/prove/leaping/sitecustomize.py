"""Makes the clock of a process leap. The kill test puts this folder into the `PYTHONPATH` of the product's processes.

A file that they share says by how many seconds: the gateway's clock, then the session hosts'. `datetime.now` of the
modules that read the time is changed, and `time.time`, which libraries read; counters like `time.monotonic` go on as
they do when somebody sets a machine's clock. The database keeps its own.
"""

from __future__ import annotations

import datetime as dt
import mmap
import os
import struct
import sys
import time
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

READERS = ("actors.clocks", "actors.secrets", "providers.registry")
PLACES = {"serve": 0, "actors.hosts.child": 8, "default_worker.py": 8}
"""What is in the command line -> where in the file its seconds are."""


class _Finder:
    """Loads the modules that read the time, and gives them the leaping clock."""

    def __init__(self, clock: type) -> None:
        self._clock = clock

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name in READERS else None
        if spec is None or spec.loader is None:
            return None
        execute, clock = spec.loader.exec_module, self._clock

        def execute_with_clock(module: ModuleType) -> None:
            execute(module)
            module.datetime = clock  # type: ignore[attr-defined]

        spec.loader.exec_module = execute_with_clock  # type: ignore[method-assign]
        return spec


def _leap(name: str, place: int) -> None:
    with open(name, "rb") as file:  # noqa: PTH123 - before everything else is imported
        shared = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    true_time, true_now = time.time, dt.datetime.now

    def ahead_s() -> float:
        return float(struct.unpack_from("d", shared, place)[0])

    class LeapingDatetime(dt.datetime):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Any:
            return true_now(tz) + dt.timedelta(seconds=ahead_s())

    time.time = lambda: true_time() + ahead_s()
    sys.meta_path.insert(0, _Finder(LeapingDatetime))  # type: ignore[arg-type]


_words = [word.rpartition("/")[2] for word in sys.orig_argv]
_found = [place for word, place in PLACES.items() if word in _words]
if _found and os.environ.get("ABL_PROVE_CLOCK"):
    _leap(os.environ["ABL_PROVE_CLOCK"], _found[0])
