"""What stands beside a session's journal and follows from it: written by the statement of the append that causes it.

So it is there exactly when the append is, in the order of the journal, and never by a host that owns the session no
longer. Decision: 0037.
"""

from __future__ import annotations

from base64 import b64encode

import msgspec
from msgspec import Struct, field, structs

from domain.human_tasks import OPEN, TaskStatus
from domain.json_values import JsonObject
from domain.limits import MEMORY_STORES_PER_SESSION
from storage.contents import Seal
from storage.repositories.callbacks import WORK_JOB


class Beside(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an append changes beside the journal.

    Attributes:
        stores: Memory stores by name; None removes one.
        sealed: Those that are sealed, in base64; in `stores` they are empty.
        closes_waits: The open callbacks and human tasks of the session are cancelled, and the work for callbacks with
            them.
        revived: The runtime session id under which the session begins again: active, without memory stores; only with
            the end of a turn. "" leaves the session as it is.
        pin: Of a session that begins again; empty leaves the one it has.
    """

    stores: JsonObject = field(default_factory=dict)
    sealed: dict[str, str] = field(default_factory=dict)
    closes_waits: bool = False
    revived: str = ""
    pin: JsonObject = field(default_factory=dict)

    def closed(self, seal: Seal) -> Beside:
        """Return the same with its stores sealed."""
        given = {name: content for name, content in self.stores.items() if content is not None}
        sealed = {name: b64encode(seal.close_json(content)).decode() for name, content in given.items()}
        return structs.replace(self, stores={**self.stores, **dict.fromkeys(given, EMPTY)}, sealed=sealed)

    def encoded(self) -> str:
        """Return the JSON that `BESIDES` reads."""
        return msgspec.json.encode(self).decode()


EMPTY: JsonObject = {}
_OPEN = ", ".join(repr(str(one)) for one in OPEN)

BESIDES = f""",
    besides AS (
        SELECT moved.n, s.tenant_id, s.session_id, a.beside::jsonb -> 'stores' AS stores,
            a.beside::jsonb -> 'sealed' AS sealed, (a.beside::jsonb ->> 'closes_waits')::boolean AS closes_waits,
            a.beside::jsonb ->> 'revived' AS revived, a.beside::jsonb -> 'pin' AS pin
        FROM moved JOIN asked a USING (n) JOIN sessions s ON s.session_key = moved.session_key
        WHERE a.beside IS NOT NULL
    ),
    cleared AS (
        DELETE FROM memory_stores m USING besides b
        WHERE b.revived IS NOT NULL AND m.tenant_id = b.tenant_id AND m.session_id = b.session_id
    ),
    removed AS (
        DELETE FROM memory_stores m USING besides b CROSS JOIN LATERAL jsonb_each(b.stores) e
        WHERE e.value = 'null' AND m.tenant_id = b.tenant_id AND m.session_id = b.session_id AND m.name = e.key
    ),
    given AS (
        SELECT b.n, b.tenant_id, b.session_id, e.key AS name, e.value AS content,
            decode(b.sealed ->> e.key, 'base64') AS sealed,
            row_number() OVER (PARTITION BY b.n ORDER BY known.name IS NULL, e.key) + (
                SELECT count(*) FROM memory_stores m
                WHERE m.tenant_id = b.tenant_id AND m.session_id = b.session_id AND NOT jsonb_exists(b.stores, m.name)
            ) AS place
        FROM besides b CROSS JOIN LATERAL jsonb_each(b.stores) e
        LEFT JOIN memory_stores known
            ON known.tenant_id = b.tenant_id AND known.session_id = b.session_id AND known.name = e.key
        WHERE e.value <> 'null'
    ),
    stored AS (
        INSERT INTO memory_stores (tenant_id, session_id, name, content, sealed)
        SELECT tenant_id, session_id, name, content, sealed FROM given WHERE place <= {MEMORY_STORES_PER_SESSION}
        ON CONFLICT (tenant_id, session_id, name)
        DO UPDATE SET content = excluded.content, sealed = excluded.sealed, updated_at = clock_timestamp()
    ),
    cancelled AS (
        UPDATE callbacks c SET status = 'cancelled', closed_at = clock_timestamp() FROM besides b
        WHERE b.closes_waits AND c.tenant_id = b.tenant_id AND c.session_id = b.session_id AND c.status = 'pending'
        RETURNING c.tenant_id, c.callback_id
    ),
    dropped AS (
        DELETE FROM jobs j USING cancelled c
        WHERE j.tenant_id = c.tenant_id AND j.kind = '{WORK_JOB}' AND j.name = c.callback_id
    ),
    closed AS (
        UPDATE human_tasks t SET status = '{TaskStatus.CANCELLED}', updated_at = clock_timestamp() FROM besides b
        WHERE b.closes_waits AND t.tenant_id = b.tenant_id AND t.session_id = b.session_id AND t.session_id <> ''
          AND t.status IN ({_OPEN})
    )
"""
"""Behind `asked`, with `beside`, and `moved` of `journal_statements`."""

UNLESS_REVIVED = " AND NOT EXISTS (SELECT FROM besides b WHERE b.n = e.n AND b.revived IS NOT NULL)"

REVIVED = """,
    revived AS (
        UPDATE sessions s SET runtime_session_id = b.revived, pin = coalesce(b.pin, s.pin), status = 'active',
            execution_state = 'idle', ended_at = NULL, end_reason = '', agent_name = entry_agent_name,
            last_activity_at = now(), trace_count = trace_count + e.traces
        FROM ended e JOIN besides b USING (n)
        WHERE s.session_key = e.session_key AND b.revived IS NOT NULL
    )
"""

LEFT_OUT = f"""
    SELECT n, (SELECT count(*) FROM given g WHERE g.n = moved.n AND g.place > {MEMORY_STORES_PER_SESSION}) AS left_out
    FROM moved
"""
"""The answer: which appends were written, and how many of their stores there was no room for."""
