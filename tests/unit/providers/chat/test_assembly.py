"""Deltas -> one reply."""

from __future__ import annotations

import pytest

from domain.model_calls import ModelDelta, ToolCallPart, Usage
from providers.chat import assembly
from providers.chat.assembly import ReplyAssembler, tool_arguments
from providers.failures import ModelCallFailed


def assembled(*deltas: ModelDelta) -> ReplyAssembler:
    assembler = ReplyAssembler()
    for delta in deltas:
        assembler.add(delta)
    return assembler


def test_interleaved_tool_calls_are_put_together_by_index() -> None:
    reply = assembled(
        ModelDelta(tool_call=ToolCallPart(1, "b", "two", '{"x"')),
        ModelDelta(tool_call=ToolCallPart(0, "a", "one")),
        ModelDelta(tool_call=ToolCallPart(1, arguments=":2}")),
    ).reply()
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [
        ("a", "one", {}),
        ("b", "two", {"x": 2}),
    ]
    assert reply.finish_reason == "tool_calls"


def test_usage_model_and_reason_are_the_last_ones_said() -> None:
    assembler = assembled(
        ModelDelta(text="a", model="m"), ModelDelta(finish_reason="length"), ModelDelta(usage=Usage(1, 2))
    )
    reply = assembler.reply(provider="p", latency_ms=5, attempts=2)
    assert (reply.text, reply.model, reply.finish_reason, reply.usage) == ("a", "m", "length", Usage(1, 2))
    assert (reply.provider, reply.latency_ms, reply.attempts) == ("p", 5, 2)


def test_nothing_has_come_yet() -> None:
    assembler = ReplyAssembler()
    assert not assembler.has_output
    assert not assembler.is_finished


@pytest.mark.parametrize("text", ["{", "[1]", '"x"', "null", "[" * 10_000, "{}{}", '{"in":' * 129 + "1" + "}" * 129])
def test_arguments_that_are_no_object_may_be_asked_for_again(text: str) -> None:
    with pytest.raises(ModelCallFailed) as caught:
        tool_arguments(text)
    assert caught.value.retryable


@pytest.mark.parametrize("text", ["", "  ", "{}"])
def test_no_arguments_are_an_empty_object(text: str) -> None:
    assert tool_arguments(text) == {}


def test_an_endless_answer_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "MAX_REPLY_CHARS", 10)
    with pytest.raises(ModelCallFailed):
        assembled(*[ModelDelta(text="abc")] * 5)


def test_too_many_tool_calls_are_stopped() -> None:
    with pytest.raises(ModelCallFailed):
        assembled(*(ModelDelta(tool_call=ToolCallPart(index)) for index in range(100)))
