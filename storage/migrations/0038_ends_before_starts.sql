-- A session may seem to have ended before it began, when a clock was wrong: it then took no time, and its end is kept.
CREATE OR REPLACE FUNCTION note_session_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    told text[] := '{}';
    took integer;
BEGIN
    IF TG_OP = 'INSERT' THEN
        told := '{session_started}';
    ELSIF OLD.runtime_session_id <> NEW.runtime_session_id THEN
        told := '{session_reset}';
    ELSIF NEW.execution_state = 'suspended' AND OLD.execution_state <> 'suspended' THEN
        told := '{session_suspended}';
    ELSIF OLD.execution_state = 'suspended' AND NEW.execution_state <> 'suspended' AND NEW.status = 'active' THEN
        told := '{session_resumed}';
    ELSIF OLD.execution_state = 'suspended' AND NEW.execution_state = 'suspended' THEN
        told := '{session_resumed,session_suspended}';  -- within one turn: what it waited for came, and it waits again
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.status = 'active' AND NEW.status = 'ended' THEN
        told := told || 'session_ended'::text;
        took := least(greatest(extract(epoch FROM clock_timestamp() - NEW.created_at) * 1000, 0), 2147483647);
    END IF;
    INSERT INTO analytics_inbox (
        tenant_id, project_id, category, event_type, agent_name, session_id, channel, environment, duration_ms, metadata
    )
    SELECT NEW.tenant_id, NEW.project_id, 'session', one, NEW.agent_name, NEW.session_id, NEW.channel, NEW.environment,
        CASE WHEN one = 'session_ended' THEN took END,
        CASE WHEN one = 'session_ended' THEN jsonb_build_object('end_reason', NEW.end_reason) ELSE '{}' END
    FROM unnest(told) AS one;
    RETURN NULL;
END
$$;
