"""The part of the API about attachments. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.attachments import AttachmentListReply, AttachmentReply


class AttachmentsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_attachments(
        self, project_id: str, session_id: str, *, limit: int | None = None, offset: int | None = None
    ) -> AttachmentListReply:
        """Return the files of a session, the oldest first."""
        return cast(
            "AttachmentListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/sessions/{place(session_id)}/attachments",
                query={"limit": limit, "offset": offset},
                schemes=("apiKey", "bearer", "sdkToken"),
            ),
        )

    def get_attachment(self, project_id: str, session_id: str, attachment_id: str) -> AttachmentReply:
        """Return what is known of a file."""
        return cast(
            "AttachmentReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/sessions/{place(session_id)}/attachments/{place(attachment_id)}",
                schemes=("apiKey", "bearer", "sdkToken"),
            ),
        )

    def get_content(self, project_id: str, session_id: str, attachment_id: str) -> bytes:
        """Send the bytes of a file, to be saved and not shown."""
        return self._transport.bytes(
            "GET",
            f"/api/projects/{place(project_id)}/sessions/{place(session_id)}/attachments/{place(attachment_id)}/content",
            schemes=("apiKey", "bearer", "sdkToken"),
        )
