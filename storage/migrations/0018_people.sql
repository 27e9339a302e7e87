-- The people whom agents talk with, and what people are asked to do (domain/contacts.py, domain/human_tasks.py).
-- `identity_key` is the identity as it is compared: an email in small letters.
CREATE TABLE contacts (
    tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
    contact_id text NOT NULL,
    type text NOT NULL CHECK (type IN ('employee', 'customer', 'anonymous')),
    identity text,
    identity_type text CHECK (identity_type IN ('email', 'phone', 'external')),
    identity_key text,
    display_name text,
    department text,
    employee_id text,
    company text,
    account_ref text,
    channel text,
    metadata jsonb NOT NULL DEFAULT '{}',
    tags text[] NOT NULL DEFAULT '{}',
    first_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    deleted_at timestamptz,
    PRIMARY KEY (tenant_id, contact_id)
);
CREATE UNIQUE INDEX contact_identity ON contacts (tenant_id, identity_key, identity_type)
    WHERE identity_key IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX contacts_by_age ON contacts (tenant_id, first_seen_at DESC) WHERE deleted_at IS NULL;

ALTER TABLE human_tasks
    ADD COLUMN description text,
    ADD COLUMN fields jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN options text[] NOT NULL DEFAULT '{}',
    ADD COLUMN source_kind text NOT NULL DEFAULT 'session' CHECK (source_kind IN ('session', 'eval_run', 'api')),
    ADD COLUMN assigned_at timestamptz,
    ADD COLUMN claimed_by text,
    ADD COLUMN claimed_at timestamptz,
    ADD COLUMN escalation_chain jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN current_escalation_level integer NOT NULL DEFAULT 0,
    ADD COLUMN cancel_reason text,
    ADD COLUMN created_by text NOT NULL DEFAULT '';
CREATE INDEX human_tasks_by_due_time ON human_tasks (due_at)
    WHERE due_at IS NOT NULL AND status IN ('pending', 'assigned', 'in_progress');
