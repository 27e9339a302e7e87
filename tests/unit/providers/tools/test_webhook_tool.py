"""The start call of asynchronous tools."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from providers.addresses import AddressPolicy
from providers.http import HttpClient
from providers.ports import CallbackAddress
from providers.tools.webhook_tool import WebhookTool
from tests.suites.tool_runner import invocation
from tests.support.http_tool_calls import Secrets
from tests.support.stub_endpoint import Answer, StubEndpoint

pytestmark = pytest.mark.anyio
CALLBACK = CallbackAddress("cb_1", "https://abl.example/api/v1/callbacks/cb_1", "s", "2026-03-02T10:00:00.000Z")


@pytest.fixture
async def runner() -> AsyncIterator[WebhookTool]:
    tool = WebhookTool(HttpClient(AddressPolicy(("127.0.0.0/8",))))
    yield tool
    await tool.close()


def start(url: str, binding: dict[str, Any] | None = None, arguments: dict[str, Any] | None = None, **more: Any) -> Any:
    more = {"callback": CALLBACK, "credentials": Secrets(), **more}
    return invocation("async_webhook", {"endpoint": url, **(binding or {})}, arguments, **more)


async def test_the_start_call_says_where_the_result_is_awaited(runner: WebhookTool) -> None:
    async with StubEndpoint(Answer(202, b'{"job": 7}')) as stub:
        result = await runner.run(start(f"{stub.url}/jobs", arguments={"order": "A1"}, idempotency_key="e1"))
        asked = stub.asked[0]
    assert (result.ok, result.accepted, result.value) == (True, True, {"job": 7})
    assert (asked.method, json.loads(asked.body)) == ("POST", {"order": "A1", "callbackUrl": CALLBACK.url})
    assert asked.headers["x-abl-callback-id"] == "cb_1"
    assert asked.headers["x-abl-callback-url"] == CALLBACK.url
    assert asked.headers["x-abl-callback-secret"] == "s"
    assert asked.headers["x-abl-callback-expires"] == CALLBACK.expires_at
    assert asked.headers["idempotency-key"] == "e1"


async def test_field_method_address_and_headers_are_the_bindings(runner: WebhookTool) -> None:
    binding = {
        "method": "PUT", "callbackUrlField": "notify", "headers": {"X-K": "{{secrets.KEY}}", "X-C": "{{callback.id}}"},
    }  # fmt: skip
    async with StubEndpoint() as stub:
        await runner.run(start(stub.url + "/{order}", binding, {"order": "A/1"}))
        asked = stub.asked[0]
    assert (asked.method, asked.target) == ("PUT", "/A%2F1")
    assert json.loads(asked.body)["notify"] == CALLBACK.url
    assert (asked.headers["x-k"], asked.headers["x-c"]) == ("s3cret", "cb_1")


@pytest.mark.parametrize(
    ("answer", "code"),
    [(Answer(500), "500"), (Answer(302, headers={"Location": "/x"}), "302"), (Answer(raw=b""), "CONNECTION_CUT")],
)
async def test_a_start_that_was_not_taken_is_a_failure(runner: WebhookTool, answer: Answer, code: str) -> None:
    async with StubEndpoint(answer) as stub:
        result = await runner.run(start(stub.url))
    assert (result.ok, result.accepted, result.error_code) == (False, False, code)


async def test_without_a_callback_nothing_is_started(runner: WebhookTool) -> None:
    async with StubEndpoint() as stub:
        result = await runner.run(start(stub.url, callback=None))
        assert (result.error_code, stub.asked) == ("NO_CALLBACK", [])


async def test_a_get_starts_nothing(runner: WebhookTool) -> None:
    async with StubEndpoint() as stub:
        result = await runner.run(start(stub.url, {"method": "GET"}))
        assert (result.error_kind, stub.asked) == ("invalid_input", [])
