"""The SQL of the journal. One statement carries the appends of many sessions, each fenced on its own.

The same statement is made in several variants, for most of what it costs is its start: with arrays for many appends or
plain values for one, and with only those parts that the batch at hand needs.
"""

from __future__ import annotations

from itertools import product

from msgspec import Struct

from domain.webhooks import EVERY_EVENT
from storage.beside import BESIDES, LEFT_OUT, REVIVED, UNLESS_REVIVED
from storage.keys import REQUESTS_KEPT
from storage.repositories.webhooks import DELIVER_JOB
from storage.statements import Statement

ASKED = (
    ("session_keys", "uuid", "session_key"),
    ("epochs", "bigint", "epoch"),
    ("expected", "bigint", "expected"),
    ("counts", "int", "count"),
    ("facts", "bytea", "facts"),
    ("blob_hashes", "bytea", "blob_hash"),
    ("key_ids", "uuid", "key_id"),
)
"""Parameter, type and column of what every append has; `key_id` is of the key that it was sealed with."""

KEYS = (("request_keys", "bigint", "request_key"),)
"""What appends have when one of the batch ends a turn under a key."""

NEWS = (("news", "text", "news"),)
"""What appends have when webhooks are told of one of the batch: JSON of the events, see `journal_batch.news_of`."""

BESIDE = (("besides", "text", "beside"),)
"""What appends have when one of the batch changes something beside the journal: JSON of `storage.beside.Beside`."""

ENDED = (
    ("turns", "int", "turn"),
    ("request_hashes", "text", "request_hash"),
    ("replies", "bytea", "reply"),
    ("snapshots", "bytea", "snapshot"),
    ("ats", "timestamptz", "at"),
    ("messages", "int", "message"),
    ("spoke_ms", "int", "spoke_ms"),
    ("spoke_ids", "text", "spoke_id"),
    ("spokes", "text", "spoke"),
    ("answer_ids", "text", "answer_id"),
    ("answers", "text", "answer"),
    ("speakers", "text", "speaker"),
    ("details", "bytea", "details"),
    ("events", "bytea", "events"),
    ("agent_names", "text", "agent_name"),
    ("execution_states", "text", "execution_state"),
    ("end_reasons", "text", "end_reason"),
    ("last_errors", "text", "last_error"),
    ("lines", "int", "lines"),
    ("traces", "int", "traces"),
    ("input_tokens", "bigint", "input_tokens"),
    ("output_tokens", "bigint", "output_tokens"),
    ("estimated_costs", "float8", "estimated_cost"),
    ("turn_durations_ms", "bigint", "duration_ms"),
    ("errors", "int", "errors"),
    ("handoffs", "int", "handoffs"),
    ("delegates", "int", "delegates"),
    ("resumes", "int", "resumes"),
)
"""What the ends of turns have, in the order of `journal_batch.end_row`; `owners` says whose, counted from 1."""

OWNERS = ("owners", "bigint", "n")

_MOVED = """
    moved AS (
        UPDATE session_heads h SET last_seq = a.expected + a.count
        FROM asked a JOIN hosts o ON o.epoch = a.epoch AND o.revoked_at IS NULL
        WHERE h.session_key = a.session_key AND h.owner_epoch = a.epoch AND h.last_seq = a.expected {unless_known}
          AND (a.key_id IS NULL OR EXISTS (SELECT FROM tenant_keys k WHERE k.key_id = a.key_id))
        RETURNING a.n, h.session_key, h.last_seq AS seq
    ),
    written AS (
        INSERT INTO journal (at, session_key, seq, epoch, count, facts, blob_hash)
        SELECT now(), session_key, expected + 1, epoch, count, facts, blob_hash
        FROM asked JOIN moved USING (n, session_key)
    )
"""

_UNLESS_KNOWN = f"""
          AND NOT EXISTS (
              SELECT FROM turns t
              WHERE t.session_key = a.session_key AND t.request_key = a.request_key
                AND t.at > now() - {REQUESTS_KEPT}
          )
"""

_KEYED = """,
    keyed AS (
        INSERT INTO turns AS t (session_key, request_key, turn, request_hash, reply)
        SELECT e.session_key, request_key, turn, request_hash, reply
        FROM ended e JOIN asked USING (n) WHERE request_key IS NOT NULL AND reply IS NOT NULL
        ON CONFLICT (session_key, request_key)
        DO UPDATE SET at = excluded.at, turn = excluded.turn, request_hash = excluded.request_hash,
            reply = excluded.reply
    ),
    answered AS (
        DELETE FROM accepted_messages m USING moved JOIN asked a USING (n)
        WHERE m.session_key = a.session_key AND m.request_key = a.request_key
    )
"""
"""A message that was accepted waits no more once its turn has ended, also where that leaves no reply under its key."""

