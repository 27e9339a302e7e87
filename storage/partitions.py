"""The weeks of the journal, the traces and the events: makes those to come, drops those past their retention."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from storage.database import Connection, Database
from storage.errors import NoPlace
from storage.statements import Statement

Answer = TypeVar("Answer")
log = logging.getLogger(__name__)

PARTITIONED = ("journal", "traces", "analytics_events")
NOT_COMPARED = {"journal": "facts", "traces": "events"}
"""Table -> what of it no condition compares: no statistics are kept of that. A new week does not take it over."""
WEEKS_AHEAD = 8
WEEK = timedelta(weeks=1)
LOCK_ID = 0x41424D
_NAME_FORM = "%Y%m%d"

FORGET_BLOBS = Statement("""
    DELETE FROM journal_blobs WHERE ctid IN (
        SELECT ctid FROM journal_blobs WHERE written_at < :before LIMIT :limit
    )
""")
LOCK = Statement("SELECT pg_advisory_xact_lock(:lock_id)")
NOW = Statement("SELECT clock_timestamp()")
EXISTING = Statement("""
    SELECT child.relname AS name FROM pg_inherits
    JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
    WHERE parent.relname = :parent AND parent.relnamespace = current_schema()::regnamespace
""")

FIRST = Statement("""
    SELECT min(child.relname::text) FROM pg_inherits
    JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
    WHERE parent.relname = :parent AND parent.relnamespace = current_schema()::regnamespace
""")


async def ensure_partitions(database: Database, *, since: datetime | None = None) -> int:
    """Make the partitions of this week, or since a moment, and the next `WEEKS_AHEAD`; return how many were missing.

    Run daily.
    """
    now = await database.value(NOW)
    first, last = week_of(since or now), week_of(now) + timedelta(weeks=WEEKS_AHEAD)
    return await _make(database, [first + timedelta(weeks=count) for count in range((last - first).days // 7 + 1)])


async def placed(database: Database, act: Callable[[], Awaitable[Answer]]) -> Answer:
    """Return what `act` does; where a row had no partition to go to, make that week's and do it once more."""
    try:
        return await act()
    except NoPlace as error:
        await make_place(database, error)
        return await act()


async def make_place(database: Database, error: NoPlace) -> None:
    """Make the partitions of the week that a row had no place in, and say so."""
    moment = error.moment or await database.value(NOW)
    made = await _make(database, [week_of(moment)])
    log.warning("there was no partition for rows of %s, %s were made: is the clock right?", moment.isoformat(), made)


async def _make(database: Database, weeks: Sequence[datetime]) -> int:
    missing = await _missing(database, weeks)
    if not missing:
        return 0
    plain = [f"ALTER TABLE {table} ALTER COLUMN {name} SET STATISTICS 0;" for table, name in NOT_COMPARED.items()]
    async with database.transaction() as connection:
        await connection.value(LOCK, lock_id=LOCK_ID)
        await connection.script("\n".join((*missing, *plain)))
    return len(missing)


async def drop_older(database: Database, parent: str, kept: timedelta, now: datetime) -> list[str]:
    """Drop the partitions of one table that are older than `kept`; return their names.

    They are so by both: by `now`, and by the newest week up to then that has a row, which is `now` when that is this
    week. So a clock that is ahead of everything that was ever written drops nothing that is younger than that.
    """
    if parent not in PARTITIONED:
        raise ValueError(f"{parent} is not partitioned")
    names = sorted(row["name"] for row in await database.rows(EXISTING, parent=parent))
    if not (begun := [name for name in names if _start(name) <= now]):
        return []
    before = min(now, await _newest(database, begun)) - kept
    old = [name for name in names if _start(name) + WEEK <= before]
    if old:
        async with database.connection() as connection:
            await connection.script("\n".join(f"DROP TABLE IF EXISTS {name};" for name in old))
    return old


async def forget_blobs(database: Database, moment: datetime, limit: int) -> int:
    """Remove large facts that no fact since `moment` has named, at most `limit`; return how many.

    Each is noted again at most a day after it was last named, so `moment` is taken a day earlier.
    """
    return await database.execute(FORGET_BLOBS, before=moment - timedelta(days=1), limit=limit)


async def first_week(connection: Connection, parent: str) -> datetime:
    """Return from when on there is a place for rows of a table."""
    return _start(await connection.value(FIRST, parent=parent))


async def _newest(database: Database, names: Sequence[str]) -> datetime:
    """Return where the newest week with a row begins, its end when it is the last of `names`; else where they begin."""
    for name in reversed(names):
        if await database.value(Statement(f"SELECT EXISTS (SELECT FROM {name})")):
            return _start(name) + (WEEK if name == names[-1] else timedelta())
    return _start(names[0])


async def _missing(database: Database, weeks: Sequence[datetime]) -> list[str]:
    found = {row["name"] for parent in PARTITIONED for row in await database.rows(EXISTING, parent=parent)}
    return [
        f"CREATE TABLE IF NOT EXISTS {name} PARTITION OF {parent} "
        f"FOR VALUES FROM ('{week.isoformat()}') TO ('{(week + WEEK).isoformat()}');"
        for parent in PARTITIONED
        for week in weeks
        if (name := f"{parent}_{week.strftime(_NAME_FORM)}") not in found
    ]


def week_of(moment: datetime) -> datetime:
    """Return the Monday, 0:00 UTC, of the week of `moment`."""
    day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day - timedelta(days=day.weekday())


def _start(name: str) -> datetime:
    return datetime.strptime(name.rpartition("_")[2], _NAME_FORM).replace(tzinfo=UTC)
