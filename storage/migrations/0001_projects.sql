-- Who owns what, and what was written: tenants, projects, agents, versions, programs, deployments, keys, credentials.

CREATE TABLE tenants (
    tenant_id text PRIMARY KEY,
    name text NOT NULL,
    settings jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE projects (
    tenant_id text NOT NULL REFERENCES tenants,
    project_id text NOT NULL UNIQUE,
    name text NOT NULL,
    slug text NOT NULL,
    description text NOT NULL DEFAULT '',
    entry_agent_name text,
    settings jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, project_id),
    CONSTRAINT project_name UNIQUE (tenant_id, name),
    CONSTRAINT project_slug UNIQUE (tenant_id, slug)
);

-- Every document of a project: agents, supervisors, tool files, profiles. `dsl` is the draft.
CREATE TABLE agents (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    agent_id text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL DEFAULT 'agent',
    path text NOT NULL DEFAULT '',
    domain text NOT NULL DEFAULT '',
    description text,
    dsl text NOT NULL DEFAULT '',
    source_hash text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, agent_id),
    CONSTRAINT agent_name UNIQUE (tenant_id, project_id, name),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects ON DELETE CASCADE
);

CREATE TABLE agent_versions (
    tenant_id text NOT NULL,
    agent_id text NOT NULL,
    version text NOT NULL,
    dsl text NOT NULL,
    source_hash text NOT NULL,
    label text,
    changelog text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, agent_id, version),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents ON DELETE CASCADE
);

-- Compiled programs by the hash of their content; sessions are pinned to one.
CREATE TABLE programs (
    tenant_id text NOT NULL,
    program_id text NOT NULL,
    project_id text NOT NULL,
    ir bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, program_id)
);

CREATE TABLE deployments (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    deployment_id text NOT NULL,
    environment text NOT NULL,
    status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'retired')),
    draining boolean NOT NULL DEFAULT false,
    label text,
    description text,
    endpoint_slug text NOT NULL,
    entry_agent_name text NOT NULL,
    program_id text NOT NULL,
    agent_version_manifest jsonb NOT NULL,
    details jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by text NOT NULL DEFAULT '',
    retired_at timestamptz,
    PRIMARY KEY (tenant_id, deployment_id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects ON DELETE CASCADE
);
CREATE UNIQUE INDEX one_active_deployment ON deployments (tenant_id, project_id, environment) WHERE status = 'active';
CREATE INDEX deployments_of_project ON deployments (tenant_id, project_id, created_at);

CREATE TABLE api_keys (
    tenant_id text NOT NULL REFERENCES tenants,
    key_id text NOT NULL,
    project_id text,
    kind text NOT NULL DEFAULT 'secret' CHECK (kind IN ('secret', 'public')),
    name text NOT NULL DEFAULT '',
    prefix text NOT NULL,
    key_hash bytea NOT NULL UNIQUE,
    scopes text[] NOT NULL DEFAULT '{}',
    environments text[] NOT NULL DEFAULT '{}',
    details jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (tenant_id, key_id)
);

-- Values are sealed before they come here.
CREATE TABLE credentials (
    tenant_id text NOT NULL,
    credential_id text NOT NULL,
    project_id text NOT NULL,
    tool_name text NOT NULL,
    secret_key text NOT NULL,
    environment text NOT NULL DEFAULT 'dev',
    version integer NOT NULL DEFAULT 1,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz,
    PRIMARY KEY (tenant_id, credential_id),
    CONSTRAINT credential_name UNIQUE (tenant_id, project_id, tool_name, secret_key, environment),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects ON DELETE CASCADE
);
