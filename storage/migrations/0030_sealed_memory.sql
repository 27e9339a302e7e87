-- What is remembered and the files that came with messages are sealed under the key of their tenant: see storage.contents.
-- Where `sealed` is there, the plain column beside it is empty. What was written before stays as it is.
ALTER TABLE memory ADD COLUMN sealed bytea;
ALTER TABLE memory_stores ADD COLUMN sealed bytea;
ALTER TABLE attachments ADD COLUMN sealed bytea;
ALTER TABLE blob_pieces ADD COLUMN is_sealed boolean NOT NULL DEFAULT false;
