"""What analytics wait for: turns whose key cannot be opened, as operators are told. Decision 0041."""

from __future__ import annotations

import asyncio
import logging
from time import monotonic
from typing import Final

from actors.health import OK
from domain.errors import AppError
from storage.database import Database
from storage.repositories.analytics_counting import READER
from storage.repositories.turn_readers import COUNT_ASIDE_MAX, Aside, TurnReader

LOOK_S: Final = 2.0
"""How long the store may take to say how many there are."""
KEPT_S: Final = 10.0
"""How long an answer is told again."""
_log = logging.getLogger(__name__)


class UncountedTurns:
    """Looks now and then how many turns wait to be counted until their key can be opened."""

    def __init__(self, database: Database) -> None:
        self._reader = TurnReader(database, READER)
        self._aside = Aside(0, 0)
        self._looked_at_s: float | None = None
        self._lock = asyncio.Lock()

    async def count(self) -> int:
        """Return how many there are, at most `COUNT_ASIDE_MAX`; while the store is away as many as were seen last."""
        return (await self._look()).turns

    async def state(self) -> str:
        """Return "ok", or what is not counted and what to do about it."""
        turns, tenants = await self._look()
        if not turns:
            return OK
        many = f"{turns} or more" if turns == COUNT_ASIDE_MAX else str(turns)
        return (
            f"{many} turns of {tenants} tenants are not counted: their master key is not configured. "
            "The log names it; add it to ABL_MASTER_KEYS, and they are counted."
        )

    async def _look(self) -> Aside:
        async with self._lock:
            if self._looked_at_s is None or monotonic() - self._looked_at_s >= KEPT_S:
                try:
                    async with asyncio.timeout(LOOK_S):
                        self._aside = await self._reader.aside()
                except (TimeoutError, AppError) as error:
                    _log.info("turns that are not counted cannot be looked for: %r", error)
                self._looked_at_s = monotonic()
            return self._aside
