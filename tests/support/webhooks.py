"""A gateway with two agents and the webhooks of its project, and its outbox in the hands of a test."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from actors.clocks import RandomIds, SystemClock
from actors.installation import allowed_addresses, master_keys
from actors.projects import TENANT_ID
from actors.webhook_delivery import WebhookSender
from actors.webhooks import HookedProjects, emit
from domain.webhooks import WebhookEvent
from providers.http import HttpClient
from storage.repositories.jobs import Job
from storage.repositories.webhooks import DELIVER_JOB
from storage.statements import Statement
from storage.vault import Vault
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_endpoint import Asked

LOOPBACK = ("127.0.0.0/8",)
DEADLINE_S = 60.0
POLL_S = 0.02
DESK = """\
AGENT: Desk
GOAL: "Help"

HANDOFF:
  - TO: Billing
    WHEN: input CONTAINS "bill"

ESCALATE:
  triggers:
    - WHEN: input CONTAINS "lawyer"
      REASON: "Mentions a lawyer"
      PRIORITY: 1

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "At your service."
        THEN: listen
"""
BILLING = """\
AGENT: Billing
GOAL: "Bill"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "Your bill is paid."
        THEN: listen
"""
EXAMPLE = {"url": "https://example.com/hook", "events": ["*"]}
OUTBOX = Statement("""
    SELECT event FROM webhook_deliveries WHERE tenant_id = :tenant_id AND project_id = :project_id
""")
JOBS = Statement("SELECT count(*) FROM jobs WHERE tenant_id = :tenant_id AND kind = :kind")
TAKE = Statement("""
    DELETE FROM jobs j USING webhooks w
    WHERE j.tenant_id = :tenant_id AND kind = :kind AND w.tenant_id = j.tenant_id AND w.project_id = :project_id
      AND j.payload ->> 'webhook_id' = w.webhook_id
    RETURNING j.tenant_id, kind, name, payload
""")
ACTIONS = Statement(
    "SELECT action FROM audit_log WHERE tenant_id = :tenant_id AND project_id = :project_id ORDER BY number"
)


@asynccontextmanager
async def a_gateway(servers: Servers, name: str, **more: Any) -> AsyncIterator[LiveGateway]:
    texts = {"desk.abl": DESK, "billing.abl": BILLING}
    async with a_live_gateway(servers, name, texts, **more) as gateway:
        yield gateway


async def hooks(gateway: LiveGateway, method: str = "GET", path: str = "", body: Any = None) -> Answer:
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/webhooks{path}", body)


async def say(gateway: LiveGateway, message: str, session_id: str = "") -> Any:
    body = {"projectId": gateway.project_id, "message": message, **({"sessionId": session_id} if session_id else {})}
    return (await gateway.call("POST", "/api/v1/chat/agent", body)).json()


async def delivered(gateway: LiveGateway, webhook_id: str, count: int) -> list[dict[str, Any]]:
    """Return deliveries of a hook, the oldest first, as soon as so many have arrived."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            rows = (await hooks(gateway, "GET", f"/{webhook_id}/deliveries?status=delivered")).json()["deliveries"]
            if len(rows) >= count:
                return list(rows[::-1])
            await asyncio.sleep(POLL_S)


class Outgoing:
    """The deliveries of the installation, sent when a test says so and by nobody else."""

    def __init__(self, gateway: LiveGateway) -> None:
        settings, self.database = gateway.running.settings, gateway.running.database
        self.client = HttpClient(allowed_addresses(settings))
        vault = Vault(self.database, master_keys(settings))
        clock, ids = SystemClock(), RandomIds()
        self.sender = WebhookSender(self.database, vault, self.client, clock, ids, HookedProjects(self.database))
        self.project_id = gateway.project_id

    async def happens(self, event: WebhookEvent = WebhookEvent.HANDOFF) -> Job:
        """Let something happen once, and return the job that was written with it."""
        async with self.database.transaction() as connection:
            await emit(connection, TENANT_ID, self.project_id, event, {"number": 1})
            (row,) = await connection.rows(TAKE, tenant_id=TENANT_ID, kind=DELIVER_JOB, project_id=self.project_id)
        return Job(**row, attempts=1, claim=1)

    async def try_again(self, job: Job) -> float | None:
        return await self.sender.carry_out(job)


@asynccontextmanager
async def outgoing(gateway: LiveGateway) -> AsyncIterator[Outgoing]:
    one = Outgoing(gateway)
    try:
        yield one
    finally:
        await one.client.close()


def check_signed(asked: Asked, secret: str) -> None:
    moment, name = asked.headers["x-webhook-timestamp"], asked.headers["x-webhook-id"]
    plain = hmac.new(secret.encode(), f"{moment}.".encode() + asked.body, hashlib.sha256).hexdigest()
    assert asked.headers["x-webhook-signature"] == f"sha256={plain}"
    key = base64.b64decode(secret.removeprefix("whsec_"))
    standard = hmac.new(key, f"{name}.{moment}.".encode() + asked.body, hashlib.sha256).digest()
    assert asked.headers["webhook-signature"] == f"v1,{base64.b64encode(standard).decode()}"
    assert (asked.headers["webhook-id"], asked.headers["webhook-timestamp"]) == (name, moment)
    assert json.loads(asked.body)["id"] == name
