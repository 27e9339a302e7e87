"""The SQL of the journal. One statement carries the appends of many sessions, each fenced on its own."""

from __future__ import annotations

from storage.statements import Statement

_MOVED = """
    moved AS (
        UPDATE session_heads h SET last_seq = a.expected + a.count
        FROM asked a JOIN hosts o ON o.epoch = a.epoch AND o.revoked_at IS NULL
        WHERE h.tenant_id = a.tenant_id AND h.session_id = a.session_id
          AND h.owner_epoch = a.epoch AND h.last_seq = a.expected {more}
        RETURNING a.n
    ),
    written AS (
        INSERT INTO journal (tenant_id, session_id, seq, at, epoch, count, facts, blob_hash)
        SELECT tenant_id, session_id, expected + 1, now(), epoch, count, facts, blob_hash
        FROM asked JOIN moved USING (n)
    )
"""

APPEND = Statement(
    """
    WITH asked AS (
        SELECT * FROM unnest(
            :tenant_ids::text[], :session_ids::text[], :epochs::bigint[], :expected::bigint[], :counts::int[],
            :facts::bytea[], :blob_hashes::bytea[]
        ) WITH ORDINALITY AS a (tenant_id, session_id, epoch, expected, count, facts, blob_hash, n)
    ),
    """
    + _MOVED.format(more="")
    + "SELECT n FROM moved"
)

APPEND_AND_END = Statement(
    """
    WITH asked AS (
        SELECT * FROM unnest(
            :tenant_ids::text[], :session_ids::text[], :epochs::bigint[], :expected::bigint[], :counts::int[],
            :facts::bytea[], :blob_hashes::bytea[],
            :turns::int[], :scope_ids::text[], :keys::text[], :request_hashes::text[], :replies::bytea[],
            :snapshots::bytea[]
        ) WITH ORDINALITY AS a (
            tenant_id, session_id, epoch, expected, count, facts, blob_hash,
            turn, scope_id, idempotency_key, request_hash, reply, snapshot, n
        )
    ),
    """
    + _MOVED.format(
        more="""
          AND NOT EXISTS (
              SELECT FROM turns t
              WHERE t.tenant_id = a.tenant_id AND t.scope_id = a.scope_id
                AND t.idempotency_key = a.idempotency_key AND t.reply IS NOT NULL
                AND t.at > now() - interval '24 hours'
          )"""
    )
    + """,
    replied AS (
        INSERT INTO turns AS t (tenant_id, scope_id, idempotency_key, session_id, request_hash, turn, reply)
        SELECT tenant_id, scope_id, idempotency_key, session_id, request_hash, turn, reply
        FROM asked JOIN moved USING (n) WHERE idempotency_key IS NOT NULL
        ON CONFLICT (tenant_id, scope_id, idempotency_key)
        DO UPDATE SET session_id = excluded.session_id, request_hash = excluded.request_hash,
            turn = excluded.turn, reply = excluded.reply, at = excluded.at
    ),
    photographed AS (
        INSERT INTO snapshots AS s (tenant_id, session_id, seq, at, state)
        SELECT tenant_id, session_id, expected + count, now(), snapshot
        FROM asked JOIN moved USING (n) WHERE snapshot IS NOT NULL
        ON CONFLICT (tenant_id, session_id) DO UPDATE SET seq = excluded.seq, at = excluded.at, state = excluded.state
    ),
    said AS (
        INSERT INTO transcripts (tenant_id, session_id, seq, message_id, role, agent_name, turn, at, content, extra)
        SELECT tenant_id, session_id, m.seq, message_id, role, agent_name, m.turn, m.at, content, extra
        FROM unnest(
            :message_owners::bigint[], :message_seqs::int[], :message_ids::text[], :roles::text[],
            :message_agents::text[], :message_turns::int[], :message_ats::timestamptz[], :contents::text[],
            :extras::bytea[]
        ) AS m (n, seq, message_id, role, agent_name, turn, at, content, extra)
        JOIN moved USING (n) JOIN asked USING (n)
    ),
    traced AS (
        INSERT INTO traces (tenant_id, session_id, seq, at, types, events)
        SELECT tenant_id, session_id, e.seq, now(), string_to_array(types, ','), events
        FROM unnest(:trace_owners::bigint[], :trace_seqs::int[], :trace_types::text[], :events::bytea[])
            AS e (n, seq, types, events)
        JOIN moved USING (n) JOIN asked USING (n)
    ),
    counted AS (
        UPDATE sessions s SET
            last_activity_at = now(),
            turn_count = greatest(turn_count, coalesce(a.turn, 0)),
            agent_name = coalesce(c.agent_name, s.agent_name),
            execution_state = coalesce(c.execution_state, s.execution_state),
            status = CASE WHEN c.end_reason IS NULL THEN s.status ELSE 'ended' END,
            ended_at = CASE WHEN c.end_reason IS NULL THEN s.ended_at ELSE now() END,
            end_reason = coalesce(c.end_reason, s.end_reason),
            last_error = coalesce(c.last_error, s.last_error),
            message_count = message_count + c.messages,
            trace_count = trace_count + c.traces,
            input_tokens = s.input_tokens + c.input_tokens,
            output_tokens = s.output_tokens + c.output_tokens,
            estimated_cost = s.estimated_cost + c.estimated_cost,
            duration_ms = s.duration_ms + c.duration_ms,
            error_count = error_count + c.errors,
            handoff_count = handoff_count + c.handoffs,
            delegate_count = delegate_count + c.delegates
        FROM unnest(
            :activity_owners::bigint[], :agent_names::text[], :execution_states::text[], :end_reasons::text[],
            :last_errors::text[], :messages::int[], :traces::int[], :input_tokens::bigint[],
            :output_tokens::bigint[], :estimated_costs::float8[], :turn_durations_ms::bigint[], :errors::int[],
            :handoffs::int[], :delegates::int[]
        ) AS c (
            n, agent_name, execution_state, end_reason, last_error, messages, traces, input_tokens, output_tokens,
            estimated_cost, duration_ms, errors, handoffs, delegates
        )
        JOIN moved USING (n) JOIN asked a USING (n)
        WHERE s.tenant_id = a.tenant_id AND s.session_id = a.session_id
    )
    SELECT n FROM moved
    """
)

