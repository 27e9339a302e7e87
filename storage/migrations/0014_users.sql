-- People who log in. An email belongs to one person of one tenant: whoever logs in names no tenant.
CREATE TABLE users (
    tenant_id text NOT NULL REFERENCES tenants,
    user_id text NOT NULL,
    email text NOT NULL,
    display_name text NOT NULL DEFAULT '',
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'operator', 'member', 'viewer')),
    teams text[] NOT NULL DEFAULT '{}',
    password_hash text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    disabled_at timestamptz,
    PRIMARY KEY (tenant_id, user_id)
);
CREATE UNIQUE INDEX user_email ON users (lower(email));
CREATE UNIQUE INDEX one_owner ON users (tenant_id) WHERE role = 'owner';

CREATE TABLE project_members (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL CHECK (role IN ('admin', 'developer', 'tester', 'viewer')),
    PRIMARY KEY (tenant_id, project_id, user_id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX projects_of_member ON project_members (tenant_id, user_id);

-- All refresh tokens made from one another; only the last one of them opens.
CREATE TABLE refresh_families (
    tenant_id text NOT NULL,
    family_id text NOT NULL,
    user_id text NOT NULL,
    token_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, family_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX refresh_families_by_end ON refresh_families (expires_at);
