-- Events that analytics count, and what is kept of them by the hour. All but `analytics_inbox` is written by one recurring
-- job (storage/repositories/analytics_counting.py), so that events and roll-ups are always of one mind.

-- What has happened outside of turns: written in the transaction of what it tells of, taken out when it is counted.
CREATE SEQUENCE analytics_numbers;
CREATE TABLE analytics_inbox (
    tenant_id text NOT NULL,
    number bigint NOT NULL DEFAULT nextval('analytics_numbers'),
    project_id text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    category text NOT NULL,
    event_type text NOT NULL,
    agent_name text NOT NULL DEFAULT '',
    session_id text NOT NULL DEFAULT '',
    channel text NOT NULL DEFAULT '',
    environment text NOT NULL DEFAULT '',
    duration_ms integer,
    error text,
    metadata jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (tenant_id, number)
);

-- What many events have in common, once: an event names its kind. `kind_key` is a hash of all columns but `last_at`
-- (storage/repositories/analytics_rows.py), `labels` is that part of the metadata of which there are few different values.
CREATE TABLE analytics_kinds (
    tenant_id text NOT NULL,
    kind_key bigint NOT NULL,
    project_id text NOT NULL,
    category text NOT NULL,
    event_type text NOT NULL,
    agent_name text NOT NULL,
    channel text NOT NULL,
    environment text NOT NULL,
    operation text NOT NULL,
    labels jsonb NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, kind_key)
);

-- One row for each event, narrow: what stands in most of them has a place of its own, and what an event has not takes no
-- bytes. The columns from `turn` on are those of a call of a model by an agent; they go with the session.
CREATE TABLE analytics_events (
    at timestamptz NOT NULL,
    number bigint NOT NULL DEFAULT nextval('analytics_numbers'),
    kind_key bigint NOT NULL,
    session_key uuid,
    project_key integer NOT NULL,
    duration_ms integer,
    tokens_in integer,
    tokens_out integer,
    cost double precision,
    error text,
    metadata jsonb,
    turn integer,
    seq integer,
    first_token_ms integer,
    prompt_messages integer,
    prompt_characters integer,
    span_id text,
    system_prompt_hash text,
    child_session_id text
) PARTITION BY RANGE (at);
CREATE INDEX analytics_events_of_project ON analytics_events (project_key, at);
CREATE INDEX analytics_events_of_session ON analytics_events (session_key) WHERE session_key IS NOT NULL;
CREATE INDEX analytics_events_failed ON analytics_events (project_key, at) WHERE error IS NOT NULL;
CREATE INDEX analytics_events_with_more ON analytics_events (kind_key, at) WHERE metadata IS NOT NULL;
CREATE INDEX analytics_generations ON analytics_events (project_key, at) WHERE seq IS NOT NULL;
CREATE INDEX analytics_events_by_age ON analytics_events USING brin (at);

-- Events as they are read. Who reads those of a project names `project_key` too, by which they are found.
CREATE VIEW analytics_told AS
SELECT k.tenant_id, k.project_id, e.project_key, e.at, e.number, k.category, k.event_type, k.agent_name, k.channel,
    e.session_key, e.duration_ms, e.error, e.cost, e.tokens_in, e.tokens_out,
    least(coalesce(e.tokens_in, 0)::bigint + coalesce(e.tokens_out, 0), 2147483647)::integer AS tokens,
    k.labels, e.metadata, k.operation, e.turn, e.seq, e.first_token_ms, e.prompt_messages, e.prompt_characters,
    e.span_id, e.system_prompt_hash, e.child_session_id
FROM analytics_events e JOIN analytics_kinds k USING (kind_key);

-- Sums of each hour. `durations` has every duration of an hour that is sealed, four bytes each, in no order; of others it
-- is null.
CREATE TABLE analytics_hours (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    hour timestamptz NOT NULL,
    category text NOT NULL,
    event_type text NOT NULL,
    agent_name text NOT NULL,
    channel text NOT NULL,
    failed boolean NOT NULL,
    count bigint NOT NULL,
    timed bigint NOT NULL,
    duration_ms bigint NOT NULL,
    tokens bigint NOT NULL,
    cost double precision NOT NULL,
    durations bytea,
    PRIMARY KEY (tenant_id, project_id, hour, category, event_type, agent_name, channel, failed)
) WITH (fillfactor = 80);
CREATE INDEX analytics_hours_by_age ON analytics_hours (hour);

