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

TABLES = Statement("""
    SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'm') ORDER BY pg_table_size(c.oid), 1
""")
STATISTICS = ("pg_catalog.pg_statistic", "pg_catalog.pg_statistic_ext_data")
"""Where the planner keeps values of columns; those of a table that has become empty for ever."""
FORGET_STATISTICS = Statement("""
    DELETE FROM pg_statistic
    WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
""")
NOW = Statement("SELECT clock_timestamp()")
OLDER = Statement("""
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND xact_start < :since AND pid <> pg_backend_pid()
""")
SIZE = Statement("SELECT pg_database_size(current_database())")
IS_SUPERUSER = Statement("SELECT current_setting('is_superuser') = 'on'")
SEGMENTS_AHEAD = Statement("""
    SELECT count(*) FROM pg_ls_waldir()
    WHERE name ~ '^[0-9A-F]{24}$' AND name > pg_walfile_name(pg_current_wal_insert_lsn())
""")
NEXT_SEGMENT = Statement("SELECT pg_logical_emit_message(false, 'scrub', ''), pg_switch_wal()")


class Scrubbed(Struct, frozen=True):
    """What was done.

    Attributes:
        tables: How many were written anew.
        bytes_before, bytes_after: Size of the database.
        is_whole: Whether the planner's statistics and the write-ahead log were written anew, too, for which our role
            must be a superuser: in a database of somebody else they are left alone.
    """

    tables: int
    bytes_before: int
    bytes_after: int
    is_whole: bool


async def scrub(database: Database, told: Callable[[str], None]) -> Scrubbed:
    """Write all tables and the log anew, beside a server that runs: each table is locked while it is written.

    Args:
        database: Its role owns the tables.
        told: Called with the name of each table that is begun.

    Raises:
        Unavailable: A transaction from before does not end, or a table stays locked. It may be started again.
    """
    connection = await database.own_connection(deadline_s=TABLE_S, lock_timeout=str(LOCK_WAIT_MS))
    try:
        before = await connection.value(SIZE)
        await _settled(connection)
        tables = [row["name"] for row in await connection.rows(TABLES)]
        for name in tables:
            told(name)
            await _locked(connection, f"VACUUM (FULL) {name}")
        is_superuser = bool(await connection.value(IS_SUPERUSER))
        if is_superuser:
            await connection.execute(FORGET_STATISTICS)
        await connection.script("ANALYZE")
        if is_superuser:
            await _settled(connection)
            for name in STATISTICS:
                await _locked(connection, f"VACUUM (FULL) {name}")
            await _write_log_anew(connection)
        return Scrubbed(len(tables), before, await connection.value(SIZE), is_superuser)
    finally:
        await connection.close()


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


async def _write_log_anew(connection: Connection) -> None:
    """Leave no segment of the log with what was written before now."""
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
        await connection.script("ALTER SYSTEM RESET wal_recycle")
        await connection.script("SELECT pg_reload_conf()")
