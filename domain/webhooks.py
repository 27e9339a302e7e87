"""Outbound webhooks: which events there are, when a delivery is tried again, and how it is signed. Pure.

A delivery is signed in two ways that say the same: with the headers of platform-api 14.6, and with those of the
Standard Webhooks specification 1.0 (standardwebhooks.com), which receivers verify with its published libraries.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec
from msgspec import Struct

from domain.clock import iso_ms
from domain.json_values import JsonObject
from domain.limits import WEBHOOK_RETRIES_S

SECRET_PREFIX: Final = "whsec_"
SECRET_BYTES: Final = 32
EVERY_EVENT: Final = "*"
TEST_EVENT: Final = "webhook.test"
"""What `POST .../test` sends; a hook cannot ask for it."""


class WebhookEvent(StrEnum):
    """What a hook may ask for. Spec: platform-api 14.6."""

    SESSION_STARTED = "session.started"
    SESSION_ENDED = "session.ended"
    SESSION_SUSPENDED = "session.suspended"
    SESSION_RESUMED = "session.resumed"
    MESSAGE_COMPLETED = "message.completed"
    HANDOFF = "handoff"
    ESCALATION = "escalation"
    HUMAN_TASK_CREATED = "human_task.created"
    HUMAN_TASK_COMPLETED = "human_task.completed"
    HUMAN_TASK_EXPIRED = "human_task.expired"
    DEPLOYMENT_CREATED = "deployment.created"
    DEPLOYMENT_RETIRED = "deployment.retired"
    EVAL_RUN_COMPLETED = "eval_run.completed"
    EVAL_RUN_FAILED = "eval_run.failed"
    EVAL_RUN_REGRESSION = "eval_run.regression"
    FEEDBACK_CREATED = "feedback.created"


class DeliveryStatus(StrEnum):
    """Where a delivery stands; `dead` is tried no more."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"


class Happening(Struct, frozen=True):
    """Something to tell the hooks of a project of."""

    event: WebhookEvent
    data: JsonObject


class Webhook(Struct, frozen=True, kw_only=True):
    """A hook of a project.

    Attributes:
        events: Names of `WebhookEvent`, or `*`.
        failures: Tries that failed since the last one that did not.
        disabled_at: When it was switched off for its failures, None when it was not.
    """

    webhook_id: str
    project_id: str
    url: str
    events: tuple[str, ...]
    description: str = ""
    is_active: bool = True
    failures: int = 0
    disabled_at: datetime | None = None
    created_at: datetime
    updated_at: datetime


class Delivery(Struct, frozen=True, kw_only=True):
    """One event on its way to one hook; `event_id` is the same in each try and at each hook."""

    event_id: str
    webhook_id: str
    project_id: str
    event: str
    data: JsonObject
    status: DeliveryStatus = DeliveryStatus.PENDING
    attempts: int = 0
    response_status: int | None = None
    last_error: str = ""
    created_at: datetime
    attempted_at: datetime | None = None
    next_attempt_at: datetime | None = None


def delivery_body(tenant_id: str, delivery: Delivery) -> bytes:
    """Return what is posted: `{id, event, tenantId, projectId, createdAt, data}` as JSON."""
    return msgspec.json.encode(
        {
            "id": delivery.event_id,
            "event": delivery.event,
            "tenantId": tenant_id,
            "projectId": delivery.project_id,
            "createdAt": iso_ms(delivery.created_at),
            "data": delivery.data,
        }
    )


def new_secret(random_bytes: bytes) -> str:
    """Return the signing secret made of 32 random bytes, in the form of Standard Webhooks."""
    return SECRET_PREFIX + base64.b64encode(random_bytes).decode()


def signed_headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers that say who sends a body, and when.

    `x-webhook-signature` is keyed with the text of the secret, `webhook-signature` with the bytes that it spells.

    Args:
        secret: As `new_secret` made it.
        message_id: The same in each try, so that a receiver knows a repetition.
        timestamp: Of this try, in Unix seconds.
        body: The raw bytes that are posted.
    """
    moment = str(timestamp)
    plain = hmac.new(secret.encode(), moment.encode() + b"." + body, hashlib.sha256).hexdigest()
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    standard = hmac.new(key, f"{message_id}.{moment}.".encode() + body, hashlib.sha256).digest()
    return {
        "x-webhook-id": message_id,
        "x-webhook-timestamp": moment,
        "x-webhook-signature": f"sha256={plain}",
        "webhook-id": message_id,
        "webhook-timestamp": moment,
        "webhook-signature": f"v1,{base64.b64encode(standard).decode()}",
    }


def retry_after_s(failed_attempts: int) -> float | None:
    """Return in how many seconds a delivery is tried again that has failed so often, None when no more.

    >>> [retry_after_s(attempts) for attempts in (1, 6, 7)]
    [10.0, 21600.0, None]
    """
    return WEBHOOK_RETRIES_S[failed_attempts - 1] if failed_attempts <= len(WEBHOOK_RETRIES_S) else None
