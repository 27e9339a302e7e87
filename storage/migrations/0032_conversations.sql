-- Where conversations stand whose clients name no session but send again what was said: a hash of it -> the session.
-- A row that was asked something has been gone on with, by the turn with that key; the others are ends of conversations.
CREATE TABLE conversation_heads (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    head bytea NOT NULL,
    session_id text NOT NULL,
    asked bytea,
    turn_key text NOT NULL DEFAULT '',
    opens boolean NOT NULL DEFAULT false,
    asked_at timestamptz,
    is_left boolean NOT NULL DEFAULT false,
    answered_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, project_id, head, session_id)
);
CREATE INDEX conversation_heads_of_session ON conversation_heads (tenant_id, session_id);
CREATE INDEX conversation_heads_by_age ON conversation_heads (created_at);
