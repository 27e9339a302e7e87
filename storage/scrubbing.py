"""Writes a database anew, so that nothing of deleted rows is left in its files.

PostgreSQL only marks a deleted row; its bytes stay in the page, in the index, in the statistics of the planner and in
the write-ahead log until the room is used again. Every table is rewritten with its indexes and its statistics, then the
log is: old segments are not kept for use again while that goes on, and those kept before are written over.
Source: PostgreSQL manual, VACUUM (FULL), pg_switch_wal, wal_recycle. Decision: 0025.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic

from msgspec import Struct

from domain.errors import Unavailable
from storage.database import Connection, Database
from storage.errors import ConnectionLost
from storage.statements import Statement

TABLE_S = 7_200.0
"""How long one table may take."""
LOCK_WAIT_MS = 2_000
"""How long a table is waited for at once: whoever comes later waits behind."""
LOCK_TRIES = 30
SETTLE_S = 60.0
"""How long transactions that may still see what was deleted are waited for."""
POLL_S = 0.05
SEGMENTS_MAX = 4_096
"""Segments of the log that are written over; 64 GB of the usual size."""
COPIES = 2
"""What writing a table anew takes for a while, in times its size: the copy, and the copy in the log."""
ROOM_BYTES_MIN = 256_000_000
LOG_BYTES_MAX = 256_000_000
"""Behind a larger table the log is let shrink."""

TABLES = Statement("""
    SELECT format('%I.%I', n.nspname, c.relname) AS name, c.relkind = 'p' AS is_parent,
        pg_total_relation_size(c.oid) AS bytes
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'm', 'p') ORDER BY pg_table_size(c.oid), 1
""")
IS_THERE = Statement("SELECT to_regclass(:name) IS NOT NULL")
STATISTICS = ("pg_catalog.pg_statistic", "pg_catalog.pg_statistic_ext_data")
"""Where the planner keeps values of columns."""
FORGET_STATISTICS = """
    LOCK TABLE {name} IN SHARE UPDATE EXCLUSIVE MODE;
    DELETE FROM pg_statistic WHERE starelid = '{quoted}'::regclass
"""
"""Those of a table that has become empty would be kept for ever; nobody analyses it meanwhile."""
NOW = Statement("SELECT clock_timestamp()")
OLDER = Statement("""
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND xact_start < :since AND pid <> pg_backend_pid()
""")
SIZE = Statement("SELECT pg_database_size(current_database())")
IS_SUPERUSER = Statement("SELECT current_setting('is_superuser') = 'on'")
SEGMENT = Statement("SELECT pg_walfile_name(pg_current_wal_insert_lsn())")
SEGMENTS_AHEAD = Statement("""
    SELECT count(*) FROM pg_ls_waldir()
    WHERE name ~ '^[0-9A-F]{24}$' AND name > pg_walfile_name(pg_current_wal_insert_lsn())
""")
SEGMENTS_BEHIND = Statement("SELECT count(*) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' AND name <= :segment")
NEXT_SEGMENT = Statement("SELECT pg_logical_emit_message(false, 'scrub', ''), pg_switch_wal()")
SETTING = Statement("SELECT setting FROM pg_file_settings WHERE name = 'wal_recycle' AND sourcefile LIKE '%auto.conf'")


class Scrubbed(Struct, frozen=True):
    """What was done.

    Attributes:
        tables: How many were written anew.
        bytes_before, bytes_after: Size of the database.
        has_statistics: The planner's statistics were written anew, too, for which our role must be a superuser.
        has_log: Of the write-ahead log nothing is left that was written before. In a database of somebody else it is
            left alone, or a replica or an archive may hold it.
    """

    tables: int
    bytes_before: int
    bytes_after: int
    has_statistics: bool
    has_log: bool


async def scrub(database: Database, told: Callable[[str], None], room: Callable[[], int | None]) -> Scrubbed:
    """Write all tables and the log anew, beside a server that runs: each table is locked while it is written.

    Args:
        database: Its role owns the tables.
        told: Called with the name of each table that is begun.
        room: Returns how many bytes the disk of the database has left, None when that is not known.

    Raises:
        Unavailable: A transaction from before does not end, a table stays locked, or the disk has no room for the copy
            of a table. It may be started again.
    """
    connection = await database.own_connection(deadline_s=TABLE_S, lock_timeout=str(LOCK_WAIT_MS))
    try:
        before = await connection.value(SIZE)
        await _settled(connection)
        is_superuser = bool(await connection.value(IS_SUPERUSER))
        tables = 0
        for table in await connection.rows(TABLES):
            name = table["name"]
            if not await connection.value(IS_THERE, name=name):
                continue  # a week whose time was over
            if not table["is_parent"]:
                told(name)
                _check_room(name, table["bytes"], room())
                await _locked(connection, f"VACUUM (FULL) {name}")
                tables += 1
            if is_superuser:
                await _locked(connection, FORGET_STATISTICS.format(name=name, quoted=name.replace("'", "''")))
                if table["bytes"] > LOG_BYTES_MAX:
                    await connection.script("CHECKPOINT")  # the log of the copy can go
            await _locked(connection, f"ANALYZE {name}")
        has_log = False
        if is_superuser:
            await _settled(connection)
            for name in STATISTICS:
                await _locked(connection, f"VACUUM (FULL) {name}")
            has_log = await _write_log_anew(connection)
        return Scrubbed(tables, before, await connection.value(SIZE), is_superuser, has_log)
    finally:
        await connection.close()


def _check_room(name: str, table_bytes: int, left: int | None) -> None:
    """Raise Unavailable when a copy of a table, and the log of the copy, would fill the disk."""
    if left is not None and left < COPIES * table_bytes + ROOM_BYTES_MIN:
        raise Unavailable(
            f"{name} takes {table_bytes:,} bytes, and writing it anew about {COPIES} times as much for a while; the "
            f"disk has {left:,} left. Make room and start again."
        )


async def _settled(connection: Connection) -> None:
    """Return when every transaction has ended that began before: what it may see is not taken away."""
    since, end = await connection.value(NOW), monotonic() + SETTLE_S
    while await connection.value(OLDER, since=since):
        if monotonic() > end:
            raise Unavailable(
                f"A transaction has been open for more than {SETTLE_S:.0f} seconds and may still see what was deleted; "
                "end it (pg_stat_activity shows it) and start again."
            )
        await asyncio.sleep(POLL_S)


async def _locked(connection: Connection, text: str) -> None:
    """Run what needs a table for itself, again when it is in use."""
    for left in reversed(range(LOCK_TRIES)):
        try:
            await connection.script(text)
        except ConnectionLost:
            if not left or not connection.is_open:
                raise
        else:
            return


async def _write_log_anew(connection: Connection) -> bool:
    """Write over every segment of the log that was written before now; return whether none is left."""
    last = await connection.value(SEGMENT)
    kept = await connection.value(SETTING)
    await connection.script("ALTER SYSTEM SET wal_recycle = off")
    try:
        await connection.script("SELECT pg_reload_conf()")
        await connection.script("CHECKPOINT")
        for _ in range(SEGMENTS_MAX):
            if not await connection.value(SEGMENTS_AHEAD):
                break
            await connection.row(NEXT_SEGMENT)
        await connection.row(NEXT_SEGMENT)
        await connection.script("CHECKPOINT")
    finally:
        was_on = kept is None or kept == "on"
        await connection.script("ALTER SYSTEM RESET wal_recycle" if was_on else "ALTER SYSTEM SET wal_recycle = off")
        await connection.script("SELECT pg_reload_conf()")
    return not await connection.value(SEGMENTS_BEHIND, segment=last)
