-- What models may use, what is held for calls under way, and what was used (domain/budgets.py).
CREATE TABLE budgets (
    tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
    budget_id text NOT NULL,
    scope text NOT NULL CHECK (scope IN ('tenant', 'project', 'agent', 'contact', 'session')),
    project_id text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    period text NOT NULL CHECK (period IN ('total', 'day', 'month')),
    max_tokens bigint CHECK (max_tokens >= 0),
    max_nanos bigint CHECK (max_nanos >= 0),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, budget_id),
    CHECK (max_tokens IS NOT NULL OR max_nanos IS NOT NULL),
    CHECK ((scope = 'tenant') = (project_id = ''))
);
CREATE INDEX budgets_of_project ON budgets (tenant_id, project_id);

CREATE TABLE budget_accounts (
    tenant_id text NOT NULL,
    budget_id text NOT NULL,
    subject text NOT NULL,
    began timestamptz NOT NULL,
    tokens_held bigint NOT NULL DEFAULT 0,
    nanos_held bigint NOT NULL DEFAULT 0,
    tokens_spent bigint NOT NULL DEFAULT 0,
    nanos_spent bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, budget_id, subject, began),
    FOREIGN KEY (tenant_id, budget_id) REFERENCES budgets ON DELETE CASCADE
) WITH (fillfactor = 50);

CREATE TABLE budget_holds (
    tenant_id text NOT NULL,
    hold_id text NOT NULL,
    budget_id text NOT NULL,
    subject text NOT NULL,
    began timestamptz NOT NULL,
    tokens bigint NOT NULL,
    nanos bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, hold_id, budget_id),
    FOREIGN KEY (tenant_id, budget_id) REFERENCES budgets ON DELETE CASCADE
);
CREATE INDEX budget_holds_by_end ON budget_holds (expires_at);
