-- Providers of chat models with keys of their own: of a tenant (no project), or of one of its projects. `sealed` is the key.
CREATE TABLE model_providers (
    tenant_id text NOT NULL,
    provider_id text NOT NULL,
    project_id text,
    name text NOT NULL CHECK (name <> '' AND name NOT LIKE '%/%'),
    kind text NOT NULL,
    base_url text NOT NULL DEFAULT '',
    sealed bytea,
    models jsonb NOT NULL DEFAULT '[]',
    options jsonb NOT NULL DEFAULT '{}',
    default_model text NOT NULL DEFAULT '',
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, provider_id),
    CONSTRAINT model_provider_name UNIQUE NULLS NOT DISTINCT (tenant_id, project_id, name),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects ON DELETE CASCADE
);
