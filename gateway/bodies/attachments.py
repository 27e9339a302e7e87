"""Bodies of the attachment routes. Spec: platform-api 5.8."""

from __future__ import annotations

from typing import Literal

from actors.desks import FileView
from domain.messages import AttachmentCategory
from gateway.envelope import PaginatedPage, Success, Wire


class UploadReply(Success):
    """A file that was kept."""

    attachment_id: str
    filename: str
    mime_type: str
    size_bytes: int
    category: AttachmentCategory


class AttachmentItem(Wire):
    """A kept file."""

    id: str
    filename: str
    mime_type: str
    size_bytes: int
    category: AttachmentCategory
    status: Literal["ready", "processing", "failed"]
    created_at: str


class AttachmentReply(Success):
    """One file."""

    attachment: AttachmentItem


class AttachmentListReply(PaginatedPage):
    """Some files of a session."""

    attachments: list[AttachmentItem]


def upload_reply(view: FileView) -> UploadReply:
    """Return the answer to an upload."""
    return UploadReply(
        attachment_id=view.id,
        filename=view.filename,
        mime_type=view.mime_type,
        size_bytes=view.size_bytes,
        category=view.category,
    )


def attachment_item(view: FileView) -> AttachmentItem:
    """Return a file as lists and the detail show it."""
    return AttachmentItem(
        id=view.id,
        filename=view.filename,
        mime_type=view.mime_type,
        size_bytes=view.size_bytes,
        category=view.category,
        status=view.status,
        created_at=view.created_at,
    )
