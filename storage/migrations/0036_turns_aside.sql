-- Turns that a reader has passed over because their key could not be opened where it was read: they are read when it can
-- be. `key_version` is that of the tenant's data key.
CREATE TABLE turns_aside (
    reader text NOT NULL,
    tenant_id text NOT NULL,
    key_version integer NOT NULL,
    session_key uuid NOT NULL,
    seq integer NOT NULL,
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (reader, tenant_id, key_version, session_key, seq)
);
CREATE INDEX turns_aside_of_session ON turns_aside (session_key);
CREATE INDEX turns_aside_by_age ON turns_aside (since);