-- In which sessions an agent did something in an hour, and how often control was handed to it there.
CREATE TABLE analytics_agents (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    agent_name text NOT NULL,
    hour timestamptz NOT NULL,
    session_key uuid NOT NULL,
    handed_in integer NOT NULL,
    PRIMARY KEY (tenant_id, project_id, agent_name, hour, session_key)
) WITH (fillfactor = 80);
CREATE INDEX analytics_agents_by_age ON analytics_agents USING brin (hour);

-- Calls of models by the hour, completions among them: what usage and costs are told from. `timed` and `priced` are those
-- whose duration and whose price is known.
CREATE TABLE analytics_models (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    hour timestamptz NOT NULL,
    model text NOT NULL,
    provider text NOT NULL,
    calls bigint NOT NULL,
    tokens_in bigint NOT NULL,
    tokens_out bigint NOT NULL,
    cost double precision NOT NULL,
    priced bigint NOT NULL,
    duration_ms bigint NOT NULL,
    timed bigint NOT NULL,
    PRIMARY KEY (tenant_id, project_id, hour, model, provider)
) WITH (fillfactor = 80);

-- One row for each session that events name, narrow, and there when the session itself is deleted. It began with the first
-- event that was its own; what others said of it is none.
CREATE TABLE analytics_sessions (
    session_key uuid PRIMARY KEY,
    tenant_id text NOT NULL,
    session_id text NOT NULL,
    project_id text NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    messages integer NOT NULL DEFAULT 0,
    errors integer NOT NULL DEFAULT 0,
    handoffs integer NOT NULL DEFAULT 0,
    escalations integer NOT NULL DEFAULT 0,
    tokens bigint NOT NULL DEFAULT 0,
    cost double precision NOT NULL DEFAULT 0,
    channel text NOT NULL DEFAULT '',
    end_reason text NOT NULL DEFAULT ''
) WITH (fillfactor = 80);
CREATE INDEX analytics_sessions_by_start ON analytics_sessions (tenant_id, project_id, started_at);

-- How far the job has come: the last turn it has counted, none of before `since`, and up to which hour durations are
-- sealed.
CREATE TABLE analytics_progress (
    name text PRIMARY KEY,
    xact xid8 NOT NULL,
    last_session_key uuid NOT NULL,
    seq integer NOT NULL,
    since timestamptz NOT NULL,
    sealed_until timestamptz NOT NULL
);
INSERT INTO analytics_progress (name, xact, last_session_key, seq, since, sealed_until)
    SELECT 'turns', '0', '00000000-0000-0000-0000-000000000000', 0, 'epoch',
        date_trunc('hour', coalesce(min(created_at), now()), 'UTC')
    FROM sessions WHERE created_at > now() - interval '90 days';

-- Lets one reader of a name go on, until its transaction ends. What waits for it, and what holds it, has no number as a
-- transaction for that: rows that turns change meanwhile are tidied up as ever.
CREATE FUNCTION reader_lock(name text) RETURNS bigint LANGUAGE sql STABLE
    RETURN hashtextextended(current_schema()::text || ' ' || name, 0);
CREATE FUNCTION lock_reader(name text) RETURNS void LANGUAGE sql VOLATILE
    RETURN pg_advisory_xact_lock(reader_lock(name));

-- Turns in the order in which they can be read without missing one that is committed late: those of transactions below
-- the oldest that is still open are all there.
ALTER TABLE traces ADD COLUMN xact xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX traces_by_transaction ON traces (xact);

-- What the row of a session tells by its changes. It is not changed in this way by an ordinary turn.
CREATE FUNCTION note_session_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    told text[] := '{}';
    took integer;
BEGIN
    IF TG_OP = 'INSERT' THEN
        told := '{session_started}';
    ELSIF OLD.runtime_session_id <> NEW.runtime_session_id THEN
        told := '{session_reset}';
    ELSIF NEW.execution_state = 'suspended' AND OLD.execution_state <> 'suspended' THEN
        told := '{session_suspended}';
    ELSIF OLD.execution_state = 'suspended' AND NEW.execution_state <> 'suspended' AND NEW.status = 'active' THEN
        told := '{session_resumed}';
    ELSIF OLD.execution_state = 'suspended' AND NEW.execution_state = 'suspended' THEN
        told := '{session_resumed,session_suspended}';  -- within one turn: what it waited for came, and it waits again
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.status = 'active' AND NEW.status = 'ended' THEN
        told := told || 'session_ended'::text;
        took := least(extract(epoch FROM clock_timestamp() - NEW.created_at) * 1000, 2147483647);
    END IF;
    INSERT INTO analytics_inbox (
        tenant_id, project_id, category, event_type, agent_name, session_id, channel, environment, duration_ms, metadata
    )
    SELECT NEW.tenant_id, NEW.project_id, 'session', one, NEW.agent_name, NEW.session_id, NEW.channel, NEW.environment,
        CASE WHEN one = 'session_ended' THEN took END,
        CASE WHEN one = 'session_ended' THEN jsonb_build_object('end_reason', NEW.end_reason) ELSE '{}' END
    FROM unnest(told) AS one;
    RETURN NULL;
