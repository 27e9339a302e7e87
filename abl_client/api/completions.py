"""The part of the API about completions. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from abl_client.transport import Transport

if TYPE_CHECKING:
    from abl_client.forms.completions import CompletionBody, CompletionReply, UsageReply


class CompletionsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def stream_completion(self, body: CompletionBody) -> bytes:
        """Ask a model and send its answer while it comes; a client that leaves ends the call."""
        return self._transport.bytes("POST", "/api/v1/chat/stream", body=body, schemes=("apiKey", "bearer"))

    def complete(self, body: CompletionBody, *, idempotency_key: str = "") -> CompletionReply:
        """Ask a model and return its whole answer."""
        return cast(
            "CompletionReply",
            self._transport.json(
                "POST",
                "/api/v1/chat/complete",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_usage(
        self,
        *,
        project_id: str,
        start_date: str | None = None,
        end_date: str | None = None,
        group_by: Literal["model"] | None = None,
    ) -> UsageReply:
        """Return what the model calls of a project used, those of its agents and completions; the last 30 ..."""
        return cast(
            "UsageReply",
            self._transport.json(
                "GET",
                "/api/v1/chat/usage",
                query={"projectId": project_id, "startDate": start_date, "endDate": end_date, "groupBy": group_by},
                schemes=("apiKey", "bearer"),
            ),
        )
