"""The memory endpoint of sandboxed code. Spec: platform-api 7.3, 2.1."""

from __future__ import annotations

from typing import Any

import jwt
import pytest

from domain.limits import SANDBOX_TOKEN_S
from tests.support.asgi import Client, Reply
from tests.support.fake_session import FakeSession
from tests.support.gateway import (
    FOREIGN_PROJECT,
    KEY,
    OTHER_TENANT,
    PROJECT,
    SECRET,
    TENANT,
    Gateway,
    a_gateway,
    sandbox_token,
)

pytestmark = pytest.mark.anyio
PATH = "/api/v1/memory"
SESSION = "sess_1"


@pytest.fixture
def session(gateway: Gateway) -> FakeSession:
    found = gateway.runtime.sessions_by_id[SESSION] = FakeSession(SESSION, TENANT, PROJECT, "Desk")
    return found


async def use(gateway: Gateway, body: Any, token: str | None = None, **headers: str) -> Reply:
    bearer = {"authorization": f"Bearer {token if token is not None else sandbox_token(gateway, SESSION)}"}
    return await Client(gateway.app, bearer).post(
        PATH, body, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


async def test_a_store_is_set_whole_read_and_deleted(gateway: Gateway, session: FakeSession) -> None:
    body = {"memoryStoreName": "counts", "action": "get"}
    assert (await use(gateway, body)).json() == {"success": True, "data": {}}
    content = {"tea": 1, "nothing": None, "deep": {"a": [None, 1]}}
    assert (await use(gateway, {**body, "action": "set", "payload": {"content": content}})).json() == {"success": True}
    assert (await use(gateway, body)).json() == {"success": True, "data": content}
    deleted = {"success": True, "data": {"deleted": True}}
    assert (await use(gateway, {**body, "action": "delete"})).json() == deleted
    assert (await use(gateway, {**body, "action": "delete"})).json()["data"] == {"deleted": False}


@pytest.mark.parametrize(
    ("body", "code", "sentence"),
    [
        ({"memoryStoreName": "a"}, "BAD_REQUEST", "Missing action or memoryStoreName"),
        ({"action": "get"}, "BAD_REQUEST", "Missing action or memoryStoreName"),
        ({"action": 3, "memoryStoreName": "a"}, "VALIDATION_ERROR", "Missing action or memoryStoreName"),
        ({"action": "set", "memoryStoreName": "a"}, "VALIDATION_ERROR", "payload.content must be an object"),
        (
            {"action": "set", "memoryStoreName": "a", "payload": {"content": [1]}},
            "VALIDATION_ERROR",
            "payload.content must be an object",
        ),
        (
            {"action": "set", "memoryStoreName": "a", "payload": 3},
            "VALIDATION_ERROR",
            "payload.content must be an object",
        ),
    ],
)
async def test_what_is_missing_is_said(
    gateway: Gateway, session: FakeSession, body: Any, code: str, sentence: str
) -> None:
    reply = await use(gateway, body)
    error = reply.json()["error"]
    assert (reply.status, error["code"], error["message"]) == (400, code, sentence)


async def test_a_token_without_a_session_is_400(gateway: Gateway) -> None:
    reply = await use(gateway, {"action": "get", "memoryStoreName": "a"}, sandbox_token(gateway, ""))
    assert (reply.status, reply.json()["error"]["message"]) == (400, "Token missing sessionId")


async def test_only_a_sandbox_token_opens_it(gateway: Gateway, session: FakeSession) -> None:
    other_kind = jwt.encode({"typ": "sdk", "sid": SESSION}, SECRET, algorithm="HS256")
    unsigned = jwt.encode({"typ": "sandbox", "sid": SESSION}, "", algorithm="none")
    for credential in (
        KEY,
        "nonsense",
        other_kind,
        unsigned,
        sandbox_token(gateway, SESSION) + "x",
        await gateway.sdk_token(),
    ):
        reply = await use(gateway, {"action": "get", "memoryStoreName": "a"}, credential)
        assert (reply.status, reply.json()["error"]["message"]) == (401, "Invalid or expired token")
    assert (await gateway.nobody().post(PATH, {"action": "get", "memoryStoreName": "a"})).status == 401


async def test_a_sandbox_token_opens_nothing_else(gateway: Gateway, session: FakeSession) -> None:
    client = Client(gateway.app, {"authorization": f"Bearer {sandbox_token(gateway, SESSION)}"})
    reply = await client.post("/api/v1/chat/agent", {"projectId": PROJECT, "message": "hi", "sessionId": SESSION})
    assert reply.status == 401


async def test_a_token_lives_a_quarter_of_an_hour(gateway: Gateway, session: FakeSession) -> None:
    token, body = sandbox_token(gateway, SESSION), {"action": "get", "memoryStoreName": "a"}
    gateway.clock.move(seconds=SANDBOX_TOKEN_S - 1)
    assert (await use(gateway, body, token)).status == 200
    gateway.clock.move(seconds=1)
    assert (await use(gateway, body, token)).status == 401


async def test_sessions_of_others_and_sessions_that_have_ended_are_404(gateway: Gateway, session: FakeSession) -> None:
    body = {"action": "get", "memoryStoreName": "a"}
    for token in (
        sandbox_token(gateway, "sess_unknown"),
        sandbox_token(gateway, SESSION, tenant=OTHER_TENANT, project=FOREIGN_PROJECT),
        sandbox_token(gateway, SESSION, project=FOREIGN_PROJECT),
    ):
        assert (await use(gateway, body, token)).status == 404
    session.status = "ended"
    assert (await use(gateway, body)).status == 404


async def test_a_repeated_request_under_a_key_answers_the_first_reply(gateway: Gateway, session: FakeSession) -> None:
    gateway.runtime.stores[SESSION, "a"] = {"x": 1}
    body = {"action": "delete", "memoryStoreName": "a"}
    first = await use(gateway, body, idempotency_key="k1")
    again = await use(gateway, body, idempotency_key="k1")
    assert (first.json(), again.json()) == ({"success": True, "data": {"deleted": True}},) * 2
    assert again.headers["idempotent-replay"] == "true"


async def test_without_a_secret_it_says_so() -> None:
    bare = a_gateway(sandbox=False)
    reply = await use(bare, {"action": "get", "memoryStoreName": "a"}, "anything")
    assert (reply.status, reply.json()["error"]["message"]) == (503, "Sandbox auth not configured")
