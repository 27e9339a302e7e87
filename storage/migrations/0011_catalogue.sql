-- What the tools of a project reach by name: connectors, workflows, MCP servers. Secrets stand in `entry` as `{{secrets.NAME}}` only.
CREATE TABLE catalogue_entries (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('connector', 'workflow', 'mcp_server')),
    name text NOT NULL,
    entry jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, project_id, kind, name),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects ON DELETE CASCADE
);
