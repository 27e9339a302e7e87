"""What every chat model does, whatever is behind it. A subclass says how to make one that behaves as asked."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from domain.model_calls import Message, ModelDelta, ModelRequest, ToolSpec
from providers.chat.assembly import ReplyAssembler
from providers.failures import ModelCallFailed
from providers.ports import ChatModel


@dataclass(frozen=True)
class Wanted:
    """How a model of the suite has to behave: the same words for every implementation."""

    text: str = "The parcel is on its way"
    tool_calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    fault: Literal["", "error", "rate_limited", "cut"] = ""
    after_deltas: int = 2


MakeModel = Callable[[Wanted], AbstractAsyncContextManager[ChatModel]]
TOOL = ToolSpec("find_parcel", "Look a parcel up", {"type": "object", "properties": {"code": {"type": "string"}}})


def asked(text: str = "Where is my parcel?", **more: Any) -> ModelRequest:
    return ModelRequest((Message("system", "Be brief"), Message("user", text)), **more)


async def collected(deltas: AsyncGenerator[ModelDelta, None], into: ReplyAssembler | None = None) -> ReplyAssembler:
    assembler = into or ReplyAssembler()
    async with aclosing(deltas) as stream:
        async for delta in stream:
            assembler.add(delta)
    return assembler


@pytest.mark.anyio
class ChatModelSuite:
    """Subclasses give the fixture `make`."""

    @pytest.fixture
    def make(self) -> MakeModel:
        raise NotImplementedError

    async def test_answers_with_text_and_says_why_it_stopped(self, make: MakeModel) -> None:
        async with make(Wanted()) as model:
            reply = await model.answer(asked())
        assert (reply.text, reply.finish_reason, reply.tool_calls) == ("The parcel is on its way", "stop", ())

    async def test_counts_tokens(self, make: MakeModel) -> None:
        async with make(Wanted()) as model:
            reply = await model.answer(asked())
        assert reply.usage.input_tokens > 0
        assert reply.usage.output_tokens > 0

    async def test_a_stream_gives_the_same_text_in_pieces(self, make: MakeModel) -> None:
        async with make(Wanted()) as model:
            assembler = await collected(model.stream(asked()))
            whole = await model.answer(asked())
        assert assembler.reply().text == whole.text
        assert assembler.reply().usage == whole.usage
        assert assembler.is_finished

    async def test_a_stream_comes_in_more_than_one_piece(self, make: MakeModel) -> None:
        async with make(Wanted()) as model, aclosing(model.stream(asked())) as stream:
            texts = [delta.text async for delta in stream if delta.text]
        assert len(texts) > 2

    @pytest.mark.parametrize("streamed", [True, False])
    async def test_asks_for_tools_with_their_arguments(self, make: MakeModel, streamed: bool) -> None:
        calls = (("find_parcel", {"code": "Ä1", "deep": {"n": [1, 2]}}), ("list_hubs", {}))
        async with make(Wanted(text="", tool_calls=calls)) as model:
            request = asked(tools=(TOOL,))
            reply = (await collected(model.stream(request))).reply() if streamed else await model.answer(request)
        assert [(call.name, call.arguments) for call in reply.tool_calls] == list(calls)
        assert reply.finish_reason == "tool_calls"
        assert len({call.id for call in reply.tool_calls}) == 2

    async def test_the_same_request_is_answered_the_same(self, make: MakeModel) -> None:
        async with make(Wanted()) as model:
            first, second = await model.answer(asked()), await model.answer(asked())
        assert first.text == second.text

    @pytest.mark.parametrize("streamed", [True, False])
    @pytest.mark.parametrize(("fault", "kind"), [("error", "llm_api_error"), ("rate_limited", "llm_rate_limited")])
    async def test_a_fault_has_a_kind_and_may_be_retried(
        self, make: MakeModel, fault: Any, kind: str, streamed: bool
    ) -> None:
        async with make(Wanted(fault=fault, after_deltas=0)) as model:
            with pytest.raises(ModelCallFailed) as caught:
                await (collected(model.stream(asked())) if streamed else model.answer(asked()))
        assert caught.value.kind == kind
        assert caught.value.retryable
        assert not caught.value.after_output

    async def test_a_cut_stream_fails_after_its_output(self, make: MakeModel) -> None:
        assembler = ReplyAssembler()
        async with make(Wanted(fault="cut")) as model:
            with pytest.raises(ModelCallFailed) as caught:
                await collected(model.stream(asked()), assembler)
        assert assembler.text
        assert caught.value.kind == "llm_api_error"
        assert caught.value.after_output
        assert caught.value.retryable

    async def test_whoever_stops_early_leaves_nothing_behind(self, make: MakeModel) -> None:
        async with make(Wanted()) as model:
            async with aclosing(model.stream(asked())) as stream:
                first = await anext(stream)
            assert first.text
            assert (await model.answer(asked())).text
