"""The part of the API about webhooks. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.users import DeletedReply
    from abl_client.forms.webhooks import (
        DeliveryListReply,
        NewWebhookBody,
        NewWebhookReply,
        TestReply,
        WebhookChangeBody,
        WebhookListReply,
        WebhookReply,
    )


class WebhooksApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_webhooks(
        self, project_id: str, *, limit: int | None = None, offset: int | None = None
    ) -> WebhookListReply:
        """Return the hooks of a project, the oldest first; their secrets are never listed."""
        return cast(
            "WebhookListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/webhooks",
                query={"limit": limit, "offset": offset},
                schemes=("apiKey", "bearer"),
            ),
        )

    def create_webhook(self, project_id: str, body: NewWebhookBody, *, idempotency_key: str = "") -> NewWebhookReply:
        """Make a hook; its signing secret is in this answer and nowhere else."""
        return cast(
            "NewWebhookReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/webhooks",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_webhook(self, project_id: str, webhook_id: str) -> WebhookReply:
        """Return a hook."""
        return cast(
            "WebhookReply",
            self._transport.json(
                "GET", f"/api/projects/{place(project_id)}/webhooks/{place(webhook_id)}", schemes=("apiKey", "bearer")
            ),
        )

    def change_webhook(self, project_id: str, webhook_id: str, body: WebhookChangeBody) -> WebhookReply:
        """Change a hook; `isActive: true` switches one on again that failed too often."""
        return cast(
            "WebhookReply",
            self._transport.json(
                "PATCH",
                f"/api/projects/{place(project_id)}/webhooks/{place(webhook_id)}",
                body=body,
                schemes=("apiKey", "bearer"),
            ),
        )

    def delete_webhook(self, project_id: str, webhook_id: str) -> DeletedReply:
        """Remove a hook; what was still to be delivered to it is dropped."""
        return cast(
            "DeletedReply",
            self._transport.json(
                "DELETE",
                f"/api/projects/{place(project_id)}/webhooks/{place(webhook_id)}",
                schemes=("apiKey", "bearer"),
            ),
        )

    def test_webhook(self, project_id: str, webhook_id: str, *, idempotency_key: str = "") -> TestReply:
        """Send the event `webhook.test` at once, signed as every other, and return what came of it."""
        return cast(
            "TestReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/webhooks/{place(webhook_id)}/test",
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def list_deliveries(
        self,
        project_id: str,
        webhook_id: str,
        *,
        status: Literal["", "pending", "delivered", "dead"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> DeliveryListReply:
        """Return what was, is to be, or could not be delivered to a hook, the newest first; kept 30 days."""
        return cast(
            "DeliveryListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/webhooks/{place(webhook_id)}/deliveries",
                query={"status": status, "limit": limit, "offset": offset},
                schemes=("apiKey", "bearer"),
            ),
        )
