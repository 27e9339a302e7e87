-- Hosts and their leases, sessions and their logs. What is written on every turn is kept narrow and without spare indexes.

CREATE SEQUENCE lease_epochs;

CREATE TABLE hosts (
    host_id text PRIMARY KEY,
    epoch bigint NOT NULL UNIQUE,
    address text NOT NULL,
    labels jsonb NOT NULL DEFAULT '{}',
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
) WITH (fillfactor = 50);

CREATE TABLE sessions (
    tenant_id text NOT NULL,
    session_id text NOT NULL,
    project_id text NOT NULL,
    runtime_session_id text NOT NULL,
    pin jsonb NOT NULL DEFAULT '{}',
    agent_name text NOT NULL DEFAULT '',
    entry_agent_name text NOT NULL DEFAULT '',
    status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'ended')),
    execution_state text NOT NULL DEFAULT 'idle',
    channel text NOT NULL DEFAULT 'api',
    transport text NOT NULL DEFAULT 'http',
    source text NOT NULL DEFAULT 'live',
    environment text NOT NULL DEFAULT '',
    deployment_id text NOT NULL DEFAULT '',
    contact_id text NOT NULL DEFAULT '',
    user_id text NOT NULL DEFAULT '',
    parent_session_id text NOT NULL DEFAULT '',
    turn_count integer NOT NULL DEFAULT 0,
    message_count integer NOT NULL DEFAULT 0,
    trace_count integer NOT NULL DEFAULT 0,
    input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    estimated_cost double precision,  -- of calls whose price is known; null where there is none
    duration_ms bigint NOT NULL DEFAULT 0,
    error_count integer NOT NULL DEFAULT 0,
    handoff_count integer NOT NULL DEFAULT 0,
    delegate_count integer NOT NULL DEFAULT 0,
    resume_count integer NOT NULL DEFAULT 0,  -- turns that began because what it waited for came
    last_error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_activity_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz,
    end_reason text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, session_id)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX session_by_runtime_id ON sessions (tenant_id, runtime_session_id);
CREATE INDEX sessions_of_project ON sessions (tenant_id, project_id, created_at);
CREATE INDEX active_sessions ON sessions (tenant_id, project_id) WHERE status = 'active';
CREATE INDEX child_sessions ON sessions (tenant_id, parent_session_id) WHERE parent_session_id <> '';

-- Where a session's journal ends and who may write behind that end.
CREATE TABLE session_heads (
    tenant_id text NOT NULL,
    session_id text NOT NULL,
    last_seq bigint NOT NULL DEFAULT 0,
    owner_epoch bigint,
    PRIMARY KEY (tenant_id, session_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- One row per append: `facts` holds `count` facts numbered from `seq`, framed by storage.frames;
-- large ones stand in journal_blobs under their hash instead.
CREATE TABLE journal (
    tenant_id text NOT NULL,
    session_id text NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    epoch bigint NOT NULL,
    count integer NOT NULL,
    facts bytea,
    blob_hash bytea,
    PRIMARY KEY (tenant_id, session_id, seq, at)
) PARTITION BY RANGE (at);

CREATE TABLE journal_blobs (
    tenant_id text NOT NULL,
    blob_hash bytea NOT NULL,
    written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    content bytea NOT NULL,
    PRIMARY KEY (tenant_id, blob_hash)
);

-- The state after the fact `seq`, squeezed by storage.frames; only the newest is kept.
CREATE TABLE snapshots (
    tenant_id text NOT NULL,
    session_id text NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    state bytea NOT NULL,
    PRIMARY KEY (tenant_id, session_id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- Requests under an idempotency key, replies squeezed by storage.frames. `scope_id` is the session or the project; without a reply the turn still runs.
CREATE TABLE turns (
    tenant_id text NOT NULL,
    scope_id text NOT NULL,
    idempotency_key text NOT NULL,
    session_id text NOT NULL,
    request_hash text NOT NULL,
    turn integer,
    reply bytea,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, scope_id, idempotency_key)
);
CREATE INDEX turns_by_age ON turns USING brin (at);

CREATE TABLE transcripts (
    tenant_id text NOT NULL,
    session_id text NOT NULL,
    seq integer NOT NULL,
    message_id text NOT NULL,
    role text NOT NULL,
    agent_name text NOT NULL DEFAULT '',
    turn integer NOT NULL,
    at timestamptz NOT NULL,
    content text NOT NULL,
    extra bytea,
    PRIMARY KEY (tenant_id, session_id, seq)
);

-- One row per turn: `events` holds all of its events, the first of which has the number `seq`; see storage.trace_frames.
CREATE TABLE traces (
    tenant_id text NOT NULL,
    session_id text NOT NULL,
    seq integer NOT NULL,
    at timestamptz NOT NULL,
    types text[] NOT NULL,
    events bytea NOT NULL,
    PRIMARY KEY (tenant_id, session_id, seq, at)
) PARTITION BY RANGE (at);
