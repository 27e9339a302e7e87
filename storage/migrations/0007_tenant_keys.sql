-- Data keys of tenants, wrapped by a master key that is not in the database. The newest one seals, all of them open.
CREATE TABLE tenant_keys (
    tenant_id text NOT NULL,
    version integer NOT NULL,
    master_id bytea NOT NULL,
    wrapped bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, version)
);
