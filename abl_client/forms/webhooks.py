"""The forms of the API about webhooks. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from abl_client.forms.attachments import Totals


class DeliveryItem(TypedDict):
    """One event on its way to a hook; `id` is what its receiver sees as `x-webhook-id`."""

    id: str
    event: str
    status: Literal["pending", "delivered", "dead"]
    attempts: int
    responseStatus: int | None
    error: str | None
    data: dict[str, Any]
    createdAt: str
    attemptedAt: str | None
    nextAttemptAt: str | None


class DeliveryListReply(TypedDict):
    """Deliveries, the newest first."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    deliveries: list[DeliveryItem]


class NewWebhookBody(TypedDict):
    """A hook: an https address (http for loopback only), and what it wants to be told."""

    url: str
    events: list[
        Literal[
            "*",
            "session.started",
            "session.ended",
            "session.suspended",
            "session.resumed",
            "message.completed",
            "handoff",
            "escalation",
            "human_task.created",
            "human_task.completed",
            "human_task.expired",
            "deployment.created",
            "deployment.retired",
            "eval_run.completed",
            "eval_run.failed",
            "eval_run.regression",
            "feedback.created",
        ]
    ]
    description: NotRequired[str | None]
    isActive: NotRequired[bool]


class NewWebhookReply(TypedDict):
    """A new hook with its signing secret, which is shown this once."""

    success: NotRequired[Literal[True]]
    webhook: WebhookItem
    secret: str


class TestReply(TypedDict):
    """What came of a test event: `ok` when the receiver took it within 10 s."""

    success: NotRequired[Literal[True]]
    ok: bool
    responseStatus: int | None
    latencyMs: int
    error: str | None


class WebhookChangeBody(TypedDict):
    """What to change; what is left out stays. Switching a hook on forgets its failures."""

    url: NotRequired[str | None]
    events: NotRequired[
        list[
            Literal[
                "*",
                "session.started",
                "session.ended",
                "session.suspended",
                "session.resumed",
                "message.completed",
                "handoff",
                "escalation",
                "human_task.created",
                "human_task.completed",
                "human_task.expired",
                "deployment.created",
                "deployment.retired",
                "eval_run.completed",
                "eval_run.failed",
                "eval_run.regression",
                "feedback.created",
            ]
        ]
        | None
    ]
    description: NotRequired[str | None]
    isActive: NotRequired[bool | None]


class WebhookItem(TypedDict):
    """A hook; `failures` in a row, `disabledAt` when it was switched off for them."""

    id: str
    projectId: str
    url: str
    events: list[str]
    description: str
    isActive: bool
    failures: int
    disabledAt: str | None
    createdAt: str
    updatedAt: str


class WebhookListReply(TypedDict):
    """Hooks, the oldest first."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    webhooks: list[WebhookItem]


class WebhookReply(TypedDict):
    """One hook."""

    success: NotRequired[Literal[True]]
    webhook: WebhookItem
