"""Sums of events made anew from the events themselves: after rows were restored by hand, or written in bulk.

Whole projects are made anew, so nothing may be counted meanwhile: the lock of counting is held.
"""

from __future__ import annotations

from datetime import datetime

from storage.database import Database
from storage.repositories.analytics_counting import READER, SEALED
from storage.repositories.turn_readers import TurnReader
from storage.statements import Statement

TABLES = ("analytics_hours", "analytics_agents", "analytics_models", "analytics_sessions")
_OF = "tenant_id = :tenant_id AND project_id = :project_id"
CLEAR = tuple(Statement(f"DELETE FROM {table} WHERE {_OF}") for table in TABLES)
MAKE = (
    Statement(f"""
        INSERT INTO analytics_hours (
            tenant_id, project_id, hour, category, event_type, agent_name, channel, failed, count, timed, duration_ms,
            tokens, cost, durations
        )
        SELECT tenant_id, project_id, date_trunc('hour', at, 'UTC'), category, event_type, agent_name, channel,
            error IS NOT NULL, count(*), count(duration_ms), coalesce(sum(duration_ms), 0), sum(tokens), sum(cost),
            CASE WHEN date_trunc('hour', at, 'UTC') < :sealed_until
                THEN string_agg(int4send(duration_ms), ''::bytea) FILTER (WHERE duration_ms IS NOT NULL) END
        FROM analytics_events WHERE {_OF}
        GROUP BY tenant_id, project_id, date_trunc('hour', at, 'UTC'), category, event_type, agent_name, channel,
            error IS NOT NULL
    """),
    Statement(f"""
        INSERT INTO analytics_agents (tenant_id, project_id, agent_name, hour, session_id, handed_in)
        SELECT tenant_id, project_id, agent_name, date_trunc('hour', at, 'UTC'), session_id,
            count(*) FILTER (WHERE event_type = 'agent_entered' AND metadata ->> 'by' = 'handoff')
        FROM analytics_events WHERE {_OF} AND agent_name <> '' AND session_id <> ''
        GROUP BY tenant_id, project_id, agent_name, date_trunc('hour', at, 'UTC'), session_id
    """),
    Statement(f"""
        INSERT INTO analytics_models (tenant_id, project_id, hour, model, provider, calls, tokens_in, tokens_out, cost)
        SELECT tenant_id, project_id, date_trunc('hour', at, 'UTC'), coalesce(metadata ->> 'model', ''),
            coalesce(metadata ->> 'provider', ''), count(*), sum(coalesce((metadata ->> 'tokens_in')::bigint, 0)),
            sum(coalesce((metadata ->> 'tokens_out')::bigint, 0)), sum(cost)
        FROM analytics_events WHERE {_OF} AND category = 'llm' GROUP BY 1, 2, 3, 4, 5
    """),
    Statement(f"""
        INSERT INTO analytics_sessions (
            tenant_id, session_id, project_id, started_at, ended_at, messages, errors, handoffs, escalations, tokens,
            cost, channel, end_reason
        )
        SELECT tenant_id, session_id, project_id, min(at),
            max(at) FILTER (WHERE event_type = 'session_ended'), count(*) FILTER (WHERE category = 'message'),
            count(error), count(*) FILTER (WHERE event_type = 'handoff'),
            count(*) FILTER (WHERE event_type = 'escalation'), sum(tokens), sum(cost), max(channel),
            coalesce(max(metadata ->> 'end_reason') FILTER (WHERE event_type = 'session_ended'), '')
        FROM analytics_events WHERE {_OF} AND session_id <> '' AND category NOT IN ('audit', 'feedback')
        GROUP BY tenant_id, session_id, project_id
    """),
)


async def recount(database: Database, tenant_id: str, project_id: str, *, sealed_until: datetime | None = None) -> None:
    """Make the sums of a project anew; hours before `sealed_until` are sealed, those that were if it is not given.

    A session that was reset after its end counts as ended. It takes about two minutes for ten million events.
    """
    connection = await database.own_connection(deadline_s=3_600.0)
    try:
        async with connection.transaction():
            place = await TurnReader(database, READER).lock(connection)
            until = sealed_until or place.sealed_until
            for statement in CLEAR:
                await connection.execute(statement, tenant_id=tenant_id, project_id=project_id)
            for statement in MAKE:
                given = {"tenant_id": tenant_id, "project_id": project_id, "sealed_until": until}
                await connection.execute(statement, **{name: given[name] for name in statement.names})
            if sealed_until is not None:
                await connection.execute(SEALED, until=until)
    finally:
        await connection.close()
