"""The adapter of OpenAI-compatible endpoints, against a server on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from domain.model_calls import Message, ModelRequest, Usage
from domain.tool_calls import ToolCall
from providers.addresses import AddressPolicy
from providers.chat.http_model import HttpChatModel
from providers.chat.openai_wire import AUTHORIZATION, DEFAULT_RULES, OpenAIWire, WireRules
from providers.chat.wire import Endpoint
from providers.failures import ModelCallFailed
from providers.http import HttpClient, Timeouts
from providers.ports import ChatModel
from tests.suites.chat_model import TOOL, ChatModelSuite, MakeModel, Wanted, asked, collected
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
QUICK = Timeouts(total_s=5.0, connect_s=1.0, idle_s=0.2)


@asynccontextmanager
async def a_model(
    *behaviours: StubBehaviour, rules: WireRules = DEFAULT_RULES, key_header: str = AUTHORIZATION, **more: Any
) -> AsyncIterator[tuple[HttpChatModel, StubModel]]:
    client = HttpClient(AddressPolicy(everything=True))
    async with StubModel(*behaviours) as stub:
        endpoint = Endpoint(**{"provider": "stub", "base_url": stub.base_url, "timeouts": QUICK, **more})
        try:
            yield HttpChatModel(client, endpoint, OpenAIWire(rules, key_header), "stub-1"), stub
        finally:
            await client.close()


class TestOpenAICompatibleAsAChatModel(ChatModelSuite):
    @pytest.fixture
    def make(self) -> MakeModel:
        faults: dict[str, dict[str, Any]] = {
            "": {},
            "error": {"fault": "status", "status": 503},
            "rate_limited": {"fault": "status", "status": 429},
            "cut": {"fault": "cut", "fault_after": 3},
        }

        @asynccontextmanager
        async def made(wanted: Wanted) -> AsyncIterator[ChatModel]:
            behaviour = StubBehaviour(text=wanted.text, tool_calls=wanted.tool_calls, **faults[wanted.fault])
            async with a_model(behaviour) as (model, _):
                yield model

        return made


async def test_sends_messages_tools_and_settings_as_the_wire_has_them() -> None:
    request = ModelRequest(
        (
            Message("system", "Be brief"),
            Message("user", "Where?"),
            Message("assistant", tool_calls=(ToolCall("c1", "find_parcel", {"code": "A1"}),)),
            Message("tool", "lost", tool_call_id="c1", name="find_parcel"),
        ),
        tools=(TOOL,),
        temperature=0.2,
        max_tokens=50,
        json_schema={"type": "object"},
        metadata={"agent": "Claims"},
    )
    async with a_model(StubBehaviour(), api_key="k", query={"api-version": "1"}) as (model, stub):
        await model.answer(request)
        sent = stub.requests[0]
    assert sent.path == "/v1/chat/completions?api-version=1"
    assert sent.headers["authorization"] == "Bearer k"
    assert sent.body["messages"][2]["tool_calls"][0]["function"] == {
        "name": "find_parcel",
        "arguments": '{"code":"A1"}',
    }
    assert sent.body["messages"][3] == {"role": "tool", "content": "lost", "tool_call_id": "c1", "name": "find_parcel"}
    assert sent.body["tools"][0]["function"]["parameters"] == TOOL.parameters
    assert (sent.body["temperature"], sent.body["max_tokens"], sent.body["model"]) == (0.2, 50, "stub-1")
    assert sent.body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert "metadata" not in sent.body


async def test_a_bare_key_goes_into_the_header_named() -> None:
    async with a_model(api_key="k", key_header="api-key") as (model, stub):
        await model.answer(asked())
        assert stub.requests[0].headers["api-key"] == "k"
        assert "authorization" not in stub.requests[0].headers


@pytest.mark.parametrize(("mode", "has_format"), [("json_object", True), ("prompt", False)])
async def test_where_schemas_are_unknown_the_prompt_carries_them(mode: str, has_format: bool) -> None:
    async with a_model(rules=WireRules(schema_mode=mode)) as (model, stub):
        await model.answer(asked(json_schema={"type": "object"}))
        body = stub.requests[0].body
    assert ("response_format" in body) == has_format
    assert '{"type":"object"}' in body["messages"][-1]["content"]


async def test_usage_holds_cached_tokens_and_latency_is_measured() -> None:
    async with a_model() as (model, _):
        reply = await model.answer(asked())
    assert reply.usage == Usage(21, 16, 5)
    assert (reply.provider, reply.model) == ("stub", "stub-1")
    assert reply.latency_ms >= 0


NOT_RETRIED = {401: "credential_not_found", 403: "credential_not_found", 404: "llm_api_error", 422: "llm_api_error"}
RETRIED = {408: "llm_timeout", 429: "llm_rate_limited", 500: "llm_api_error", 502: "llm_api_error", 504: "llm_timeout"}


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(("status", "kind"), (NOT_RETRIED | RETRIED).items())
async def test_every_status_has_its_kind(status: int, kind: str, streamed: bool) -> None:
    async with a_model(StubBehaviour(fault="status", status=status, retry_after_s="3")) as (model, _):
        with pytest.raises(ModelCallFailed) as caught:
            await (collected(model.stream(asked())) if streamed else model.answer(asked()))
    assert (caught.value.kind, caught.value.retryable) == (kind, status in RETRIED)
    assert caught.value.retry_after_s == 3.0


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"error": {"message": "too long", "code": "context_length_exceeded"}}', "llm_context_exceeded"),
        (b'{"error": {"message": "This model\'s maximum context length is 4096 tokens"}}', "llm_context_exceeded"),
        (b'{"error": {"message": "no", "code": "content_filter"}}', "llm_content_filter"),
        (b'{"error": "just a text"}', "llm_api_error"),
        (b"<html>", "llm_api_error"),
        (b"", "llm_api_error"),
    ],
)
async def test_a_bad_request_is_told_by_its_words(body: bytes, kind: str) -> None:
    async with a_model(StubBehaviour(fault="status", status=400, body=body)) as (model, _):
        with pytest.raises(ModelCallFailed) as caught:
            await model.answer(asked())
    assert (caught.value.kind, caught.value.retryable) == (kind, False)


async def test_what_the_provider_says_about_the_key_is_not_repeated() -> None:
    body = b'{"error": {"message": "Incorrect API key provided: sk-secret"}}'
    async with a_model(StubBehaviour(fault="status", status=401, body=body)) as (model, _):
        with pytest.raises(ModelCallFailed) as caught:
            await model.answer(asked())
    assert "sk-secret" not in caught.value.message


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(
    ("fault", "kind"),
    [("hang", "llm_timeout"), ("reset", "llm_api_error"), ("not_http", "llm_api_error"), ("garbage", "llm_api_error")],
)
async def test_every_fault_of_the_wire_has_its_kind(fault: Any, kind: str, streamed: bool) -> None:
    async with a_model(StubBehaviour(fault=fault)) as (model, _):
        with pytest.raises(ModelCallFailed) as caught:
            await (collected(model.stream(asked())) if streamed else model.answer(asked()))
    assert (caught.value.kind, caught.value.retryable, caught.value.after_output) == (kind, True, False)


async def test_a_stream_that_falls_silent_is_a_timeout_after_output() -> None:
    async with a_model(StubBehaviour(delta_delay_ms=1_000)) as (model, _):
        with pytest.raises(ModelCallFailed) as caught:
            await collected(model.stream(asked()))
    assert (caught.value.kind, caught.value.after_output) == ("llm_timeout", False)


async def test_an_error_event_in_a_stream_is_a_failure() -> None:
    async with a_model(StubBehaviour(fault="error_event", fault_after=3)) as (model, _):
        with pytest.raises(ModelCallFailed) as caught:
            await collected(model.stream(asked()))
    assert (caught.value.kind, caught.value.after_output) == ("llm_api_error", True)


async def test_a_stream_needs_no_done_when_it_says_why_it_stopped() -> None:
    async with a_model(StubBehaviour(fault="no_end")) as (model, _):
        assert (await collected(model.stream(asked()))).is_finished


async def test_nobody_listening_is_a_failure_to_retry() -> None:
    async with a_model(base_url="http://127.0.0.1:1/v1") as (model, _):
        with pytest.raises(ModelCallFailed) as caught:
            await model.answer(asked())
    assert (caught.value.kind, caught.value.retryable) == ("llm_api_error", True)


async def test_an_endpoint_does_not_print_its_key() -> None:
    assert "secret" not in repr(Endpoint("p", "http://x", api_key="secret", headers={"x": "secret"}))
