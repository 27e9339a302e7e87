-- A session that was deleted is not opened anew by what comes late: a request that was on its way, a page that connects
-- once more. Only a digest of its id stays (`session_key`), nothing of what was said in it.
CREATE TABLE deleted_sessions (
    session_digest uuid PRIMARY KEY,
    deleted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX deleted_sessions_at ON deleted_sessions (deleted_at);
