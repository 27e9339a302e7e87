"""The part of the API about callbacks. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.callbacks import CallbackListReply, CallbackReply


class CallbacksApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def deliver_callback(self, callback_id: str, body: dict[str, Any], *, secret: str = "") -> CallbackReply:
        """Hand an answer to the session that waits for it, at most once; the signature is over the raw body."""
        return cast(
            "CallbackReply",
            self._transport.json(
                "POST", f"/api/v1/callbacks/{place(callback_id)}", body=body, secret=secret, schemes=()
            ),
        )

    def list_callbacks(
        self,
        project_id: str,
        *,
        status: Literal["pending", "processed", "expired", "cancelled"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> CallbackListReply:
        """Return what sessions of a project wait for; secrets are never listed."""
        return cast(
            "CallbackListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/callbacks",
                query={"status": status, "limit": limit, "offset": offset},
                schemes=("apiKey", "bearer"),
            ),
        )
