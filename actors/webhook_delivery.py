"""Sends what stands in the outbox of webhooks, one job each, and tries again when that fails. Spec: platform-api 14.6.

At least once: what was sent before its outcome could be written is sent again, under the same id.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from actors.webhook_places import WebhookPlaces
from actors.webhooks import KIND, HookedProjects, TestOutcome
from domain.analytics import EventCategory, NewEvent
from domain.clock import MILLISECONDS_PER_SECOND, Clock, IdSource
from domain.ids import PREFIXES
from domain.limits import WEBHOOK_DELIVERIES_KEPT_DAYS, WEBHOOK_TIMEOUT_S
from domain.webhooks import (
    TEST_EVENT,
    Delivery,
    DeliveryStatus,
    Webhook,
    delivery_body,
    retry_after_s,
    signed_headers,
)
from providers.failures import CallFailed
from providers.http import HttpCall, HttpClient, Timeouts
from storage.database import Database
from storage.repositories.events import Events
from storage.repositories.jobs import Job
from storage.repositories.webhook_claims import WebhookClaims
from storage.repositories.webhooks import DELIVER_JOB, SWITCHED_OFF, Tried, Webhooks
from storage.vault import Vault

log = logging.getLogger(__name__)

PAUSED_LOOK_S: Final = 3_600.0
"""How often a delivery of a hook that somebody has switched off is looked at; it is sent when the hook is on again."""
WAITS: Final = timedelta(days=WEBHOOK_DELIVERIES_KEPT_DAYS)
"""How old a delivery may become that waits for such a hook."""
TIMEOUTS: Final = Timeouts(total_s=WEBHOOK_TIMEOUT_S, connect_s=5.0, idle_s=WEBHOOK_TIMEOUT_S)


class WebhookSender:
    """Sends deliveries. Satisfies `actors.jobs.Outbound` and `actors.webhooks.TestSender`."""

    def __init__(
        self, database: Database, vault: Vault, client: HttpClient, clock: Clock, ids: IdSource, hooked: HookedProjects
    ) -> None:
        self._database = database
        self._webhooks = Webhooks(database)
        self._events = Events(database)
        self._vault = vault
        self._client = client
        self._clock = clock
        self._ids = ids
        self._places = WebhookPlaces(WebhookClaims(database))
        self.hooked = hooked

    async def claim(self, under_way: Sequence[Job]) -> Sequence[Job]:
        """Return the deliveries to begin now, beside those that are under way."""
        return await self._places.claim(under_way)

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of jobs it does."""
        return (DELIVER_JOB,)

    async def carry_out(self, job: Job) -> float | None:
        """Try one delivery; return in how many seconds to try again, None when that is not wanted."""
        webhook_id, event_id = str(job.payload["webhook_id"]), str(job.payload["event_id"])
        found = await self._webhooks.outgoing(job.tenant_id, webhook_id, event_id)
        if found is None or found.delivery.status is not DeliveryStatus.PENDING:
            return None
        delivery = found.delivery
        if not found.is_active:
            return await self._put_off(job.tenant_id, delivery, for_good=found.has_failed)
        outcome = await self._send(job.tenant_id, found.url, found.sealed, delivery)
        retry_s = None if outcome.ok else retry_after_s(delivery.attempts + 1)
        status = DeliveryStatus.DELIVERED if outcome.ok else DeliveryStatus.DEAD
        tried = Tried(
            DeliveryStatus.PENDING if retry_s is not None else status, outcome.response_status, outcome.error, retry_s
        )
        async with self._database.transaction() as connection:
            stays_on = await self._webhooks.note(connection, job.tenant_id, delivery, tried, has_failed=not outcome.ok)
            await self._events.append(connection, job.tenant_id, self._event(delivery, outcome))
        if not stays_on:
            log.warning("webhook %s has been switched off: too many failures in a row", webhook_id)
            self.hooked.forget(job.tenant_id, delivery.project_id)
        return retry_s

    async def test(self, tenant_id: str, hook: Webhook, sealed: bytes) -> TestOutcome:
        """Send a test event once and return what came of it."""
        delivery = Delivery(
            event_id=self._ids.new(PREFIXES["event"]),
            webhook_id=hook.webhook_id,
            project_id=hook.project_id,
            event=TEST_EVENT,
            data={"webhookId": hook.webhook_id},
            created_at=self._clock.now(),
        )
        return await self._send(tenant_id, hook.url, sealed, delivery)

    async def _put_off(self, tenant_id: str, delivery: Delivery, *, for_good: bool) -> float | None:
        """Let a delivery wait for its hook, or end it; return in how many seconds to look at it again."""
        if for_good or self._clock.now() - delivery.created_at > WAITS:
            dead = Tried(DeliveryStatus.DEAD, delivery.response_status, SWITCHED_OFF, tries=0)
            async with self._database.transaction() as connection:
                await self._webhooks.note(connection, tenant_id, delivery, dead, has_failed=False)
            return None
        return PAUSED_LOOK_S if await self._webhooks.pause(tenant_id, delivery) else 0.0

    def _event(self, delivery: Delivery, outcome: TestOutcome) -> NewEvent:
        """Return what analytics counts of a try."""
        return NewEvent(
            category=EventCategory.CHANNEL,
            event_type="webhook_delivered" if outcome.ok else "webhook_failed",
            project_id=delivery.project_id,
            at=self._clock.now(),
            duration_ms=outcome.latency_ms,
            error=None if outcome.ok else str(outcome.response_status or "no_answer"),
            metadata={"event": delivery.event, "status": outcome.response_status, "attempt": delivery.attempts + 1},
        )

    async def _send(self, tenant_id: str, url: str, sealed: bytes, delivery: Delivery) -> TestOutcome:
        secret = (await self._vault.open(tenant_id, sealed, (KIND, delivery.webhook_id))).decode()
        body = delivery_body(tenant_id, delivery)
        moment = int(self._clock.now().timestamp())
        headers = {"Content-Type": "application/json", **signed_headers(secret, delivery.event_id, moment, body)}
        began = time.monotonic()
        status, error = None, ""
        try:
            answer = await self._client.open(HttpCall("POST", url, headers, body, TIMEOUTS))
            status = answer.status
            answer.close()  # what it says beside its status is not read
        except CallFailed as failure:
            error = failure.message
        is_taken = status is not None and 200 <= status < 300
        if status is not None and not is_taken:
            error = f"The receiver answered {status}"
        latency_ms = round((time.monotonic() - began) * MILLISECONDS_PER_SECOND)
        return TestOutcome(ok=is_taken, response_status=status, latency_ms=latency_ms, error=error)
