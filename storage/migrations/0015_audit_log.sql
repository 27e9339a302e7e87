-- What was done, by whom: only ever added to, each entry with the hash of the one before it (domain/audit.py).
CREATE TABLE audit_log (
    tenant_id text NOT NULL,
    number bigint NOT NULL,
    audit_id text NOT NULL,
    at timestamptz NOT NULL,
    action text NOT NULL,
    category text NOT NULL,
    actor_id text NOT NULL,
    project_id text NOT NULL DEFAULT '',
    outcome text NOT NULL CHECK (outcome IN ('success', 'failure')),
    entry jsonb NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (tenant_id, number)
);
CREATE UNIQUE INDEX audit_id ON audit_log (tenant_id, audit_id);
CREATE INDEX audit_by_time ON audit_log (tenant_id, at DESC);
CREATE INDEX audit_by_actor ON audit_log (tenant_id, actor_id, at DESC);
CREATE INDEX audit_by_project ON audit_log (tenant_id, project_id, at DESC);

-- The newest entry of each tenant: taking the last ones away is noticed too. It outlives the tenant.
CREATE TABLE audit_heads (
    tenant_id text PRIMARY KEY,
    number bigint NOT NULL,
    hash bytea NOT NULL
);

CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are not changed';
END $$;
CREATE TRIGGER audit_log_unchanged BEFORE UPDATE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();
