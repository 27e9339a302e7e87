"""The SQL of sessions."""

from __future__ import annotations

from storage.leases import HELD
from storage.statements import Statement

COLUMNS = """
    s.session_id, project_id, runtime_session_id, pin, agent_name, entry_agent_name, status, execution_state, channel,
    transport, source, environment, deployment_id, contact_id, user_id, parent_session_id, turn_count, message_count,
    trace_count, input_tokens, output_tokens, estimated_cost, duration_ms, error_count, handoff_count, delegate_count,
    last_error, created_at, last_activity_at, ended_at, end_reason
"""

CREATE = Statement("""
    WITH barred AS (
        SELECT FROM deleted_sessions
        WHERE NOT :reopens::boolean AND session_digest = session_key(:tenant_id, :session_id)
    ),
    made AS (
        INSERT INTO sessions (
            tenant_id, session_id, project_id, runtime_session_id, pin, agent_name, entry_agent_name, channel,
            transport, source, environment, deployment_id, contact_id, user_id, parent_session_id, created_at
        )
        SELECT
            :tenant_id, :session_id, :project_id, :runtime_session_id, :pin::jsonb, :entry_agent_name::text,
            :entry_agent_name::text, :channel, :transport, :source, :environment, :deployment_id, :contact_id, :user_id,
            :parent_session_id, COALESCE(:created_at::timestamptz, clock_timestamp())
        WHERE NOT EXISTS (SELECT FROM barred)
        ON CONFLICT (session_key) DO NOTHING
        RETURNING session_key
    ),
    opened AS (
        INSERT INTO session_heads (session_key, owner_epoch)
        SELECT session_key, :epoch::bigint FROM made
        ON CONFLICT DO NOTHING
    )
    SELECT CASE WHEN EXISTS (SELECT FROM barred) THEN NULL ELSE (SELECT count(*) FROM made) END
""")
"""How many were made; NULL for one that was deleted, of which there is no other unless it `reopens`."""

FIND = Statement(f"""
    SELECT {COLUMNS} FROM sessions s
    WHERE session_key = session_key(:tenant_id, :session_id)
    UNION ALL
    SELECT {COLUMNS} FROM sessions s
    WHERE tenant_id = :tenant_id AND runtime_session_id = :session_id AND session_id <> :session_id
    LIMIT 1
""")

_FILTER = """
    WHERE s.tenant_id = :tenant_id AND s.project_id = :project_id
      AND (:status::text IS NULL OR status = :status)
      AND (:channel::text IS NULL OR channel = :channel)
      AND (:agent_name::text IS NULL OR agent_name = :agent_name)
      AND (:environment::text IS NULL OR environment = :environment)
      AND (:since::timestamptz IS NULL OR s.created_at >= :since)
      AND (:until::timestamptz IS NULL OR s.created_at < :until)
      AND parent_session_id = ''
"""
_LIVE = "AND source <> 'eval'"
FILTERS = {False: f"{_FILTER} {_LIVE}", True: _FILTER}
"""Whether sessions of evaluations are meant -> which sessions."""

SORT_COLUMNS = {
    "lastActivityAt": "last_activity_at",
    "createdAt": "s.created_at",
    "messageCount": "message_count",
    "traceEventCount": "trace_count",
    "tokenCount": "input_tokens + output_tokens",
    "estimatedCost": "coalesce(estimated_cost, 0)",
    "errorCount": "error_count",
    "durationMs": "duration_ms",
    "agentName": "agent_name",
}
"""Wire name of a sort key -> what it sorts by."""
_BY_ACTIVITY = "lastActivityAt"


def _order(wire: str, *, descending: bool) -> str:
    """Return the order; that of the last activity is the order of an index, quarter by quarter of an hour."""
    way = "DESC" if descending else "ASC"
    coarse = f"active_quarter {way}, " if wire == _BY_ACTIVITY else ""
    return f"ORDER BY {coarse}{SORT_COLUMNS[wire]} {way}, s.session_id"


_ORDERS = {(wire, way): _order(wire, descending=way) for wire in SORT_COLUMNS for way in (True, False)}

LIST = {
    (*named, includes_eval): Statement(f"SELECT {COLUMNS} FROM sessions s {which} {order} LIMIT :limit OFFSET :offset")
    for named, order in _ORDERS.items()
    for includes_eval, which in FILTERS.items()
}
"""Sort key, whether descending, whether with sessions of evaluations -> one page."""

COUNT = {
    includes_eval: Statement(f"SELECT count(*) FROM (SELECT FROM sessions s {which} LIMIT :most) counted")
    for includes_eval, which in FILTERS.items()
}

FOUND = {
    named: Statement(f"""
        SELECT {COLUMNS} FROM sessions s
        WHERE s.tenant_id = :tenant_id AND s.session_key = ANY(:session_keys::uuid[]) {order}
        LIMIT :limit OFFSET :offset
    """)
    for named, order in _ORDERS.items()
}

COUNT_ACTIVE = Statement("""
    SELECT count(*) FROM sessions
    WHERE tenant_id = :tenant_id AND status = 'active' AND (:project_id::text IS NULL OR project_id = :project_id)
""")

END = Statement("""
    UPDATE sessions SET status = 'ended', execution_state = 'ended', ended_at = clock_timestamp(), end_reason = :reason
    WHERE session_key = session_key(:tenant_id, :session_id) AND status = 'active'
""")

PIN = Statement("""
    UPDATE sessions SET pin = :pin WHERE session_key = session_key(:tenant_id, :session_id)
""")

LINK_CONTACT = Statement(f"""
    WITH held AS ({HELD})
    UPDATE sessions s SET contact_id = :contact_id, pin = pin || jsonb_build_object('contact_id', :contact_id::text)
    FROM held WHERE s.session_key = held.session_key
    RETURNING project_id
""")

