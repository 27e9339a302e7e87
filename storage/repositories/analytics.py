"""What is read of events: buckets, pages, agents, costs, sessions; whole hours from sums. Spec: platform-api 8.2."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from msgspec import Struct

from domain.analytics import Dimension, EventQuery
from storage.database import Database, Row
from storage.repositories.analytics_rows import hour_of
from storage.repositories.analytics_statements import (
    AGENT_SESSIONS,
    COSTS,
    IS_SEEN,
    RATINGS,
    SEALED_UNTIL,
    SESSIONS,
    Conditions,
    buckets,
    count_between,
    durations,
    hour_counts,
    page,
)
from storage.repositories.durations import at_rank
from storage.statements import Statement

HOUR = timedelta(hours=1)
P95 = 95


class Bucket(Struct, frozen=True):
    """Sums of events that agree in the dimensions asked for; `values` are theirs, in the order they were asked for."""

    values: tuple[str | datetime, ...] = ()
    count: int = 0
    failures: int = 0
    timed: int = 0
    duration_ms: int = 0
    tokens: int = 0
    cost: float = 0.0
    p95: int | None = None


class AgentRow(Struct, frozen=True, kw_only=True):
    """In how many sessions an agent was, how often control was handed to it, and what people thought."""

    sessions: int
    handed_in: int
    ratings: dict[str, int]


class CostRow(Struct, frozen=True, kw_only=True):
    """What the calls of a model used; the price of `priced` of them is known, and how long `timed` of them took."""

    model: str
    provider: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float
    priced: int
    duration_ms: int
    timed: int


class SessionsRow(Struct, frozen=True, kw_only=True):
    """Figures of the sessions that began in a time; averages and rates are None without sessions."""

    sessions: int
    ended: int
    avg_took_ms: float | None
    p95_took_ms: int | None
    avg_messages: float | None
    avg_tokens: float | None
    cost: float
    error_rate: float | None
    handoff_rate: float | None
    escalation_rate: float | None
    by_channel: dict[str, int]
    by_end_reason: dict[str, int]


class Span(NamedTuple):
    """A time with the whole hours in it; without any, they begin and end where the time ends."""

    since: datetime
    first: datetime
    last: datetime
    until: datetime


class Stretch(NamedTuple):
    """A piece of time with this many events; pieces are taken from the newest on."""

    since: datetime
    until: datetime
    number: int


class Analytics:
    """The events of all projects, for reading."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def buckets(
        self,
        tenant_id: str,
        project_id: str,
        wanted: EventQuery,
        dimensions: Sequence[Dimension],
        *,
        limit: int,
        has_p95: bool = False,
    ) -> list[Bucket]:
        """Return the largest buckets, those of earlier times first, then the larger ones."""
        named = tuple(dimensions)
        place = {**_values(wanted), **_span(wanted)._asdict(), "tenant_id": tenant_id, "project_id": project_id}
        rows = await self._asked(buckets(named, _conditions(wanted)), {**place, "limit": limit})
        columns = [one.value for one in named]
        if not has_p95:
            return [_bucket(row, _key(row, columns)) for row in rows]
        sealed: datetime = await self._database.value(SEALED_UNTIL)
        place["sealed"] = max(place["first"], min(sealed, place["last"]))
        found = await self._asked(durations(named, _conditions(wanted)), place)
        ranks = await asyncio.to_thread(_ranks, found, columns)
        return [_bucket(row, key, ranks.get(key)) for row, key in ((row, _key(row, columns)) for row in rows)]

    async def page(
        self, tenant_id: str, project_id: str, wanted: EventQuery, *, limit: int, offset: int
    ) -> tuple[list[Row], int]:
        """Return events, the newest first, and how many there are; their `timestamp` and `metadata` are texts."""
        place = {"tenant_id": tenant_id, "project_id": project_id, **_values(wanted)}
        stretches = await self._stretches(place, wanted)
        total = sum(one.number for one in stretches)
        skipped, needed = skip(stretches, offset, limit)
        if not needed:
            return [], total
        rows = await self._database.rows(
            page(_conditions(wanted)),
            **place,
            since=needed[-1].since,
            until=needed[0].until,
            limit=limit,
            offset=offset - skipped,
        )
        return rows, total

    async def agent(self, tenant_id: str, project_id: str, wanted: EventQuery) -> AgentRow | None:
        """Return what is known of the agent that the query names; None when it was never seen."""
        named = {"tenant_id": tenant_id, "project_id": project_id, "agent_name": wanted.agent_name}
        if not await self._database.value(IS_SEEN, **named):
            return None
        seen = await self._database.row(AGENT_SESSIONS, **named, **_span(wanted)._asdict())
        ratings = await self._database.rows(RATINGS, **named, since=wanted.since, until=wanted.until)
        assert seen is not None, "an aggregate has one row"
        return AgentRow(**dict(seen), ratings={row["rating"]: row["count"] for row in ratings})

    async def costs(self, tenant_id: str, project_id: str, wanted: EventQuery) -> list[CostRow]:
        """Return what the calls of each model used, the dearest first."""
        rows = await self._database.rows(COSTS, tenant_id=tenant_id, project_id=project_id, **_span(wanted)._asdict())
        return [CostRow(**dict(row)) for row in rows]

    async def sessions(self, tenant_id: str, project_id: str, wanted: EventQuery) -> SessionsRow:
        """Return the figures of the sessions that began in the time."""
        row = await self._database.row(
            SESSIONS, tenant_id=tenant_id, project_id=project_id, since=wanted.since, until=wanted.until
        )
        assert row is not None, "an aggregate has one row"
        counts = {name: row[name] or {} for name in ("by_channel", "by_end_reason")}
        return SessionsRow(**{**dict(row), **counts})

    async def _asked(self, statement: Statement, given: dict[str, Any]) -> list[Row]:
        """Return the rows of a statement that takes some of what is given."""
        return await self._database.rows(statement, **{name: given[name] for name in statement.names})

    async def _stretches(self, place: dict[str, object], wanted: EventQuery) -> list[Stretch]:
        """Return how many events there are in each piece of the time, the newest piece first."""
        conditions, span = _conditions(wanted), _span(wanted)

        async def counted(since: datetime, until: datetime) -> list[Stretch]:
            if since >= until:
                return []
            count = await self._database.value(count_between(conditions), **place, since=since, until=until)
            return [Stretch(since, until, count)]

        if conditions.session_id or span.first == span.until:
            return await counted(span.since, span.until)
        rows = await self._database.rows(hour_counts(conditions), **place, first=span.first, last=span.last)
        hours = [Stretch(row["hour"], row["hour"] + HOUR, row["count"]) for row in rows]
        return [*await counted(span.last, span.until), *hours, *await counted(span.since, span.first)]


