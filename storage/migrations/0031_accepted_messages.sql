-- Messages that were acknowledged before their turn has ended, sealed under the key of their tenant. The end of the turn
-- removes its message in its own transaction, so what stands here has not been answered. Who has it run holds it for some
-- seconds at a time; what nobody holds any more is run by whoever finds it.
CREATE TABLE accepted_messages (
    session_key uuid NOT NULL,
    request_key bigint NOT NULL,
    place bigint GENERATED ALWAYS AS IDENTITY,
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    session_id text NOT NULL,
    message bytea NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    accepted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    held_until timestamptz NOT NULL,
    PRIMARY KEY (session_key, request_key)
);
CREATE INDEX accepted_messages_by_hold ON accepted_messages (held_until);
