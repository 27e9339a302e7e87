"""What is known of files that came with messages; their bytes are in `storage.blobs`. Spec: platform-api 5.8."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import asdict

from domain.analytics import EventCategory, NewEvent
from domain.limits import ATTACHMENT_UNUSED_S
from domain.messages import AttachmentCategory
from storage.database import Connection, Database, Row
from storage.keys import session_key
from storage.repositories.events import Events
from storage.statements import Statement

_COLUMNS = """
    attachment_id, project_id, session_id, filename, mime_type, category, size_bytes, sha256, readable, sealed,
    created_at, used_at
"""
ADD = Statement(f"""
    WITH held AS (
        SELECT count(*) AS number FROM attachments WHERE tenant_id = :tenant_id AND session_id = :session_id
    )
    INSERT INTO attachments (
        tenant_id, attachment_id, project_id, session_id, filename, mime_type, category, size_bytes, sha256, readable,
        sealed
    )
    SELECT :tenant_id, :attachment_id, :project_id, :session_id, :filename, :mime_type, :category, :size_bytes,
        :sha, :readable, :sealed
    FROM held WHERE number < :most
    ON CONFLICT DO NOTHING
    RETURNING {_COLUMNS}
""")
LOCK = Statement("SELECT pg_advisory_xact_lock(hashtextextended(:session_id, 0))")
FIND = Statement(f"""
    SELECT {_COLUMNS} FROM attachments
    WHERE tenant_id = :tenant_id AND session_id = :session_id AND attachment_id = :attachment_id
""")
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM attachments WHERE tenant_id = :tenant_id AND session_id = :session_id
    ORDER BY created_at, attachment_id LIMIT :limit OFFSET :offset
""")
COUNT = Statement("SELECT count(*) FROM attachments WHERE tenant_id = :tenant_id AND session_id = :session_id")
USE = Statement(
    f"""
    UPDATE attachments SET used_at = coalesce(used_at, clock_timestamp())
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND session_id = :session_id
      AND attachment_id = ANY(:attachment_ids::text[])
    RETURNING {_COLUMNS}
    """,
    is_repeatable=True,
)
OF_PROJECT = Statement(f"""
    SELECT {_COLUMNS} FROM attachments
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND attachment_id = ANY(:attachment_ids::text[])
""")
TAKE_UNUSED = Statement(f"""
    DELETE FROM attachments WHERE ctid IN (
        SELECT ctid FROM attachments
        WHERE used_at IS NULL AND created_at <= clock_timestamp() - interval '{ATTACHMENT_UNUSED_S} seconds'
        LIMIT :limit
    )
    RETURNING tenant_id, session_id, attachment_id, sha256
""")


class AttachmentRecord(Struct, frozen=True, kw_only=True):
    """A file; `readable` is the beginning of its text where it is one, `used_at` when a message first named it."""

    attachment_id: str
    project_id: str
    session_id: str
    filename: str
    mime_type: str
    category: AttachmentCategory
    size_bytes: int
    sha256: bytes
    readable: str
    created_at: datetime
    used_at: datetime | None


class NewAttachment(Struct, frozen=True, kw_only=True):
    """A file whose bytes are kept already."""

    attachment_id: str
    project_id: str
    session_id: str
    filename: str
    mime_type: str
    category: AttachmentCategory
    size_bytes: int
    sha: bytes
    readable: str = ""


class GoneAttachment(Struct, frozen=True, kw_only=True):
    """A file whose row is gone."""

    tenant_id: str
    session_id: str
    attachment_id: str
    sha256: bytes


class Attachments:
    """The attachments of all sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, tenant_id: str, new: NewAttachment, *, most: int) -> AttachmentRecord | None:
        """Keep what is known of a file; None when the session has `most` already or has one of this id."""
        values, contents = asdict(new), self._database.contents
        seal, sealed = await contents.seal(tenant_id, session_key(tenant_id, new.session_id)), None
        if seal is not None:
            values["readable"], sealed = "", seal.close_json(new.readable)
        async with self._database.transaction() as connection:
            await contents.check(connection, tenant_id, seal)
            await connection.value(LOCK, session_id=new.session_id)  # uploads at once do not pass the limit together
            row = await connection.row(ADD, tenant_id=tenant_id, most=most, sealed=sealed, **values)
            if row is None:
                return None
            record = await self._record(tenant_id, row, connection)
            await Events(self._database).append(connection, tenant_id, _uploaded(record))
        return record

    async def find(self, tenant_id: str, session_id: str, attachment_id: str) -> AttachmentRecord | None:
        """Return a file of a session."""
        row = await self._database.row(FIND, tenant_id=tenant_id, session_id=session_id, attachment_id=attachment_id)
        return await self._record(tenant_id, row) if row else None

    async def list(
        self, tenant_id: str, session_id: str, *, limit: int, offset: int
    ) -> tuple[Sequence[AttachmentRecord], int]:
        """Return one page of a session's files, the oldest first, and how many there are."""
        rows = await self._database.rows(LIST, tenant_id=tenant_id, session_id=session_id, limit=limit, offset=offset)
        total = await self._database.value(COUNT, tenant_id=tenant_id, session_id=session_id)
        return [await self._record(tenant_id, row) for row in rows], int(total)

    async def use(
        self, tenant_id: str, project_id: str, session_id: str, attachment_ids: Sequence[str]
    ) -> Sequence[AttachmentRecord]:
        """Return those of these files that the session has, in no order; from now on they are in use."""
        rows = await self._database.rows(
            USE,
            tenant_id=tenant_id,
            project_id=project_id,
            session_id=session_id,
            attachment_ids=list(attachment_ids),
        )
        return [await self._record(tenant_id, row) for row in rows]

    async def of_project(
        self, tenant_id: str, project_id: str, attachment_ids: Sequence[str]
    ) -> Sequence[AttachmentRecord]:
        """Return those of these files that a project has, in no order."""
        rows = await self._database.rows(
            OF_PROJECT, tenant_id=tenant_id, project_id=project_id, attachment_ids=list(attachment_ids)
        )
        return [await self._record(tenant_id, row) for row in rows]

    async def _record(self, tenant_id: str, row: Row, over: Connection | None = None) -> AttachmentRecord:
        values = dict(row)
        sealed = values.pop("sealed")
        if sealed is not None:
            key = session_key(tenant_id, values["session_id"])
            values["readable"] = await self._database.contents.opened_json(tenant_id, key, sealed, over)
        return AttachmentRecord(**values)

    async def take_unused(self, limit: int) -> Sequence[GoneAttachment]:
        """Remove the rows of files that no message has named in a day; return what finds their bytes."""
        rows = await self._database.rows(TAKE_UNUSED, limit=limit)
        return [GoneAttachment(**dict(row)) for row in rows]


def _uploaded(record: AttachmentRecord) -> NewEvent:
    return NewEvent(
        category=EventCategory.CHANNEL,
        event_type="attachment_uploaded",
        project_id=record.project_id,
        session_id=record.session_id,
        at=record.created_at,
        metadata={"category": record.category, "size_bytes": record.size_bytes},
    )