def skip(stretches: Sequence[Stretch], offset: int, limit: int) -> tuple[int, list[Stretch]]:
    """Return how many events lie in pieces before those that hold `offset` to `offset + limit`, and these pieces."""
    before = skipped = 0
    needed: list[Stretch] = []
    for one in stretches:
        if one.number and before + one.number > offset:
            needed.append(one)
        elif not needed:
            skipped += one.number
        before += one.number
        if before >= offset + limit:
            break
    return skipped, needed


def _span(wanted: EventQuery) -> Span:
    first = hour_of(wanted.since)
    first = first if first == wanted.since else first + HOUR
    last = hour_of(wanted.until)
    if first >= last:
        return Span(wanted.since, wanted.until, wanted.until, wanted.until)
    return Span(wanted.since, first, last, wanted.until)


def _conditions(wanted: EventQuery) -> Conditions:
    return Conditions(
        bool(wanted.category),
        bool(wanted.event_types),
        bool(wanted.agent_name),
        bool(wanted.session_id),
        wanted.failed,
    )


def _values(wanted: EventQuery) -> dict[str, object]:
    given = {
        "category": wanted.category,
        "event_types": list(wanted.event_types),
        "agent_name": wanted.agent_name,
        "session_id": wanted.session_id,
    }
    return {name: value for name, value in given.items() if value}


def _key(row: Row, columns: Sequence[str]) -> tuple[str | datetime, ...]:
    return tuple([row[name] for name in columns])


def _ranks(rows: Sequence[Row], columns: Sequence[str]) -> dict[tuple[str | datetime, ...], int | None]:
    return {_key(row, columns): at_rank(row["durations"], P95) for row in rows}


def _bucket(row: Row, key: tuple[str | datetime, ...], p95: int | None = None) -> Bucket:
    return Bucket(
        key,
        row["count"],
        row["failures"],
        row["timed"],
        row["duration_ms"],
        row["tokens"],
        row["cost"],
        p95,
    )
