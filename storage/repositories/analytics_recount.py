"""Sums of events made anew from the events themselves: after rows were restored by hand, or written in bulk.

Whole projects are made anew, so nothing may be counted meanwhile: the lock of counting is held.
"""

from __future__ import annotations

from datetime import datetime

from storage.database import Database
from storage.partitions import first_week
from storage.repositories.analytics_counting import READER, SEALED, TABLE
from storage.repositories.analytics_statements import MODEL, PROVIDER
from storage.repositories.turn_readers import TurnReader
from storage.statements import Statement

TABLES = ("analytics_hours", "analytics_agents", "analytics_models", "analytics_sessions")
_OF = "tenant_id = :tenant_id AND project_id = :project_id"
_EVENTS = f"analytics_told WHERE {_OF} AND project_key = project_key(:tenant_id, :project_id)"
CLEAR = (
    *(Statement(f"DELETE FROM {table} WHERE {_OF} AND hour >= :since") for table in TABLES[:-1]),
    Statement(f"""
        UPDATE analytics_sessions SET started_at = NULL, ended_at = NULL, messages = 0, errors = 0, handoffs = 0,
            escalations = 0, tokens = 0, cost = 0, end_reason = ''
        WHERE {_OF} AND started_at >= :since
    """),
)
"""The rows of sessions stay: nothing else says what the sessions of events are called."""
MAKE = (
    Statement(f"""
        INSERT INTO analytics_hours (
            tenant_id, project_id, hour, category, event_type, agent_name, channel, failed, count, timed, duration_ms,
            tokens, cost, durations
        )
        SELECT tenant_id, project_id, date_trunc('hour', at, 'UTC'), category, event_type, agent_name, channel,
            error IS NOT NULL, count(*), count(duration_ms), coalesce(sum(duration_ms), 0), sum(tokens),
            coalesce(sum(cost), 0),
            CASE WHEN date_trunc('hour', at, 'UTC') < :sealed_until
                THEN string_agg(int4send(duration_ms), ''::bytea) FILTER (WHERE duration_ms IS NOT NULL) END
        FROM {_EVENTS}
        GROUP BY tenant_id, project_id, date_trunc('hour', at, 'UTC'), category, event_type, agent_name, channel,
            error IS NOT NULL
    """),
    Statement(f"""
        INSERT INTO analytics_agents (tenant_id, project_id, agent_name, hour, session_key, handed_in)
        SELECT tenant_id, project_id, agent_name, date_trunc('hour', at, 'UTC'), session_key,
            count(*) FILTER (WHERE event_type = 'agent_entered' AND labels ->> 'by' = 'handoff')
        FROM {_EVENTS} AND agent_name <> '' AND session_key IS NOT NULL
        GROUP BY tenant_id, project_id, agent_name, date_trunc('hour', at, 'UTC'), session_key
    """),
    Statement(f"""
        INSERT INTO analytics_models (
            tenant_id, project_id, hour, model, provider, calls, tokens_in, tokens_out, cost, priced, duration_ms, timed
        )
        SELECT tenant_id, project_id, date_trunc('hour', at, 'UTC'), {MODEL}, {PROVIDER}, count(*),
            coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), coalesce(sum(cost), 0), count(cost),
            coalesce(sum(duration_ms), 0), count(duration_ms)
        FROM {_EVENTS} AND category = 'llm' GROUP BY 1, 2, 3, 4, 5
    """),
    Statement(f"""
        UPDATE analytics_sessions s SET started_at = e.started_at, ended_at = e.ended_at, messages = e.messages,
            errors = e.errors, handoffs = e.handoffs, escalations = e.escalations, tokens = e.tokens, cost = e.cost,
            channel = e.channel, end_reason = e.end_reason
        FROM (
            SELECT session_key, min(at) AS started_at, max(at) FILTER (WHERE event_type = 'session_ended') AS ended_at,
                count(*) FILTER (WHERE category = 'message') AS messages, count(error) AS errors,
                count(*) FILTER (WHERE event_type = 'handoff') AS handoffs,
                count(*) FILTER (WHERE event_type = 'escalation') AS escalations, sum(tokens) AS tokens,
                coalesce(sum(cost), 0) AS cost, max(channel) AS channel,
                coalesce(max(coalesce(labels ->> 'end_reason', metadata ->> 'end_reason'))
                    FILTER (WHERE event_type = 'session_ended'), '') AS end_reason
            FROM {_EVENTS} AND session_key IS NOT NULL AND category NOT IN ('audit', 'feedback') GROUP BY session_key
        ) e
        WHERE s.session_key = e.session_key AND s.started_at IS NULL
    """),
    Statement(f"""
        DELETE FROM analytics_sessions s WHERE {_OF} AND started_at IS NULL
            AND NOT EXISTS (SELECT FROM analytics_events e WHERE e.session_key = s.session_key)
    """),
)


async def recount(database: Database, tenant_id: str, project_id: str, *, sealed_until: datetime | None = None) -> None:
    """Make the sums of a project anew; hours before `sealed_until` are sealed, those that were if it is not given.

    What is older than the first week that there are events of stays as it is, sessions that began then too. One that
    was reset after its end counts as ended. It takes about two minutes for ten million events.
    """
    connection = await database.own_connection(deadline_s=3_600.0)
    try:
        async with connection.transaction():
            place = await TurnReader(database, READER).lock(connection)
            until = sealed_until or place.sealed_until
            since = await first_week(connection, TABLE)
            for statement in CLEAR:
                await connection.execute(statement, tenant_id=tenant_id, project_id=project_id, since=since)
            for statement in MAKE:
                given = {"tenant_id": tenant_id, "project_id": project_id, "sealed_until": until}
                await connection.execute(statement, **{name: given[name] for name in statement.names})
            if sealed_until is not None:
                await connection.execute(SEALED, until=until)
    finally:
        await connection.close()
