"""Whether the clock can be believed by work that deletes or ends things because time has passed.

A clock that is wrong for some seconds must not cost what is kept for months. A look compares the database's clock with
the last look of this process, by a counter that no setting of a clock moves, with the last look of any process, and
with the clock of the runtime. After a leap, forwards or back, the database's clock is believed once it has gone on
steadily for as long as the work in question asks for. Spec: platform-api 3.1, 15. Decision: 0048.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from storage.database import Database
from storage.statements import Statement

LEAP_S = 60.0
"""How much more, or less, may pass on the database's clock between two looks of a process than has passed."""
AGREE_S = 60.0
"""How far the clocks of the runtime and of the database may be apart."""
PAUSE_S = 4 * 86_400.0
"""How long nobody may have looked: with all processes down, a longer pause and a leap look the same."""
BACK_S = 60.0
"""How far the clock may go back between the looks of different processes."""

LOOK = Statement("""
    UPDATE clock_looks SET
        steady_since = CASE
            WHEN at < seen_at - make_interval(secs => :back_s) OR at > seen_at + make_interval(secs => :pause_s) THEN at
            ELSE steady_since END,
        seen_at = at
    FROM (SELECT clock_timestamp() AS at) AS look
    RETURNING at, steady_since
""")
PROBE = Statement("""
    WITH written AS (UPDATE clock_looks SET seen_at = seen_at RETURNING seen_at)
    SELECT pg_logical_emit_message(true, 'abl', repeat('x', :size)) IS NOT NULL FROM written
""")
"""Writes a row and so many bytes of the log, and changes nothing: what a commit needs is there."""
LEAPT = Statement("UPDATE clock_looks SET steady_since = :at", is_repeatable=True)


class Look(NamedTuple):
    """What a look has found.

    Attributes:
        now: The moment by the database's clock.
        steady_s: For how long it is known to have gone on steadily.
        apart_s: How far the runtime's clock is ahead of it.
    """

    now: datetime
    steady_s: float
    apart_s: float = 0.0

    def doubt(self, needed_s: float) -> str:
        """Return why work that wants `needed_s` steady seconds must wait, "" when it need not."""
        if abs(self.apart_s) > AGREE_S:
            return (
                f"the clock of this process and the database's are {abs(self.apart_s):,.0f} s apart "
                f"(at most {AGREE_S:.0f}); set both right"
            )
        if self.steady_s < needed_s:
            return (
                f"the clock has leapt or stood unseen for long; it now says {self.now.isoformat()} and is believed "
                f"after {needed_s:,.0f} steady seconds, of which {max(self.steady_s, 0.0):,.0f} have passed"
            )
        return ""


def seconds_since_boot() -> float:
    """Return a count of seconds that setting a clock does not move and that goes on while a machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Steadiness:
    """Looks at the clock for one process."""

    def __init__(self, database: Database, passed_s: Callable[[], float] = seconds_since_boot) -> None:
        self._database = database
        self._passed_s = passed_s
        self._last: tuple[datetime, float] | None = None

    async def look(self, runtime_now: Callable[[], datetime]) -> Look:
        """Look at the clocks, and keep what was seen for every process."""
        row = await self._database.row(LOOK, back_s=BACK_S, pause_s=PAUSE_S)
        if row is None:  # somebody has emptied the table: nothing is known, so nothing is believed
            raise LookupError("clock_looks has no row; restore it from a backup, or insert (seen_at, steady_since)")
        here, passed_s = runtime_now(), self._passed_s()
        now, since = row["at"], row["steady_since"]
        if self._leapt(now, passed_s):
            since = now
            await self._database.execute(LEAPT, at=now)
        self._last = (now, passed_s)
        return Look(now, (now - since).total_seconds(), (here - now).total_seconds())

    def _leapt(self, now: datetime, passed_s: float) -> bool:
        if self._last is None:
            return False
        then, passed_then_s = self._last
        return abs(now - then - timedelta(seconds=passed_s - passed_then_s)) > timedelta(seconds=LEAP_S)
