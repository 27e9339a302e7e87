"""The SQL that reads events and their sums: whole hours from the sums, the pieces before and behind from the events.

Statements are made for each combination of conditions, dimensions and figures, once. Spec: platform-api 8.2.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from domain.analytics import OF_TIME, Dimension
from storage.statements import Statement

_HOUR_COLUMNS = {
    Dimension.HOUR: "hour",
    Dimension.DAY: "date_trunc('day', hour, 'UTC')",
}
_EVENT_COLUMNS = {
    Dimension.HOUR: "date_trunc('hour', at, 'UTC')",
    Dimension.DAY: "date_trunc('day', at, 'UTC')",
}
OF_PROJECT = "tenant_id = :tenant_id AND project_id = :project_id"
EVENTS_OF_PROJECT = f"{OF_PROJECT} AND project_key = project_key(:tenant_id, :project_id)"
BEFORE = "at >= :since AND at < :first"
BEHIND = "at >= :last AND at < :until"
ALL = "at >= :since AND at < :until"
IN_HOURS = "hour >= :first AND hour < :last"
MODEL = "coalesce(labels ->> 'model', metadata ->> 'model', '')"
PROVIDER = "coalesce(labels ->> 'provider', metadata ->> 'provider', '')"
METADATA = """
    CASE
        WHEN tokens_in IS NULL AND tokens_out IS NULL AND cost IS NULL AND metadata IS NULL THEN labels
        ELSE labels || coalesce(metadata, '{}') || jsonb_strip_nulls(
            jsonb_build_object('tokens_in', tokens_in, 'tokens_out', tokens_out, 'cost', cost)
        )
    END::text
