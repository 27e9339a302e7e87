-- Erasing a project or a tenant some rows at a time: whoever asks goes on until nothing is left, each time in a
-- transaction of its own, so that no statement takes longer than any other does.

-- Tables with all of these columns, weeks of others among them; those that point to a table come before it.
CREATE FUNCTION tables_with(wanted text[]) RETURNS SETOF regclass LANGUAGE sql STABLE AS $$
    WITH RECURSIVE tables AS (
        SELECT k.oid FROM pg_class k
        WHERE k.relnamespace = current_schema()::text::regnamespace AND k.relkind = 'r'
          AND cardinality(wanted) = (
              SELECT count(*) FROM pg_attribute a
              WHERE a.attrelid = k.oid AND a.attname = ANY(wanted) AND NOT a.attisdropped
          )
    ),
    heights (oid, height) AS (
        SELECT oid, 0 FROM tables
        UNION
        SELECT c.confrelid, h.height + 1
        FROM heights h JOIN pg_constraint c ON c.conrelid = h.oid AND c.contype = 'f' AND c.confrelid <> c.conrelid
        WHERE h.height < 10
    )
    SELECT h.oid::regclass FROM heights h JOIN tables USING (oid) GROUP BY h.oid ORDER BY max(h.height), h.oid
$$;

-- Deletes rows of a table for which a condition holds, at most so many; $1 is the tenant, $2 the project.
CREATE FUNCTION erase_rows(place regclass, condition text, of_tenant text, of_project text, most bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    touched bigint;
BEGIN
    EXECUTE format('DELETE FROM %s WHERE ctid = ANY(ARRAY(SELECT ctid FROM %s WHERE %s LIMIT $3))',
        place, place, condition) USING of_tenant, of_project, most;
    GET DIAGNOSTICS touched = ROW_COUNT;
    RETURN touched;
END $$;

-- Deletes at most so many rows of a project from every table that knows projects, those of later migrations included;
-- what the audit log says of it stays. Its sessions have to be gone before. Returns how many rows there were, 0 when
-- nothing is left.
CREATE FUNCTION erase_project(of_tenant text, erased text, most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    place regclass;
    total bigint;
BEGIN
    PERFORM lock_reader('turns');  -- nothing of it is counted meanwhile
    total := erase_rows('turns', 'session_key = session_key($1, $2)', of_tenant, erased, most);
    FOR place IN SELECT tables_with('{kind_key,session_key}') LOOP  -- events, before the kinds that say whose they are
        EXIT WHEN total >= most;
        total := total + erase_rows(place,
            'project_key = project_key($1, $2)
                AND kind_key IN (SELECT kind_key FROM analytics_kinds WHERE tenant_id = $1 AND project_id = $2)',
            of_tenant, erased, most - total);
    END LOOP;
    FOR place IN SELECT tables_with('{tenant_id,project_id}') LOOP
        EXIT WHEN total >= most;
        CONTINUE WHEN place IN ('audit_log'::regclass, 'projects'::regclass);
        total := total + erase_rows(place, 'tenant_id = $1 AND project_id = $2', of_tenant, erased, most - total);
    END LOOP;
    IF total < most THEN
        total := total + erase_rows('projects', 'tenant_id = $1 AND project_id = $2', of_tenant, erased, 1);
    END IF;
    RETURN total;
END $$;

-- The same with a tenant, from every table that knows tenants; the head of its audit chain stays: a number and a hash.
CREATE FUNCTION erase_tenant(erased text, most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    place regclass;
    others regclass[] := ARRAY(SELECT tables_with('{tenant_id}') UNION ALL SELECT tables_with('{kind_key}'));
    total bigint := 0;
BEGIN
    PERFORM lock_reader('turns');  -- nothing of it is counted meanwhile
    FOR place IN SELECT tables_with('{kind_key,session_key}') LOOP  -- events, before the kinds that say whose they are
        EXIT WHEN total >= most;
        total := total + erase_rows(place,
            'project_key IN (SELECT project_key(tenant_id, project_id) FROM analytics_kinds WHERE tenant_id = $1)
                AND kind_key IN (SELECT kind_key FROM analytics_kinds WHERE tenant_id = $1)',
            erased, '', most - total);
    END LOOP;
    FOR place IN SELECT tables_with('{session_key}') LOOP
        EXIT WHEN total >= most;
        CONTINUE WHEN place = ANY(others);
        total := total + erase_rows(place,
            'session_key IN (SELECT session_key FROM sessions WHERE tenant_id = $1
                UNION ALL SELECT session_key(tenant_id, project_id) FROM projects WHERE tenant_id = $1)',
            erased, '', most - total);
    END LOOP;
    FOR place IN SELECT tables_with('{tenant_id}') LOOP
        EXIT WHEN total >= most;
        CONTINUE WHEN place IN ('audit_heads'::regclass, 'users'::regclass, 'tenants'::regclass);
        total := total + erase_rows(place, 'tenant_id = $1', erased, '', most - total);
    END LOOP;
    FOREACH place IN ARRAY '{users,tenants}'::regclass[] LOOP  -- last: an owner may have to ask again
        EXIT WHEN total >= most;
        total := total + erase_rows(place, 'tenant_id = $1', erased, '', most - total);
    END LOOP;
    RETURN total;
END $$;
