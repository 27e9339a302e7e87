"""Whether the store takes what a turn writes: looked at by writing. Spec: platform-api 14.8."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from time import monotonic
from typing import Final

from actors.health import OK
from domain.errors import AppError
from storage.database import Database
from storage.steadiness import PROBE

PROBE_S: Final = 5.0
"""How long the store may take for a write."""
KEPT_S: Final = 2.0
"""How long an answer is told again: many may ask, and each write is one more for the disk."""
PROBE_BYTES: Final = 8_192
FREE_MIN_BYTES: Final = 64 * 1024 * 1024
"""With less on the disk of an embedded database nothing is promised: it ends when its log has no room."""
FULL_TOLD_S: Final = 10.0
"""How long a disk that a statement found full is told so: a write of a few bytes may still find room."""
MEGABYTE: Final = 1024 * 1024


class WriteProbe:
    """Writes to the store and keeps what came of it for a moment."""

    def __init__(self, database: Database, folder: Path | None = None) -> None:
        """`folder` is on the disk of the database, where that is on this machine."""
        self._database = database
        self._folder = folder
        self._state = OK
        self._looked_at_s: float | None = None
        self._lock = asyncio.Lock()

    async def state(self) -> str:
        """Return "ok", or why the store takes no writes."""
        async with self._lock:
            if self._looked_at_s is None or monotonic() - self._looked_at_s >= KEPT_S:
                self._state = self._full() or await self._written()
                self._looked_at_s = monotonic()
            return self._state

    def _full(self) -> str:
        full_at_s = self._database.disk_full_at_s
        if full_at_s is not None and monotonic() - full_at_s < FULL_TOLD_S:
            return "The disk of the database is full; make room on it."
        if self._folder is None or not self._folder.is_dir():
            return ""
        free = shutil.disk_usage(self._folder).free
        if free >= FREE_MIN_BYTES:
            return ""
        return (
            f"The disk of the database has {free // MEGABYTE} MB left, at least {FREE_MIN_BYTES // MEGABYTE} MB are "
            "needed; make room on it."
        )

    async def _written(self) -> str:
        try:
            async with asyncio.timeout(PROBE_S):
                await self._database.value(PROBE, size=PROBE_BYTES)
        except TimeoutError:
            return f"The database has not taken a write within {PROBE_S:.0f} s."
        except AppError as error:
            return error.message
        return OK