KEEP_BLOBS = Statement("""
    INSERT INTO journal_blobs AS b (tenant_id, blob_hash, content)
    SELECT DISTINCT ON (1, 2) tenant_id, blob_hash, content
    FROM unnest(:tenant_ids::text[], :blob_hashes::bytea[], :contents::bytea[]) AS w (tenant_id, blob_hash, content)
    ORDER BY 1, 2
    ON CONFLICT (tenant_id, blob_hash) DO UPDATE SET written_at = clock_timestamp()
        WHERE b.written_at < clock_timestamp() - interval '1 day'
""")

EXPLAIN = Statement("""
    SELECT h.last_seq, h.owner_epoch,
        EXISTS (SELECT FROM hosts WHERE epoch = :epoch AND revoked_at IS NULL) AS host_is_alive,
        EXISTS (
            SELECT FROM turns WHERE tenant_id = :tenant_id AND scope_id = :scope_id AND idempotency_key = :key
              AND reply IS NOT NULL AND at > now() - interval '24 hours'
        ) AS turn_is_known
    FROM session_heads h WHERE h.tenant_id = :tenant_id AND h.session_id = :session_id
""")

WRITTEN_AT = Statement("""
    SELECT facts, blob_hash FROM journal
    WHERE tenant_id = :tenant_id AND session_id = :session_id AND seq = :seq
""")

READ = Statement("""
    SELECT seq, coalesce(facts, content) AS facts
    FROM journal LEFT JOIN journal_blobs USING (tenant_id, blob_hash)
    WHERE tenant_id = :tenant_id AND session_id = :session_id
      AND seq > :first_seq AND seq + count - 1 > :after_seq
    ORDER BY seq
""")

HEAD = Statement("""
    SELECT h.last_seq, h.owner_epoch, s.seq AS snapshot_seq, s.state
    FROM session_heads h LEFT JOIN snapshots s USING (tenant_id, session_id)
    WHERE h.tenant_id = :tenant_id AND h.session_id = :session_id
""")

OPEN = Statement("""
    INSERT INTO session_heads (tenant_id, session_id, owner_epoch) VALUES (:tenant_id, :session_id, :epoch)
    ON CONFLICT DO NOTHING
""")
