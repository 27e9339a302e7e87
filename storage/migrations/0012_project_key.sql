-- Where the events of a project stand together. Another project may stand in the same place: whose an event is says its
-- kind alone.
CREATE FUNCTION project_key(tenant_id text, project_id text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (
        'x' || left(encode(sha256(convert_to(tenant_id, 'UTF8') || '\x00'::bytea || convert_to(project_id, 'UTF8')), 'hex'), 8)
    )::bit(32)::integer;
