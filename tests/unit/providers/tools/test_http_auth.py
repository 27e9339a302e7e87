"""How an HTTP tool shows who it is."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

import pytest

from domain.tool_calls import ToolCall
from providers.ports import ToolInvocation
from providers.tools.http_tool import HttpTool
from tests.suites.tool_runner import invocation
from tests.support.http_tool_calls import Secrets, call
from tests.support.stub_endpoint import Answer, Asked, StubEndpoint

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("auth", "name", "value"),
    [
        ({"type": "api_key", "config": {"api_key": "{{secrets.KEY}}"}}, "x-api-key", "s3cret"),
        ({"type": "api_key", "config": {"header_name": "X-K", "api_key": "k"}}, "x-k", "k"),
        ({"type": "bearer", "config": {"token": "{{secrets.KEY}}"}}, "authorization", "Bearer s3cret"),
        ({"type": "basic", "config": {"username": "u", "password": "p"}}, "authorization", "Basic dTpw"),
        ({"type": "oauth2_user", "config": {"provider": "crm"}}, "authorization", "Bearer user token"),
        ({"type": "custom", "config": {"header_name": "X-C", "token": "t"}}, "x-c", "t"),
        ({"type": "custom", "config": {"X-D": "{{secrets.ID}}"}}, "x-d", "client"),
    ],
)
async def test_every_auth_kind_shows_itself(runner: HttpTool, auth: dict[str, Any], name: str, value: str) -> None:
    _, asked = await call(runner, {"auth": auth})
    assert asked[0].headers[name] == value


@pytest.mark.parametrize(
    ("auth", "code"),
    [
        ({"type": "bearer"}, "AUTH_INCOMPLETE"),
        ({"type": "oauth2_user", "config": {"provider": "x"}}, "AUTHORIZATION_REQUIRED"),
        ({"type": "custom"}, "AUTH_INCOMPLETE"),
        ({"type": "magic"}, "UNKNOWN_AUTH"),
    ],
)
async def test_an_auth_that_is_incomplete_calls_nobody(runner: HttpTool, auth: dict[str, Any], code: str) -> None:
    result, asked = await call(runner, {"auth": auth})
    assert (result.error_code, asked) == (code, [])


async def test_a_profile_stands_in_for_the_auth_of_the_binding(runner: HttpTool) -> None:
    _, asked = await call(runner, {"auth": {"type": "none"}}, auth_profile="crm")
    assert asked[0].headers["authorization"] == "Bearer from profile"
    result, asked = await call(runner, {}, auth_profile="other")
    assert (result.error_code, asked) == ("AUTH_PROFILE_NOT_FOUND", [])


def oauth(stub: StubEndpoint) -> dict[str, Any]:
    config = {"token_url": f"{stub.url}/token", "client_id": "i", "client_secret": "{{secrets.KEY}}", "scopes": "a,b"}
    return {"endpoint": f"{stub.url}/data", "auth": {"type": "oauth2_client", "config": config}}


def token_server(*, lives_s: float = 3_600, refuse: int = 0) -> tuple[StubEndpoint, list[str]]:
    given: list[str] = []
    left = [refuse]

    def answer(asked: Asked) -> Answer:
        if asked.target == "/token":
            given.append(asked.body.decode())
            return Answer(body=json.dumps({"access_token": f"t{len(given)}", "expires_in": lives_s}).encode())
        left[0] -= 1
        return Answer(401 if left[0] >= 0 else 200, json.dumps(asked.headers["authorization"]).encode())

    return StubEndpoint(answer), given


async def test_a_client_token_is_fetched_once_and_kept_until_it_ends(runner: HttpTool, time: Any) -> None:
    server, given = token_server(lives_s=100)
    async with server as stub:
        made = invocation("http", oauth(stub), credentials=Secrets())
        values = [(await runner.run(made)).value for _ in range(2)]
        time.now_s += 90
        values.append((await runner.run(made)).value)
    assert values == ["Bearer t1", "Bearer t1", "Bearer t2"]
    assert dict(parse_qsl(given[0])) == {
        "grant_type": "client_credentials", "client_id": "i", "client_secret": "s3cret", "scope": "a b",
    }  # fmt: skip


async def test_a_client_token_that_is_refused_is_fetched_again_once(runner: HttpTool) -> None:
    server, given = token_server(refuse=1)
    async with server as stub:
        assert (await runner.run(invocation("http", oauth(stub), credentials=Secrets()))).value == "Bearer t2"
    server, given = token_server(refuse=9)
    async with server as stub:
        result = await runner.run(invocation("http", oauth(stub), credentials=Secrets()))
    assert (result.error_code, len(given)) == ("401", 2)


async def test_tokens_are_not_shared_between_scopes(runner: HttpTool) -> None:
    server, given = token_server()
    async with server as stub:
        for scope in ("p1", "p2"):
            await runner.run(ToolInvocation(ToolCall("c", "t"), "http", oauth(stub), scope, credentials=Secrets()))
    assert len(given) == 2


async def test_a_token_endpoint_that_gives_none_is_told(runner: HttpTool) -> None:
    async with StubEndpoint(Answer(400)) as stub:
        result = await runner.run(invocation("http", oauth(stub), credentials=Secrets()))
    assert (result.error_kind, result.error_code) == ("api_error", "TOKEN_REFUSED")
