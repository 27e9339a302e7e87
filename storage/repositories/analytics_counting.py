"""Counts what has happened: reads ended turns and noted events, writes events and what is kept of them by the hour.

Turns are read in the order of their transactions, and only those below the oldest one that is still open: none that is
committed late is missed. How far it has come is written in the transaction that counts, so each turn counts once.
Spec: platform-api 8.1.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from domain.analytics import EventCategory, NewEvent
from domain.errors import InvalidInput
from domain.turn_events import events_of_turn
from storage.database import Connection, Database, Row
from storage.partitions import first_week
from storage.repositories.analytics_rows import Kept, kept_of_turn, written
from storage.repositories.analytics_sums import AGENTS, HOURS, MODELS, SESSIONS, late_durations, session_states
from storage.repositories.turn_readers import Place, ReadTurn, TurnReader, behind
from storage.statements import Statement

TURNS_AT_ONCE = 64
"""So few that nothing else in the process waits for longer than some milliseconds."""
NOTED_AT_ONCE = 300
TABLE = "analytics_events"
AHEAD = timedelta(days=1)
UNCOUNTED_PAGES_MAX = 500
"""Of a session that is deleted: how often `TURNS_AT_ONCE` of its turns are counted before."""
SEALED_AFTER = timedelta(minutes=10)
"""How long after its end an hour's durations are put together; what is told later is added."""
HOURS_AT_ONCE = 48
HOUR = timedelta(hours=1)
UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError)
READER = "turns"
_log = logging.getLogger(__name__)

TAKE_NOTED = Statement("""
    DELETE FROM analytics_inbox WHERE ctid IN (
        SELECT ctid FROM analytics_inbox LIMIT :limit FOR UPDATE SKIP LOCKED
    )
    RETURNING tenant_id, project_id, at, category, event_type, agent_name, session_id, channel, environment,
        duration_ms, error, metadata
""")
SEAL = Statement("""
    UPDATE analytics_hours h SET durations = e.durations
    FROM (
        SELECT tenant_id, project_id, category, event_type, agent_name, channel, error IS NOT NULL AS failed,
            string_agg(int4send(duration_ms), ''::bytea) AS durations
        FROM analytics_told WHERE at >= :hour AND at < :until AND duration_ms IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7
    ) e
    WHERE h.hour = :hour AND h.tenant_id = e.tenant_id AND h.project_id = e.project_id AND h.category = e.category
      AND h.event_type = e.event_type AND h.agent_name = e.agent_name AND h.channel = e.channel
      AND h.failed = e.failed
""")
SEALED = Statement("UPDATE analytics_progress SET sealed_until = :until WHERE name = 'turns'")
_UNNAMED = """
    started_at IS NULL AND (
        SELECT true FROM analytics_events e WHERE e.session_key = analytics_sessions.session_key LIMIT 1
    ) IS NULL
"""
"""Sessions that never began, and of which no event is left: each is looked up by its key, events are not read whole."""
FORGET = tuple(
    Statement(f"DELETE FROM {table} WHERE ctid IN (SELECT ctid FROM {table} WHERE {is_old} LIMIT :limit)")
    for table, is_old in (
        ("analytics_hours", "hour < :before"),
        ("analytics_agents", "hour < :before"),
        ("analytics_models", "hour < :before"),
        ("analytics_sessions", f"started_at < :before OR {_UNNAMED}"),
        ("analytics_kinds", "last_at < :before"),
        ("voice_calls", "started_at < :before"),
        ("turns_aside", "since < :before"),
    )
)


class _Told(NamedTuple):
    """What one turn or one noted event tells, under a name for the log."""

    name: str
    events: list[Kept]


