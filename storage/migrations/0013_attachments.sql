-- Files that came with messages: what is known of them, and their bytes in pieces, unless a folder holds those.
CREATE TABLE attachments (
    tenant_id text NOT NULL,
    attachment_id text NOT NULL,
    project_id text NOT NULL,
    session_id text NOT NULL,
    filename text NOT NULL,
    mime_type text NOT NULL,
    category text NOT NULL CHECK (category IN ('image', 'document', 'audio', 'video')),
    size_bytes bigint NOT NULL,
    sha256 bytea NOT NULL,
    readable text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    used_at timestamptz,
    PRIMARY KEY (tenant_id, attachment_id)
);
CREATE INDEX attachments_of_session ON attachments (tenant_id, session_id, created_at);
CREATE INDEX attachments_unused ON attachments (created_at) WHERE used_at IS NULL;

-- `owner_id` is the session: what belongs to it goes with it.
CREATE TABLE blob_pieces (
    tenant_id text NOT NULL,
    owner_id text NOT NULL,
    blob_id text NOT NULL,
    number integer NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (tenant_id, owner_id, blob_id, number)
);
ALTER TABLE blob_pieces ALTER COLUMN content SET STORAGE EXTERNAL;  -- pictures and archives are not squeezed again

-- One word of each author on each message; the last one counts.
CREATE TABLE feedback (
    tenant_id text NOT NULL,
    session_id text NOT NULL,
    message_id text NOT NULL,
    author text NOT NULL,
    feedback_id text NOT NULL,
    project_id text NOT NULL,
    rating text,
    stars smallint CHECK (stars BETWEEN 1 AND 5),
    comment text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, session_id, message_id, author),
    CHECK ((rating IS NULL) <> (stars IS NULL))
);
CREATE INDEX feedback_of_project ON feedback (tenant_id, project_id, created_at);
