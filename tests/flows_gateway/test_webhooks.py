"""Outbound webhooks over real sockets: kept, told, signed, tried again, given up, and never sent where they may not."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from actors.clocks import RandomIds, SystemClock
from actors.installation import allowed_addresses, master_keys
from actors.projects import TENANT_ID
from actors.webhook_delivery import WebhookSender
from actors.webhooks import HookedProjects, emit
from domain.limits import WEBHOOK_FAILURES_MAX, WEBHOOK_RETRIES_S, WEBHOOKS_PER_PROJECT
from domain.webhooks import WebhookEvent
from providers.http import HttpClient
from storage.repositories.jobs import Job
from storage.repositories.projects import Projects
from storage.repositories.webhooks import DELIVER_JOB
from storage.statements import Statement
from storage.vault import Vault
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_endpoint import Answer as Told
from tests.support.stub_endpoint import Asked, StubEndpoint

pytestmark = pytest.mark.anyio
LOOPBACK = ("127.0.0.0/8",)
DEADLINE_S = 20.0
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


async def test_a_hook_is_made_seen_changed_and_removed(servers: Servers) -> None:
    async with a_gateway(servers, "hook-life") as gateway:
        made = await hooks(gateway, "POST", body={**EXAMPLE, "description": "all of it"})
        assert made.status == 201
        hook, secret = made.json()["webhook"], made.json()["secret"]
        assert secret.startswith("whsec_")
        assert (hook["events"], hook["isActive"], hook["failures"], hook["disabledAt"]) == (["*"], True, 0, None)
        listed = await hooks(gateway)
        assert (listed.json()["webhooks"], listed.json()["pagination"]["total"]) == ([hook], 1)
        assert secret.encode() not in listed.body
        place = f"/{hook['id']}"
        changed = (await hooks(gateway, "PATCH", place, {"isActive": False})).json()["webhook"]
        assert (changed["isActive"], changed["url"], changed["description"]) == (False, EXAMPLE["url"], "all of it")
        assert (await hooks(gateway, "GET", place)).json()["webhook"] == changed
        assert (await hooks(gateway, "GET", f"{place}/deliveries")).json()["deliveries"] == []
        assert (await hooks(gateway, "DELETE", place)).json() == {"success": True, "deleted": True}
        for method, path, body in (
            ("GET", place, None),
            ("PATCH", place, {"isActive": True}),
            ("DELETE", place, None),
            ("POST", f"{place}/test", {}),
            ("GET", f"{place}/deliveries", None),
        ):
            gone = await hooks(gateway, method, path, body)
            assert (gone.status, gone.json()["error"]["message"]) == (404, "Webhook not found")
        rows = await gateway.running.database.rows(ACTIONS, tenant_id=TENANT_ID, project_id=gateway.project_id)
        assert [row["action"] for row in rows] == ["webhook.create", "webhook.update", "webhook.delete"]


async def test_a_hook_of_another_project_is_not_there(servers: Servers) -> None:
    async with a_gateway(servers, "hook-other") as gateway:
        hook = (await hooks(gateway, "POST", body=EXAMPLE)).json()["webhook"]
        other_id = "c" + "z" * 24
        await Projects(gateway.running.database).create(TENANT_ID, other_id, name="other", slug="other")
        for method, path, body in (
            ("GET", "", None),
            ("PATCH", "", {"isActive": False}),
            ("DELETE", "", None),
            ("POST", "/test", {}),
            ("GET", "/deliveries", None),
        ):
            place = f"/api/projects/{other_id}/webhooks/{hook['id']}{path}"
            assert (await gateway.call(method, place, body)).status == 404
        assert (await gateway.call("GET", f"/api/projects/{other_id}/webhooks")).json()["webhooks"] == []


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"url": "https://example.com"}, "/events"),
        ({"url": "https://example.com", "events": []}, "/events"),
        ({"url": "https://example.com", "events": ["session.exploded"]}, "/events/0"),
        ({"events": ["*"]}, "/url"),
        ({"url": "http://example.com/hook", "events": ["*"]}, "/url"),
        ({"url": "ftp://example.com/hook", "events": ["*"]}, "/url"),
        ({"url": "https://", "events": ["*"]}, "/url"),
        ({"url": "https://example.com:99999/", "events": ["*"]}, "/url"),
        ({"url": "https://me:word@example.com/", "events": ["*"]}, "/url"),
        ({"url": "https://10.0.0.1/hook", "events": ["*"]}, "/url"),
        ({"url": "https://[fe80::1]/hook", "events": ["*"]}, "/url"),
        ({"url": "https://169.254.169.254/latest", "events": ["*"]}, "/url"),
        ({"url": "https://0x7f.1/hook", "events": ["*"]}, "/url"),
        ({"url": "http://127.0.0.1:9/hook", "events": ["*"]}, "/url"),
        ({"url": "https://example.com/" + "x" * 2_048, "events": ["*"]}, "/url"),
        ({**EXAMPLE, "description": "x" * 501}, "/description"),
    ],
)
async def test_what_is_no_hook_is_refused(servers: Servers, body: Any, place: str) -> None:
    async with a_gateway(servers, "hook-refused") as gateway:
        answer = await hooks(gateway, "POST", body=body)
        error = answer.json()["error"]
        is_missing = place.removeprefix("/") not in body and not place.endswith("/0")
        assert (answer.status, error["code"]) == (400, "BAD_REQUEST" if is_missing else "VALIDATION_ERROR")
        assert error["details"]["fields"][0]["path"] == place
        assert (await hooks(gateway)).json()["webhooks"] == []


async def test_a_project_has_at_most_fifty_hooks(servers: Servers) -> None:
    async with a_gateway(servers, "hook-many") as gateway:
        made = await asyncio.gather(*(hooks(gateway, "POST", body=EXAMPLE) for _ in range(WEBHOOKS_PER_PROJECT + 5)))
        assert sorted(one.status for one in made) == [201] * WEBHOOKS_PER_PROJECT + [400] * 5


async def test_a_conversation_is_told_to_who_asks_for_it_and_signed(servers: Servers) -> None:
    async with StubEndpoint() as receiver, a_gateway(servers, "hook-told", allowed_networks=LOOPBACK) as gateway:
        wanted = {"url": f"{receiver.url}/in", "events": ["*"]}
        made = (await hooks(gateway, "POST", body=wanted)).json()
        ended_only = (await hooks(gateway, "POST", body={**wanted, "events": ["session.ended"]})).json()
        session_id = (await say(gateway, "hello"))["sessionId"]
        await say(gateway, "my bill please", session_id)
        await say(gateway, "I will see my lawyer", session_id)
        await gateway.call("POST", f"/api/v1/sessions/{session_id}/end", {})
        rows = await delivered(gateway, made["webhook"]["id"], 5)
        events = [row["event"] for row in rows]
        assert events[0] == "session.started"
        assert events[-1] == "session.ended"
        assert events.count("handoff") == 1
        assert events.count("message.completed") >= 2
        handoff = next(row["data"] for row in rows if row["event"] == "handoff")
        assert (handoff["fromAgent"], handoff["toAgent"], handoff["sessionId"]) == ("Desk", "Billing", session_id)
        said = next(row["data"] for row in rows if row["event"] == "message.completed")
        assert (said["text"], said["sessionId"], said["turn"]) == ("At your service.", session_id, 1)
        (end,) = await delivered(gateway, ended_only["webhook"]["id"], 1)
        assert (end["event"], end["data"]["endReason"], end["attempts"]) == ("session.ended", "api", 1)
        for asked in receiver.asked:
            of_first = json.loads(asked.body)["event"] != "session.ended"
            if of_first:
                check_signed(asked, made["secret"])
        assert {asked.method for asked in receiver.asked} == {"POST"}


async def test_an_escalation_suspends_and_is_told(servers: Servers) -> None:
    async with StubEndpoint() as receiver, a_gateway(servers, "hook-escalate", allowed_networks=LOOPBACK) as gateway:
        wanted = {"url": receiver.url, "events": ["escalation", "session.suspended"]}
        hook = (await hooks(gateway, "POST", body=wanted)).json()["webhook"]
        await say(gateway, "I will see my lawyer")
        rows = await delivered(gateway, hook["id"], 2)
        assert {row["event"] for row in rows} == {"escalation", "session.suspended"}
        told = next(row["data"] for row in rows if row["event"] == "escalation")
        assert told["reason"] == "Mentions a lawyer"


async def test_feedback_is_told_once(servers: Servers) -> None:
    async with StubEndpoint() as receiver, a_gateway(servers, "hook-feedback", allowed_networks=LOOPBACK) as gateway:
        wanted = {"url": receiver.url, "events": ["feedback.created"]}
        hook = (await hooks(gateway, "POST", body=wanted)).json()["webhook"]
        said = await say(gateway, "hello")
        answer = said["messageId"]
        for rating in ("positive", "negative"):
            body = {"sessionId": said["sessionId"], "messageId": answer, "rating": rating, "comment": "private words"}
            await gateway.call("POST", "/api/v1/feedback", body)
        (row,) = await delivered(gateway, hook["id"], 1)
        assert (row["data"]["messageId"], row["data"]["rating"]) == (answer, "positive")
        assert b"private words" not in receiver.asked[0].body


async def test_a_failed_delivery_is_tried_again_and_then_dead(servers: Servers) -> None:
    failing = (
        Told(status=500),
        Told(status=302, headers={"Location": "https://example.com"}),
        Told(raw=b"junk\r\n\r\n"),
    )
    async with (
        StubEndpoint(*failing, Told(status=503)) as receiver,
        a_gateway(servers, "hook-dead", allowed_networks=LOOPBACK) as gateway,
        outgoing(gateway) as out,
    ):
        hook = (await hooks(gateway, "POST", body={"url": receiver.url, "events": ["handoff"]})).json()["webhook"]
        job = await out.happens()
        waits = [await out.try_again(job) for _ in range(len(WEBHOOK_RETRIES_S) + 1)]
        assert waits == [*WEBHOOK_RETRIES_S, None]
        assert len({asked.headers["x-webhook-id"] for asked in receiver.asked}) == 1
        assert len({asked.body for asked in receiver.asked}) == 1
        (row,) = (await hooks(gateway, "GET", f"/{hook['id']}/deliveries?status=dead")).json()["deliveries"]
        assert (row["attempts"], row["responseStatus"], row["nextAttemptAt"]) == (7, 503, None)
        assert row["error"] == "The receiver answered 503"
        assert await out.try_again(job) is None
        assert len(receiver.asked) == 7, "a dead letter is not sent"


async def test_a_success_ends_the_tries_and_forgets_the_failures(servers: Servers) -> None:
    async with (
        StubEndpoint(Told(status=500), Told(status=204, body=b"")) as receiver,
        a_gateway(servers, "hook-again", allowed_networks=LOOPBACK) as gateway,
        outgoing(gateway) as out,
    ):
        hook = (await hooks(gateway, "POST", body={"url": receiver.url, "events": ["handoff"]})).json()["webhook"]
        job = await out.happens()
        assert await out.try_again(job) == 10.0
        assert (await hooks(gateway, "GET", f"/{hook['id']}")).json()["webhook"]["failures"] == 1
        assert await out.try_again(job) is None
        assert (await hooks(gateway, "GET", f"/{hook['id']}")).json()["webhook"]["failures"] == 0
        (row,) = (await hooks(gateway, "GET", f"/{hook['id']}/deliveries")).json()["deliveries"]
        assert (row["status"], row["attempts"], row["responseStatus"], row["error"]) == ("delivered", 2, 204, None)


async def test_after_fifty_failures_in_a_row_a_hook_is_off_until_it_is_switched_on(servers: Servers) -> None:
    async with (
        StubEndpoint(Told(status=500)) as receiver,
        a_gateway(servers, "hook-off", allowed_networks=LOOPBACK) as gateway,
        outgoing(gateway) as out,
    ):
        hook = (await hooks(gateway, "POST", body={"url": receiver.url, "events": ["handoff"]})).json()["webhook"]
        for number in range(1, WEBHOOK_FAILURES_MAX + 1):
            await out.try_again(last := await out.happens())
            seen = (await hooks(gateway, "GET", f"/{hook['id']}")).json()["webhook"]
            assert (seen["isActive"], seen["failures"]) == (number < WEBHOOK_FAILURES_MAX, number)
        assert seen["disabledAt"]
        assert await out.try_again(last) is None
        assert len(receiver.asked) == WEBHOOK_FAILURES_MAX, "what waited for a hook that is off is given up"
        (dead,) = (await hooks(gateway, "GET", f"/{hook['id']}/deliveries?status=dead")).json()["deliveries"]
        assert dead["error"] == "The webhook is switched off"
        on = (await hooks(gateway, "PATCH", f"/{hook['id']}", {"isActive": True})).json()["webhook"]
        assert (on["isActive"], on["failures"], on["disabledAt"]) == (True, 0, None)


async def test_a_name_that_leads_inside_is_not_called(servers: Servers) -> None:
    async with a_gateway(servers, "hook-inside") as gateway, outgoing(gateway) as out:
        hook = (await hooks(gateway, "POST", body={"url": "https://localhost:1/in", "events": ["*"]})).json()["webhook"]
        assert await out.try_again(await out.happens()) == 10.0
        (row,) = (await hooks(gateway, "GET", f"/{hook['id']}/deliveries")).json()["deliveries"]
        assert "may not be called" in row["error"]
        assert row["responseStatus"] is None


async def test_a_test_says_what_the_receiver_answered(servers: Servers) -> None:
    async with (
        StubEndpoint(Told(status=200), Told(status=418)) as receiver,
        a_gateway(servers, "hook-test", allowed_networks=LOOPBACK) as gateway,
    ):
        made = (await hooks(gateway, "POST", body={"url": receiver.url, "events": ["handoff"]})).json()
        place = f"/{made['webhook']['id']}/test"
        good = (await hooks(gateway, "POST", place, {})).json()
        assert (good["success"], good["ok"], good["responseStatus"], good["error"]) == (True, True, 200, None)
        check_signed(receiver.asked[0], made["secret"])
        assert json.loads(receiver.asked[0].body)["event"] == "webhook.test"
        bad = (await hooks(gateway, "POST", place, {})).json()
        assert (bad["ok"], bad["responseStatus"], bad["error"]) == (False, 418, "The receiver answered 418")


async def test_what_is_undone_is_not_told(servers: Servers) -> None:
    async with a_gateway(servers, "hook-undone") as gateway:
        await hooks(gateway, "POST", body={**EXAMPLE, "events": ["deployment.created"]})
        database = gateway.running.database
        project_id = gateway.project_id
        before = await database.value(JOBS, tenant_id=TENANT_ID, kind=DELIVER_JOB)

        async def undone() -> None:
            async with database.transaction() as connection:
                sent = await emit(connection, TENANT_ID, project_id, WebhookEvent.DEPLOYMENT_CREATED, {"id": "dep_1"})
                assert sent == 1
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await undone()
        assert await database.rows(OUTBOX, tenant_id=TENANT_ID, project_id=project_id) == []
        assert await database.value(JOBS, tenant_id=TENANT_ID, kind=DELIVER_JOB) == before


async def test_nothing_is_written_for_an_event_that_no_hook_asks_for(servers: Servers) -> None:
    async with a_gateway(servers, "hook-unasked") as gateway:
        await hooks(gateway, "POST", body={**EXAMPLE, "events": ["deployment.created"]})
        off = {**EXAMPLE, "isActive": False}
        await hooks(gateway, "POST", body=off)
        await say(gateway, "hello")
        rows = await gateway.running.database.rows(OUTBOX, tenant_id=TENANT_ID, project_id=gateway.project_id)
        assert rows == []
