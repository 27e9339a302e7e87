"""Outbound webhooks of a project: who is told of what happens in it. Spec: platform-api 14.6."""

from __future__ import annotations

from typing import Literal

from domain import limits
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.audited import Asking
from gateway.bodies.texts import QueryText
from gateway.bodies.webhooks import (
    DeliveryListReply,
    NewWebhookBody,
    NewWebhookReply,
    TestReply,
    WebhookChangeBody,
    WebhookListReply,
    WebhookReply,
    delivery_item,
    test_reply,
    wanted_hook,
    webhook_item,
)
from gateway.envelope import DeletedReply, Offset, PageLimit, Totals
from gateway.guarded import guarded_router
from gateway.services import Serving

CREATED = 201
READER = caller("api_key", "user", permission=Permission.WEBHOOK_READ)
WRITER = caller("api_key", "user", permission=Permission.WEBHOOK_WRITE)
MAKER = caller("api_key", "user", permission=Permission.WEBHOOK_WRITE, replay="reply")

router = guarded_router("/api/projects/{project_id}/webhooks", "webhooks")


@router.get("", response_model=WebhookListReply, dependencies=[READER])
async def list_webhooks(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> WebhookListReply:
    """Return the hooks of a project, the oldest first; their secrets are never listed."""
    page = await services.desks.webhooks.list(admitted.caller.tenant_id, project_id, limit=limit, offset=offset)
    return WebhookListReply(
        webhooks=[webhook_item(one) for one in page.rows],
        pagination=Totals(total=page.total, limit=limit, offset=offset),
    )


@router.post("", status_code=CREATED, response_model=NewWebhookReply, dependencies=[MAKER])
async def create_webhook(
    project_id: str, body: NewWebhookBody, admitted: Admitted, asking: Asking, services: Serving
) -> NewWebhookReply:
    """Make a hook; its signing secret is in this answer and nowhere else."""
    made = await services.desks.webhooks.create(admitted.caller.tenant_id, project_id, wanted_hook(body), asking)
    return NewWebhookReply(webhook=webhook_item(made.hook), secret=made.secret)


@router.get("/{webhook_id}", response_model=WebhookReply, dependencies=[READER])
async def get_webhook(project_id: str, webhook_id: QueryText, admitted: Admitted, services: Serving) -> WebhookReply:
    """Return a hook."""
    found = await services.desks.webhooks.get(admitted.caller.tenant_id, project_id, webhook_id)
    return WebhookReply(webhook=webhook_item(found))


@router.patch("/{webhook_id}", response_model=WebhookReply, dependencies=[WRITER])
async def change_webhook(
    project_id: str,
    webhook_id: QueryText,
    body: WebhookChangeBody,
    admitted: Admitted,
    asking: Asking,
    services: Serving,
) -> WebhookReply:
    """Change a hook; `isActive: true` switches one on again that failed too often."""
    changed = await services.desks.webhooks.change(
        admitted.caller.tenant_id, project_id, webhook_id, wanted_hook(body), asking
    )
    return WebhookReply(webhook=webhook_item(changed))


@router.delete("/{webhook_id}", response_model=DeletedReply, dependencies=[WRITER])
async def delete_webhook(
    project_id: str, webhook_id: QueryText, admitted: Admitted, asking: Asking, services: Serving
) -> DeletedReply:
    """Remove a hook; what was still to be delivered to it is dropped."""
    await services.desks.webhooks.remove(admitted.caller.tenant_id, project_id, webhook_id, asking)
    return DeletedReply()


@router.post("/{webhook_id}/test", response_model=TestReply, dependencies=[MAKER])
async def test_webhook(project_id: str, webhook_id: QueryText, admitted: Admitted, services: Serving) -> TestReply:
    """Send the event `webhook.test` at once, signed as every other, and return what came of it."""
    return test_reply(await services.desks.webhooks.test(admitted.caller.tenant_id, project_id, webhook_id))


@router.get("/{webhook_id}/deliveries", response_model=DeliveryListReply, dependencies=[READER])
async def list_deliveries(
    project_id: str,
    webhook_id: QueryText,
    admitted: Admitted,
    services: Serving,
    status: Literal["", "pending", "delivered", "dead"] = "",
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> DeliveryListReply:
    """Return what was, is to be, or could not be delivered to a hook, the newest first; kept 30 days."""
    page = await services.desks.webhooks.deliveries(
        admitted.caller.tenant_id, project_id, webhook_id, status=status, limit=limit, offset=offset
    )
    return DeliveryListReply(
        deliveries=[delivery_item(one) for one in page.rows],
        pagination=Totals(total=page.total, limit=limit, offset=offset),
    )
