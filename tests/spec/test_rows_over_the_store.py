"""Rows that are easiest to miss, over the real store and real sockets; of several gateways where a row is about them.

Spec: platform-api 17.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from actors.clocks import RandomIds, SystemClock
from actors.installation import sandbox_tokens
from actors.projects import TENANT_ID
from actors.sandbox_tokens import SandboxClaims
from domain import limits
from tests.flows.test_handoff import TEAM
from tests.flows.test_waiting import COURIER
from tests.flows_gateway.test_sockets import say, until
from tests.support.live_gateway import NO_RATES, Answer, LiveGateway, a_live_gateway, another_gateway
from tests.support.servers import Servers
from tests.support.stories import Workshop, a_workshop
from tests.support.strangers import a_key, a_stranger

pytestmark = pytest.mark.anyio
CHAT, MEMORY = "/api/v1/chat/agent", "/api/v1/memory"
FRONT, CLERK = "Front", "Notary"
PAGE, EVIL = "https://shop.example.com", "https://evil.example.com"
NOTARY = """\
AGENT: Notary
GOAL: "Write down"

TOOLS:
  note(text: string) -> {{done: boolean}}
    description: "Notes"
    type: http
    endpoint: "{url}"
    method: POST
    headers:
      X-Vip: "({{{{message_metadata.vip}}}})"
    context_access:
      read: [message_metadata]

ON_START:
  RESPOND: "Good day"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "[{{{{session.messageMetadata.vip}}}}]"
        THEN: note
  note:
    REASONING: false
    CALL: note(input)
      AS: noted
    RESPOND: "noted {{{{noted.done}}}}"
    THEN: listen
