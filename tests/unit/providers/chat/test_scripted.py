"""The model that answers from a table or a seed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from domain.model_calls import Message, ModelRequest
from domain.tool_calls import ToolCall
from providers.chat.scripted import ScriptedCall, ScriptedFault, ScriptedModel, ScriptedRow, ScriptedTable
from providers.failures import ModelCallFailed
from providers.ports import ChatModel
from tests.suites.chat_model import ChatModelSuite, MakeModel, Wanted, asked, collected

FAULTS = {
    "error": ScriptedFault(),
    "rate_limited": ScriptedFault(error="llm_rate_limited"),
    "cut": ScriptedFault(kind="cut", after_deltas=2),
}


class TestScriptedAsAChatModel(ChatModelSuite):
    @pytest.fixture
    def make(self) -> MakeModel:
        @asynccontextmanager
        async def made(wanted: Wanted) -> AsyncIterator[ChatModel]:
            calls = tuple(ScriptedCall(name, arguments) for name, arguments in wanted.tool_calls)
            yield model(ScriptedRow(text=wanted.text, tool_calls=calls, fault=FAULTS.get(wanted.fault)))

        return made


def model(*rows: ScriptedRow, seed: int = 0, **more: Any) -> ScriptedModel:
    return ScriptedModel(ScriptedTable(rows, seed), **more)


async def text_of(scripted: ScriptedModel, *said: str, **more: Any) -> str:
    messages = tuple(Message("user", text) for text in said)
    return (await scripted.answer(ModelRequest(messages, **more))).text


pytestmark = pytest.mark.anyio


async def test_the_first_row_that_matches_answers() -> None:
    scripted = model(ScriptedRow(user="LOST", text="Sorry"), ScriptedRow(text="Hello"))
    assert await text_of(scripted, "My parcel is lost") == "Sorry"
    assert await text_of(scripted, "Good morning") == "Hello"


async def test_rows_match_agent_operation_turn_and_system() -> None:
    scripted = model(
        ScriptedRow(agent="Claims", text="claims"),
        ScriptedRow(operation="extraction", text="extraction"),
        ScriptedRow(turn=2, text="second"),
        ScriptedRow(system="be brief", text="brief"),
        ScriptedRow(text="other"),
    )
    assert await text_of(scripted, "a", metadata={"agent": "Claims"}) == "claims"
    assert await text_of(scripted, "a", metadata={"operation": "extraction"}) == "extraction"
    assert await text_of(scripted, "a", "b") == "second"
    assert (await scripted.answer(asked())).text == "brief"
    assert await text_of(scripted, "a") == "other"


async def test_a_row_after_a_tool_sees_its_result() -> None:
    scripted = model(
        ScriptedRow(after_tool="find_parcel", text="It is {{result.status}}"),
        ScriptedRow(tool_calls=(ScriptedCall("find_parcel", {"code": "A1"}),)),
    )
    first = await scripted.answer(ModelRequest((Message("user", "Where?"),)))
    assert first.tool_calls[0].arguments == {"code": "A1"}
    answer = Message("tool", '{"status": "lost"}', tool_call_id=first.tool_calls[0].id, name="find_parcel")
    said = Message("assistant", tool_calls=(ToolCall(first.tool_calls[0].id, "find_parcel", {"code": "A1"}),))
    assert (await scripted.answer(ModelRequest((Message("user", "Where?"), said, answer)))).text == "It is lost"


async def test_a_row_is_used_up() -> None:
    scripted = model(ScriptedRow(times=1, text="once"), ScriptedRow(text="then"))
    assert [await text_of(scripted, "x") for _ in range(3)] == ["once", "then", "then"]


async def test_a_fault_can_go_away() -> None:
    scripted = model(ScriptedRow(times=2, fault=ScriptedFault()), ScriptedRow(text="well again"))
    for _ in range(2):
        with pytest.raises(ModelCallFailed):
            await text_of(scripted, "x")
    assert await text_of(scripted, "x") == "well again"


async def test_what_is_inserted_is_not_read_again() -> None:
    assert await text_of(model(ScriptedRow(text="You said {{input}}")), "{{agent}}") == "You said {{agent}}"


async def test_json_is_answered_as_text() -> None:
    assert await text_of(model(ScriptedRow(json={"code": "A1"})), "x") == '{"code":"A1"}'


async def test_without_a_row_the_seed_and_the_request_decide() -> None:
    one, same, other = [await text_of(model(seed=seed), "hello") for seed in (1, 1, 2)]
    assert one == same
    assert one != other
    assert one != await text_of(model(seed=1), "goodbye")


async def test_without_a_row_a_schema_gets_its_smallest_value() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}
    assert await text_of(model(), "x", json_schema=schema) == '{"n":3}'


async def test_pieces_have_the_length_asked_for() -> None:
    scripted = model(ScriptedRow(text="abcdefgh", delta_chars=3))
    assert [delta.text async for delta in scripted.stream(asked()) if delta.text] == ["abc", "def", "gh"]


async def test_delays_are_waited_for(time: Any) -> None:
    scripted = model(ScriptedRow(text="a b c", delay_ms=300, delta_delay_ms=20), sleep=time.sleep)
    await collected(scripted.stream(asked()))
    assert time.waits == [0.3, 0.02, 0.02, 0.02]


async def test_a_silence_is_a_long_wait(time: Any) -> None:
    with pytest.raises(ModelCallFailed):
        await model(ScriptedRow(fault=ScriptedFault(kind="hang")), sleep=time.sleep).answer(asked())
    assert time.waits == [3_600.0]
