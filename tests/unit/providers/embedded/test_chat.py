"""The adapter of the small model: which tool is called with what, when the user is asked instead, and what is read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from domain.model_calls import Message, ModelDelta, ModelReply, ModelRequest, ToolSpec, Usage
from domain.tool_calls import ToolCall
from engine.testing import Conversation, program_of
from providers.embedded.chat import EmbeddedModel
from providers.embedded.waiting import Queue
from providers.failures import ModelCallFailed

FIND = ToolSpec(
    "find_card",
    "Finds a card",
    {"type": "object", "properties": {"last_digits": {"type": "string"}}, "required": ["last_digits"]},
)
BLOCK = ToolSpec(
    "block_card",
    "Blocks a card",
    {
        "type": "object",
        "properties": {"card_id": {"type": "string"}, "reason": {"type": "string", "enum": ["lost", "stolen"]}},
        "required": ["card_id", "reason"],
    },
)
FACTS = ToolSpec(
    "house_facts",
    "Answers questions about the house",
    {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]},
)
FIXED = "You are the desk."


class Small:
    """A small model that answers from a list and keeps what it was asked."""

    def __init__(self, *answers: str | dict[str, Any]) -> None:
        self.answers = [one if isinstance(one, str) else json.dumps(one) for one in answers]
        self.asked: list[ModelRequest] = []

    async def answer(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request)
        return ModelReply(text=self.answers.pop(0), usage=Usage(10, 2, 5), model="tiny")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        reply = await self.answer(request)
        for word in reply.text.split(" "):
            yield ModelDelta(text=f"{word} ")
        yield ModelDelta(finish_reason="stop")
        yield ModelDelta(usage=reply.usage)


def request(*said: str | Message, moment: str = "", tools: tuple[ToolSpec, ...] = (), **more: Any) -> ModelRequest:
    messages = [Message("user", one) if isinstance(one, str) else one for one in said]
    system = Message("system", f"{FIXED}\n\n{moment}")
    return ModelRequest(messages=(system, *messages), tools=tools, stable_chars=len(FIXED), **more)


def answer(asked: ModelRequest, *answers: str | dict[str, Any]) -> tuple[ModelReply, Small]:
    small = Small(*answers)
    return asyncio.run(EmbeddedModel(small, "tiny").answer(asked)), small


def calls(reply: ModelReply) -> list[tuple[str, dict[str, Any]]]:
    return [(one.name, one.arguments) for one in reply.tool_calls]


def test_a_tool_whose_arguments_are_known_is_called_without_asking_the_model() -> None:
    reply, small = answer(request("1234", moment="Known:\n- last_digits: 1234", tools=(FIND, BLOCK)))
    assert calls(reply) == [("find_card", {"last_digits": "1234"})]
    assert reply.finish_reason == "tool_calls"
    assert small.asked == []


def test_a_tool_waits_for_a_value_it_would_take_along_while_that_is_still_asked_for() -> None:
    tool = ToolSpec(
        "list_tariffs",
        "",
        {"properties": {"data_gb": {"type": "number"}, "abroad": {"type": "boolean"}}, "required": ["data_gb"]},
    )
    missing = "Still to find out, one question at a time:\n- uses_abroad: Do you need data abroad?"
    reply, _ = answer(request("40", moment=f"Known:\n- monthly_data_gb: 40\n\n{missing}", tools=(tool,)))
    assert reply.text == "Do you need data abroad?"
    reply, _ = answer(request("no", moment="Known:\n- monthly_data_gb: 40\n- uses_abroad: False", tools=(tool,)))
    assert calls(reply) == [("list_tariffs", {"data_gb": 40, "abroad": False})]


def test_the_model_chooses_among_tools_and_fills_in_what_was_said() -> None:
    reply, small = answer(
        request("Do you have parking?", tools=(FACTS,)), {"tool": "house_facts"}, {"topic": "parking"}
    )
    assert calls(reply) == [("house_facts", {"topic": "parking"})]
    choice, filling = small.asked
    assert choice.json_schema is not None
    assert choice.json_schema["properties"]["tool"] == {"enum": ["house_facts", "none"]}
    assert [choice.temperature, choice.tools] == [0.0, ()]
    assert choice.messages[0] == filling.messages[0], "the beginning is the same, so that it is read once"
    assert reply.usage == Usage(20, 4, 10)


def test_a_call_whose_arguments_nobody_has_said_is_not_made_and_the_user_is_asked() -> None:
    missing = "Still to find out, one question at a time:\n- last_digits: What are the last four digits?"
    reply, small = answer(
        request("my card 17 was stolen on the way to work", moment=missing, tools=(FIND,)),
        {"tool": "find_card"},
        {"last_digits": "1234"},
    )
    assert reply.text == "What are the last four digits?"
    assert len(small.asked) == 2


def test_a_code_is_not_looked_for_where_no_digit_was_said() -> None:
    missing = "Still to find out, one question at a time:\n- last_digits: What are the last four digits?"
    reply, small = answer(request("my card was stolen", moment=missing, tools=(FIND, BLOCK)))
    assert reply.text == "What are the last four digits?"
    assert small.asked == []


def test_a_code_is_one_of_those_that_were_said() -> None:
    cancel = ToolSpec("cancel_room", "", {"properties": {"stay_no": {"type": "string"}}, "required": ["stay_no"]})
    reply, small = answer(
        request("Please cancel H-12345 from May", tools=(cancel, FACTS)),
        {"tool": "cancel_room"},
        {"stay_no": "H-12345"},
    )
    assert calls(reply) == [("cancel_room", {"stay_no": "H-12345"})]
    assert small.asked[1].json_schema is not None
    assert small.asked[1].json_schema["properties"] == {"stay_no": {"enum": ["H-12345"]}}


def test_the_answer_to_a_question_starts_no_other_tool() -> None:
    missing = "Known:\n- city: Vienna\n\nStill to find out, one question at a time:\n- guests: For how many?"
    reply, small = answer(request("in Vienna please", moment=missing, tools=(FACTS,)))
    assert reply.text == "For how many?"
    assert small.asked == []


def test_a_result_is_told_and_its_tool_not_called_again() -> None:
    call = ToolCall("c1", "house_facts", {"topic": "parking"})
    said = (Message("assistant", "", tool_calls=(call,)), Message("tool", '{"text": "free"}', tool_call_id="c1"))
    reply, small = answer(request("Do you have parking?", *said, tools=(FACTS,)), "Parking is free.")
    assert reply.text == "Parking is free."
    assert "text: free" in small.asked[0].messages[-1].content
    assert not any(one.tool_calls or one.role == "tool" for one in small.asked[0].messages)


def test_what_was_refused_before_may_be_called_again() -> None:
    call = ToolCall("c1", "find_card", {"last_digits": "1234"})
    before = Message("assistant", "", tool_calls=(call,))
    known = "Known:\n- last_digits: 1234"
    refused = Message("tool", '{"error": "constraint_violation"}', tool_call_id="c1")
    reply, _ = answer(request("1234", before, refused, "yes, do it", moment=known, tools=(FIND,)))
    assert calls(reply) == [("find_card", {"last_digits": "1234"})]
    found = Message("tool", '{"card_id": "K1"}', tool_call_id="c1")
    reply, _ = answer(request("1234", before, found, "and now", moment=known, tools=(FIND,)), "It is found.")
    assert reply.text == "It is found."


def test_system_tools_are_left_to_the_rules_of_the_agent() -> None:
    ending = ToolSpec("__complete__", "Ends", {"properties": {"message": {"type": "string"}}})
    reply, small = answer(request("that was all I wanted to know", tools=(ending,)), "Goodbye.")
    assert reply.text == "Goodbye."
    assert "__complete__" not in small.asked[0].messages[0].content


def test_a_reply_is_streamed_and_counts_all_tokens() -> None:
    async def run() -> list[ModelDelta]:
        small = Small({"tool": "none"}, "All is well.")
        model = EmbeddedModel(small, "tiny")
        return [one async for one in model.stream(request("How are you today?", tools=(FACTS,)))]

    deltas = asyncio.run(run())
    assert "".join(one.text for one in deltas) == "All is well. "
    assert next(one.usage for one in deltas if one.usage) == Usage(20, 4, 10)


def test_the_prompt_of_the_engine_is_read_as_it_is_written() -> None:
    seen: list[ModelRequest] = []

    def reason(effect: Any) -> ModelReply:
        seen.append(effect.request)
        return ModelReply(text="?")

    text = (
        'AGENT: Desk\nGOAL: "Find cards"\nGATHER:\n  last_digits:\n    prompt: "Which digits?"\n    type: string\n'
        '    validate: "^\\d{4}$"\n  reason:\n    prompt: "What has happened?"\n    options: [lost, stolen]\n'
    )
    talk = Conversation(program_of({"a.abl": text}), model=reason)
    talk.begin(has_model=True)
    talk.reads = [ModelReply(text='{"entities": {"last_digits": "1234"}}')]
    talk.say("1234")
    reply, _ = answer(seen[-1])
    assert reply.text == "What has happened?"
    from providers.embedded import prompting

    assert prompting.known_values(seen[-1]) == {"last_digits": "1234"}
    assert prompting.missing_names(seen[-1]) == ["reason"]


READING = {
    "type": "object",
    "properties": {
        "entities": {
            "type": "object",
            "properties": {
                "city": {"type": ["string", "null"]},
                "guests": {"type": ["integer", "null"]},
                "abroad": {"type": ["boolean", "null"]},
            },
        },
        "confidence": {"type": "object", "properties": {"city": {"type": "number"}}},
    },
}


def read(said: str, found: dict[str, Any], *before: Message) -> dict[str, Any]:
    reply, _ = answer(request(*before, said, json_schema=READING), found)
    return dict(json.loads(reply.text))


def test_values_that_the_text_does_not_say_are_null() -> None:
    found = read("I would like a room in Vienna", {"city": "Vienna", "guests": "2", "abroad": True})
    assert found == {"entities": {"city": "Vienna", "guests": None, "abroad": None}, "confidence": {"city": 1.0}}


def test_numbers_are_asked_for_as_texts_of_few_digits_and_come_back_as_numbers() -> None:
    found = read("we are three people in a room in Vienna", {"city": None, "guests": "3", "abroad": None})
    assert found["entities"]["guests"] == 3


def test_a_plain_no_is_read_where_a_question_was_asked() -> None:
    asked = Message("assistant", "Do you need data outside the country?")
    assert read("no", {"city": None, "guests": None, "abroad": False}, asked)["entities"]["abroad"] is False


def test_a_greeting_is_not_read_at_all() -> None:
    reply, small = answer(request("Hello there", json_schema=READING))
    assert json.loads(reply.text)["entities"] == {"city": None, "guests": None, "abroad": None}
    assert small.asked == []


def test_an_intent_is_asked_for_by_name_and_never_where_there_is_only_one() -> None:
    item = {"type": "object", "properties": {"category": {"enum": ["book", "cancel", "out_of_scope", "unclear"]}}}
    schema = {"properties": {"intents": {"type": "array", "items": item}}}
    reply, small = answer(request("I want to book a room", json_schema=schema), {"intent": "book"})
    assert json.loads(reply.text)["intents"] == [{"category": "book", "confidence": 0.6}]
    assert small.asked[0].json_schema["properties"] == {"intent": {"enum": ["book", "cancel", "unclear"]}}
    item["properties"]["category"]["enum"] = ["leave", "out_of_scope", "unclear"]
    reply, small = answer(request("I want a room", json_schema=schema))
    assert json.loads(reply.text)["intents"] == []


def test_an_intent_of_which_no_word_was_said_is_none() -> None:
    item = {"type": "object", "properties": {"category": {"enum": ["legal_threat", "satisfied"]}}}
    schema = {"properties": {"intents": {"type": "array", "items": item}}}
    moment = "- legal_threat: Mentions a lawyer or a newspaper\n- satisfied: Accepts the solution"
    reply, _ = answer(request("my internet is down", moment=moment, json_schema=schema), {"intent": "legal_threat"})
    assert json.loads(reply.text)["intents"] == []
    reply, _ = answer(request("I call my lawyer", moment=moment, json_schema=schema), {"intent": "legal_threat"})
    assert json.loads(reply.text)["intents"][0]["category"] == "legal_threat"


def test_it_judges_no_texts() -> None:
    schema = {"properties": {"valid": {"type": "boolean"}, "reason": {"type": "string"}, "score": {"type": "number"}}}
    with pytest.raises(ModelCallFailed, match="judges no texts"):
        answer(request("Is it?", json_schema=schema))


def test_what_a_tool_still_lacks_is_asked_for_when_the_agent_asks_for_nothing() -> None:
    tool = ToolSpec(
        "reserve_room",
        "",
        {
            "properties": {"city": {"type": "string"}, "arrival": {"type": "string", "description": "First night"}},
            "required": ["city", "arrival"],
        },
    )
    reply, small = answer(request("a room in Vienna please", moment="Known:\n- city: Vienna", tools=(tool, FACTS)))
    assert reply.text == "I still need this from you: First night."
    assert small.asked == []


def test_conditions_of_the_agent_are_nothing_to_say() -> None:
    fixed = "You are the desk.\n\nWays out:\n- __complete__ when cancelled == true\n\nBe kind."
    small = Small("Hello.")
    asked = ModelRequest(messages=(Message("system", fixed), Message("user", "hello")), stable_chars=len(fixed))
    asyncio.run(EmbeddedModel(small, "tiny").answer(asked))
    assert small.asked[0].messages[0].content == "You are the desk.\n\nBe kind."


def test_a_text_that_is_to_be_summed_up_is_asked_as_it_is() -> None:
    asked = request("sum this up", metadata={"operation": "summarization"})
    reply, small = answer(asked, "Short.")
    assert (reply.text, small.asked[0].messages) == ("Short.", asked.messages)


def test_more_calls_than_may_wait_are_refused() -> None:
    async def run() -> None:
        queue = Queue(slots=1, max_waiting=1)
        async with queue.turn():
            waiting = asyncio.create_task(queue.turn().__aenter__())
            await asyncio.sleep(0)
            with pytest.raises(ModelCallFailed, match="Too many"):
                async with queue.turn():
                    pass
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(run())


def test_a_model_that_is_not_ready_is_not_asked() -> None:
    async def refuse() -> None:
        raise ModelCallFailed("model_not_ready", "43 % of 491 MB", retryable=False)

    with pytest.raises(ModelCallFailed, match="43 %"):
        asyncio.run(EmbeddedModel(Small(), "tiny", refuse).answer(request("Hello")))