"""


@pytest.fixture(scope="module")
async def workshop() -> AsyncIterator[Workshop]:
    async with a_workshop() as opened:
        yield opened


@pytest.fixture(scope="module")
async def gateway(servers: Servers, workshop: Workshop) -> AsyncIterator[LiveGateway]:
    agents = {"courier.abl": COURIER.format(url=workshop.url), "notary.abl": NOTARY.format(url=workshop.url)}
    async with a_live_gateway(
        servers, "easy-to-miss", {**TEAM, **agents}, allowed_networks=("127.0.0.1/32",)
    ) as opened:
        yield opened


def place(gateway: LiveGateway, path: str = "") -> str:
    return f"/api/projects/{gateway.project_id}{path}"


async def chat(gateway: LiveGateway, agent: str, message: str = "hello", **more: Any) -> Answer:
    body = {"projectId": gateway.project_id, "message": message, "agentId": agent, **more}
    return await gateway.call("POST", CHAT, body)


async def read(gateway: LiveGateway, path: str) -> dict[str, Any]:
    answer = await gateway.call("GET", path)
    assert answer.status == 200, answer.body
    return dict(answer.json())


async def test_17_02_who_asks_too_often_is_told_so_and_every_answer_says_what_is_left(gateway: LiveGateway) -> None:
    project, stranger = await a_stranger(gateway, TEAM)
    rates = replace(NO_RATES, requests_per_second=1, requests_burst=6)
    async with another_gateway(gateway, rates=rates) as limited:
        sessions, left = f"/api/projects/{project}/sessions", []
        for path in (sessions, f"{sessions}/sess_none", f"{sessions}?limit=0"):
            answer = await limited.call("GET", path, headers=stranger)
            assert "retry-after" not in answer.headers
            assert int(answer.headers["x-ratelimit-reset"]) > 0
            left.append((answer.status, int(answer.headers["x-ratelimit-remaining"])))
        assert [status for status, _ in left] == [200, 404, 400]
        assert left[0][1] >= left[-1][1]
        for _ in range(20):
            answer = await limited.call("GET", sessions, headers=stranger)
            if answer.status == 429:
                break
    body = answer.json()
    assert (answer.status, body["error"], body["code"]) == (
        *(429, "Request rate limit exceeded", "RATE_LIMIT_EXCEEDED"),
    )
    assert set(body) == {"success", "error", "code", "retryAfterMs"}
    assert int(answer.headers["retry-after"]) == max(1, -(-body["retryAfterMs"] // 1_000))
    assert {"x-ratelimit-remaining", "x-ratelimit-reset"} <= set(answer.headers)


async def test_17_03_what_is_of_another_tenant_is_not_found_also_in_chat_and_over_a_socket(
    gateway: LiveGateway,
) -> None:
    ours = (await chat(gateway, CLERK)).json()["sessionId"]
    project, stranger = await a_stranger(gateway, TEAM)
    detail = await gateway.call("GET", place(gateway, f"/sessions/{ours}"), headers=stranger)
    assert (detail.status, detail.json()["error"]["message"]) == (404, "Project not found")
    asked = {"projectId": project, "message": "a"}
    told = [
        await gateway.call("POST", CHAT, {**asked, "sessionId": one}, stranger) for one in (ours, "sess_c" + "0" * 24)
    ]
    assert (told[0].status, told[0].json()["error"]["message"]) == (404, "Session not found")
    assert told[0].body == told[1].body
    theirs = (await gateway.call("POST", CHAT, asked, stranger)).json()["sessionId"]
    frames = []
    async with gateway.socket(await gateway.page_token()) as socket:
        for other in (theirs, "sess_c" + "0" * 24):
            await say(socket, type="chat_message", messageId="m1", text="hello", sessionId=other)
            error = (await until(socket, "error"))[-1]
            frames.append((error["code"], error["message"]))
    assert frames == [("SESSION_MISMATCH", frames[0][1])] * 2
    for session, headers in ((ours, {}), (theirs, stranger)):
        transcript = await gateway.call("GET", f"/api/v1/sessions/{session}/transcripts", headers=headers)
        said = [one["content"] for one in transcript.json()["messages"] if one["role"] == "user"]
        assert said == ["hello" if session == ours else "a"]


async def test_17_04_totals_stand_in_five_places(gateway: LiveGateway) -> None:
    for number in range(3):
        assert (await gateway.call("POST", "/api/contacts", {"displayName": f"Somebody {number}"})).status == 201
        secret = {"toolName": f"tool-{number}", "secretKey": "KEY", "value": "v", "projectId": gateway.project_id}
        assert (await gateway.call("POST", "/api/tool-secrets", secret)).status == 201
        task = {"type": "review", "title": f"Look at {number}"}
        assert (await gateway.call("POST", place(gateway, "/human-tasks"), task)).status == 201
        await chat(gateway, CLERK)
    window = "limit=2&offset=1"
    totals = {"total", "limit", "offset", "page", "pagination", "hasMore"}

    async def told(path: str) -> dict[str, Any]:
        answered = await read(gateway, path)
        return {name: answered[name] for name in totals & set(answered)}

    sessions = await told(place(gateway, f"/sessions?{window}"))
    assert sessions == {"total": sessions["total"], "limit": 2, "offset": 1}
    assert sessions["total"] >= 3
    traced = (await chat(gateway, CLERK)).json()["sessionId"]
    traces = await told(place(gateway, f"/sessions/{traced}/traces?{window}"))
    assert set(traces) == {"total", "limit", "offset"}
    assert set(await told(f"/api/contacts?{window}")) == {"total"}
    assert set(await told("/api/agents")) == {"total"}
    secrets = await told(f"/api/tool-secrets?projectId={gateway.project_id}&page=2&limit=2")
    assert secrets == {"total": 3, "page": 2, "limit": 2}
    tasks = await told(place(gateway, f"/human-tasks?{window}"))
    assert tasks == {"pagination": {"total": 3, "limit": 2, "offset": 1}}
    events = await read(gateway, place(gateway, f"/analytics/events?{window}"))
    assert set(events) == {"success", "data"}
    assert {"events", "total", "hasMore"} == set(events["data"])
    for whole in ("/agents", "/deployments"):
        assert await told(place(gateway, whole)) == {}


async def test_17_05_a_session_names_its_agent_by_path_and_a_path_parameter_does_not(gateway: LiveGateway) -> None:
    found = await read(gateway, place(gateway, f"/agents/{CLERK}"))
    path = found["agent"]["agentPath"]
    assert path.endswith(f"/{CLERK}")
    made = await gateway.call("POST", place(gateway, "/sessions"), {"agentId": path})
    assert (made.status, made.json()["session"]["agentName"]) == (201, CLERK)
    for name in (quote(path, safe=""), path):
        assert (await gateway.call("GET", place(gateway, f"/agents/{name}"))).status == 404
    other = await gateway.call("POST", place(gateway, "/sessions"), {"agentId": f"{path}_Nobody"})
    assert (other.status, other.json()["error"]["message"]) == (404, "Agent not found")


async def test_17_06_words_in_the_place_of_an_id_are_routes_of_their_own(gateway: LiveGateway) -> None:
    session = (await chat(gateway, CLERK)).json()["sessionId"]
    generations = await read(gateway, place(gateway, "/sessions/generations"))
    assert isinstance(generations["generations"], list)
    export = await gateway.call("GET", place(gateway, f"/sessions/export?format=csv&sessionId={session}"))
    assert (export.status, export.headers["content-type"].partition(";")[0]) == (200, "text/csv")
    assert session.encode() in export.body
    identity = f"{RandomIds().new('')}@example.com"
    contact = {"identity": identity, "identityType": "email"}
    kept = (await gateway.call("POST", "/api/contacts", contact)).json()["data"]
    assert (await read(gateway, f"/api/contacts/lookup?identity={identity}"))["data"]["id"] == kept["id"]
    missing = await gateway.call("GET", "/api/contacts/lookup")
    assert [one["path"] for one in missing.json()["error"]["details"]["fields"]] == ["/identity"]
    for path, sentence in (("/sessions/generation", "Session not found"), ("/sessions/exports", "Session not found")):
        answer = await gateway.call("GET", place(gateway, path))
        assert (answer.status, answer.json()["error"]["message"]) == (404, sentence)


async def test_17_10_a_test_context_needs_write_permission_and_has_its_fields(
    gateway: LiveGateway, workshop: Workshop
) -> None:
    mock = {"toolName": "note", "response": {"done": "mocked"}}
    context = {"skipOnStart": True, "startAtStep": "note", "toolMocks": [mock] * limits.TOOL_MOCKS_MAX}
    before = len(workshop.bodies)
    given = await chat(gateway, CLERK, testContext=context)
    assert (given.status, given.json()["response"]) == (200, "noted mocked")
    assert len(workshop.bodies) == before
    plain = (await chat(gateway, CLERK)).json()
    assert plain["response"] == "Good day"
    assert "noted true" in (await chat(gateway, CLERK, sessionId=plain["sessionId"])).json()["response"]
    assert len(workshop.bodies) == before + 1
    refused = await chat(gateway, CLERK, testContext={"toolMocks": [mock] * (limits.TOOL_MOCKS_MAX + 1)})
    assert refused.status == 400
    assert refused.json()["error"]["details"]["fields"][0]["path"] == "/testContext/toolMocks"
    body = {"projectId": gateway.project_id, "message": "hello", "testContext": context}
    answer = await gateway.call("POST", CHAT, body, await a_key(gateway, "project:read", "session:execute"))
    assert (answer.status, answer.json()["error"]["message"]) == (403, "Insufficient permissions")


async def test_17_11_metadata_has_a_400_of_its_own_two_names_and_is_gone_after_its_turn(
    gateway: LiveGateway, workshop: Workshop
) -> None:
    refused = await chat(gateway, CLERK, metadata={"k": "x" * (limits.METADATA_VALUE_MAX_CHARS + 1)})
    assert (refused.status, refused.json()["error"]["message"]) == (400, "Invalid message metadata")
    session = (await chat(gateway, CLERK)).json()["sessionId"]
    first = await chat(gateway, CLERK, metadata={"vip": "gold"}, sessionId=session)
    assert first.json()["response"].startswith("[gold]")
    assert workshop.headers[-1]["X-Vip"] == "(gold)"
    second = await chat(gateway, CLERK, sessionId=session)
    assert second.json()["response"].startswith("[]")
    assert workshop.headers[-1]["X-Vip"] == "()"


@asynccontextmanager
async def a_page(
    gateway: LiveGateway, protocol: str, secret: str, origin: str = PAGE
) -> AsyncIterator[ClientConnection]:
    """Open the socket of a page of an origin."""
    address = f"ws://127.0.0.1:{gateway.port}/ws/sdk"
    opened = await connect(address, subprotocols=[protocol, secret], origin=origin, close_timeout=0)
    try:
        yield opened
    finally:
        opened.transport.abort()


async def test_17_13_each_route_has_its_header_for_public_keys_and_looks_at_the_origin(gateway: LiveGateway) -> None:
    made = {"name": "page", "allowedOrigins": [PAGE]}
    key = (await gateway.call("POST", place(gateway, "/public-keys"), made)).json()["secret"]
    init, config = "/api/v1/sdk/init", f"/api/v1/sdk/config/{gateway.project_id}"

    async def status(method: str, path: str, **headers: str) -> int:
        sent = {"x-api-key": "", "origin": PAGE, **{name.replace("_", "-"): one for name, one in headers.items()}}
        body = {"projectId": gateway.project_id, "message": "hello"} if method == "POST" else None
        return (await gateway.call(method, path, body, sent)).status

    assert await status("POST", init, x_public_key=key) == 200
    assert await status("POST", init, x_api_key=key) == 401
    assert await status("GET", config, x_api_key=key) == 200
    assert await status("GET", config, x_public_key=key) == 401
    headers = {"x-api-key": "", "x-public-key": key, "origin": PAGE}
    token = (await gateway.call("POST", init, {}, headers)).json()["token"]
    assert await status("POST", CHAT, x_sdk_token=token) == 200
    assert await status("POST", init, x_public_key=key, origin=EVIL) == 403
    assert await status("GET", config, x_api_key=key, origin=EVIL) == 403
    for path in (CHAT, "/api/v1/sdk/refresh", "/api/v1/sdk/ws-ticket"):
        assert await status("POST", path, x_sdk_token=token, origin=EVIL) == 403
    for secret, origin, code in ((key, PAGE, 4001), (token, EVIL, 4003)):
        async with a_page(gateway, "sdk-auth", secret, origin) as socket:
            assert json.loads(await socket.recv())["fatal"] is True
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == code


async def test_17_14_the_sub_protocol_that_is_chosen_is_the_word(gateway: LiveGateway) -> None:
    page = {"x-api-key": "", "x-sdk-token": await gateway.page_token()}
    ticket = (await gateway.call("POST", "/api/v1/sdk/ws-ticket", {}, page)).json()["ticket"]
    for protocol, secret in (("sdk-auth", await gateway.page_token()), ("sdk-ticket", ticket)):  # of two sessions
        async with gateway.socket(secret, protocol=protocol) as socket:
            assert (await until(socket, "session_start"))[0]["type"] == "session_start"
            assert socket.subprotocol == protocol
            assert socket.response is not None
            assert socket.response.headers["sec-websocket-protocol"] == protocol


async def test_17_17_memory_tells_a_closed_session_a_missing_secret_and_a_bare_token_apart(
    gateway: LiveGateway,
) -> None:
    tokens = sandbox_tokens(gateway.running.settings, SystemClock(), RandomIds())

    async def status(of: LiveGateway, session: str) -> tuple[int, str]:
        claims = SandboxClaims(
            tenant_id=TENANT_ID, project_id=gateway.project_id, session_id=session, agent=CLERK
        )  # fmt: skip
        headers = {"x-api-key": "", "authorization": f"Bearer {tokens.make(claims)}"}
        answer = await of.call("POST", MEMORY, {"action": "get", "memoryStoreName": "a"}, headers)
        return answer.status, (answer.json().get("error") or {}).get("message", "")

    session = (await chat(gateway, CLERK)).json()["sessionId"]
    assert await status(gateway, session) == (200, "")
    assert await status(gateway, "") == (400, "Token missing sessionId")
    async with another_gateway(gateway, sandbox_tokens=None) as without_secret:
        assert await status(without_secret, session) == (503, "Sandbox auth not configured")
    assert (await gateway.call("POST", f"/api/v1/sessions/{session}/end", {})).status == 200
    for closed in (session, "sess_c" + "0" * 24):
        assert await status(gateway, closed) == (404, "Session not found")


async def test_17_23_handoffs_are_counted_in_sessions_and_stand_in_the_traces_of_chat(gateway: LiveGateway) -> None:
    first = (await chat(gateway, FRONT, "something special")).json()
    (moved,) = [one for one in first["traceEvents"] if one["type"] == "handoff"]
    assert {"fromAgent", "toAgent", "reason", "timestamp"} <= set(moved["data"])
    assert (moved["data"]["fromAgent"], moved["data"]["toAgent"]) == (FRONT, "Specialist")
    session = first["sessionId"]
    detail = (await read(gateway, place(gateway, f"/sessions/{session}")))["session"]
    listed = (await read(gateway, place(gateway, "/sessions?limit=200")))["sessions"]
    (item,) = [one for one in listed if one["id"] == session]
    assert (detail["handoffCount"], item["handoffCount"], detail["agentName"]) == (1, 1, "Specialist")
    plain = (await chat(gateway, FRONT)).json()
    assert [one for one in plain["traceEvents"] if one["type"] == "handoff"] == []
    other = (await read(gateway, place(gateway, f"/sessions/{plain['sessionId']}")))["session"]
    assert other["handoffCount"] == 0


async def test_17_25_the_list_of_sessions_has_its_five_figures(gateway: LiveGateway) -> None:
    session = (await chat(gateway, CLERK)).json()["sessionId"]
    listed = (await read(gateway, place(gateway, "/sessions?limit=200")))["sessions"]
    (item,) = [one for one in listed if one["id"] == session]
    figures = {name: item[name] for name in ("tokenCount", "estimatedCost", "errorCount")}
    assert figures == {"tokenCount": 0, "estimatedCost": 0, "errorCount": 0}
    traces = await read(gateway, place(gateway, f"/sessions/{session}/traces"))
    assert item["traceEventCount"] == traces["total"] > 0
    metrics = (await read(gateway, place(gateway, f"/sessions/{session}/metrics")))["metrics"]
    assert item["durationMs"] == metrics["totalLatencyMs"]