_ANNOUNCED = f""",
    announced AS (
        INSERT INTO webhook_deliveries (tenant_id, webhook_id, event_id, project_id, event, data)
        SELECT s.tenant_id, w.webhook_id, e.event_id, s.project_id, e.event, e.data
        FROM moved JOIN asked a USING (n) JOIN sessions s ON s.session_key = moved.session_key
        CROSS JOIN LATERAL jsonb_to_recordset(a.news::jsonb) AS e (event_id text, event text, data jsonb)
        JOIN webhooks w ON w.tenant_id = s.tenant_id AND w.project_id = s.project_id AND w.is_active
            AND w.events && ARRAY[e.event, '{EVERY_EVENT}']
        WHERE a.news IS NOT NULL
        ON CONFLICT DO NOTHING
        RETURNING tenant_id, webhook_id, event_id
    ),
    posted AS (
        INSERT INTO jobs (tenant_id, kind, name, payload)
        SELECT tenant_id, '{DELIVER_JOB}', webhook_id || '/' || event_id,
            jsonb_build_object('webhook_id', webhook_id, 'event_id', event_id)
        FROM announced
    )
"""

_PHOTOGRAPHED = """,
    photographed AS (
        INSERT INTO snapshots AS s (at, session_key, seq, state)
        SELECT now(), session_key, seq, snapshot FROM ended WHERE snapshot IS NOT NULL
        ON CONFLICT (session_key) DO UPDATE SET at = excluded.at, seq = excluded.seq, state = excluded.state
    )
"""

_TOLD = """,
    said AS (
        INSERT INTO transcripts (
            at, session_key, seq, turn, message, spoke_ms, spoke_id, spoke, answer_id, answer, agent_name, details
        )
        SELECT at, session_key, seq, turn, message, spoke_ms, spoke_id, spoke, answer_id, answer, speaker, details
        FROM ended WHERE lines > 0
    ),
    traced AS (
        INSERT INTO traces (at, session_key, seq, events)
        SELECT now(), session_key, seq, events FROM ended WHERE events IS NOT NULL
    ),
    counted AS (
        UPDATE sessions s SET
            last_activity_at = now(),
            turn_count = greatest(turn_count, e.turn),
            agent_name = coalesce(e.agent_name, s.agent_name),
            execution_state = coalesce(e.execution_state, s.execution_state),
            status = CASE WHEN e.end_reason IS NULL THEN s.status ELSE 'ended' END,
            ended_at = CASE WHEN e.end_reason IS NULL THEN s.ended_at ELSE now() END,
            end_reason = coalesce(e.end_reason, s.end_reason),
            last_error = coalesce(e.last_error, s.last_error),
            message_count = message_count + e.lines,
            trace_count = trace_count + e.traces,
            input_tokens = s.input_tokens + e.input_tokens,
            output_tokens = s.output_tokens + e.output_tokens,
            estimated_cost = coalesce(s.estimated_cost + e.estimated_cost, s.estimated_cost, e.estimated_cost),
            duration_ms = s.duration_ms + e.duration_ms,
            error_count = error_count + e.errors,
            handoff_count = handoff_count + e.handoffs,
            delegate_count = delegate_count + e.delegates,
            resume_count = resume_count + e.resumes
        FROM ended e
        WHERE s.session_key = e.session_key{unless_revived}
    )
"""


class Shape(Struct, frozen=True):
    """Which variant of the statement a batch needs."""

    is_one: bool
    has_ends: bool
    has_keys: bool
    has_snapshots: bool
    has_news: bool = False
    has_besides: bool = False


def _given(parameters: tuple[tuple[str, str, str], ...], *, is_one: bool) -> str:
    """Return the parameters as rows, numbered `n` from 1."""
    if is_one:
        return (
            f"SELECT {', '.join(f':{name}::{kind} AS {column}' for name, kind, column in parameters)}, 1::bigint AS n"
        )
    arrays = ", ".join(f":{name}::{kind}[]" for name, kind, _ in parameters)
    columns = ", ".join(column for *_, column in parameters)
    return f"SELECT * FROM unnest({arrays}) WITH ORDINALITY AS given ({columns}, n)"


