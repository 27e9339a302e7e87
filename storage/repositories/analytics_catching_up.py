"""Counting at once, for whoever asks for what a turn has just used: until nothing waits that had ended before.

In one process one asker counts at a time, and nobody waits with a connection in hand: however many ask, turns find one.
Spec: platform-api 5.7.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime
from time import monotonic

from storage.database import Database, Row
from storage.repositories.analytics_counting import READER, Counting
from storage.repositories.turn_readers import Place, TurnReader
from storage.statements import Statement

CATCH_UP_FOR_S = 5.0
"""How long is counted before the answer; then it goes without what is left."""
STUCK_FOR_S = 1.0
"""How long of that is waited while nobody counts a turn: none can be counted before older transactions end."""
PAUSE_S = 0.005
PAUSE_MAX_S = 0.1
_log = logging.getLogger(__name__)

BEFORE = Statement("""
    SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xact,
        coalesce((SELECT max(number) FROM analytics_inbox WHERE tenant_id = :tenant_id), 0) AS number
""")
"""What ends from now on is not waited for."""
IS_NOTED = Statement("""
    SELECT EXISTS (
        SELECT FROM analytics_inbox
        WHERE tenant_id = :tenant_id AND project_id = :project_id AND category = 'llm' AND number <= :number
    )
""")


class CatchingUp:
    """Counts what waits of a project; one for each process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._counting = Counting(database)
        self._reader = TurnReader(database, READER)
        self._lock = asyncio.Lock()

    async def catch_up(self, tenant_id: str, project_id: str, now: datetime) -> None:
        """Count until nothing of a project waits that had happened before the call, at most `CATCH_UP_FOR_S`.

        What was counted already costs one look.
        """
        before = await self._database.row(BEFORE, tenant_id=tenant_id)
        assert before is not None, "it has one row"
        start = moved_at = monotonic()
        place, pause_s = await self._reader.seen(), PAUSE_S
        while await self._is_waiting(tenant_id, project_id, place, before):
            is_late = min(start + CATCH_UP_FOR_S, moved_at + STUCK_FOR_S) <= monotonic()
            if is_late or not await self._count(now, start + CATCH_UP_FOR_S):
                _log.warning("what was used in %s is told before all of it is counted", project_id)
                return
            last, place = place, await self._reader.seen()
            if place != last:
                moved_at, pause_s = monotonic(), PAUSE_S
                continue
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, PAUSE_MAX_S)

    async def _is_waiting(self, tenant_id: str, project_id: str, place: Place, before: Row) -> bool:
        of = {"tenant_id": tenant_id, "project_id": project_id}
        if await self._reader.is_waiting(place, before["xact"], **of):
            return True
        return bool(await self._database.value(IS_NOTED, number=before["number"], **of))

    async def _count(self, now: datetime, deadline: float) -> bool:
        """Count a piece, unless another process does; return False when it was too late for it."""
        try:
            async with asyncio.timeout(deadline - monotonic()):
                await self._lock.acquire()
        except TimeoutError:
            return False
        try:
            await self._counting.try_to_go_on(now)
        finally:
            self._lock.release()
        return True
