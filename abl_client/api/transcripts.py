"""The part of the API about transcripts. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.transcripts import EndedSessionReply, EndSessionBody, TranscriptReply


class TranscriptsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_transcript(
        self, session_id: str, *, limit: int | None = None, offset: int | None = None
    ) -> TranscriptReply:
        """Return the messages of a session, oldest first."""
        return cast(
            "TranscriptReply",
            self._transport.json(
                "GET",
                f"/api/v1/sessions/{place(session_id)}/transcripts",
                query={"limit": limit, "offset": offset},
                schemes=("apiKey", "bearer", "sdkToken"),
            ),
        )

    def end_session(
        self, session_id: str, body: EndSessionBody | None = None, *, idempotency_key: str = ""
    ) -> EndedSessionReply:
        """End a session; doing so again changes nothing."""
        return cast(
            "EndedSessionReply",
            self._transport.json(
                "POST",
                f"/api/v1/sessions/{place(session_id)}/end",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer", "sdkToken"),
            ),
        )
