-- An accepted message belongs to the life of its session in which it was accepted: a reset begins another one, in which it
-- is not run. One that is refused for good stays, with why (sealed), until its client was told, at most a day.
ALTER TABLE accepted_messages
    ADD COLUMN runtime_session_id text NOT NULL DEFAULT '',
    ADD COLUMN refusal bytea,
    ADD COLUMN refused_at timestamptz;
CREATE INDEX accepted_messages_refused ON accepted_messages (refused_at) WHERE refused_at IS NOT NULL;
