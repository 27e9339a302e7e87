-- Who still needs a large value, asked when a session that held it is deleted.
CREATE INDEX journal_of_blob ON journal (blob_hash) WHERE blob_hash IS NOT NULL;

-- Deletes every row of a tenant from every table that knows tenants, those of later migrations included; the head of its
-- audit chain stays: a number and a hash. Returns how many rows there were.
CREATE FUNCTION erase_tenant(erased text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    place record;
    touched bigint;
    total bigint := 0;
    is_blocked boolean;
BEGIN
    PERFORM 1 FROM analytics_progress WHERE name = 'turns' FOR UPDATE;  -- nothing of it is counted meanwhile
    IF to_regclass('journal') IS NOT NULL THEN
        FOR place IN
            SELECT c.table_name FROM information_schema.columns c JOIN pg_class k ON k.oid = to_regclass(c.table_name)
            WHERE c.table_schema = current_schema() AND c.column_name = 'session_key'
              AND NOT k.relispartition AND c.table_name <> 'sessions'
        LOOP
            EXECUTE format(
                'DELETE FROM %I WHERE session_key IN (SELECT session_key FROM sessions WHERE tenant_id = $1
                    UNION ALL SELECT session_key(tenant_id, project_id) FROM projects WHERE tenant_id = $1)',
                place.table_name) USING erased;
            GET DIAGNOSTICS touched = ROW_COUNT;
            total := total + touched;
        END LOOP;
    END IF;
    FOR round IN 1..10 LOOP  -- rows that others point to go after those
        is_blocked := false;
        FOR place IN
            SELECT c.table_name FROM information_schema.columns c JOIN pg_class k ON k.oid = to_regclass(c.table_name)
            WHERE c.table_schema = current_schema() AND c.column_name = 'tenant_id'
              AND k.relkind IN ('r', 'p') AND NOT k.relispartition AND c.table_name <> 'audit_heads'
        LOOP
            BEGIN
                EXECUTE format('DELETE FROM %I WHERE tenant_id = $1', place.table_name) USING erased;
                GET DIAGNOSTICS touched = ROW_COUNT;
                total := total + touched;
            EXCEPTION WHEN foreign_key_violation THEN
                is_blocked := true;
            END;
        END LOOP;
        EXIT WHEN NOT is_blocked;
    END LOOP;
    IF is_blocked THEN
        RAISE EXCEPTION 'tables point to each other in a circle: a tenant cannot be erased';
    END IF;
    RETURN total;
END $$;
