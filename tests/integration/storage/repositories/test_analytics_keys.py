"""What stands in keys of sums holds up no counting; sums whose events are gone stay, rows that nothing names go."""

from __future__ import annotations

import random
import string
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from domain.analytics import EventCategory, EventQuery, NewEvent
from domain.errors import InvalidInput
from storage.database import Database
from storage.repositories.analytics import Analytics
from storage.repositories.analytics_counting import Counting
from storage.repositories.analytics_recount import recount
from storage.repositories.analytics_rows import WORD_MAX_CHARS
from storage.repositories.events import Events
from storage.statements import Statement

pytestmark = pytest.mark.anyio
PROJECT, OTHER = "c" + "p" * 24, "c" + "q" * 24
DAY, YEAR_AGO = timedelta(days=1), timedelta(days=330)
AN_HOUR = Statement("""
    INSERT INTO analytics_hours (
        tenant_id, project_id, hour, category, event_type, agent_name, channel, failed, count, timed, duration_ms,
        tokens, cost
    ) VALUES (:tenant_id, :project_id, :hour, 'llm', 'llm_call', :agent_name, '', false, 5, 0, 0, 25, 0.5)
""")
A_SESSION = Statement("""
    INSERT INTO analytics_sessions (session_key, tenant_id, session_id, project_id, started_at, messages)
    VALUES (session_key(:tenant_id, 'sess_old'), :tenant_id, 'sess_old', :project_id, :started_at, 7)
""")
MESSAGES = Statement("SELECT session_id, messages FROM analytics_sessions WHERE tenant_id = :tenant_id ORDER BY 1")
FORGET_EVENTS = Statement("""
    DELETE FROM analytics_events WHERE session_key = session_key(:tenant_id, :session_id)
""")


def an_event(category: EventCategory, event_type: str, session_id: str, *, project_id: str = PROJECT) -> NewEvent:
    return NewEvent(
        category=category,
        event_type=event_type,
        project_id=project_id,
        at=datetime.now(UTC) - timedelta(minutes=1),
        session_id=session_id,
    )


async def counted(database: Database, tenant_id: str, *events: NewEvent) -> None:
    async with database.transaction() as connection:
        await Events(database).append_many(connection, tenant_id, events)
    while await Counting(database).go_on(datetime.now(UTC)):
        pass


async def sessions(database: Database, tenant_id: str) -> dict[str, int]:
    rows = await database.rows(MESSAGES, tenant_id=tenant_id)
    return {row["session_id"]: row["messages"] for row in rows}


def a_word(source: random.Random, length: int) -> str:
    """Return a word that cannot be packed."""
    return "".join(source.choice(string.printable + "äöüßéあ漢") for _ in range(length))


async def test_names_that_are_too_long_for_a_key_are_cut(database: Database, tenant_id: str) -> None:
    source = random.Random(7)
    agent, model = a_word(source, 9_000), a_word(source, 9_000)
    named = replace(
        an_event(EventCategory.LLM, "llm_call", "sess_1"),
        agent_name=agent,
        channel=a_word(source, 9_000),
        metadata={"model": model, "provider": a_word(source, 9_000)},
    )
    await counted(database, tenant_id, named)
    wanted = EventQuery(since=datetime.now(UTC) - DAY, until=datetime.now(UTC) + DAY)
    (row,) = await Analytics(database).costs(tenant_id, PROJECT, wanted)
    assert (row.calls, row.model) == (1, model[:WORD_MAX_CHARS])
    assert await Analytics(database).agent(tenant_id, PROJECT, replace(wanted, agent_name=agent[:WORD_MAX_CHARS]))


async def test_what_is_too_long_for_an_index_is_a_value_that_cannot_be_stored(
    database: Database, tenant_id: str
) -> None:
    given = {"tenant_id": tenant_id, "project_id": PROJECT, "hour": datetime.now(UTC)}
    with pytest.raises(InvalidInput, match="cannot be stored"):
        await database.execute(AN_HOUR, agent_name=a_word(random.Random(1), 9_000), **given)


async def test_a_session_that_two_projects_name_is_one_row(database: Database, tenant_id: str) -> None:
    first, second = (
        an_event(EventCategory.MESSAGE, "message_sent", "sess_1", project_id=project_id)
        for project_id in (PROJECT, OTHER)
    )
    await counted(database, tenant_id, first, second)
    assert await sessions(database, tenant_id) == {"sess_1": 2}


async def test_sums_whose_events_are_gone_are_not_made_anew(database: Database, tenant_id: str) -> None:
    await counted(database, tenant_id, an_event(EventCategory.MESSAGE, "message_sent", "sess_1"))
    then = (datetime.now(UTC) - YEAR_AGO).replace(minute=0, second=0, microsecond=0)
    given = {"tenant_id": tenant_id, "project_id": PROJECT}
    await database.execute(AN_HOUR, hour=then, agent_name="Desk", **given)
    await database.execute(A_SESSION, started_at=then, **given)
    await recount(database, tenant_id, PROJECT)
    wanted = EventQuery(since=then - DAY, until=then + DAY)
    (bucket,) = await Analytics(database).buckets(tenant_id, PROJECT, wanted, (), limit=1)
    assert (bucket.count, bucket.tokens) == (5, 25)
    assert await sessions(database, tenant_id) == {"sess_1": 1, "sess_old": 7}


async def test_a_session_that_never_began_is_forgotten_with_its_events(database: Database, tenant_id: str) -> None:
    names = ("sess_kept", "sess_gone")
    await counted(database, tenant_id, *(an_event(EventCategory.AUDIT, "session.read", name) for name in names))
    before = datetime.now(UTC) - YEAR_AGO
    await Counting(database).forget_old(before, 1_000)
    assert set(await sessions(database, tenant_id)) == set(names)
    await database.execute(FORGET_EVENTS, tenant_id=tenant_id, session_id="sess_gone")
    await Counting(database).forget_old(before, 1_000)
    assert set(await sessions(database, tenant_id)) == {"sess_kept"}