class Counting:
    """Counts for all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._reader = TurnReader(database, READER)

    async def go_on(self, now: datetime, *, turns: int = TURNS_AT_ONCE, noted: int = NOTED_AT_ONCE) -> int:
        """Count what is next; return how much that was, 0 when all is counted. Several at once wait for each other.

        A turn whose key cannot be opened here is put aside, and counted when it can be.
        """
        async with self._database.transaction() as connection:
            place = await self._reader.lock(connection)
            counted = await self._piece(connection, place, now, turns, noted)
            return counted + await self._opened(connection, place, now, turns)

    async def try_to_go_on(self, now: datetime) -> int:
        """Do the same; return 0 also when another one counts at the moment: nobody is waited for."""
        async with self._database.transaction() as connection:
            if (place := await self._reader.try_lock(connection)) is None:
                return 0
            return await self._piece(connection, place, now, TURNS_AT_ONCE, NOTED_AT_ONCE)

    async def count_session(self, connection: Connection, tenant_id: str, session_id: str, now: datetime) -> None:
        """Count what a session that is about to be deleted in this transaction has not been counted for.

        Nothing else is counted until the transaction ends, so none of its turns counts twice. To be called before
        anything else in the transaction takes a lock.
        """
        place = await self._reader.lock(connection)
        after_seq = 0
        while aside := await self._reader.aside_of_session(connection, tenant_id, session_id, after_seq, TURNS_AT_ONCE):
            told = await _within(connection, list(map(_of_turn, aside)), now)
            await self._keep(connection, told, place.sealed_until)
            after_seq = aside[-1].row["seq"]
        for _ in range(UNCOUNTED_PAGES_MAX):
            read = await self._reader.next_of_session(connection, place, tenant_id, session_id, TURNS_AT_ONCE)
            told = await _within(connection, list(map(_of_turn, read)), now)
            await self._keep(connection, told, place.sealed_until)
            if len(read) < TURNS_AT_ONCE:
                return
            place = behind(place, read)
        _log.error("turns of %s of %s are deleted uncounted: there are too many", session_id, tenant_id)

    async def seal(self, now: datetime) -> int:
        """Put the durations of hours that are over together, when all is counted; return how many hours."""
        sealed = 0
        async with self._database.transaction() as connection:
            hour = (await self._reader.lock(connection)).sealed_until
            while sealed < HOURS_AT_ONCE and hour + HOUR + SEALED_AFTER <= now:
                await connection.execute(SEAL, hour=hour, until=hour + HOUR)
                hour += HOUR
                sealed += 1
            if sealed:
                await connection.execute(SEALED, until=hour)
        return sealed

    async def forget_old(self, before: datetime, limit: int) -> int:
        """Remove sums older than a moment, at most `limit` of each kind; return how many at most of one kind."""
        return max([await self._database.execute(statement, before=before, limit=limit) for statement in FORGET])

    async def _piece(self, connection: Connection, place: Place, now: datetime, turns: int, noted: int) -> int:
        read = await self._reader.next(connection, place, turns)
        waiting = await connection.rows(TAKE_NOTED, limit=noted)
        told = [*map(_of_turn, read), *map(_noted, waiting)]
        await self._keep(connection, await _within(connection, told, now), place.sealed_until)
        await self._reader.move(connection, read)
        return len(read) + len(waiting)

    async def _opened(self, connection: Connection, place: Place, now: datetime, turns: int) -> int:
        """Count turns that were put aside and can be read now; return how many."""
        opened = await self._reader.opened(connection, turns)
        if opened is None:
            return 0
        told = await _within(connection, list(map(_of_turn, opened.read)), now)
        await self._keep(connection, told, place.sealed_until)
        await self._reader.take_back(connection, opened)
        return len(opened.aside)

    async def _keep(self, connection: Connection, told: Sequence[_Told], sealed_until: datetime) -> None:
        """Count what is told; what the store refuses of it is found by halves, named in the log and left out."""
        if not any(one.events for one in told):
            return
        found = sorted((kept for one in told for kept in one.events), key=lambda kept: kept.event.at)
        try:
            async with connection.transaction():
                await self._write(connection, found, sealed_until)
        except InvalidInput as error:
            if len(told) == 1:
                _log.error("%s is left out of analytics: %s", told[0].name, error)  # rows in the trace
                return
            half = len(told) // 2
            await self._keep(connection, told[:half], sealed_until)
            await self._keep(connection, told[half:], sealed_until)

    async def _write(self, connection: Connection, found: Sequence[Kept], sealed_until: datetime) -> None:
        for statement, given in written(found):
            await connection.execute(statement, **given)
        for sums in (HOURS, AGENTS, MODELS, SESSIONS):
            if rows := sums.of(found):
                await connection.execute(sums.statement, **rows)
        for statement, given in (*late_durations(found, sealed_until), *session_states(found)):
            await connection.execute(statement, **given)


def _of_turn(one: ReadTurn) -> _Told:
    """Return what a turn tells; of one that cannot be read, nothing."""
    name = f"turn {one.name} of {one.row['session_id']} of {one.tenant_id}"
    try:
        if one.turn is None:
            return _Told(name, [])
        own = one.row["session_id"]
        child = own if own != one.turn.session_id else None
        return _Told(name, kept_of_turn(one.tenant_id, events_of_turn(one.turn), one.traces, child))
    except UNREADABLE:
        _log.exception("%s is left out of analytics", name)
        return _Told(name, [])


def _noted(row: Row) -> _Told:
    """Return a noted event; nothing of one that this version does not know."""
    values = dict(row)
    tenant_id = values.pop("tenant_id")
    name = f"event {row['event_type']} of {row['session_id'] or row['project_id']} of {tenant_id}"
    try:
        return _Told(name, [Kept(tenant_id, NewEvent(**{**values, "category": EventCategory(row["category"])}))])
    except ValueError:
        _log.exception("%s is left out of analytics", name)
        return _Told(name, [])


async def _within(connection: Connection, told: Sequence[_Told], now: datetime) -> list[_Told]:
    """Return what there is a place for: what is older than that is past its retention."""
    if not any(one.events for one in told):
        return []
    first, last = await first_week(connection, TABLE), now + AHEAD
    return [_Told(one.name, [kept for kept in one.events if first <= kept.event.at <= last]) for one in told]
