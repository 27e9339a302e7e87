-- What is remembered and the files that came with messages are sealed under the key of their tenant: see storage.contents.
-- Where `sealed` is there, the plain column beside it is empty, and whoever does not know of it may not write there.
-- What was written before stays as it is.
ALTER TABLE memory ADD COLUMN sealed bytea, ADD CHECK (sealed IS NULL OR value = '{}');
ALTER TABLE memory_stores ADD COLUMN sealed bytea, ADD CHECK (sealed IS NULL OR content = '{}');
ALTER TABLE attachments ADD COLUMN sealed bytea, ADD CHECK (sealed IS NULL OR readable = '');
ALTER TABLE blob_pieces ADD COLUMN is_sealed boolean NOT NULL DEFAULT false;

-- A version comes again when a tenant does; this never does. What is sealed is written only while its key stands.
ALTER TABLE tenant_keys ADD COLUMN key_id uuid NOT NULL DEFAULT gen_random_uuid();
CREATE UNIQUE INDEX tenant_keys_by_id ON tenant_keys (key_id);
