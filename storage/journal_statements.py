"""The SQL of the journal. One statement carries the appends of many sessions, each fenced on its own."""

from __future__ import annotations

from storage.statements import Statement

_MOVED = """
    moved AS (
        UPDATE session_heads h SET last_seq = a.expected + a.count
        FROM asked a JOIN hosts o ON o.epoch = a.epoch AND o.revoked_at IS NULL
        WHERE h.session_key = a.session_key AND h.owner_epoch = a.epoch AND h.last_seq = a.expected {more}
        RETURNING a.n, h.session_key, h.last_seq AS seq
    ),
    written AS (
        INSERT INTO journal (at, session_key, seq, epoch, count, facts, blob_hash)
        SELECT now(), session_key, expected + 1, epoch, count, facts, blob_hash
        FROM asked JOIN moved USING (n, session_key)
    )
"""

APPEND = Statement(
    """
    WITH asked AS (
        SELECT * FROM unnest(
            :session_keys::uuid[], :epochs::bigint[], :expected::bigint[], :counts::int[], :facts::bytea[],
            :blob_hashes::bytea[]
        ) WITH ORDINALITY AS a (session_key, epoch, expected, count, facts, blob_hash, n)
    ),
    """
    + _MOVED.format(more="")
    + "SELECT n FROM moved"
)

APPEND_AND_END = Statement(
    """
    WITH asked AS (
        SELECT * FROM unnest(
            :session_keys::uuid[], :epochs::bigint[], :expected::bigint[], :counts::int[], :facts::bytea[],
            :blob_hashes::bytea[], :request_keys::bigint[]
        ) WITH ORDINALITY AS a (session_key, epoch, expected, count, facts, blob_hash, request_key, n)
    ),
    """
    + _MOVED.format(
        more="""
          AND NOT EXISTS (
              SELECT FROM turns t
              WHERE t.session_key = a.session_key AND t.request_key = a.request_key
                AND t.at > now() - interval '24 hours'
          )"""
    )
    + """,
    ended AS (
        SELECT * FROM moved JOIN unnest(
            :owners::bigint[], :turns::int[], :request_hashes::text[],
            :replies::bytea[], :snapshots::bytea[], :ats::timestamptz[], :messages::int[], :spoke_ms::int[],
            :spoke_ids::text[], :spokes::text[], :answer_ids::text[], :answers::text[], :speakers::text[],
            :details::bytea[], :events::bytea[], :agent_names::text[], :execution_states::text[], :end_reasons::text[],
            :last_errors::text[], :lines::int[], :traces::int[], :input_tokens::bigint[], :output_tokens::bigint[],
            :estimated_costs::float8[], :turn_durations_ms::bigint[], :errors::int[], :handoffs::int[],
            :delegates::int[]
        ) AS e (
            n, turn, request_hash, reply, snapshot, at, message, spoke_ms, spoke_id, spoke,
            answer_id, answer, speaker, details, events, agent_name, execution_state, end_reason, last_error, lines,
            traces, input_tokens, output_tokens, estimated_cost, duration_ms, errors, handoffs, delegates
        ) USING (n)
    ),
    keyed AS (
        INSERT INTO turns AS t (session_key, request_key, turn, request_hash, reply)
        SELECT e.session_key, request_key, turn, request_hash, reply
        FROM ended e JOIN asked USING (n) WHERE request_key IS NOT NULL
        ON CONFLICT (session_key, request_key)
        DO UPDATE SET at = excluded.at, turn = excluded.turn, request_hash = excluded.request_hash,
            reply = excluded.reply
    ),
    photographed AS (
        INSERT INTO snapshots AS s (at, session_key, seq, state)
        SELECT now(), session_key, seq, snapshot FROM ended WHERE snapshot IS NOT NULL
        ON CONFLICT (session_key) DO UPDATE SET at = excluded.at, seq = excluded.seq, state = excluded.state
    ),
    said AS (
        INSERT INTO transcripts (
            at, session_key, seq, turn, message, spoke_ms, spoke_id, spoke, answer_id, answer, agent_name, details
        )
        SELECT at, session_key, seq, turn, message, spoke_ms, spoke_id, spoke, answer_id, answer,
            speaker, details
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
            estimated_cost = s.estimated_cost + e.estimated_cost,
            duration_ms = s.duration_ms + e.duration_ms,
            error_count = error_count + e.errors,
            handoff_count = handoff_count + e.handoffs,
            delegate_count = delegate_count + e.delegates
        FROM ended e
        WHERE s.session_key = e.session_key
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
            SELECT FROM turns t
            WHERE t.session_key = session_key(:tenant_id, :session_id) AND t.request_key = :request_key
              AND t.at > now() - interval '24 hours'
        ) AS turn_is_known
    FROM session_heads h WHERE h.session_key = session_key(:tenant_id, :session_id)
""")

WRITTEN_AT = Statement("""
    SELECT facts, blob_hash FROM journal WHERE session_key = session_key(:tenant_id, :session_id) AND seq = :seq
""")

READ = Statement("""
    SELECT seq, coalesce(facts, content) AS facts
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
