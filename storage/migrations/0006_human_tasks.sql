-- What people are asked to do. `place` is the runtime session and the suspension that waits: one task for each.
CREATE TABLE human_tasks (
    tenant_id text NOT NULL,
    task_id text NOT NULL,
    project_id text NOT NULL,
    session_id text NOT NULL DEFAULT '',
    place text NOT NULL DEFAULT '',
    type text NOT NULL CHECK (type IN ('approval', 'data_entry', 'review', 'decision', 'escalation')),
    status text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'assigned', 'in_progress', 'completed', 'expired', 'cancelled')),
    priority text NOT NULL DEFAULT 'medium' CHECK (priority IN ('low', 'medium', 'high', 'critical')),
    title text NOT NULL,
    agent_name text NOT NULL DEFAULT '',
    context jsonb NOT NULL DEFAULT '{}',
    tags text[] NOT NULL DEFAULT '{}',
    assigned_to text,
    assigned_to_team text,
    resolution jsonb,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    due_at timestamptz,
    PRIMARY KEY (tenant_id, task_id)
);
CREATE INDEX human_tasks_of_project ON human_tasks (tenant_id, project_id, status);
CREATE INDEX human_tasks_of_session ON human_tasks (tenant_id, session_id) WHERE session_id <> '';

-- Effects on memory that have taken place, so that none takes place twice. Kept for a day.
CREATE TABLE memory_effects (
    tenant_id text NOT NULL,
    effect_key text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, effect_key)
);
CREATE INDEX memory_effects_by_age ON memory_effects USING brin (at);