END
$$;
CREATE TRIGGER session_begins AFTER INSERT ON sessions
    FOR EACH ROW WHEN (NEW.parent_session_id = '') EXECUTE FUNCTION note_session_event();
CREATE TRIGGER session_changes AFTER UPDATE ON sessions
    FOR EACH ROW WHEN (
        NEW.parent_session_id = '' AND (
            OLD.status <> NEW.status
            OR OLD.runtime_session_id <> NEW.runtime_session_id
            OR (OLD.execution_state = 'suspended') <> (NEW.execution_state = 'suspended')
            OR NEW.execution_state = 'suspended' AND OLD.resume_count <> NEW.resume_count
        )
    ) EXECUTE FUNCTION note_session_event();

-- An agent that gives a conversation to people opens a task.
CREATE FUNCTION note_escalation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO analytics_inbox (
        tenant_id, project_id, category, event_type, agent_name, session_id, channel, environment, metadata
    )
    SELECT s.tenant_id, s.project_id, 'agent', 'escalation', NEW.agent_name, s.session_id, s.channel, s.environment,
        jsonb_build_object('priority', NEW.priority)
    FROM sessions s WHERE s.session_key = session_key(NEW.tenant_id, NEW.session_id);
    RETURN NULL;
END
$$;
CREATE TRIGGER task_escalates AFTER INSERT ON human_tasks
    FOR EACH ROW WHEN (NEW.type = 'escalation' AND NEW.session_id <> '') EXECUTE FUNCTION note_escalation();

-- Sessions that were there before, as far back as events are kept.
INSERT INTO analytics_inbox (
    tenant_id, project_id, at, category, event_type, agent_name, session_id, channel, environment
)
SELECT tenant_id, project_id, created_at, 'session', 'session_started', agent_name, session_id, channel, environment
FROM sessions WHERE parent_session_id = '' AND created_at > now() - interval '90 days' ORDER BY created_at;
INSERT INTO analytics_inbox (
    tenant_id, project_id, at, category, event_type, agent_name, session_id, channel, environment, duration_ms, metadata
)
SELECT tenant_id, project_id, ended_at, 'session', 'session_ended', agent_name, session_id, channel, environment,
    least(extract(epoch FROM ended_at - created_at) * 1000, 2147483647), jsonb_build_object('end_reason', end_reason)
FROM sessions
WHERE parent_session_id = '' AND status = 'ended' AND created_at > now() - interval '90 days' AND ended_at IS NOT NULL
ORDER BY ended_at;

-- Weeks of the past: of what was there before, and of what is told late. Those to come are made like all others.
DO $$
DECLARE
    week timestamp;
BEGIN
    FOR week IN SELECT generate_series(
        date_trunc('week', coalesce(min(created_at), now()) AT TIME ZONE 'UTC') - interval '1 week',
        date_trunc('week', now() AT TIME ZONE 'UTC') - interval '1 week', interval '1 week'
    ) FROM sessions WHERE created_at > now() - interval '90 days' LOOP
        EXECUTE format(
            'CREATE TABLE %I PARTITION OF analytics_events FOR VALUES FROM (%L) TO (%L)',
            'analytics_events_' || to_char(week, 'YYYYMMDD'),
            week AT TIME ZONE 'UTC', (week + interval '7 days') AT TIME ZONE 'UTC'
        );
    END LOOP;
END
$$;

-- Calls of voice, written when a call ends. A figure that could not be measured is null.
CREATE TABLE voice_calls (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    call_id text NOT NULL,
    session_id text NOT NULL DEFAULT '',
    started_at timestamptz NOT NULL,
    duration_ms bigint,
    failed boolean NOT NULL DEFAULT false,
    inbound_mos double precision,
    outbound_mos double precision,
    inbound_jitter_ms double precision,
    outbound_jitter_ms double precision,
    e2e_latency_ms double precision,
    asr_score double precision,
    tts_proxy_mos double precision,
    silence_percent double precision,
    turns integer NOT NULL DEFAULT 0,
    barge_ins integer NOT NULL DEFAULT 0,
    dtmf_turns integer NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, call_id)
);
CREATE INDEX voice_calls_by_start ON voice_calls (tenant_id, project_id, started_at);