IDLE = Statement("""
    SELECT session_id FROM sessions
    WHERE tenant_id = :tenant_id AND status = 'active' AND execution_state = 'idle'
      AND last_activity_at < :before ORDER BY last_activity_at LIMIT :limit
""")

IDLE_EVERYWHERE = Statement("""
    SELECT tenant_id, project_id, session_id FROM sessions
    WHERE status = 'active' AND execution_state = 'idle'
      AND last_activity_at < clock_timestamp() - make_interval(secs =>
          coalesce(nullif((pin ->> 'idle_s')::float8, 0), :idle_s))
    ORDER BY last_activity_at LIMIT :limit
""")

CHILDREN = Statement("""
    SELECT session_id FROM sessions WHERE tenant_id = :tenant_id AND parent_session_id = :session_id
    ORDER BY session_id LIMIT :limit
""")

NOW = Statement("SELECT clock_timestamp()")
LOCK_BLOBS = Statement("""
    SELECT blob_hash FROM journal_blobs
    WHERE tenant_id = :tenant_id AND blob_hash IN (
        SELECT blob_hash FROM journal
        WHERE session_key = session_key(:tenant_id, :session_id) AND blob_hash IS NOT NULL
    )
    ORDER BY blob_hash FOR UPDATE
""")
"""Whoever writes the same value at this moment has ended then, or waits; the next statement sees what they wrote."""
DELETE_BLOBS = Statement("""
    DELETE FROM journal_blobs b WHERE tenant_id = :tenant_id AND blob_hash = ANY(:blob_hashes)
        AND NOT EXISTS (SELECT FROM journal j WHERE j.blob_hash = b.blob_hash)
""")
_FORGET_PLACES = """
    UPDATE analytics_events SET error = CASE WHEN error IS NOT NULL THEN '' END, turn = NULL, seq = NULL,
        first_token_ms = NULL, prompt_messages = NULL, prompt_characters = NULL, span_id = NULL,
        system_prompt_hash = NULL, child_session_id = NULL
"""
"""Of calls of models; those of a delegated agent stand with the conversation, under the name of its own session."""
_LEFT = (
    Statement("""
        DELETE FROM memory
        WHERE tenant_id = :tenant_id AND scope IN ('execution_tree', 'user') AND subject = :session_id
    """),
    Statement("""
        DELETE FROM webhook_deliveries WHERE tenant_id = :tenant_id AND data ->> 'sessionId' = :session_id
    """),
    Statement(f"""
        {_FORGET_PLACES} WHERE session_key = session_key(:tenant_id, :session_id) AND (error <> '' OR seq IS NOT NULL)
    """),
    Statement(f"""
        {_FORGET_PLACES} WHERE child_session_id = :session_id AND session_key = (
            SELECT session_key(:tenant_id, pin ->> 'root_session_id') FROM sessions
            WHERE session_key = session_key(:tenant_id, :session_id)
        )
    """),
    Statement("""
        UPDATE analytics_inbox SET error = '' WHERE tenant_id = :tenant_id AND session_id = :session_id AND error <> ''
    """),
    *(
        Statement(f"DELETE FROM {table} WHERE tenant_id = :tenant_id AND session_id = :session_id")
        for table in (
            "memory_stores",
            "callbacks",
            "human_tasks",
            "attachments",
            "feedback",
            "conversation_heads",
            "a2a_tasks",
        )
    ),
    *(
        Statement(f"DELETE FROM {table} WHERE session_key = session_key(:tenant_id, :session_id)")
        for table in ("journal", "snapshots", "transcripts", "traces", "turns", "turns_aside", "session_heads")
    ),
)
_NOTE = """
    INSERT INTO analytics_inbox (
        tenant_id, project_id, category, event_type, agent_name, session_id, channel, environment
    )
    SELECT tenant_id, project_id, 'session', 'session_deleted', agent_name, session_id, channel, environment
    FROM sessions WHERE session_key = session_key(:tenant_id, :session_id) AND parent_session_id = ''
"""
_ROW = Statement("DELETE FROM sessions WHERE session_key = session_key(:tenant_id, :session_id)")
DELETE = (
    *_LEFT,
    Statement("DELETE FROM accepted_messages WHERE session_key = session_key(:tenant_id, :session_id)"),
    Statement("""
        INSERT INTO deleted_sessions (session_digest) VALUES (session_key(:tenant_id, :session_id))
        ON CONFLICT (session_digest) DO UPDATE SET deleted_at = excluded.deleted_at
    """),
    Statement(_NOTE),
    _ROW,
)
"""In this order; the last one says whether there was a session. From then on there is no other one under its id."""
DISCARD = (*_LEFT, Statement(f"{_NOTE} AND turn_count > 0"), _ROW)
"""The same of a session that nothing was said in: messages that wait stay, and begin it anew."""
HOLD_EMPTY = Statement(f"""
    WITH held AS ({HELD})
    SELECT NOT EXISTS (SELECT FROM attachments WHERE tenant_id = :tenant_id AND session_id = :session_id)
        AND NOT EXISTS (
            SELECT FROM accepted_messages m
            WHERE m.session_key = held.session_key AND m.request_key <> :request_key AND m.refused_at IS NULL
        )
    FROM held
""")
"""Whether nothing waits in a session that is this epoch's; no row when it is not."""
FORGET_DELETED = Statement("""
    DELETE FROM deleted_sessions WHERE ctid IN (
        SELECT ctid FROM deleted_sessions
        WHERE deleted_at < clock_timestamp() - make_interval(days => :days) LIMIT :limit
    )
""")
