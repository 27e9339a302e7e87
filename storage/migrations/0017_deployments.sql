-- Drafts compiled when they are needed, versions with their program, deployments that drain, variables, channels.

-- `program_id` is what the drafts were last compiled to, when their hash (and that of the config variables) was
-- `drafts_hash`. A project with `deleted_at` is there for nobody; what it left is removed piece by piece.
ALTER TABLE projects
    ADD COLUMN program_id text NOT NULL DEFAULT '',
    ADD COLUMN drafts_hash text NOT NULL DEFAULT '',
    ADD COLUMN deleted_at timestamptz;
UPDATE projects SET program_id = coalesce(settings ->> 'programId', ''), settings = settings - 'programId';
CREATE INDEX deleted_projects ON projects (deleted_at) WHERE deleted_at IS NOT NULL;

ALTER TABLE agent_versions ADD COLUMN ir bytea;

-- From `drain_until` on the sessions that are left over on a retired deployment are ended.
ALTER TABLE deployments ADD COLUMN drain_until timestamptz;
CREATE UNIQUE INDEX deployment_slug ON deployments (tenant_id, project_id, endpoint_slug);
CREATE INDEX draining_deployments ON deployments (drain_until) WHERE draining;
CREATE INDEX active_sessions_of_deployment ON sessions (tenant_id, deployment_id)
    WHERE status = 'active' AND deployment_id <> '';

-- What a project's settings were when a deployment was made.
CREATE TABLE settings_versions (
    tenant_id text NOT NULL,
    settings_version_id text NOT NULL,
    project_id text NOT NULL,
    settings jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, settings_version_id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects ON DELETE CASCADE
);

-- `environment` is 'base' where a value is for all of them. A secret one is sealed before it comes here.
CREATE TABLE variables (
    tenant_id text NOT NULL,
    variable_id text NOT NULL,
    project_id text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('env', 'config')),
    key text NOT NULL,
    environment text NOT NULL CHECK (environment IN ('base', 'dev', 'staging', 'production')),
    value text,
    sealed bytea,
    version integer NOT NULL DEFAULT 1,
    description text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, variable_id),
    CONSTRAINT variable_name UNIQUE (tenant_id, project_id, kind, environment, key),
    CHECK ((value IS NULL) <> (sealed IS NULL)),
    CHECK (kind = 'env' OR (environment = 'base' AND sealed IS NULL)),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects ON DELETE CASCADE
);

CREATE TABLE sdk_channels (
    tenant_id text NOT NULL,
    channel_id text NOT NULL,
    project_id text NOT NULL,
    name text NOT NULL,
    channel_type text NOT NULL CHECK (channel_type IN ('web', 'mobile_ios', 'mobile_android', 'voice', 'api')),
    public_api_key_id text NOT NULL,
    deployment_id text,
    environment text,
    follow_environment boolean NOT NULL DEFAULT true,
    config jsonb NOT NULL DEFAULT '{}',
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, channel_id),
    CONSTRAINT channel_name UNIQUE (tenant_id, project_id, name),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects ON DELETE CASCADE
);
CREATE INDEX channels_of_key ON sdk_channels (tenant_id, public_api_key_id);
