-- What is written on every turn, made narrow: one short key of a session instead of two long texts in every table and
-- index, one row a turn for what was said, and a row under an idempotency key only where a caller gave one.
--
-- The key is made of the tenant and the session, so it still cannot be named without the tenant. storage.keys makes the
-- same one. Kept from before: heads, journals, snapshots, transcripts. Not kept: traces (30 days) and keys (24 hours).

CREATE FUNCTION session_key(tenant_id text, session_id text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN encode(
        substring(sha256(convert_to(tenant_id, 'UTF8') || '\x00'::bytea || convert_to(session_id, 'UTF8')) FOR 16), 'hex'
    )::uuid;

ALTER TABLE session_heads RENAME TO old_heads;
ALTER TABLE snapshots RENAME TO old_snapshots;
ALTER TABLE transcripts RENAME TO old_transcripts;
CREATE TABLE old_journal AS SELECT * FROM journal;
DROP TABLE journal, traces, turns;

-- Where a session's journal ends and who may write behind that end.
CREATE TABLE session_heads (
    session_key uuid PRIMARY KEY,
    last_seq bigint NOT NULL DEFAULT 0,
    owner_epoch bigint
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- One row per append: `facts` holds `count` facts numbered from `seq`, framed by storage.frames;
-- large ones stand in journal_blobs under their hash instead.
CREATE TABLE journal (
    at timestamptz NOT NULL,
    session_key uuid NOT NULL,
    seq integer NOT NULL,
    epoch integer NOT NULL,
    count smallint NOT NULL,
    facts bytea,
    blob_hash bytea
) PARTITION BY RANGE (at);
CREATE INDEX journal_of_session ON journal (session_key, seq);  -- the head fences: no number is written twice

-- The state after the fact `seq`, squeezed by storage.frames; only the newest is kept.
CREATE TABLE snapshots (
    at timestamptz NOT NULL,
    session_key uuid PRIMARY KEY,
    seq integer NOT NULL,
    state bytea NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- What was said in one turn, whose last fact is `seq`: the message it answers (none when it began by itself), which came
-- in `spoke_ms` milliseconds before `at`, and the reply (none when it says nothing). `message` is the number of its first
-- line in the transcript. `details` holds what lines have beside their texts, see storage.turn_frames.
CREATE TABLE transcripts (
    at timestamptz NOT NULL,
    session_key uuid NOT NULL,
    seq integer NOT NULL,
    turn integer NOT NULL,
    message integer NOT NULL,
    spoke_ms integer,
    spoke_id text,
    spoke text,
    answer_id text,
    answer text,
    agent_name text,
    details bytea,
    PRIMARY KEY (session_key, seq)
);

-- One row per turn: all of its events, see storage.turn_frames. `seq` is that of the turn's last fact.
CREATE TABLE traces (
    at timestamptz NOT NULL,
    session_key uuid NOT NULL,
    seq integer NOT NULL,
    events bytea NOT NULL
) PARTITION BY RANGE (at);
CREATE INDEX traces_of_session ON traces (session_key, seq);

-- Replies of turns that were asked for under an idempotency key, squeezed by storage.frames; `request_key` is a hash of it.
CREATE TABLE turns (
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    session_key uuid NOT NULL,
    request_key bigint NOT NULL,
    turn integer NOT NULL,
    request_hash text NOT NULL,
    reply bytea NOT NULL,
    PRIMARY KEY (session_key, request_key)
);
CREATE INDEX turns_by_age ON turns USING brin (at);

INSERT INTO session_heads (session_key, last_seq, owner_epoch)
    SELECT session_key(tenant_id, session_id), last_seq, owner_epoch FROM old_heads;
INSERT INTO snapshots (at, session_key, seq, state)
    SELECT at, session_key(tenant_id, session_id), seq, state FROM old_snapshots;
INSERT INTO transcripts (at, session_key, seq, turn, message, spoke_ms, spoke_id, spoke, answer_id, answer, agent_name)
    SELECT max(at), session_key(tenant_id, session_id), min(seq), min(turn), min(seq),
        CASE WHEN bool_or(role = 'user') THEN 0 END,
        max(message_id) FILTER (WHERE role = 'user'), max(content) FILTER (WHERE role = 'user'),
        max(message_id) FILTER (WHERE role <> 'user'), max(content) FILTER (WHERE role <> 'user'),
        max(agent_name) FILTER (WHERE role <> 'user')
    FROM old_transcripts GROUP BY tenant_id, session_id, turn;

DO $$
DECLARE
    week timestamp;
BEGIN
    FOR week IN SELECT DISTINCT date_trunc('week', at AT TIME ZONE 'UTC') FROM old_journal LOOP
        EXECUTE format(
            'CREATE TABLE %I PARTITION OF journal FOR VALUES FROM (%L) TO (%L)',
            'journal_' || to_char(week, 'YYYYMMDD'), week AT TIME ZONE 'UTC', (week + interval '7 days') AT TIME ZONE 'UTC'
        );
    END LOOP;
END
$$;
INSERT INTO journal (at, session_key, seq, epoch, count, facts, blob_hash)
    SELECT at, session_key(tenant_id, session_id), seq, epoch, count, facts, blob_hash FROM old_journal;

DROP TABLE old_heads, old_snapshots, old_transcripts, old_journal;
