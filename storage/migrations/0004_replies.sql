-- Replies to requests that are no turns, under the caller's idempotency key, for 24 hours after `at`.
-- Without a status the request still runs, which renews `at`; or it has broken off.
CREATE TABLE replies (
    tenant_id text NOT NULL,
    scope text NOT NULL,
    idempotency_key text NOT NULL,
    request_hash bytea NOT NULL,
    status smallint,
    body bytea,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, scope, idempotency_key)
);
CREATE INDEX replies_by_age ON replies USING brin (at);
