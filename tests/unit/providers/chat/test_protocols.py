"""One table of what models say, three protocols: the same internal events, streamed and whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from domain.model_calls import Message, ModelRequest, ToolSpec, Usage
from domain.tool_calls import ToolCall
from providers.addresses import AddressPolicy
from providers.chat.anthropic_request import prefix_hash
from providers.chat.assembly import ReplyAssembler
from providers.failures import ModelCallFailed
from providers.http import HttpClient
from providers.ports import ChatModel
from providers.registry import ADAPTERS, factory
from providers.specs import ProviderSpec
from tests.fakes.model_server import KINDS, PROTOCOLS, Answer, FakeModelServer
from tests.fakes.words import MODEL, Call, End, Say, Think, Tokens, pieces, said
from tests.suites.chat_model import ChatModelSuite, MakeModel, Wanted, asked, collected
from tests.unit.providers.chat.scenarios import SCENARIOS, Scenario, events_of, expected, joined

pytestmark = pytest.mark.anyio
each_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)
each_scenario = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)


@asynccontextmanager
async def a_model(protocol: str, *answers: Answer, **more: Any) -> AsyncIterator[tuple[ChatModel, FakeModelServer]]:
    client = HttpClient(AddressPolicy(everything=True))
    async with FakeModelServer(protocol, answers or (Answer(),)) as server:
        spec = ProviderSpec(protocol, KINDS[protocol], server.base_url, "key", options=more)
        try:
            yield factory(spec)(spec, MODEL, client), server
        finally:
            await client.close()


def test_there_are_forty_scenarios_and_each_protocol_has_an_adapter() -> None:
    assert len(SCENARIOS) >= 40
    assert set(KINDS.values()) <= set(ADAPTERS)


@each_protocol
@each_scenario
async def test_a_stream_has_the_same_events_on_every_wire(protocol: str, scenario: Scenario) -> None:
    async with a_model(protocol, Answer(scenario.script, piece_bytes=scenario.piece_bytes)) as (model, server):
        deltas = [delta async for delta in model.stream(asked())]
        assert server.asked[0].complaint == ""
    assert events_of(deltas) == expected(scenario.script, protocol, 2)
    assert {delta.model for delta in deltas} == {MODEL}


@each_protocol
@each_scenario
async def test_a_whole_answer_says_the_same_as_a_stream(protocol: str, scenario: Scenario) -> None:
    async with a_model(protocol, Answer(scenario.script, piece_bytes=scenario.piece_bytes)) as (model, server):
        reply = await model.answer(asked())
        assert server.asked[0].complaint == ""
    *events, end, usage = joined(expected(scenario.script, protocol, 2))
    assert reply.text == events[0][1]
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [one[2:] for one in events[1:]]
    assert (reply.finish_reason, reply.usage, reply.model) == (end[1], usage[1], MODEL)
    assert reply.provider == protocol


@each_protocol
@pytest.mark.parametrize("streamed", [True, False])
async def test_a_refusal_without_a_word_is_a_failure_of_its_kind(protocol: str, streamed: bool) -> None:
    async with a_model(protocol, Answer((Tokens(), End("content_filter")))) as (model, _):
        with pytest.raises(ModelCallFailed) as caught:
            await (collected(model.stream(asked())) if streamed else model.answer(asked()))
    assert (caught.value.kind, caught.value.retryable) == ("llm_content_filter", False)


@each_protocol
async def test_what_was_thought_goes_back_with_the_call(protocol: str) -> None:
    """As a provider with signatures wants it: word for word, or the next request is refused."""
    script = (
        Think("Let me see", "c2lnbmVk"),
        Call("c1", "find_parcel", pieces({"code": "A1"}), signature="Z2VtaW5p"),
        Tokens(),
        End("tool_calls"),
    )
    async with a_model(protocol, Answer(script), Answer()) as (model, server):
        reply = (await collected(model.stream(asked()))).reply()
        after = (Message("assistant", reply.text, tool_calls=reply.tool_calls), _result("c1"))
        await model.answer(ModelRequest((*asked().messages, *after)))
        body, complaint = server.asked[1].body, server.asked[1].complaint
    assert complaint == ""
    if protocol == "anthropic":
        assert body["messages"][1]["content"][0] == {
            "type": "thinking",
            "thinking": "Let me see",
            "signature": "c2lnbmVk",
        }
    if protocol == "gemini":
        assert body["contents"][1]["parts"][0]["thoughtSignature"] == "Z2VtaW5p"
    if protocol == "openai":
        assert reply.tool_calls[0].signature == ""


REFUSALS = {
    "anthropic": "messages.1.content.0: The block is bound to a different conversation",
    "gemini": "Corrupted thought signature.",
}


@pytest.mark.parametrize("protocol", REFUSALS)
@pytest.mark.parametrize("streamed", [True, False])
async def test_signatures_that_are_refused_are_left_out_of_a_second_request(protocol: str, streamed: bool) -> None:
    bound = '{"of": "%s", "blocks": [{"type": "thinking", "thinking": "", "signature": "c2ln"}]}'
    call = ToolCall("c1", "find_parcel", {}, bound % prefix_hash(asked(), MODEL) if protocol == "anthropic" else "c2ln")
    request = ModelRequest((*asked().messages, Message("assistant", tool_calls=(call,)), _result("c1")))
    refused = Answer(fault="bad_request", sentence=REFUSALS[protocol])
    async with a_model(protocol, refused, Answer()) as (model, server):
        text = (await collected(model.stream(request))).text if streamed else (await model.answer(request)).text
        sent = [str(one.body) for one in server.asked]
    assert text == "The parcel is on its way"
    assert ["c2ln" in one for one in sent] == [True, False]
    async with a_model(protocol, refused) as (model, server):
        with pytest.raises(ModelCallFailed):
            await model.answer(request)
        assert len(server.asked) == 2


@each_protocol
async def test_calls_of_another_provider_are_understood_by_every_provider(protocol: str) -> None:
    """A model to fall back on is given the conversation that another one began, ids and signatures included."""
    calls = (
        ToolCall("call 1/ä", "find_parcel", {"code": "A1"}, '{"of": "elsewhere", "blocks": [{"type": "thinking"}]}'),
        ToolCall("call 2", "list_hubs", {}, "Z2VtaW5p"),
    )
    again = (ToolCall("call 2", "list_hubs"),)
    messages = (
        Message("system", "Be brief"),
        Message("assistant", "Welcome"),
        Message("user", "Where is it?"),
        Message("assistant", "One moment", tool_calls=calls),
        Message("tool", '{"status": "lost"}', tool_call_id="call 1/ä", name="find_parcel"),
        Message("tool", "[]", tool_call_id="call 2", name="list_hubs"),
        Message("assistant", "", tool_calls=again),
        Message("tool", "none", tool_call_id="call 2", name="list_hubs"),
    )
    async with a_model(protocol) as (model, server):
        await model.answer(ModelRequest(messages, tools=(ToolSpec("list_hubs"), ToolSpec("find_parcel"))))
        assert server.asked[0].complaint == ""


@each_protocol
async def test_the_key_is_sent_and_never_told(protocol: str) -> None:
    async with a_model(protocol, Answer(fault="unauthorized")) as (model, server):
        with pytest.raises(ModelCallFailed) as caught:
            await model.answer(asked())
        sent = server.asked[0].headers
    assert "key" in " ".join(sent.values())
    assert caught.value.kind == "credential_not_found"
    assert "key" not in caught.value.message


@each_protocol
async def test_headers_and_a_query_can_be_configured(protocol: str) -> None:
    async with a_model(protocol, headers={"X-Team": "desk"}, query={"version": "1"}) as (model, server):
        await model.answer(asked())
        assert server.asked[0].headers["x-team"] == "desk"
        assert server.asked[0].path.endswith("version=1")


@each_protocol
async def test_a_missing_count_is_no_count(protocol: str) -> None:
    async with a_model(protocol, Answer((Say("a"), End()))) as (model, _):
        assembler = await collected(model.stream(asked()), ReplyAssembler())
    assert assembler.reply().usage == Usage(20, 8)


@pytest.mark.parametrize("protocol", PROTOCOLS)
class TestEveryProtocolAsAChatModel(ChatModelSuite):
    @pytest.fixture
    def make(self, protocol: str) -> MakeModel:
        faults = {"error": "unavailable", "rate_limited": "rate_limited", "cut": "cut_later", "": ""}

        @asynccontextmanager
        async def made(wanted: Wanted) -> AsyncIterator[ChatModel]:
            words = [f"{word} " for word in wanted.text.split()]
            script = said(*words[:-1], words[-1].strip()) if words else ()
            if wanted.tool_calls:
                calls = [Call(f"c{n}", name, pieces(given)) for n, (name, given) in enumerate(wanted.tool_calls)]
                script = (*calls, Tokens(), End("tool_calls"))
            async with a_model(protocol, Answer(script, faults[wanted.fault])) as (model, _):
                yield model

        return made


def _result(call_id: str) -> Message:
    return Message("tool", "lost", tool_call_id=call_id, name="find_parcel")
