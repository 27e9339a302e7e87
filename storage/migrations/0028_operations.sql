-- Deliveries of webhooks are given out in turn: the hooks with something to send, and of each the oldest of it.
CREATE INDEX deliveries_by_hook ON jobs (tenant_id, split_part(name, '/', 1), due_at) WHERE kind = 'webhook.deliver';

-- Sessions by their last activity. An index on the time itself would make each turn write an entry into every index of
-- the table; of a quarter of an hour it is seldom another one, and then the row stays where it is.
ALTER TABLE sessions ADD COLUMN active_quarter integer NOT NULL GENERATED ALWAYS AS (
    floor(extract(epoch FROM last_activity_at - timestamptz '1970-01-01 00:00:00+00') / 900)::integer
) STORED;
CREATE INDEX sessions_by_activity ON sessions (tenant_id, project_id, active_quarter)
    WHERE parent_session_id = '' AND source <> 'eval';

-- Under which names memory of a contact was kept before somebody said whose it is: erased with the contact.
CREATE TABLE contact_subjects (
    tenant_id text NOT NULL,
    contact_id text NOT NULL,
    project_id text NOT NULL,
    subject text NOT NULL,
    PRIMARY KEY (tenant_id, contact_id, project_id, subject)
);
