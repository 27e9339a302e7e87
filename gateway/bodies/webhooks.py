"""Bodies of outbound webhooks. Spec: platform-api 14.6."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from actors.webhooks import URL_MAX_CHARS, TestOutcome, WantedHook
from domain.clock import iso_ms
from domain.json_values import JsonValue
from domain.webhooks import Delivery, Webhook, WebhookEvent
from gateway.bodies.texts import RequestBody, without_nul
from gateway.envelope import PaginatedPage, Success, Wire

DESCRIPTION_MAX_CHARS = 500
EventName = Literal[
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
Url = Annotated[str, StringConstraints(min_length=1, max_length=URL_MAX_CHARS), AfterValidator(without_nul)]
Events = Annotated[list[EventName], Field(min_length=1, max_length=len(WebhookEvent) + 1)]
Description = Annotated[str, StringConstraints(max_length=DESCRIPTION_MAX_CHARS), AfterValidator(without_nul)]


class NewWebhookBody(RequestBody):
    """A hook: an https address (http for loopback only), and what it wants to be told."""

    url: Url
    events: Events
    description: Description | None = None
    is_active: bool = True


class WebhookChangeBody(RequestBody):
    """What to change; what is left out stays. Switching a hook on forgets its failures."""

    url: Url | None = None
    events: Events | None = None
    description: Description | None = None
    is_active: bool | None = None


class WebhookItem(Wire):
    """A hook; `failures` in a row, `disabledAt` when it was switched off for them."""

    id: str
    project_id: str
    url: str
    events: list[str]
    description: str
    is_active: bool
    failures: int
    disabled_at: str | None
    created_at: str
    updated_at: str


class WebhookReply(Success):
    """One hook."""

    webhook: WebhookItem


class NewWebhookReply(WebhookReply):
    """A new hook with its signing secret, which is shown this once."""

    secret: str


class WebhookListReply(PaginatedPage):
    """Hooks, the oldest first."""

    webhooks: list[WebhookItem]


class TestReply(Success):
    """What came of a test event: `ok` when the receiver took it within 10 s."""

    ok: bool
    response_status: int | None
    latency_ms: int
    error: str | None


class DeliveryItem(Wire):
    """One event on its way to a hook; `id` is what its receiver sees as `x-webhook-id`."""

    id: str
    event: str
    status: Literal["pending", "delivered", "dead"]
    attempts: int
    response_status: int | None
    error: str | None
    data: dict[str, JsonValue] = Field(description="free JSON, by the event")
    created_at: str
    attempted_at: str | None
    next_attempt_at: str | None


class DeliveryListReply(PaginatedPage):
    """Deliveries, the newest first."""

    deliveries: list[DeliveryItem]


def wanted_hook(body: NewWebhookBody | WebhookChangeBody) -> WantedHook:
    """Return what a body asks for."""
    events = tuple(dict.fromkeys(body.events)) if body.events is not None else None
    return WantedHook(url=body.url, events=events, description=body.description, is_active=body.is_active)


def webhook_item(hook: Webhook) -> WebhookItem:
    """Return a hook as it is shown."""
    return WebhookItem(
        id=hook.webhook_id,
        project_id=hook.project_id,
        url=hook.url,
        events=list(hook.events),
        description=hook.description,
        is_active=hook.is_active,
        failures=hook.failures,
        disabled_at=iso_ms(hook.disabled_at) if hook.disabled_at else None,
        created_at=iso_ms(hook.created_at),
        updated_at=iso_ms(hook.updated_at),
    )


def test_reply(outcome: TestOutcome) -> TestReply:
    """Return what came of a test as it is shown."""
    return TestReply(
        ok=outcome.ok,
        response_status=outcome.response_status,
        latency_ms=outcome.latency_ms,
        error=outcome.error or None,
    )


def delivery_item(delivery: Delivery) -> DeliveryItem:
    """Return a delivery as it is shown."""
    return DeliveryItem(
        id=delivery.event_id,
        event=delivery.event,
        status=delivery.status.value,
        attempts=delivery.attempts,
        response_status=delivery.response_status,
        error=delivery.last_error or None,
        data=delivery.data,
        created_at=iso_ms(delivery.created_at),
        attempted_at=iso_ms(delivery.attempted_at) if delivery.attempted_at else None,
        next_attempt_at=iso_ms(delivery.next_attempt_at) if delivery.next_attempt_at else None,
    )
