-- Outbound webhooks with what is to be delivered to them, and who is importing into a project.
CREATE TABLE webhooks (
    tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
    webhook_id text NOT NULL,
    project_id text NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    description text NOT NULL DEFAULT '',
    is_active boolean NOT NULL DEFAULT true,
    sealed bytea NOT NULL,
    failures integer NOT NULL DEFAULT 0,
    disabled_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, webhook_id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects ON DELETE CASCADE
);
CREATE INDEX webhooks_of_project ON webhooks (tenant_id, project_id);

-- The outbox: written in the transaction of what happened, with the job that sends it.
CREATE TABLE webhook_deliveries (
    tenant_id text NOT NULL,
    webhook_id text NOT NULL,
    event_id text NOT NULL,
    project_id text NOT NULL,
    event text NOT NULL,
    data jsonb NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'dead')),
    attempts integer NOT NULL DEFAULT 0,
    response_status integer,
    last_error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    attempted_at timestamptz,
    next_attempt_at timestamptz,
    PRIMARY KEY (tenant_id, webhook_id, event_id),
    FOREIGN KEY (tenant_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE
);
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (tenant_id, webhook_id, created_at DESC);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at) WHERE status <> 'pending';

-- One import into a project at a time; the time only covers a worker that was lost.
CREATE TABLE import_locks (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    lock_id text NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, project_id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects ON DELETE CASCADE
);
