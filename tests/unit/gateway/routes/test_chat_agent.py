from __future__ import annotations

import asyncio

import pytest

from domain import limits
from domain.errors import Gone, NotFound, QueueFull, Unavailable
from domain.rates import RateSettings
from gateway.bodies.chat_agent import ChatReply
from tests.support.asgi import sse_events
from tests.support.gateway import (
    BOUND_KEY,
    FOREIGN_KEY,
    FOREIGN_PROJECT,
    PAGE,
    PROJECT,
    PUBLIC_KEY,
    SECOND_PROJECT,
    Gateway,
    a_gateway,
    a_public_key,
)

pytestmark = pytest.mark.anyio
PATH = "/api/v1/chat/agent"
EVENTS = {"accept": "text/event-stream"}


def a_message(text: str = "hello", **fields: object) -> dict[str, object]:
    return {"projectId": PROJECT, "message": text, **fields}


async def collected(gateway: Gateway, body: dict[str, object], **headers: str):
    async with gateway.client.stream("POST", PATH, body=body, headers={**EVENTS, **headers}) as (reply, pieces):
        assert reply.status == 200
        assert reply.headers["content-type"].startswith("text/event-stream")
        return [event async for event in sse_events(pieces)]


async def test_a_first_message_opens_a_session_and_the_next_one_resumes_it(gateway: Gateway) -> None:
    first = await gateway.client.post(PATH, a_message())
    assert first.status == 200
    body = first.json()
    ChatReply.model_validate(body)
    assert body["success"] is True
    assert body["response"] == "you said: hello"
    assert body["action"] == {"type": "respond"}
    assert body["traceEvents"]
    again = await gateway.client.post(PATH, a_message("and again", sessionId=body["sessionId"]))
    assert again.json()["sessionId"] == body["sessionId"]
    assert gateway.runtime.asked[1].session_id == body["sessionId"]


async def test_the_caller_decides_the_tenant(gateway: Gateway) -> None:
    await gateway.client.post(PATH, a_message(metadata={"seat": 12}, environment="dev", agentId="hotel"))
    turn = gateway.runtime.asked[0]
    assert (turn.tenant_id, turn.project_id) == ("ten_one", PROJECT)
    assert (turn.metadata, turn.environment, turn.agent) == ({"seat": 12}, "dev", "hotel")
    assert turn.deadline_s == 120


@pytest.mark.parametrize("project", [FOREIGN_PROJECT, "c" + "x" * 24, "nonsense"])
async def test_a_project_that_is_not_the_callers_is_not_found(gateway: Gateway, project: str) -> None:
    reply = await gateway.client.post(PATH, a_message(projectId=project))
    assert reply.status == 404
    assert reply.json()["error"] == {"code": "NOT_FOUND", "message": "Project not found or has no agents"}
    assert gateway.runtime.asked == []


async def test_a_key_bound_to_a_project_sees_no_other(gateway: Gateway) -> None:
    assert (await gateway.as_(BOUND_KEY).post(PATH, a_message())).status == 200
    assert (await gateway.as_(BOUND_KEY).post(PATH, a_message(projectId=SECOND_PROJECT))).status == 404


async def test_a_session_of_another_tenant_is_not_found(gateway: Gateway) -> None:
    session_id = (await gateway.client.post(PATH, a_message())).json()["sessionId"]
    foreign = {"projectId": FOREIGN_PROJECT, "message": "hello", "sessionId": session_id}
    reply = await gateway.as_(FOREIGN_KEY).post(PATH, foreign)
    assert (reply.status, reply.json()["error"]["message"]) == (404, "Session not found")


@pytest.mark.parametrize(
    ("body", "code", "path"),
    [
        ({"projectId": PROJECT}, "BAD_REQUEST", "/message"),
        ({"projectId": PROJECT, "message": ""}, "VALIDATION_ERROR", "/message"),
        ({"projectId": PROJECT, "message": 5}, "VALIDATION_ERROR", "/message"),
        ({"projectId": PROJECT, "message": "a\u0000b"}, "VALIDATION_ERROR", "/message"),
        ({"projectId": PROJECT, "message": "a", "environment": "moon"}, "VALIDATION_ERROR", "/environment"),
        ({"projectId": PROJECT, "message": "a", "attachmentIds": ["a"] * 11}, "VALIDATION_ERROR", "/attachmentIds"),
        ({"projectId": PROJECT, "message": "a", "testContext": {"toolMocks": [{}] * 51}}, "VALIDATION_ERROR", None),
    ],
)
async def test_a_request_that_breaks_a_rule_is_told_where(
    gateway: Gateway, body: dict[str, object], code: str, path: str | None
) -> None:
    reply = await gateway.client.post(PATH, body)
    error = reply.json()["error"]
    assert (reply.status, error["code"], error["message"]) == (400, code, "Invalid request")
    assert path is None or error["details"]["fields"][0]["path"] == path


