-- Which requests under an Idempotency-Key have made their change, noted in the transaction that made it: whose reply was
-- lost may ask again and is told what stands (storage/repositories/done_requests.py).
CREATE TABLE done_requests (
    tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
    request_key text NOT NULL,
    about text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, request_key)
);
CREATE INDEX done_requests_by_age ON done_requests USING brin (at);