"""
"""What an event says beside its columns, as JSON text: its kind, its figures and itself say some of it each."""
SESSION_ID = "(SELECT s.session_id FROM analytics_sessions s WHERE s.session_key = found.session_key)"
"""What the session of an event is called."""


class Conditions(NamedTuple):
    """Which conditions there are; their values are parameters of the same names."""

    category: bool = False
    event_types: bool = False
    agent_name: bool = False
    session_id: bool = False
    failed: bool | None = None

    def of_hours(self) -> str:
        """Return the conditions on sums."""
        failed = {None: "", True: " AND failed", False: " AND NOT failed"}[self.failed]
        return f"{OF_PROJECT}{self._shared()}{failed}"

    def of_events(self) -> str:
        """Return the conditions on events."""
        session = " AND session_key = session_key(:tenant_id, :session_id)" if self.session_id else ""
        failed = {None: "", True: " AND error IS NOT NULL", False: " AND error IS NULL"}[self.failed]
        return f"{EVENTS_OF_PROJECT}{self._shared()}{session}{failed}"

    def _shared(self) -> str:
        texts = (
            (self.category, "category = :category"),
            (self.event_types, "event_type = ANY(:event_types::text[])"),
            (self.agent_name, "agent_name = :agent_name"),
        )
        return "".join(f" AND {text}" for is_asked, text in texts if is_asked)


@lru_cache(maxsize=1_024)
def buckets(dimensions: tuple[Dimension, ...], conditions: Conditions) -> Statement:
    """Return what sums events up by these dimensions, the largest buckets only, in the order they are shown in."""
    names = _names(dimensions)
    times = [one for one in dimensions if one in OF_TIME]
    others = [one for one in dimensions if one not in OF_TIME]
    return Statement(f"""
        WITH found AS ({_found(dimensions, conditions)})
        SELECT * FROM (
            SELECT {names}, sum(count)::bigint AS count, sum(failures)::bigint AS failures,
                sum(timed)::bigint AS timed, sum(duration_ms)::bigint AS duration_ms, sum(tokens)::bigint AS tokens,
                sum(cost) AS cost
            FROM found GROUP BY {names} ORDER BY count DESC, {names} LIMIT :limit
        ) largest ORDER BY {", ".join((*times, "count DESC", *others))}
    """)


@lru_cache(maxsize=1_024)
def durations(dimensions: tuple[Dimension, ...], conditions: Conditions) -> Statement:
    """Return what puts the durations of each bucket together: of hours that are sealed, and of all other events."""
    of_events = f"""
        SELECT {_columns(dimensions, _EVENT_COLUMNS)}, int4send(duration_ms) AS durations
        FROM analytics_told WHERE {conditions.of_events()} AND duration_ms IS NOT NULL
    """
    found = f"{of_events} AND {ALL}"
    if not conditions.session_id:
        found = f"""
            SELECT {_columns(dimensions, _HOUR_COLUMNS)}, durations
            FROM analytics_hours
            WHERE {conditions.of_hours()} AND hour >= :first AND hour < :sealed AND durations IS NOT NULL
            UNION ALL {of_events} AND {BEFORE}
            UNION ALL {of_events} AND at >= :sealed AND at < :until
        """
    names = _names(dimensions)
    return Statement(f"""
        SELECT {names}, string_agg(durations, ''::bytea) AS durations FROM ({found}) AS found GROUP BY {names}
    """)


def _found(dimensions: tuple[Dimension, ...], conditions: Conditions) -> str:
    of_events = f"""
        SELECT {_columns(dimensions, _EVENT_COLUMNS)}, 1 AS count, (error IS NOT NULL)::int AS failures,
            (duration_ms IS NOT NULL)::int AS timed, coalesce(duration_ms, 0) AS duration_ms, tokens,
            coalesce(cost, 0) AS cost
        FROM analytics_told WHERE {conditions.of_events()}
    """
    if conditions.session_id:
        return f"{of_events} AND {ALL}"
    return f"""
        SELECT {_columns(dimensions, _HOUR_COLUMNS)}, count, CASE WHEN failed THEN count ELSE 0 END AS failures,
            timed, duration_ms, tokens, cost
        FROM analytics_hours WHERE {conditions.of_hours()} AND {IN_HOURS}
        UNION ALL {of_events} AND {BEFORE}
        UNION ALL {of_events} AND {BEHIND}
    """


def _names(dimensions: tuple[Dimension, ...]) -> str:
    return ", ".join(("every", *dimensions))


def _columns(dimensions: tuple[Dimension, ...], columns: dict[Dimension, str]) -> str:
    return ", ".join(("1 AS every", *(f"{columns.get(one, one.value)} AS {one.value}" for one in dimensions)))


@lru_cache(maxsize=64)
def hour_counts(conditions: Conditions) -> Statement:
    """Return what counts the events of each whole hour, the newest first."""
    return Statement(f"""
        SELECT hour, sum(count)::bigint AS count FROM analytics_hours WHERE {conditions.of_hours()} AND {IN_HOURS}
        GROUP BY hour ORDER BY hour DESC
    """)


@lru_cache(maxsize=64)
def count_between(conditions: Conditions) -> Statement:
    """Return what counts events one by one."""
    return Statement(f"SELECT count(*) FROM analytics_told WHERE {conditions.of_events()} AND {ALL}")


@lru_cache(maxsize=64)
def page(conditions: Conditions) -> Statement:
    """Return what lists events, the newest first."""
    return Statement(f"""
        SELECT number, category, event_type, nullif(agent_name, '') AS agent_name,
            {SESSION_ID} AS session_id,
            to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS timestamp, duration_ms, error,
            {METADATA} AS metadata, nullif(channel, '') AS channel
        FROM (
            SELECT * FROM analytics_told WHERE {conditions.of_events()} AND {ALL}
            ORDER BY at DESC, number DESC LIMIT :limit OFFSET :offset
        ) AS found
        ORDER BY at DESC, number DESC
    """)


SEALED_UNTIL = Statement("SELECT sealed_until FROM analytics_progress WHERE name = 'turns'")
IS_SEEN = Statement(f"SELECT EXISTS (SELECT FROM analytics_agents WHERE {OF_PROJECT} AND agent_name = :agent_name)")
_OF_AGENT = f"""
    SELECT session_key, CASE WHEN event_type = 'agent_entered' AND labels ->> 'by' = 'handoff' THEN 1 ELSE 0 END
        AS handed_in
    FROM analytics_told WHERE {EVENTS_OF_PROJECT} AND agent_name = :agent_name AND session_key IS NOT NULL
