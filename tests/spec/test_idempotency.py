"""`Idempotency-Key` on every POST of the route table: one key, one run, one reply. Spec: house 5; platform-api 4.1, 5."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from gateway.bounds import IDEMPOTENCY_KEY_OF_NOBODY_MIN_CHARS
from gateway.guarded import GuardedRoute, api_routes
from gateway.idempotency import REPLAYED, REUSED
from tests.spec.test_every_route import (
    FORM,
    FORM_BODY,
    credentials,
    every,
    path_of,
    prepared,
)
from tests.support.asgi import Client, Reply
from tests.support.fake_runtime import FakeCallback
from tests.support.gateway import PAGE, PROJECT, PUBLIC_KEY, Gateway, a_gateway
from tests.support.route_examples import EXAMPLES, FILE_ROUTE

pytestmark = pytest.mark.anyio

POSTS = [(route, "POST") for route in api_routes(a_gateway().app) if "POST" in (route.methods or ())]
ALL_REPLAYED = [case for case in POSTS if case[0].access.replay != "none"]
OVER_THE_STORE = frozenset(
    {
        "a2a", "ag-ui", "agents", "budgets", "contacts", "deployments", "human tasks", "keys", "models", "openai", "project-io", "projects",
        "sdk-channels", "tool secrets", "users", "versions", "webhooks",
    }
)  # fmt: skip
"""Families whose desks have no stand-in: what they make under a key is looked at in tests/flows_gateway."""
REPLAYED_POSTS = [case for case in ALL_REPLAYED if case[0].tags[0] not in OVER_THE_STORE]
MCP_POSTS = [case for case in POSTS if case[0].path.startswith("/mcp/")]
KEY = "2c9a6c1e-7d4b-4a53-9a1c-idem"
RUNS_OF: dict[str, str] = {
    "/api/v1/chat/agent": "stream",
    "/api/v1/chat/send": "stream",
    "/api/projects/{project_id}/sessions": "create_session",
    "/api/projects/{project_id}/sessions/{session_id}/reset": "reset_session",
    "/api/v1/sessions/{session_id}/end": "end_session",
    "/api/v1/memory": "use_memory",
}
"""Path -> the method of the runtime that must run once; the bootstrap routes ask it nothing."""
OTHER_BODIES: dict[str, dict[str, Any]] = {
    "/api/v1/chat/agent": {"message": "something else"},
    "/api/v1/chat/send": {"message": "something else"},
    "/api/projects/{project_id}/sessions": {"agentId": "another"},
    "/api/v1/sessions/{session_id}/end": {"reason": "user"},
    "/api/v1/memory": {"memoryStoreName": "another"},
    "/api/v1/sdk/init": {"user": {"id": "another"}},
}


async def a_call(gateway: Gateway, route: GuardedRoute) -> Callable[[dict[str, Any]], Awaitable[Reply]]:
    """Return what calls a route under the key, each time with what it is given besides its example."""
    session = await prepared(gateway)
    path = path_of(route, session=session)
    client = Client(gateway.app, await credentials(gateway, route))
    example = await an_example(gateway, route, session)

    async def call(more: dict[str, Any]) -> Reply:
        if route.path == FILE_ROUTE:
            raw = FORM_BODY.replace(b"hello", b"other") if more else FORM_BODY
            return await client.post(path, raw=raw, headers={"idempotency-key": KEY, **FORM})
        return await client.post(path, {**example, **more}, headers={"idempotency-key": KEY})

    return call


async def an_example(gateway: Gateway, route: GuardedRoute, session: str) -> dict[str, Any]:
    """Return a body that the route accepts for this session."""
    if route.path != "/api/v1/feedback":
        return dict(EXAMPLES.get(route.path, {}))
    said = await gateway.client.post("/api/v1/chat/send", {"sessionId": session, "message": "hello"})
    return {"sessionId": session, "messageId": said.json()["messageId"], "rating": "positive"}


def counted(gateway: Gateway, route: GuardedRoute) -> list[int]:
    """Return a list that grows by one each time the runtime is asked to run what the route does."""
    name = RUNS_OF.get(route.path)
    runs: list[int] = []
    if name is None:
        return runs
    if name == "stream":
        return gateway.runtime.asked  # type: ignore[return-value]
    method = getattr(gateway.runtime, name)

    async def counting(*arguments: Any, **named: Any) -> Any:
        runs.append(1)
        return await method(*arguments, **named)

    setattr(gateway.runtime, name, counting)
    return runs


def test_every_post_is_replayed_by_its_key_or_claims_its_id_once() -> None:
    assert {route.path for route, _ in POSTS} - {route.path for route, _ in ALL_REPLAYED} == {
        "/api/v1/callbacks/{callback_id}",  # its id is taken once
        "/api/v1/chat/stream",  # changes nothing: asked again, it is answered again
        "/api/projects/{project_id}/analytics/query",  # the same
        "/api/projects/{project_id}/analytics/aggregate",
        "/api/contacts/{contact_id}/erase",  # what is gone is gone
        "/api/tenant/erase",
        "/api/auth/login",  # the same
        "/api/auth/refresh",  # its token is taken once
        "/api/auth/logout",  # who is out is out
        "/api/auth/password",  # takes the current password once
        "/mcp",  # a message says itself what it repeats
        "/mcp/{project_id}",
    }
    assert len(REPLAYED_POSTS) >= 7


def test_only_what_does_no_more_the_second_time_may_run_again_when_its_outcome_is_unknown() -> None:
    assert {route.path for route, _ in POSTS if route.access.repeatable} == {
        "/api/projects/{project_id}/sessions",  # the key is the session's name
        "/api/projects/{project_id}/sessions/{session_id}/reset",  # the session keeps the key
        "/api/v1/sessions/{session_id}/end",  # what has ended has ended
        "/api/v1/memory",  # what is set is set; it replaces the whole
        "/api/v1/feedback",  # one of each author on each answer
        "/api/projects/{project_id}/project-io/import/preview",  # changes nothing
        "/api/contacts/{contact_id}/link-session",  # the same
        "/api/projects/{project_id}/agents/{agent_name}/validate",  # changes nothing
        "/api/projects/{project_id}/human-tasks",  # these note the request in the transaction of the change
        "/api/projects/{project_id}/human-tasks/{task_id}/claim",
        "/api/projects/{project_id}/human-tasks/{task_id}/assign",
        "/api/projects/{project_id}/human-tasks/{task_id}/resolve",
        "/api/projects/{project_id}/human-tasks/{task_id}/cancel",
        "/api/projects/{project_id}/deployments",
        "/api/projects/{project_id}/deployments/{deployment_id}/promote",
        "/api/projects/{project_id}/deployments/{deployment_id}/retire",
        "/api/projects/{project_id}/deployments/{deployment_id}/rollback",
        "/api/v1/sdk/init",  # these make a token and keep nothing
        "/api/v1/sdk/refresh",
        "/api/v1/sdk/ws-ticket",
    }


@every(REPLAYED_POSTS)
async def test_the_same_request_under_a_key_gets_the_stored_reply(
    gateway: Gateway, case: tuple[GuardedRoute, str]
) -> None:
    call, runs = await a_call(gateway, case[0]), counted(gateway, case[0])
    first = await call({})
    again = await call({})
    assert first.status in (200, 201)
    assert (again.status, again.json()) == (first.status, first.json())
    assert len(runs) == (1 if case[0].path in RUNS_OF else 0)
    assert again.headers[REPLAYED.lower()] == "true"
    assert REPLAYED.lower() not in first.headers


async def test_a_stream_that_is_told_again_says_so(gateway: Gateway) -> None:
    body, headers = {"projectId": PROJECT, "message": "hello"}, {"accept": "text/event-stream", "idempotency-key": KEY}
    marks = []
    for _ in range(2):
        async with gateway.client.stream("POST", "/api/v1/chat/agent", body=body, headers=headers) as (reply, pieces):
            assert [piece async for piece in pieces]
        marks.append(reply.headers.get(REPLAYED.lower()))
    assert marks == [None, "true"]


@every(REPLAYED_POSTS)
async def test_another_request_under_the_key_is_a_conflict(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    route = case[0]
    call = await a_call(gateway, route)
    first = await call({})
    other = await call(OTHER_BODIES.get(route.path, {"more": 1}))
    assert first.status in (200, 201)
    assert (other.status, other.json()["error"]["code"]) == (409, "CONFLICT")
    assert other.json()["error"]["details"] == {"reason": REUSED}


@every(REPLAYED_POSTS)
async def test_of_simultaneous_requests_under_a_key_one_runs(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    call, runs = await a_call(gateway, case[0]), counted(gateway, case[0])
    replies = await asyncio.gather(*(call({}) for _ in range(5)))
    assert len({(reply.status, reply.body) for reply in replies}) == 1
    assert len(runs) == (1 if case[0].path in RUNS_OF else 0)


@every(REPLAYED_POSTS)
async def test_a_key_that_cannot_be_stored_is_refused(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    route = case[0]
    session = await prepared(gateway)
    client = Client(gateway.app, await credentials(gateway, route))
    body = await an_example(gateway, route, session)
    reply = await client.post(path_of(route, session=session), body, headers={"idempotency-key": "x" * 256})
    assert (reply.status, reply.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


@every([*REPLAYED_POSTS, *MCP_POSTS])
async def test_an_empty_key_is_refused_and_named(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    route = case[0]
    session = await prepared(gateway)
    client = Client(gateway.app, await credentials(gateway, route))
    body = await an_example(gateway, route, session)
    for empty in ("", "  "):
        reply = await client.post(path_of(route, session=session), body, headers={"idempotency-key": empty})
        error = reply.json()["error"]
        assert (reply.status, error["code"]) == (400, "VALIDATION_ERROR")
        assert "Idempotency-Key" in error["message"]


async def test_what_failed_runs_again_under_the_same_key(gateway: Gateway) -> None:
    path = f"/api/projects/{PROJECT}/sessions/sess_unknown/reset"
    headers = {"idempotency-key": KEY}
    assert (await gateway.client.post(path, headers=headers)).status == 404
    session = await prepared(gateway)
    gateway.runtime.sessions_by_id["sess_unknown"] = gateway.runtime.sessions_by_id[session]
    gateway.runtime.sessions_by_id["sess_unknown"].id = "sess_unknown"
    assert (await gateway.client.post(path, headers=headers)).status == 200


async def test_strangers_behind_one_public_key_do_not_get_each_others_replies(gateway: Gateway) -> None:
    page = gateway.nobody().with_headers(x_public_key=PUBLIC_KEY, origin=PAGE)
    short = await page.post("/api/v1/sdk/init", {}, headers={"idempotency-key": "retry-1"})
    assert (short.status, short.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
    assert len(KEY) >= IDEMPOTENCY_KEY_OF_NOBODY_MIN_CHARS
    here = await page.post("/api/v1/sdk/init", {}, headers={"idempotency-key": KEY})
    gateway.public_keys.keys[PUBLIC_KEY] = gateway.public_keys.keys[PUBLIC_KEY].__class__(
        id="key_page", tenant_id="ten_one", project_id=PROJECT, allowed_origins=("*",)
    )
    gateway.clock.move(seconds=2)
    elsewhere = gateway.nobody().with_headers(x_public_key=PUBLIC_KEY, origin="https://other.example.com")
    there = await elsewhere.post("/api/v1/sdk/init", {}, headers={"idempotency-key": KEY})
    assert here.json()["token"] != there.json()["token"]


async def test_pages_of_other_families_do_not_get_each_others_replies(gateway: Gateway) -> None:
    tokens = [await gateway.sdk_token() for _ in range(2)]
    replies = [
        await gateway.page(token).post("/api/v1/sdk/refresh", {}, headers={"idempotency-key": KEY}) for token in tokens
    ]
    assert replies[0].json()["token"] != replies[1].json()["token"]
    assert all(REPLAYED.lower() not in reply.headers for reply in replies)


async def test_a_callback_is_taken_once_by_its_id_alone(gateway: Gateway) -> None:
    gateway.runtime.callbacks_by_id["cb_1"] = FakeCallback("ten_one", PROJECT)
    replies = [await gateway.nobody().post("/api/v1/callbacks/cb_1", {"answer": number}) for number in range(3)]
    assert [reply.json().get("status") for reply in replies] == [None, "already_processed", "already_processed"]
    assert gateway.runtime.callbacks_by_id["cb_1"].body == {"answer": 0}
