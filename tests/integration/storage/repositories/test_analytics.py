"""Events counted and read again: whatever the time asked for, sums and single events say the same."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby

import pytest
from msgspec.structs import replace

from domain.analytics import EVENT_TYPES, Dimension, EventCategory, EventQuery, NewEvent
from domain.clock import iso_ms
from domain.json_values import JsonObject
from domain.metrics import percentile
from storage.database import Database, Row
from storage.repositories.analytics import Analytics, Bucket, Stretch, skip
from storage.repositories.analytics_counting import Counting
from storage.repositories.analytics_recount import TABLES, recount
from storage.repositories.events import Events
from storage.statements import Statement

pytestmark = pytest.mark.anyio

PROJECT, OTHER = "c" + "p" * 24, "c" + "q" * 24
HOUR = timedelta(hours=1)
SUMS = {table: Statement(f"SELECT * FROM {table} WHERE tenant_id = :tenant_id") for table in TABLES}
EVERYTHING = 10_000
STRANGE = Statement("""
    INSERT INTO analytics_inbox (tenant_id, project_id, category, event_type)
    VALUES (:tenant_id, :project_id, :category, 'rain')
""")


def hour(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def some_events(source: random.Random, now: datetime, number: int) -> list[NewEvent]:
    """Return events of the last three days, a few of each kind, with whole hours and their first moments among them."""
    categories = [one for one in EventCategory if EVENT_TYPES[one]]
    events = []
    for _ in range(number):
        category = source.choice(categories)
        at = now - timedelta(seconds=source.randrange(3 * 86_400))
        is_llm = category is EventCategory.LLM
        kind = source.choice(EVENT_TYPES[category])
        by = {"by": source.choice(("handoff", "start"))} if kind == "agent_entered" else {}
        events.append(
            NewEvent(
                category=category,
                event_type=kind,
                project_id=PROJECT,
                at=hour(at) if source.random() < 0.1 else at,
                agent_name=source.choice(("Front", "Clerk", "")),
                session_id=source.choice(("sess_1", "sess_2", "sess_3", "")),
                channel=source.choice(("api", "voice")),
                duration_ms=source.choice((None, source.randrange(50), source.randrange(5_000))),
                error=source.choice((None, None, None, "timeout")),
                metadata={"model": "m", "provider": "p", "tokens_in": 3, "tokens_out": 2, "cost": 0.25}
                if is_llm
                else by,
            )
        )
    return events


async def counted(database: Database, tenant_id: str, events: Sequence[NewEvent], now: datetime) -> None:
    async with database.transaction() as connection:
        await Events(database).append_many(connection, tenant_id, events)
    while await Counting(database).go_on(now):
        pass


def chosen(events: Sequence[NewEvent], wanted: EventQuery) -> list[NewEvent]:
    """Return what a query asks for, by looking at each event."""
    return [
        one
        for one in events
        if wanted.since <= one.at < wanted.until
        and wanted.category in ("", one.category)
        and (not wanted.event_types or one.event_type in wanted.event_types)
        and wanted.agent_name in ("", one.agent_name)
        and wanted.session_id in ("", one.session_id)
        and (wanted.failed is None or wanted.failed == (one.error is not None))
    ]


def value_of(event: NewEvent, dimension: Dimension) -> str | datetime:
    match dimension:
        case Dimension.HOUR:
            return hour(event.at)
        case Dimension.DAY:
            return hour(event.at).replace(hour=0)
        case _:
            return str(getattr(event, dimension))


def expected(events: Sequence[NewEvent], wanted: EventQuery, dimensions: Sequence[Dimension]) -> list[Bucket]:
    def key(event: NewEvent) -> tuple[str | datetime, ...]:
        return tuple(value_of(event, one) for one in dimensions)

    found = []
    for values, group in groupby(sorted(chosen(events, wanted), key=key), key=key):
        of = list(group)
        times = [one.duration_ms for one in of if one.duration_ms is not None]
        p95 = percentile(times, 0.95)
        bucket = Bucket(
            values=values,
            count=len(of),
            failures=sum(one.error is not None for one in of),
            timed=len(times),
            duration_ms=sum(times),
            tokens=sum(one.tokens for one in of),
            cost=sum(one.cost for one in of),
            p95=None if p95 is None else int(p95),
        )
        found.append(bucket)
    return found


def a_query(source: random.Random, now: datetime) -> EventQuery:
    since = now - timedelta(seconds=source.randrange(1, 4 * 86_400))
    until = since + timedelta(seconds=source.choice((source.randrange(1, 7_000), source.randrange(1, 3 * 86_400))))
    category = source.choice(["", "", "llm", "agent"])
    return EventQuery(
        since=hour(since) if source.random() < 0.3 else since,
        until=hour(until) + HOUR if source.random() < 0.3 else until,
        category=category,
        event_types=source.choice([(), (), ("llm_call", "handoff")]),
        agent_name=source.choice(["", "", "Clerk"]),
        session_id=source.choice(["", "", "", "sess_2"]),
        failed=source.choice([None, None, True, False]),
    )


async def check(database: Database, tenant_id: str, events: Sequence[NewEvent], source: random.Random) -> None:
    analytics, now = Analytics(database), max(one.at for one in events)
    for _ in range(25):
        wanted = a_query(source, now)
        dimensions = source.sample(list(Dimension), source.randrange(4))
        found = await analytics.buckets(tenant_id, PROJECT, wanted, dimensions, limit=EVERYTHING, has_p95=True)
        assert sorted(found, key=lambda one: one.values) == expected(events, wanted, dimensions), (wanted, dimensions)
        limit, offset = source.randrange(1, 50), source.choice((0, source.randrange(200)))
        rows, total = await analytics.page(tenant_id, PROJECT, wanted, limit=limit, offset=offset)
        all_of = sorted(chosen(events, wanted), key=lambda one: one.at, reverse=True)
        assert total == len(all_of)
        assert [row["timestamp"] for row in rows] == [iso_ms(one.at) for one in all_of[offset : offset + limit]], (
            wanted,
            limit,
            offset,
        )


async def test_sums_and_events_say_the_same_before_and_after_hours_are_sealed(
    database: Database, tenant_id: str
) -> None:
    source = random.Random(8)
    now = datetime.now(UTC).replace(microsecond=0)
    events = some_events(source, now, 600)
    await counted(database, tenant_id, events, now)
    await check(database, tenant_id, events, source)
    await counting_sealed(database, now)
    await check(database, tenant_id, events, source)
    late = some_events(source, now, 200)  # told of when their hours are sealed
    await counted(database, tenant_id, late, now)
    events += late
    await check(database, tenant_id, events, source)
    before = {table: await rows_of(database, table, tenant_id) for table in TABLES}
    await recount(database, tenant_id, PROJECT)
    after = {table: await rows_of(database, table, tenant_id) for table in TABLES}
    for table in TABLES:
        if table != "analytics_sessions":
            assert after[table] == before[table]
    await check(database, tenant_id, events, source)


async def counting_sealed(database: Database, now: datetime) -> None:
    counting = Counting(database)
    async with database.connection() as connection:
        await connection.script("""
            UPDATE analytics_progress SET sealed_until = sealed_until - interval '4 days';
            UPDATE analytics_hours SET durations = NULL;
        """)
    while await counting.seal(now):
        pass


async def rows_of(database: Database, table: str, tenant_id: str) -> list[str]:
    rows = [dict(row) for row in await database.rows(SUMS[table], tenant_id=tenant_id)]
    for row in rows:
        if row.get("durations") is not None:
            raw = row["durations"]
            row["durations"] = sorted(raw[place : place + 4] for place in range(0, len(raw), 4))
    return sorted(map(repr, rows))


async def test_pages_follow_each_other_without_gap_or_repetition(database: Database, tenant_id: str) -> None:
    source = random.Random(3)
    now = datetime.now(UTC)
    events = [replace(one, at=hour(one.at)) for one in some_events(source, now, 300)]  # many at the same moment
    await counted(database, tenant_id, events, now)
    wanted = EventQuery(since=now - timedelta(days=5), until=now)
    seen: list[Row] = []
    while len(seen) < 300:
        rows, total = await Analytics(database).page(tenant_id, PROJECT, wanted, limit=37, offset=len(seen))
        assert (total, bool(rows)) == (300, True)
        seen += rows
    assert len({row["number"] for row in seen}) == 300
    times = [row["timestamp"] for row in seen]
    assert times == sorted(times, reverse=True)


async def test_what_an_event_says_is_read_as_it_was_told(database: Database, tenant_id: str) -> None:
    now = datetime.now(UTC)
    said: list[JsonObject] = [
        {},
        {"model": "m", "provider": "p", "tokens_in": 3, "tokens_out": 0, "cost": 1.5e-05, "status": "stop"},
        {"model": "m" * 300, "provider": "p", "odd": [1, {"a": None}], "tokens_in": 7},
        {"status": 503, "event": "session.ended", "attempt": 2},
    ]
    known, *_ = some_events(random.Random(9), now, 1)
    events = [replace(known, at=now - timedelta(seconds=n), metadata=one) for n, one in enumerate(said)]
    await counted(database, tenant_id, events, now)
    wanted = EventQuery(since=now - timedelta(days=1), until=now + timedelta(days=1))
    rows, _ = await Analytics(database).page(tenant_id, PROJECT, wanted, limit=10, offset=0)
    assert [json.loads(row["metadata"]) for row in rows] == said


async def test_what_is_counted_at_once_by_several_counts_once(database: Database, tenant_id: str) -> None:
    now = datetime.now(UTC)
    events = some_events(random.Random(5), now, 400)
    async with database.transaction() as connection:
        await Events(database).append_many(connection, tenant_id, events)
    await asyncio.gather(*(Counting(database).go_on(now, noted=60) for _ in range(12)))
    wanted = EventQuery(since=now - timedelta(days=5), until=now + timedelta(days=1))
    (bucket,) = await Analytics(database).buckets(tenant_id, PROJECT, wanted, (), limit=1)
    assert bucket.count == 400


async def test_other_projects_and_tenants_are_not_seen(database: Database, tenant_id: str) -> None:
    now = datetime.now(UTC)
    events = some_events(random.Random(2), now, 50)
    await counted(database, tenant_id, events, now)
    wanted = EventQuery(since=now - timedelta(days=5), until=now, agent_name="Clerk")
    analytics = Analytics(database)
    for tenant, project in ((tenant_id, OTHER), ("ten_other", PROJECT)):
        assert await analytics.buckets(tenant, project, wanted, (), limit=1) == []
        assert await analytics.page(tenant, project, wanted, limit=10, offset=0) == ([], 0)
        assert await analytics.agent(tenant, project, wanted) is None
        assert await analytics.costs(tenant, project, wanted) == []
        assert (await analytics.sessions(tenant, project, wanted)).sessions == 0


async def test_events_that_there_is_no_week_for_are_left_out(database: Database, tenant_id: str) -> None:
    now = datetime.now(UTC)
    known, *_ = some_events(random.Random(1), now, 1)
    old, ahead = (replace(known, at=now + timedelta(days=days)) for days in (-120, 5))
    await counted(database, tenant_id, [old, ahead, known], now)
    wanted = EventQuery(since=now - timedelta(days=200), until=now + timedelta(days=50))
    _, total = await Analytics(database).page(tenant_id, PROJECT, wanted, limit=10, offset=0)
    assert total == 1


async def test_an_event_that_this_version_does_not_know_holds_up_no_other(
    database: Database, tenant_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    now = datetime.now(UTC)
    values = {"tenant_id": tenant_id, "project_id": PROJECT, "category": "weather"}
    await database.execute(STRANGE, **values)
    await counted(database, tenant_id, some_events(random.Random(6), now, 5), now)
    _, total = await Analytics(database).page(
        tenant_id, PROJECT, EventQuery(since=now - timedelta(days=5), until=now), limit=10, offset=0
    )
    assert total == 5
    assert "left out of analytics" in caplog.text


async def test_sums_past_their_retention_go(database: Database, tenant_id: str) -> None:
    now = datetime.now(UTC)
    await counted(database, tenant_id, some_events(random.Random(4), now, 30), now)
    assert await Counting(database).forget_old(now - timedelta(days=400), 1_000) == 0
    while await Counting(database).forget_old(now + HOUR, 5):
        pass
    assert all([await rows_of(database, table, tenant_id) == [] for table in TABLES])


def test_pieces_of_time_are_skipped_by_their_counts() -> None:
    now = datetime(2026, 3, 2, tzinfo=UTC)
    pieces = [Stretch(now - HOUR * (n + 1), now - HOUR * n, count) for n, count in enumerate((2, 0, 5, 3))]
    assert skip(pieces, 0, 1) == (0, pieces[:1])
    assert skip(pieces, 1, 2) == (0, [pieces[0], pieces[2]])
    assert skip(pieces, 2, 5) == (2, [pieces[2]])
    assert skip(pieces, 8, 100) == (7, [pieces[3]])
    assert skip(pieces, 10, 1) == (10, [])


def test_an_event_of_another_category_is_refused() -> None:
    with pytest.raises(ValueError, match="llm has no event tool_call"):
        NewEvent(category=EventCategory.LLM, event_type="tool_call", project_id=PROJECT, at=datetime.now(UTC))