def _ended(*, is_one: bool) -> str:
    """Return the ends of those turns whose append has taken place."""
    if is_one:
        return f", ended AS NOT MATERIALIZED (SELECT * FROM moved JOIN ({_given(ENDED, is_one=True)}) e USING (n))"
    parameters = (OWNERS, *ENDED)
    arrays = ", ".join(f":{name}::{kind}[]" for name, kind, _ in parameters)
    columns = ", ".join(column for *_, column in parameters)
    return f", ended AS (SELECT * FROM moved JOIN unnest({arrays}) AS e ({columns}) USING (n))"


def _append(shape: Shape) -> Statement:
    added = ((shape.has_keys, KEYS), (shape.has_news, NEWS), (shape.has_besides, BESIDE))
    asked = (*ASKED, *(one for is_wanted, more in added if is_wanted for one in more))
    text = f"WITH asked AS ({_given(asked, is_one=shape.is_one)}),"
    text += _MOVED.format(unless_known=_UNLESS_KNOWN if shape.has_keys else "")
    if shape.has_besides:
        text += BESIDES
    if shape.has_ends:
        text += _ended(is_one=shape.is_one) + _TOLD.format(unless_revived=UNLESS_REVIVED if shape.has_besides else "")
    if shape.has_ends and shape.has_besides:
        text += REVIVED
    if shape.has_keys:
        text += _KEYED
    if shape.has_snapshots:
        text += _PHOTOGRAPHED
    if shape.has_news:
        text += _ANNOUNCED
    return Statement(text + (LEFT_OUT if shape.has_besides else "SELECT n FROM moved"))


APPENDS = {
    shape: _append(shape)
    for flags in product((False, True), repeat=6)
    for shape in [Shape(*flags)]
    if shape.has_ends or not (shape.has_keys or shape.has_snapshots or shape.has_news)
}
"""Shape of a batch -> the statement that writes it and returns the places of those that were written."""

KEEP_BLOBS = Statement("""
    INSERT INTO journal_blobs AS b (tenant_id, blob_hash, content)
    SELECT DISTINCT ON (1, 2) tenant_id, blob_hash, content
    FROM unnest(:tenant_ids::text[], :blob_hashes::bytea[], :contents::bytea[]) AS w (tenant_id, blob_hash, content)
    ORDER BY 1, 2
    ON CONFLICT (tenant_id, blob_hash) DO UPDATE SET written_at = clock_timestamp()
        WHERE b.written_at < clock_timestamp() - interval '1 day'
""")

EXPLAIN = Statement(f"""
    SELECT h.last_seq, h.owner_epoch,
        EXISTS (SELECT FROM hosts WHERE epoch = :epoch AND revoked_at IS NULL) AS host_is_alive,
        EXISTS (
            SELECT FROM turns t
            WHERE t.session_key = session_key(:tenant_id, :session_id) AND t.request_key = :request_key
              AND t.at > now() - {REQUESTS_KEPT}
        ) AS turn_is_known,
        :key_id::uuid IS NULL OR EXISTS (SELECT FROM tenant_keys WHERE key_id = :key_id) AS key_stands
    FROM session_heads h WHERE h.session_key = session_key(:tenant_id, :session_id)
""")

WRITTEN_AT = Statement("""
    SELECT epoch, facts, blob_hash FROM journal
    WHERE session_key = session_key(:tenant_id, :session_id) AND seq = :seq
""")

READ = Statement("""
    SELECT seq, coalesce(facts, content) AS facts, j.blob_hash
    FROM journal j LEFT JOIN journal_blobs b ON b.tenant_id = :tenant_id AND b.blob_hash = j.blob_hash
    WHERE session_key = session_key(:tenant_id, :session_id)
      AND seq > :first_seq AND seq + count - 1 > :after_seq
    ORDER BY seq
""")

HEAD = Statement("""
    SELECT h.last_seq, h.owner_epoch, s.seq AS snapshot_seq, s.state
    FROM session_heads h LEFT JOIN snapshots s USING (session_key)
    WHERE h.session_key = session_key(:tenant_id, :session_id)
""")

OPEN = Statement("""
    INSERT INTO session_heads (session_key, owner_epoch) VALUES (session_key(:tenant_id, :session_id), :epoch)
    ON CONFLICT DO NOTHING
""")
