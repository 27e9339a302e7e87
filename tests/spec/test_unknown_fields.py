"""A field that nobody reads: refused by its name, save in what is said in a conversation. Decision: 0093."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gateway.guarded import GuardedRoute
from tests.spec.test_every_route import FILE_ROUTE, TAKING_JSON, call, credentials, every, path_of, prepared
from tests.support.asgi import Client
from tests.support.gateway import PROJECT, Gateway, a_gateway
from tests.support.route_examples import EXAMPLES

pytestmark = pytest.mark.anyio

OF_CONVERSATIONS = {
    "/ag-ui/{project_id}",
    "/ag-ui/{project_id}/agents/{agent}",
    "/api/auth/login",
    "/api/auth/refresh",
    "/api/projects/{project_id}/sessions",
    "/api/v1/callbacks/{callback_id}",
    "/api/v1/chat/agent",
    "/api/v1/chat/complete",
    "/api/v1/chat/send",
    "/api/v1/chat/stream",
    "/api/v1/feedback",
    "/api/v1/memory",
    "/api/v1/sdk/init",
    "/api/v1/sessions/{session_id}/end",
    "/v1/chat/completions",
    "/v1/responses",
}
"""Paths of routes that take what they do not know: platform-api 1.1, and the protocols of others."""
EXACT = [case for case in TAKING_JSON if case[0].path not in OF_CONVERSATIONS and case[0].path != FILE_ROUTE]
TOLERANT = [case for case in TAKING_JSON if case[0].path in OF_CONVERSATIONS]
UNKNOWN = "is no field here"


def example(case: tuple[GuardedRoute, str]) -> dict[str, Any]:
    route, method = case
    return dict(EXAMPLES.get(f"{method} {route.path}", EXAMPLES.get(route.path, {})))


def test_the_routes_of_conversations_are_there() -> None:
    assert {route.path for route, _ in TOLERANT} == OF_CONVERSATIONS
    assert len(EXACT) > 40


@every(EXACT)
async def test_a_field_that_nobody_reads_is_refused_by_its_name(
    gateway: Gateway, case: tuple[GuardedRoute, str]
) -> None:
    headers = await credentials(gateway, case[0])
    reply = await call(gateway, case, headers, body={**example(case), "colourOfIt": "blue"})
    error = reply.json()["error"]
    assert (reply.status, error["code"]) == (400, "VALIDATION_ERROR")
    named = {one["path"]: one["message"] for one in error["details"]["fields"]}
    assert named["/colourOfIt"].startswith(f"colourOfIt {UNKNOWN}; ")


@every(TOLERANT)
async def test_what_is_said_in_a_conversation_may_hold_more(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    route, method = case
    path = path_of(route, session=await prepared(gateway))
    client = Client(gateway.app, await credentials(gateway, route))
    reply = await client.request(method, path, body={**example(case), "colourOfIt": "blue"})
    assert UNKNOWN.encode() not in reply.body


@pytest.mark.parametrize(
    ("path", "body", "place", "said"),
    [
        ("/api/api-keys", {"name": "a", "projectIds": ["p"]}, "/projectIds", "did you mean projectId?"),
        ("/api/api-keys", {"name": "a", "zzz": 1}, "/zzz", "known: name, scopes, projectId, environments, expiresAt"),
        ("/api/users", {"email": "a@b.example", "roles": ["viewer"]}, "/roles", "did you mean role?"),
        ("/api/tool-secrets", {"environmnt": "dev"}, "/environmnt", "did you mean environment?"),
    ],
)
async def test_the_nearest_name_is_told_or_all_of_them(
    gateway: Gateway, path: str, body: dict[str, Any], place: str, said: str
) -> None:
    reply = await gateway.client.post(path, body)
    fields = reply.json()["error"]["details"]["fields"]
    assert fields == [{"path": place, "message": f"{place[1:]} {UNKNOWN}; {said}"}]


async def test_a_field_inside_another_is_named_with_its_place(gateway: Gateway) -> None:
    body = {"settings": {"turnTimeout": 3}}
    reply = await gateway.client.request("PATCH", f"/api/projects/{PROJECT}", body=body)
    (field,) = reply.json()["error"]["details"]["fields"]
    assert field == {
        "path": "/settings/turnTimeout",
        "message": f"turnTimeout {UNKNOWN}; did you mean turnTimeoutSec?",
    }


async def test_the_name_that_is_told_has_a_bound(gateway: Gateway) -> None:
    reply = await gateway.client.post("/api/api-keys", {"name": "a", "n" * 5_000: 1})
    assert len(reply.json()["error"]["details"]["fields"][0]["message"]) < 300


def test_the_document_says_so() -> None:
    document = json.loads(json.dumps(a_gateway().app.openapi()))
    schemas = document["components"]["schemas"]
    assert schemas["ApiKeyBody"]["additionalProperties"] is False
    assert schemas["KeyPermissions"]["additionalProperties"] is False
    assert "additionalProperties" not in schemas["ChatAgentBody"]
