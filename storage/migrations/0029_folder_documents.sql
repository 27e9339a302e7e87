-- What was put into a project last time of each document of the folder it is served from: only what differs from it
-- since is put again, so that drafts which were saved over the API stay.
CREATE TABLE folder_documents (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    name text NOT NULL,
    source_hash text NOT NULL,
    PRIMARY KEY (tenant_id, project_id, name),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects ON DELETE CASCADE
);
