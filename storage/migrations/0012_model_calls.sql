-- Calls of models, one row each: those of agents, written by the turn that made them, and completions. What generations
-- are listed from and usage is counted from. A session that is deleted leaves its calls without its name: they were used.
CREATE TABLE model_calls (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    at timestamptz NOT NULL,
    call_id text NOT NULL,
    session_id text,
    turn integer NOT NULL DEFAULT 0,
    span_id text NOT NULL DEFAULT '',
    agent_name text NOT NULL DEFAULT '',
    model text NOT NULL DEFAULT '',
    provider text NOT NULL DEFAULT '',
    operation text NOT NULL DEFAULT '',
    latency_ms integer NOT NULL DEFAULT 0,
    first_token_ms integer,
    input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    estimated_cost double precision,
    finish_reason text NOT NULL DEFAULT '',
    success boolean NOT NULL DEFAULT true,
    prompt_messages integer,
    prompt_characters integer,
    system_prompt_hash text,
    PRIMARY KEY (tenant_id, project_id, at, call_id)
);
CREATE INDEX model_calls_of_session ON model_calls (tenant_id, session_id) WHERE session_id IS NOT NULL;
CREATE INDEX model_calls_by_age ON model_calls USING brin (at);
