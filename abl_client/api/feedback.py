"""The part of the API about feedback. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport

if TYPE_CHECKING:
    from abl_client.forms.feedback import FeedbackBody, FeedbackReply


class FeedbackApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def give_feedback(self, body: FeedbackBody, *, idempotency_key: str = "") -> FeedbackReply:
        """Keep what the caller thinks of an answer, in the place of what the caller said of it before."""
        return cast(
            "FeedbackReply",
            self._transport.json(
                "POST",
                "/api/v1/feedback",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer", "sdkToken"),
            ),
        )
