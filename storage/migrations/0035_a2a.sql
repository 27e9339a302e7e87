-- Tasks of Agent2Agent: which turns of which session they are, and who is told when they rest.
CREATE TABLE a2a_tasks (
    tenant_id text NOT NULL,
    task_id text NOT NULL,
    project_id text NOT NULL,
    owner text NOT NULL,
    agent text NOT NULL,
    session_id text NOT NULL,
    turn_key text NOT NULL,
    first_id text NOT NULL,
    answer_id text NOT NULL,
    state text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, task_id)
);
CREATE INDEX a2a_tasks_of_owner ON a2a_tasks (tenant_id, project_id, owner, updated_at DESC, task_id);
CREATE INDEX a2a_tasks_of_session ON a2a_tasks (tenant_id, session_id);
CREATE INDEX a2a_tasks_by_age ON a2a_tasks (updated_at);

-- `sealed` holds the token and the credentials that come with a notification.
CREATE TABLE a2a_pushes (
    tenant_id text NOT NULL,
    task_id text NOT NULL,
    config_id text NOT NULL,
    project_id text NOT NULL,
    session_id text NOT NULL,
    url text NOT NULL,
    dialect text NOT NULL,
    sealed bytea NOT NULL,
    told text NOT NULL DEFAULT '',
    failures integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, task_id, config_id),
    FOREIGN KEY (tenant_id, task_id) REFERENCES a2a_tasks ON DELETE CASCADE
);
CREATE INDEX a2a_pushes_of_session ON a2a_pushes (tenant_id, session_id);
