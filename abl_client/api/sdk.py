"""The part of the API about sdk. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.sdk import SdkInitBody, SdkInitReply, SdkTokenReply, TicketReply, WidgetReply


class SdkApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def init(self, body: SdkInitBody, *, idempotency_key: str = "") -> SdkInitReply:
        """Exchange a public key for a short-lived token; a resume token leads back to the session it came ..."""
        return cast(
            "SdkInitReply",
            self._transport.json(
                "POST", "/api/v1/sdk/init", body=body, idempotency_key=idempotency_key, schemes=("publicKey",)
            ),
        )

    def widget_config(self, project_id: str) -> WidgetReply:
        """Return how the widget of a page looks, and what its key allows."""
        return cast(
            "WidgetReply",
            self._transport.json("GET", f"/api/v1/sdk/config/{place(project_id)}", schemes=("publicApiKey",)),
        )

    def refresh(self, *, idempotency_key: str = "") -> SdkTokenReply:
        """Return a new token of the same family, also for one that expired within the last hour."""
        return cast(
            "SdkTokenReply",
            self._transport.json("POST", "/api/v1/sdk/refresh", idempotency_key=idempotency_key, schemes=("sdkToken",)),
        )

    def make_ticket(self, *, idempotency_key: str = "") -> TicketReply:
        """Return a ticket that opens one WebSocket within a minute."""
        return cast(
            "TicketReply",
            self._transport.json(
                "POST", "/api/v1/sdk/ws-ticket", idempotency_key=idempotency_key, schemes=("sdkToken",)
            ),
        )