"""
AGENT_SESSIONS = Statement(f"""
    SELECT count(DISTINCT session_key) AS sessions, coalesce(sum(handed_in), 0)::bigint AS handed_in FROM (
        SELECT session_key, handed_in FROM analytics_agents
        WHERE {OF_PROJECT} AND agent_name = :agent_name AND {IN_HOURS}
        UNION ALL {_OF_AGENT} AND {BEFORE}
        UNION ALL {_OF_AGENT} AND {BEHIND}
    ) AS seen
""")
RATINGS = Statement(f"""
    SELECT rating, count(*) AS count FROM (
        SELECT DISTINCT ON (metadata ->> 'feedback_id') labels ->> 'rating' AS rating
        FROM analytics_told
        WHERE {OF_PROJECT} AND agent_name = :agent_name AND category = 'feedback' AND metadata IS NOT NULL AND {ALL}
        ORDER BY metadata ->> 'feedback_id', at DESC, number DESC
    ) AS last_words GROUP BY rating
""")
_CALLS = f"""
    SELECT {MODEL} AS model, {PROVIDER} AS provider, 1 AS calls,
        coalesce(tokens_in, 0) AS tokens_in, coalesce(tokens_out, 0) AS tokens_out, coalesce(cost, 0) AS cost,
        (cost IS NOT NULL)::int AS priced, coalesce(duration_ms, 0) AS duration_ms,
        (duration_ms IS NOT NULL)::int AS timed
    FROM analytics_told WHERE {EVENTS_OF_PROJECT} AND category = 'llm'
"""
COSTS = Statement(f"""
    SELECT model, provider, sum(calls)::bigint AS calls, sum(tokens_in)::bigint AS tokens_in,
        sum(tokens_out)::bigint AS tokens_out, sum(cost) AS cost, sum(priced)::bigint AS priced,
        sum(duration_ms)::bigint AS duration_ms, sum(timed)::bigint AS timed
    FROM (
        SELECT model, provider, calls, tokens_in, tokens_out, cost, priced, duration_ms, timed FROM analytics_models
        WHERE {OF_PROJECT} AND {IN_HOURS}
        UNION ALL {_CALLS} AND {BEFORE}
        UNION ALL {_CALLS} AND {BEHIND}
    ) AS calls GROUP BY model, provider ORDER BY cost DESC, calls DESC, model, provider
""")
SESSIONS = Statement(f"""
    WITH found AS MATERIALIZED (
        SELECT channel, end_reason, ended_at IS NOT NULL AS is_ended, messages, tokens, cost, errors, handoffs,
            escalations, (extract(epoch FROM ended_at - started_at) * 1000)::bigint AS took_ms
        FROM analytics_sessions WHERE {OF_PROJECT} AND started_at >= :since AND started_at < :until
    )
    SELECT count(*) AS sessions, count(*) FILTER (WHERE is_ended) AS ended, avg(took_ms)::float8 AS avg_took_ms,
        percentile_disc(0.95) WITHIN GROUP (ORDER BY took_ms) AS p95_took_ms, avg(messages)::float8 AS avg_messages,
        avg(tokens)::float8 AS avg_tokens, coalesce(sum(cost), 0)::float8 AS cost,
        avg((errors > 0)::int)::float8 AS error_rate, avg((handoffs > 0)::int)::float8 AS handoff_rate,
        avg((escalations > 0)::int)::float8 AS escalation_rate,
        (SELECT jsonb_object_agg(channel, n) FROM (SELECT channel, count(*) AS n FROM found GROUP BY 1) AS c)
            AS by_channel,
        (
            SELECT jsonb_object_agg(end_reason, n)
            FROM (SELECT end_reason, count(*) AS n FROM found WHERE is_ended GROUP BY 1) AS r
        ) AS by_end_reason
    FROM found
""")
