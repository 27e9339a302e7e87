-- A session's row under the same short key as everything else of it: one index that fits its statements and no other,
-- whatever the planner knows of the table's size.
ALTER TABLE sessions DROP CONSTRAINT sessions_pkey;
ALTER TABLE sessions ADD COLUMN session_key uuid NOT NULL
    GENERATED ALWAYS AS (session_key(tenant_id, session_id)) STORED PRIMARY KEY;
