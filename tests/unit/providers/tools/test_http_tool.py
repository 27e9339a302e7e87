"""HTTP tools: repeating, resting, waiting, reading the answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from providers.addresses import AddressPolicy
from providers.http import HttpClient
from providers.ports import ToolInvocation, ToolRunner
from providers.tools.http_tool import HttpTool
from tests.suites.tool_runner import ToolRunnerSuite, invocation
from tests.support.http_tool_calls import call
from tests.support.stub_endpoint import Answer, Asked, StubEndpoint

pytestmark = pytest.mark.anyio


class TestHttpAsAToolRunner(ToolRunnerSuite):
    @pytest.fixture
    async def stub(self) -> AsyncIterator[StubEndpoint]:
        def answer(asked: Asked) -> Answer:
            if asked.target == "/hang":
                return Answer(hang=True)
            return Answer(body=asked.body) if asked.target == "/" else Answer(500)

        async with StubEndpoint(answer) as stub:
            yield stub

    @pytest.fixture
    async def runner(self, time: Any) -> AsyncIterator[ToolRunner]:
        tool = HttpTool(HttpClient(AddressPolicy(("127.0.0.0/8",))))
        yield tool
        await tool.close()

    @pytest.fixture
    def gives_a_value(self, stub: StubEndpoint) -> ToolInvocation:
        return invocation("http", {"endpoint": f"{stub.url}/", "method": "POST"}, {"code": "A1", "count": 2})

    @pytest.fixture
    def fails(self, stub: StubEndpoint) -> ToolInvocation:
        return invocation("http", {"endpoint": f"{stub.url}/x", "on_http_error": "error"})

    @pytest.fixture
    def never_ends(self, stub: StubEndpoint) -> ToolInvocation:
        return invocation("http", {"endpoint": f"{stub.url}/hang", "timeout_ms": 100})


@pytest.mark.parametrize(("method", "sent"), [("POST", True), ("DELETE", True), ("GET", False)])
async def test_a_changing_call_carries_its_idempotency_key(runner: HttpTool, method: str, sent: bool) -> None:
    _, asked = await call(runner, {"method": method}, idempotency_key="e1")
    assert ("idempotency-key" in asked[0].headers) == sent


async def test_the_authors_idempotency_key_stays(runner: HttpTool) -> None:
    binding = {"method": "POST", "headers": {"idempotency-key": "mine"}}
    _, asked = await call(runner, binding, idempotency_key="e1")
    assert asked[0].headers["idempotency-key"] == "mine"


BUSY = Answer(503)


async def test_failed_calls_are_repeated_as_often_as_the_binding_says(runner: HttpTool, time: Any) -> None:
    binding = {"retry": {"count": 2, "delay_ms": 500}}
    result, asked = await call(runner, binding, None, BUSY, BUSY, Answer(body=b'{"a": 1}'))
    assert (result.value, result.attempts, len(asked), time.waits) == ({"a": 1}, 3, 3, [0.5, 0.5])


async def test_without_a_retry_a_call_is_made_once(runner: HttpTool) -> None:
    result, asked = await call(runner, {"on_http_error": "error"}, None, BUSY, Answer())
    assert (result.error_code, len(asked)) == ("503", 1)


async def test_what_cannot_get_better_is_not_repeated(runner: HttpTool) -> None:
    _, asked = await call(runner, {"retry": {"count": 5, "delay_ms": 1}}, None, Answer(404))
    assert len(asked) == 1


async def test_a_cut_call_is_repeated_with_the_same_key(runner: HttpTool) -> None:
    binding = {"method": "POST", "retry": {"count": 1, "delay_ms": 1}}
    result, asked = await call(runner, binding, {"a": 1}, Answer(raw=b""), Answer(), idempotency_key="e1")
    assert result.ok
    assert [one.headers["idempotency-key"] for one in asked] == ["e1", "e1"]


async def test_a_wait_longer_than_the_tool_may_take_is_not_begun(runner: HttpTool, time: Any) -> None:
    asks_too_much = Answer(429, headers={"Retry-After": "50"})
    binding = {"retry": {"count": 3, "delay_ms": 1}, "timeout_ms": 1_000, "on_http_error": "error"}
    result, asked = await call(runner, binding, None, asks_too_much)
    assert (result.error_code, len(asked), time.waits) == ("429", 1, [])


async def test_a_breaker_stops_calls_and_lets_one_try_later(runner: HttpTool, time: Any) -> None:
    async with StubEndpoint(BUSY, BUSY, Answer()) as stub:
        made = invocation("http", {"endpoint": stub.url, "circuit_breaker": {"threshold": 2, "reset_ms": 5_000}})
        for _ in range(2):
            await runner.run(made)
        assert (await runner.run(made)).error_code == "CIRCUIT_OPEN"
        assert len(stub.asked) == 2
        time.now_s += 5
        assert (await runner.run(made)).error_code == ""
        assert (await runner.run(made)).ok


async def test_a_rate_limit_makes_calls_wait_their_turn(runner: HttpTool, time: Any) -> None:
    async with StubEndpoint() as stub:
        made = invocation("http", {"endpoint": stub.url, "rate_limit_per_minute": 2}, timeout_ms=40_000)
        results = [await runner.run(made) for _ in range(3)]
    assert all(result.ok for result in results)
    assert time.waits == [30.0]


async def test_a_turn_that_comes_too_late_is_not_waited_for(runner: HttpTool, time: Any) -> None:
    async with StubEndpoint() as stub:
        made = invocation("http", {"endpoint": stub.url, "rate_limit_per_minute": 1}, timeout_ms=5_000)
        await runner.run(made)
        result = await runner.run(made)
    assert (result.error_code, time.waits) == ("RATE_LIMITED", [])


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (Answer(body=b'{"a": [1]}'), {"a": [1]}),
        (Answer(body=b"3", headers={}), 3),
        (Answer(body=b"plain", headers={"Content-Type": "text/plain"}), "plain"),
        (Answer(body=b"<a/>", headers={"Content-Type": "text/html"}), "<a/>"),
        (Answer(204, b""), None),
        (Answer(body=b'{"a": 1}', headers={"Content-Type": "application/problem+json; charset=utf-8"}), {"a": 1}),
        (Answer(404, b'{"a": 1}'), {"a": 1}),
        (Answer(404, b"[1]"), {"status": 404, "body": [1]}),
        (Answer(404, b"<html>", {"Content-Type": "text/html"}), {"status": 404, "body": "<html>"}),
        (Answer(500, b"{broken"), {"status": 500, "body": "{broken"}),
    ],
)
async def test_an_answer_becomes_a_value(runner: HttpTool, answer: Answer, value: Any) -> None:
    result, _ = await call(runner, {}, None, answer)
    assert (result.ok, result.value) == (True, value)
    assert result.error_code == ("" if answer.status < 300 else str(answer.status))


async def test_an_answer_that_is_not_the_json_it_says_is_an_error(runner: HttpTool) -> None:
    result, _ = await call(runner, {}, None, Answer(body=b"{broken"))
    assert (result.error_kind, result.error_code) == ("tool_error", "INVALID_ANSWER")


async def test_an_http_error_can_be_an_error(runner: HttpTool) -> None:
    result, _ = await call(runner, {"on_http_error": "error"}, None, Answer(404, b"no such parcel"))
    assert (result.ok, result.error_kind, result.error_code) == (False, "api_error", "404")
    assert "no such parcel" in result.error_message


async def test_head_gives_status_and_headers(runner: HttpTool) -> None:
    result, _ = await call(runner, {"method": "HEAD"}, None, Answer(headers={"X-Count": "3"}))
    assert (result.value["status"], result.value["headers"]["x-count"]) == (200, "3")


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "GET / HTTP/1.1\r\nX: 1"])
async def test_other_methods_are_refused(runner: HttpTool, method: str) -> None:
    result, asked = await call(runner, {"method": method})
    assert (result.error_kind, asked) == ("invalid_input", [])


async def test_a_private_address_is_refused_without_an_allow_list(time: Any) -> None:
    async with StubEndpoint() as stub:
        tool = HttpTool(HttpClient(AddressPolicy()))
        result = await tool.run(invocation("http", {"endpoint": stub.url}))
        await tool.close()
    assert (result.error_code, stub.asked) == ("ADDRESS_REFUSED", [])
