"""The SQL of sessions."""

from __future__ import annotations

from storage.statements import Statement

COLUMNS = """
    s.session_id, project_id, runtime_session_id, pin, agent_name, entry_agent_name, status, execution_state, channel,
    transport, source, environment, deployment_id, contact_id, user_id, parent_session_id, turn_count, message_count,
    trace_count, input_tokens, output_tokens, estimated_cost, duration_ms, error_count, handoff_count, delegate_count,
    last_error, created_at, last_activity_at, ended_at, end_reason
"""

CREATE = Statement("""
    WITH made AS (
        INSERT INTO sessions (
            tenant_id, session_id, project_id, runtime_session_id, pin, agent_name, entry_agent_name, channel,
            transport, source, environment, deployment_id, contact_id, user_id, parent_session_id
        ) VALUES (
            :tenant_id, :session_id, :project_id, :runtime_session_id, :pin, :entry_agent_name, :entry_agent_name,
            :channel, :transport, :source, :environment, :deployment_id, :contact_id, :user_id, :parent_session_id
        )
        ON CONFLICT (session_key) DO NOTHING
        RETURNING session_key
    ),
    opened AS (
        INSERT INTO session_heads (session_key, owner_epoch)
        SELECT session_key, :epoch::bigint FROM made
        ON CONFLICT DO NOTHING
    )
    SELECT count(*) FROM made
""")

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
      AND (:includes_eval OR source <> 'eval')
      AND parent_session_id = ''
      AND (:words::text IS NULL OR s.session_id = :words OR runtime_session_id = :words OR EXISTS (
          SELECT FROM transcripts t WHERE t.session_key = s.session_key
          AND (position(lower(:words) IN lower(t.spoke)) > 0 OR position(lower(:words) IN lower(t.answer)) > 0)
      ))
"""

SORT_COLUMNS = {
    "lastActivityAt": "last_activity_at",
    "createdAt": "s.created_at",
    "messageCount": "message_count",
    "traceEventCount": "trace_count",
    "tokenCount": "input_tokens + output_tokens",
    "estimatedCost": "estimated_cost",
    "errorCount": "error_count",
    "durationMs": "duration_ms",
    "agentName": "agent_name",
}
"""Wire name of a sort key -> what it sorts by."""

LIST = {
    (wire, descending): Statement(f"""
        SELECT {COLUMNS} FROM sessions s {_FILTER}
        ORDER BY {column} {"DESC" if descending else "ASC"}, s.session_id
        LIMIT :limit OFFSET :offset
    """)
    for wire, column in SORT_COLUMNS.items()
    for descending in (True, False)
}

COUNT = Statement(f"SELECT count(*) FROM sessions s {_FILTER}")

COUNT_ACTIVE = Statement("""
    SELECT count(*) FROM sessions
    WHERE tenant_id = :tenant_id AND status = 'active' AND (:project_id::text IS NULL OR project_id = :project_id)
""")

END = Statement("""
    UPDATE sessions SET status = 'ended', execution_state = 'ended', ended_at = clock_timestamp(), end_reason = :reason
    WHERE session_key = session_key(:tenant_id, :session_id) AND status = 'active'
""")

RENEW = Statement("""
    UPDATE sessions SET runtime_session_id = :runtime_session_id, pin = :pin, status = 'active',
        execution_state = 'idle', ended_at = NULL, end_reason = '', agent_name = entry_agent_name,
        last_activity_at = clock_timestamp()
    WHERE session_key = session_key(:tenant_id, :session_id)
""")

LINK_CONTACT = Statement("""
    UPDATE sessions SET contact_id = :contact_id, pin = pin || jsonb_build_object('contact_id', :contact_id::text)
    WHERE session_key = session_key(:tenant_id, :session_id)
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
DELETE = (
    Statement("""
        DELETE FROM memory
        WHERE tenant_id = :tenant_id AND scope IN ('execution_tree', 'user') AND subject = :session_id
    """),
    Statement("""
        DELETE FROM webhook_deliveries WHERE tenant_id = :tenant_id AND data ->> 'sessionId' = :session_id
    """),
    Statement("""
        UPDATE analytics_events SET error = '' WHERE tenant_id = :tenant_id AND session_id = :session_id AND error <> ''
    """),
    Statement("""
        UPDATE analytics_inbox SET error = '' WHERE tenant_id = :tenant_id AND session_id = :session_id AND error <> ''
    """),
    Statement("UPDATE model_calls SET session_id = NULL WHERE tenant_id = :tenant_id AND session_id = :session_id"),
    *(
        Statement(f"DELETE FROM {table} WHERE tenant_id = :tenant_id AND session_id = :session_id")
        for table in ("memory_stores", "callbacks", "human_tasks", "attachments", "feedback")
    ),
    *(
        Statement(f"DELETE FROM {table} WHERE session_key = session_key(:tenant_id, :session_id)")
        for table in ("journal", "snapshots", "transcripts", "traces", "turns", "session_heads")
    ),
    Statement("""
        INSERT INTO analytics_inbox (
            tenant_id, project_id, category, event_type, agent_name, session_id, channel, environment
        )
        SELECT tenant_id, project_id, 'session', 'session_deleted', agent_name, session_id, channel, environment
        FROM sessions WHERE session_key = session_key(:tenant_id, :session_id) AND parent_session_id = ''
    """),
    Statement("DELETE FROM sessions WHERE session_key = session_key(:tenant_id, :session_id)"),
)
"""In this order; the last one says whether there was a session."""
