"""Files of sessions: looked at, kept, found again, and handed to the turn that names them. Spec: platform-api 5.8."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from hashlib import blake2b, sha256
from typing import BinaryIO, Final

import msgspec
from msgspec import Struct

from actors.desks import FilePage, FileView, Upload
from actors.runtime import SessionRef
from domain import limits
from domain.clock import IdSource, iso_ms
from domain.errors import Conflict, InvalidInput, NotFound
from domain.files import HEAD_BYTES, READABLE, ZIP_START, FileKind, cleaned_filename, kind_of
from domain.ids import PREFIXES, prefixed
from domain.json_values import storable_text
from domain.messages import Attachment
from storage.blobs.port import Blobs
from storage.database import Database
from storage.repositories.attachments import AttachmentRecord, Attachments, NewAttachment
from storage.repositories.sessions import Sessions

KIND: Final = "attachment"
PIECE_BYTES: Final = 1 << 20
READABLE_CHARS: Final = 16_000
"""How much of a text an agent is shown."""
CHAR_MAX_BYTES: Final = 4
ID_DIGEST_BYTES: Final = 12
FULL: Final = {"reason": "TOO_MANY_ATTACHMENTS"}
REUSED: Final = {"reason": "IDEMPOTENCY_KEY_REUSED"}


class _Seen(Struct, frozen=True):
    """What a look at a file has shown; no kind when it is none that is taken."""

    kind: FileKind | None
    digest: bytes
    readable: str


class StoredFiles:
    """Satisfies `actors.desks.Files`."""

    def __init__(self, database: Database, blobs: Blobs, ids: IdSource) -> None:
        self._sessions = Sessions(database)
        self._attachments = Attachments(database)
        self._blobs = blobs
        self._ids = ids

    async def keep(self, session: SessionRef, upload: Upload) -> FileView:
        """Keep a file: its bytes first, so that whoever finds its row finds them too."""
        found = await self._found(session)
        filename = cleaned_filename(upload.filename)
        seen = await asyncio.to_thread(_look, filename, upload.content)
        if seen.kind is None:
            raise InvalidInput("Unsupported file type")
        attachment_id = self._id(found, upload.key)
        new = NewAttachment(
            attachment_id=attachment_id,
            project_id=found.project_id,
            session_id=found.session_id,
            filename=filename,
            mime_type=seen.kind.mime_type,
            category=seen.kind.category,
            size_bytes=upload.size_bytes,
            sha=seen.digest,
            readable=seen.readable,
        )
        known = await self._attachments.find(found.tenant_id, found.session_id, attachment_id)
        if known is not None:
            return _same(known, new)
        _, held = await self._attachments.list(found.tenant_id, found.session_id, limit=1, offset=0)
        if held >= limits.ATTACHMENTS_PER_SESSION:
            raise Conflict("Too many attachments in this session", details=FULL)
        await self._blobs.write(found.tenant_id, found.session_id, blob_id(attachment_id, seen.digest), upload.content)
        record = await self._attachments.add(found.tenant_id, new, most=limits.ATTACHMENTS_PER_SESSION)
        return _view(record) if record is not None else await self._beaten(found, new)

    async def find(self, session: SessionRef, attachment_id: str) -> FileView:
        """Return a file of a session."""
        return _view(await self._record(await self._found(session), attachment_id))

    async def list(self, session: SessionRef, *, limit: int, offset: int) -> FilePage:
        """Return files of a session, the oldest first."""
        found = await self._found(session)
        rows, total = await self._attachments.list(found.tenant_id, found.session_id, limit=limit, offset=offset)
        return FilePage(tuple(map(_view, rows)), total)

    async def content(self, session: SessionRef, attachment_id: str) -> AsyncGenerator[bytes]:
        """Yield the bytes of a file in pieces."""
        found = await self._found(session)
        record = await self._record(found, attachment_id)
        async for piece in self._blobs.read(found.tenant_id, found.session_id, blob_id(attachment_id, record.sha256)):
            yield piece

    async def texts(self, tenant_id: str, project_id: str, attachment_ids: tuple[str, ...]) -> Mapping[str, str]:
        """Return attachment id -> its text."""
        records = await self._attachments.of_project(tenant_id, project_id, attachment_ids)
        _check_all(attachment_ids, records)
        return {record.attachment_id: record.readable for record in records}

    async def forget_session(self, tenant_id: str, session_id: str) -> None:
        """Remove the bytes of all files of a session."""
        await self._blobs.delete_all(tenant_id, session_id)

    async def forget_unused(self, limit: int) -> int:
        """Remove files that no message has named in a day, at most `limit`; return how many."""
        gone = await self._attachments.take_unused(limit)
        for one in gone:
            await self._blobs.delete(one.tenant_id, one.session_id, blob_id(one.attachment_id, one.sha256))
        return len(gone)

    def _id(self, session: SessionRef, key: str) -> str:
        """Return the id of a new file; the same one for the same idempotency key."""
        if not key:
            return self._ids.new(PREFIXES[KIND])
        name = f"{session.tenant_id}\0{session.session_id}\0{key}"
        return prefixed(KIND, f"c{blake2b(name.encode(), digest_size=ID_DIGEST_BYTES).hexdigest()}")

    async def _beaten(self, session: SessionRef, new: NewAttachment) -> FileView:
        """Return the file of a request with the same key that was faster. Raises Conflict: the session is full."""
        known = await self._attachments.find(session.tenant_id, session.session_id, new.attachment_id)
        if known is not None:
            return _same(known, new)
        await self._blobs.delete(session.tenant_id, session.session_id, blob_id(new.attachment_id, new.sha))
        raise Conflict("Too many attachments in this session", details=FULL)

    async def _found(self, session: SessionRef) -> SessionRef:
        record = await self._sessions.find(session.tenant_id, session.session_id)
        if record is None or session.project_id not in ("", record.project_id):
            raise NotFound("Session not found")
        return SessionRef(session.tenant_id, record.project_id, record.session_id)

    async def _record(self, session: SessionRef, attachment_id: str) -> AttachmentRecord:
        record = await self._attachments.find(session.tenant_id, session.session_id, attachment_id)
        if record is None:
            raise NotFound("Attachment not found")
        return record


def blob_id(attachment_id: str, digest: bytes) -> str:
    """Return under what the bytes of a file are kept: of two uploads under one key neither writes over the other."""
    return f"{attachment_id}.{digest.hex()}"


async def files_of_message(
    attachments: Attachments, session: SessionRef, attachment_ids: tuple[str, ...]
) -> tuple[Attachment, ...]:
    """Return the files that a message names, in its order; from now on they are in use.

    Raises:
        NotFound: The session has no such file.
    """
    records = await attachments.use(session.tenant_id, session.project_id, session.session_id, attachment_ids)
    _check_all(attachment_ids, records)
    by_id = {record.attachment_id: record for record in records}
    return tuple(_of_message(by_id[one]) for one in dict.fromkeys(attachment_ids))


def _check_all(wanted: tuple[str, ...], found: Sequence[AttachmentRecord]) -> None:
    if {record.attachment_id for record in found} != set(wanted):
        raise NotFound("Attachment not found")


def _of_message(record: AttachmentRecord) -> Attachment:
    view = _view(record)
    return Attachment(
        id=view.id,
        filename=view.filename,
        mime_type=view.mime_type,
        size_bytes=view.size_bytes,
        category=view.category,
        text=record.readable,
    )


def _look(filename: str, content: BinaryIO) -> _Seen:
    content.seek(0)
    head = content.read(HEAD_BYTES)
    kind = kind_of(filename, head, _parts(content) if head.startswith(ZIP_START) else frozenset())
    readable = ""
    if kind is not None and kind.mime_type in READABLE:
        content.seek(0)
        start = content.read(READABLE_CHARS * CHAR_MAX_BYTES)
        readable = storable_text(start.decode("utf-8-sig", "replace"))[:READABLE_CHARS]
    content.seek(0)
    digest = sha256()
    while piece := content.read(PIECE_BYTES):
        digest.update(piece)
    return _Seen(kind, digest.digest(), readable)


def _parts(content: BinaryIO) -> frozenset[str]:
    """Return the names in an archive, none of one that is broken."""
    try:
        with zipfile.ZipFile(content) as archive:
            return frozenset(archive.namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return frozenset()


def _same(known: AttachmentRecord, new: NewAttachment) -> FileView:
    """Return a file that was kept under the same key. Raises Conflict: that was another file."""
    if (known.sha256, known.filename) != (new.sha, new.filename):
        raise Conflict("This Idempotency-Key was used for another request", details=REUSED)
    return msgspec.structs.replace(_view(known), repeated=True)


def _view(record: AttachmentRecord) -> FileView:
    return FileView(
        id=record.attachment_id,
        filename=record.filename,
        mime_type=record.mime_type,
        size_bytes=record.size_bytes,
        category=record.category,
        created_at=iso_ms(record.created_at),
    )
