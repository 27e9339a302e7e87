-- What erasing a contact looks for, and what a look for work of some kinds passes over.
CREATE INDEX sessions_of_contact ON sessions (tenant_id, contact_id) WHERE contact_id <> '';
CREATE INDEX memory_of_subject ON memory (tenant_id, scope, subject);
DROP INDEX jobs_by_due_time;
CREATE INDEX jobs_by_kind ON jobs (kind, due_at);
CREATE INDEX closed_human_tasks ON human_tasks (updated_at) WHERE status IN ('completed', 'expired', 'cancelled');
CREATE INDEX budget_accounts_by_age ON budget_accounts (began);
