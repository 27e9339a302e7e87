-- Keys: who made them, when they were last used, and the last secret while it still works after a rotation.
ALTER TABLE api_keys
    ADD COLUMN created_by text NOT NULL DEFAULT '',
    ADD COLUMN last_used_at timestamptz,
    ADD COLUMN previous_hash bytea,
    ADD COLUMN previous_until timestamptz;
CREATE UNIQUE INDEX api_key_before ON api_keys (previous_hash) WHERE previous_hash IS NOT NULL;
CREATE INDEX api_keys_of_tenant ON api_keys (tenant_id, kind, created_at, key_id);

-- Log-ins of somebody end together; members of a project and entries past their time are found.
CREATE INDEX refresh_families_of_user ON refresh_families (tenant_id, user_id);
CREATE INDEX audit_by_age ON audit_log (at);
