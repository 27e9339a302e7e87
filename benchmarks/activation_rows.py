"""100,000 stored sessions: one that has lived for a while, and copies of it that nobody owns."""

from __future__ import annotations

from storage.database import Database
from storage.statements import Statement

MORE_SESSIONS = Statement("""
    INSERT INTO sessions (
        tenant_id, session_id, project_id, runtime_session_id, pin, agent_name, entry_agent_name, channel, transport,
        environment, turn_count, message_count, trace_count
    )
    SELECT tenant_id, name, project_id, 'r' || name,
        pin || jsonb_build_object('session_id', name, 'runtime_session_id', 'r' || name),
        agent_name, entry_agent_name, channel, transport, environment, turn_count, message_count, trace_count
    FROM sessions t, generate_series(:first::int, :last::int) n,
        LATERAL (SELECT 'sess_c' || lpad(n::text, 24, '0')) one (name)
    WHERE t.tenant_id = :tenant_id AND t.session_id = :session_id
""")
MORE_HEADS = Statement("""
    INSERT INTO session_heads (session_key, last_seq)
    SELECT session_key(:tenant_id, 'sess_c' || lpad(n::text, 24, '0')), last_seq
    FROM session_heads h, generate_series(:first::int, :last::int) n
    WHERE h.session_key = session_key(:tenant_id, :session_id)
""")
MORE_STATES = Statement("""
    INSERT INTO snapshots (at, session_key, seq, state)
    SELECT at, session_key(:tenant_id, 'sess_c' || lpad(n::text, 24, '0')), seq, state
    FROM snapshots s, generate_series(:first::int, :last::int) n
    WHERE s.session_key = session_key(:tenant_id, :session_id)
""")
AFTERWARDS = ("ANALYZE sessions", "ANALYZE session_heads", "ANALYZE snapshots", "CHECKPOINT")


def name_of(number: int) -> str:
    """Return the id of a stored session."""
    return f"sess_c{number:024d}"


async def fill(database: Database, first: int, last: int, *, template: str, tenant_id: str) -> None:
    """Store copies of a session that is there, numbered from `first` to `last`; nobody owns them."""
    for statement in (MORE_SESSIONS, MORE_HEADS, MORE_STATES):
        async with database.transaction() as connection:
            await connection.execute(statement, tenant_id=tenant_id, session_id=template, first=first, last=last)
    async with database.connection() as connection:
        for command in AFTERWARDS:
            await connection.script(command)
