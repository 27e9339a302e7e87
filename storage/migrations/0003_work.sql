-- What outlives a turn: memory, callbacks, jobs.

-- Persistent paths of the language. `subject` is the contact, the project or the root session, by `scope`.
CREATE TABLE memory (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    scope text NOT NULL CHECK (scope IN ('user', 'project', 'execution_tree')),
    subject text NOT NULL,
    path text NOT NULL,
    value jsonb NOT NULL,
    written_by text NOT NULL DEFAULT '',
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz,
    PRIMARY KEY (tenant_id, project_id, scope, subject, path)
);

-- Stores of the memory endpoint, per session.
CREATE TABLE memory_stores (
    tenant_id text NOT NULL,
    session_id text NOT NULL,
    name text NOT NULL,
    content jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, session_id, name)
);

CREATE TABLE callbacks (
    tenant_id text NOT NULL,
    callback_id text NOT NULL UNIQUE,
    project_id text NOT NULL,
    session_id text NOT NULL,
    suspension_id text NOT NULL,
    agent_name text NOT NULL DEFAULT '',
    tool_name text NOT NULL DEFAULT '',
    secret text NOT NULL DEFAULT '',
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processed', 'expired', 'cancelled')),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    closed_at timestamptz,
    payload bytea,
    PRIMARY KEY (tenant_id, callback_id),
    CONSTRAINT callback_of_suspension UNIQUE (tenant_id, session_id, suspension_id)
);
CREATE INDEX callbacks_of_project ON callbacks (tenant_id, project_id, created_at);

-- Work to do at or after `due_at`, once; `name` makes asking twice the same job.
CREATE TABLE jobs (
    tenant_id text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    payload jsonb NOT NULL DEFAULT '{}',
    due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    attempts integer NOT NULL DEFAULT 0,
    claim bigint NOT NULL DEFAULT 0,
    last_error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, kind, name)
);
CREATE INDEX jobs_by_due_time ON jobs (due_at);
