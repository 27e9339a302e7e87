"""100,000 stored sessions: one that has lived for a while, and copies of it that nobody owns."""

from __future__ import annotations

from storage.database import Database
from storage.keys import session_key
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
STATE = Statement("""
    SELECT at, seq, state FROM snapshots WHERE session_key = session_key(:tenant_id, :session_id)
""")
MORE_STATES = Statement("""
    INSERT INTO snapshots (at, session_key, seq, state)
    SELECT :at, session_key, :seq, state FROM unnest(:session_keys::uuid[], :states::bytea[]) one (session_key, state)
""")
STATES_AT_ONCE = 5_000
AFTERWARDS = ("ANALYZE sessions", "ANALYZE session_heads", "ANALYZE snapshots", "CHECKPOINT")


def name_of(number: int) -> str:
    """Return the id of a stored session."""
    return f"sess_c{number:024d}"


async def fill(database: Database, first: int, last: int, *, template: str, tenant_id: str) -> None:
    """Store copies of a session that is there, numbered from `first` to `last`; nobody owns them."""
    for statement in (MORE_SESSIONS, MORE_HEADS):
        async with database.transaction() as connection:
            await connection.execute(statement, tenant_id=tenant_id, session_id=template, first=first, last=last)
    for start in range(first, last + 1, STATES_AT_ONCE):
        numbers = range(start, min(start + STATES_AT_ONCE, last + 1))
        await _fill_states(database, template, tenant_id, [name_of(number) for number in numbers])
    async with database.connection() as connection:
        for command in AFTERWARDS:
            await connection.script(command)


async def _fill_states(database: Database, template: str, tenant_id: str, names: list[str]) -> None:
    """Store copies of a session's state, each under the seal of its own session."""
    row = await database.row(STATE, tenant_id=tenant_id, session_id=template)
    assert row is not None, "the template has a snapshot"
    state = await database.contents.opened(tenant_id, session_key(tenant_id, template), row["state"])
    keys = [session_key(tenant_id, name) for name in names]
    seals = [await database.contents.seal(tenant_id, key) for key in keys]
    states = [seal.close(state) if seal is not None else state for seal in seals]
    await database.execute(MORE_STATES, at=row["at"], seq=row["seq"], session_keys=keys, states=states)
