"""The forms of the API about attachments. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class AttachmentItem(TypedDict):
    """A kept file."""

    id: str
    filename: str
    mimeType: str
    sizeBytes: int
    category: Literal["image", "document", "audio", "video"]
    status: Literal["ready", "processing", "failed"]
    createdAt: str


class AttachmentListReply(TypedDict):
    """Some files of a session."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    attachments: list[AttachmentItem]


class AttachmentReply(TypedDict):
    """One file."""

    success: NotRequired[Literal[True]]
    attachment: AttachmentItem


class Totals(TypedDict):
    """Where a list stands."""

    total: int
    limit: int
    offset: int
