"""The weeks of the journal, the traces and the events: makes those to come, drops those past their retention."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from storage.database import Connection, Database
from storage.statements import Statement

PARTITIONED = ("journal", "traces", "analytics_events")
NOT_COMPARED = {"journal": "facts", "traces": "events"}
"""Table -> what of it no condition compares: no statistics are kept of that. A new week does not take it over."""
WEEKS_AHEAD = 8
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
    missing = await _missing(database, since or now, now)
    if not missing:
        return 0
    plain = [f"ALTER TABLE {table} ALTER COLUMN {name} SET STATISTICS 0;" for table, name in NOT_COMPARED.items()]
    async with database.transaction() as connection:
        await connection.value(LOCK, lock_id=LOCK_ID)
        await connection.script("\n".join((*missing, *plain)))
    return len(missing)


async def drop_before(database: Database, parent: str, moment: datetime) -> list[str]:
    """Drop the partitions of one table that end before `moment`; return their names."""
    if parent not in PARTITIONED:
        raise ValueError(f"{parent} is not partitioned")
    names = [row["name"] for row in await database.rows(EXISTING, parent=parent)]
    old = sorted(name for name in names if _start(name) + timedelta(weeks=1) <= moment)
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


async def _missing(database: Database, since: datetime, now: datetime) -> list[str]:
    first, last = week_of(since), week_of(now) + timedelta(weeks=WEEKS_AHEAD)
    weeks = [first + timedelta(weeks=count) for count in range((last - first).days // 7 + 1)]
    found = {row["name"] for parent in PARTITIONED for row in await database.rows(EXISTING, parent=parent)}
    return [
        f"CREATE TABLE IF NOT EXISTS {name} PARTITION OF {parent} "
        f"FOR VALUES FROM ('{week.isoformat()}') TO ('{(week + timedelta(weeks=1)).isoformat()}');"
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