async def test_a_message_has_no_bound_but_the_bodys(gateway: Gateway) -> None:
    long = "x" * 1_000_000
    reply = await gateway.client.post(PATH, a_message(long))
    assert (reply.status, gateway.runtime.asked[0].message) == (200, long)
    assert (await gateway.client.post(PATH, a_message("x" * limits.BODY_MAX_BYTES))).status == 413


async def test_what_is_shown_with_an_answer_is_null_where_there_is_nothing(gateway: Gateway) -> None:
    reply = await gateway.client.post(PATH, a_message())
    assert {name: reply.json()[name] for name in ("richContent", "actions")} == {"richContent": None, "actions": None}
    ends = [one.data for one in await collected(gateway, a_message()) if one.name in ("response_end", "complete")]
    assert len(ends) == 2
    for end in ends:
        assert {name: end[name] for name in ("richContent", "actions")} == {"richContent": None, "actions": None}


@pytest.mark.parametrize("more", [{"metadata": {"a": ["b\0"]}}, {"testContext": {"sessionVariables": {"k\0": 1}}}])
async def test_a_zero_in_any_text_is_refused(gateway: Gateway, more: dict[str, object]) -> None:
    reply = await gateway.client.post(PATH, {"projectId": PROJECT, "message": "a", **more})
    assert (reply.status, reply.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


async def test_unknown_fields_are_ignored(gateway: Gateway) -> None:
    assert (await gateway.client.post(PATH, a_message(colour="blue"))).status == 200


async def test_metadata_beyond_its_limits_has_its_own_message(gateway: Gateway) -> None:
    reply = await gateway.client.post(PATH, a_message(metadata={"__proto__": 1}))
    assert (reply.status, reply.json()["error"]["message"]) == (400, "Invalid message metadata")


async def test_a_test_context_needs_write_permission_and_a_target_for_development(gateway: Gateway) -> None:
    context = {"gatherValues": {"city": "Oslo"}, "toolMocks": [{"toolName": "find", "response": 1}]}
    reply = await gateway.client.post(PATH, a_message(testContext=context))
    assert reply.status == 200
    assert gateway.runtime.asked[0].test_context == {
        "gatherValues": {"city": "Oslo"},
        "toolMocks": [{"toolName": "find", "response": 1, "delayMs": 0}],
    }
    refused = await gateway.client.post(PATH, a_message(testContext=context, environment="production"))
    assert refused.status == 400
    gateway.runtime.callers["abl_chat"] = gateway.runtime.callers[BOUND_KEY].__class__(
        "ten_one", "key", frozenset({"session:execute"})
    )
    forbidden = await gateway.as_("abl_chat").post(PATH, a_message(testContext=context))
    assert (forbidden.status, forbidden.json()["error"]["message"]) == (403, "Insufficient permissions")


@pytest.mark.parametrize(
    ("error", "status", "body"),
    [
        (
            QueueFull("Execution queue full", retry_after_ms=1500),
            429,
            {"success": False, "error": "Execution queue full", "code": "QUEUE_FULL", "retryAfterMs": 1500},
        ),
        (
            Gone("Deployment is retired"),
            410,
            {"success": False, "error": {"code": "GONE", "message": "Deployment is retired"}},
        ),
        (
            Unavailable("Runtime not configured"),
            503,
            {"success": False, "error": {"code": "SERVICE_UNAVAILABLE", "message": "Runtime not configured"}},
        ),
        (
            NotFound("Deployment not found"),
            404,
            {"success": False, "error": {"code": "NOT_FOUND", "message": "Deployment not found"}},
        ),
    ],
)
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_an_error_before_the_first_byte_is_an_ordinary_error(
    gateway: Gateway, error: Exception, status: int, body: object, accept: str
) -> None:
    gateway.runtime.refuse = error
    reply = await gateway.client.post(PATH, a_message(), headers={"accept": accept})
    assert (reply.status, reply.json()) == (status, body)
    assert (reply.headers.get("retry-after") == "2") is (status == 429)


async def test_an_ended_session_is_a_conflict(gateway: Gateway) -> None:
    session_id = (await gateway.client.post(PATH, a_message())).json()["sessionId"]
    gateway.runtime.sessions_by_id[session_id].status = "ended"
    reply = await gateway.client.post(PATH, a_message(sessionId=session_id))
    assert reply.status == 409
    assert reply.json()["error"]["details"] == {"reason": "SESSION_ENDED"}


async def test_messages_of_a_session_are_limited_per_minute() -> None:
    gateway = a_gateway(rates=RateSettings(session_messages_per_minute=2))
    session_id = (await gateway.client.post(PATH, a_message())).json()["sessionId"]
    replies = [await gateway.client.post(PATH, a_message(sessionId=session_id)) for _ in range(2)]
    assert [reply.status for reply in replies] == [200, 429]  # the opening message was the first
    refused = replies[1].json()
    assert refused["error"] == "Session message rate limit exceeded"
    assert refused["code"] == "RATE_LIMIT_EXCEEDED"
    assert refused["retryAfterMs"] > 0
    assert replies[1].headers["x-ratelimit-limit"] == "2"
    assert replies[1].headers["x-ratelimit-remaining"] == "0"
    assert int(replies[1].headers["retry-after"]) * 1000 >= refused["retryAfterMs"]
    gateway.clock.move(seconds=121)
    assert (await gateway.client.post(PATH, a_message(sessionId=session_id))).status == 200


async def test_a_tenant_may_have_so_many_sessions_at_once() -> None:
    gateway = a_gateway(rates=RateSettings(concurrent_sessions=3))
    gateway.active_sessions["ten_one"] = 3
    reply = await gateway.client.post(PATH, a_message())
    assert (reply.status, reply.json()["error"]) == (429, "Concurrent session limit exceeded")
    gateway.clock.move(seconds=2)
    gateway.active_sessions["ten_one"] = 2
    assert (await gateway.client.post(PATH, a_message())).status == 200


async def test_events_come_in_order_and_end_with_the_plain_body(gateway: Gateway) -> None:
    gateway.runtime.chunks = ("one ", "two")
    events = await collected(gateway, a_message())
    assert [event.name for event in events] == [
        "session_start",
        "response_start",
        "trace_event",
        "response_chunk",
        "response_chunk",
        "response_end",
        "complete",
    ]
    session_id = events[0].data["sessionId"]
    assert [event.id for event in events] == [f"{session_id}:{seq}" for seq in range(1, 8)]
    ChatReply.model_validate(events[-1].data)
    assert events[-1].data["response"] == "one two"


async def test_the_same_key_answers_the_same_and_runs_once(gateway: Gateway) -> None:
    replies = [await gateway.client.post(PATH, a_message(), headers={"idempotency-key": "k1"}) for _ in range(2)]
    assert replies[0].json() == replies[1].json()
    assert len(gateway.runtime.asked) == 1
    other = await gateway.client.post(PATH, a_message("other"), headers={"idempotency-key": "k1"})
    assert other.status == 409


@pytest.mark.parametrize("cut_after", range(1, 7))
async def test_a_stream_cut_anywhere_goes_on_where_it_was_cut(gateway: Gateway, cut_after: int) -> None:
    gateway.runtime.chunks = ("one ", "two")
    gateway.runtime.gate = asyncio.Event()
    async with gateway.client.stream("POST", PATH, body=a_message(), headers=EVENTS) as (_, pieces):
        seen = []
        async for event in sse_events(pieces):
            seen.append(event)
            if len(seen) >= min(cut_after, 3):
                gateway.runtime.gate.set()
            if len(seen) == cut_after:
                break
    rest = await collected(gateway, a_message(), **{"last-event-id": seen[-1].id})
    assert [event.id.rpartition(":")[2] for event in [*seen, *rest]] == [str(seq) for seq in range(1, 8)]
    assert rest[-1].name == "complete"
    assert len(gateway.runtime.asked) == 1


async def test_a_stream_cut_under_a_key_goes_on_by_the_key(gateway: Gateway) -> None:
    whole = await collected(gateway, a_message(), **{"idempotency-key": "k1"})
    rest = await collected(gateway, a_message(), **{"idempotency-key": "k1", "last-event-id": whole[2].id})
    assert rest == whole[3:]
    assert len(gateway.runtime.asked) == 1


async def test_a_resumed_stream_belongs_to_its_tenant_and_session(gateway: Gateway) -> None:
    session_id = (await gateway.client.post(PATH, a_message())).json()["sessionId"]
    for headers, body, status in (
        ({"last-event-id": "what"}, a_message(), 400),
        ({"last-event-id": f"{session_id}:1"}, a_message(sessionId="sess_other"), 400),
        ({"last-event-id": f"{session_id}:1"}, a_message(projectId=SECOND_PROJECT), 404),
    ):
        reply = await gateway.client.post(PATH, body, headers={**EVENTS, **headers})
        assert reply.status == status


async def test_silence_is_filled_with_heartbeats() -> None:
    gateway = a_gateway(sse_heartbeat_s=0.01)
    gateway.runtime.gate = asyncio.Event()
    async with gateway.client.stream("POST", PATH, body=a_message(), headers=EVENTS) as (_, pieces):
        names = []
        async for event in sse_events(pieces):
            names.append(event.name)
            if names.count(":") == 2:
                gateway.runtime.gate.set()
    assert names[:3] == ["session_start", "response_start", "trace_event"]
    assert names[-1] == "complete"
    assert ":" in names


async def test_a_page_speaks_in_the_one_session_of_its_token(gateway: Gateway) -> None:
    page = gateway.page(await gateway.sdk_token())
    first = (await page.post(PATH, a_message(environment="dev", deploymentId="dep_1"))).json()
    second = (await page.post(PATH, a_message())).json()
    assert first["sessionId"] == second["sessionId"]
    assert "traceEvents" not in first
    assert gateway.runtime.asked[0].environment == gateway.runtime.asked[0].deployment_id == ""
    assert (await page.post(PATH, a_message(sessionId="sess_other"))).status == 404
    assert (await page.post(PATH, a_message(projectId=SECOND_PROJECT))).status == 404
    assert (await page.post(PATH, a_message(agentId="other"))).status == 403
    assert (await page.post(PATH, a_message(testContext={}))).status == 403


async def test_a_page_is_told_traces_only_when_its_key_allows_it(gateway: Gateway) -> None:
    page = gateway.page(await gateway.sdk_token())
    async with page.stream("POST", PATH, body=a_message(), headers=EVENTS) as (_, pieces):
        events = [event async for event in sse_events(pieces)]
    assert "trace_event" not in [event.name for event in events]
    assert "traceEvents" not in events[-1].data
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key(may_see_traces=True, allow_agent_override=True)
    gateway.clock.move(seconds=2)
    assert "traceEvents" in (await page.post(PATH, a_message(agentId="other"))).json()


async def test_a_page_whose_key_allows_it_names_the_agent_that_its_session_opens_with(gateway: Gateway) -> None:
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key(allow_agent_override=True)
    page = gateway.page(await gateway.sdk_token())
    assert (await page.post(PATH, a_message(agentId="other"))).status == 200
    opens = gateway.runtime.asked[-1].opens
    assert opens is not None
    assert opens.agent == "other"


async def test_a_page_of_another_origin_is_refused(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    client = gateway.nobody().with_headers(x_sdk_token=token, origin="https://evil.example.com")
    reply = await client.post(PATH, a_message())
    assert (reply.status, reply.json()["error"]["message"]) == (403, "Origin not allowed")
    assert reply.headers["access-control-allow-origin"] == "https://evil.example.com"
    assert (await gateway.nobody().with_headers(x_sdk_token=token, origin=PAGE).post(PATH, a_message())).status == 200


async def test_an_unexpected_error_says_nothing_of_what_happened(gateway: Gateway) -> None:
    gateway.runtime.crash = ZeroDivisionError("secret")
    reply = await gateway.client.post(PATH, a_message(), headers={"x-request-id": "r-1"})
    assert reply.status == 500
    assert reply.json()["error"]["details"] == {"requestId": "r-1"}
    assert b"secret" not in reply.body
    assert reply.headers["x-request-id"] == "r-1"
