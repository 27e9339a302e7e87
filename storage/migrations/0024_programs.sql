-- A program belongs to a project: projects with the same texts have a row each, and what one of them is erased with
-- leaves the others whole. Until now such projects shared the row of the first.
ALTER TABLE programs DROP CONSTRAINT programs_pkey;
INSERT INTO programs (tenant_id, program_id, project_id, ir, created_at)
SELECT p.tenant_id, p.program_id, using_it.project_id, p.ir, p.created_at
FROM programs p JOIN (
    SELECT tenant_id, project_id, program_id FROM deployments
    UNION SELECT tenant_id, project_id, program_id FROM projects
    UNION SELECT tenant_id, project_id, pin ->> 'program_id' FROM sessions
) AS using_it ON using_it.tenant_id = p.tenant_id AND using_it.program_id = p.program_id
WHERE using_it.project_id <> p.project_id;
ALTER TABLE programs ADD PRIMARY KEY (tenant_id, project_id, program_id);
