-- Who still needs a large value, asked when a session that held it is deleted.
CREATE INDEX journal_of_blob ON journal (blob_hash) WHERE blob_hash IS NOT NULL;
