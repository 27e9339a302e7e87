"""Outbound webhooks over real sockets: kept, told of a conversation, signed, and never kept where they may not be."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from actors.projects import TENANT_ID
from domain.limits import WEBHOOKS_PER_PROJECT
from storage.repositories.projects import Projects
from tests.support.servers import Servers
from tests.support.stub_endpoint import StubEndpoint
from tests.support.webhooks import ACTIONS, EXAMPLE, LOOPBACK, a_gateway, check_signed, delivered, hooks, say

pytestmark = pytest.mark.anyio


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
        ({"url": "https://localhost/", "events": ["*"]}, "/url"),
        ({"url": "https://api.localhost:8443/hook", "events": ["*"]}, "/url"),
        ({"url": "http://localhost.localdomain/hook", "events": ["*"]}, "/url"),
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


async def test_no_change_turns_a_hook_to_this_machine(servers: Servers) -> None:
    async with a_gateway(servers, "hook-turned") as gateway:
        hook = (await hooks(gateway, "POST", body=EXAMPLE)).json()["webhook"]
        for url in ("https://localhost/", "https://127.0.0.1/", "https://a.localhost./", "https://ip6-loopback/"):
            assert (await hooks(gateway, "PATCH", f"/{hook['id']}", {"url": url})).status == 400, url
        assert (await hooks(gateway, "GET", f"/{hook['id']}")).json()["webhook"] == hook


async def test_this_machine_may_be_called_by_name_where_its_addresses_are_allowed(servers: Servers) -> None:
    async with a_gateway(servers, "hook-own-name", allowed_networks=LOOPBACK) as gateway:
        for url in ("https://localhost/", "http://localhost:1/in", "http://api.localhost:1/in"):
            assert (await hooks(gateway, "POST", body={**EXAMPLE, "url": url})).status == 201, url


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
