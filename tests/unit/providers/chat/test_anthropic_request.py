"""Our requests as the Messages API wants them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.model_calls import Image, Message, ModelRequest, ToolSpec
from domain.tool_calls import ToolCall
from providers.chat.anthropic_request import AnthropicRules, encode_request, prefix_hash
from providers.chat.strict_schema import strict_schema

RULES = AnthropicRules()
MARK = {"type": "ephemeral"}
TOOL = ToolSpec("find", "Find it", {"type": "object", "properties": {"code": {"type": "string"}}})
SLOTS = {"type": "object", "properties": {"city": {"type": "string", "minLength": 1}}, "required": ["city"]}


def body(request: ModelRequest, model: str = "claude-opus-5-5", rules: AnthropicRules = RULES) -> dict[str, Any]:
    decoded: dict[str, Any] = msgspec.json.decode(encode_request(request, model, rules, stream=False))
    return decoded


def asked(*more: Message, **others: Any) -> ModelRequest:
    return ModelRequest((Message("system", "You are Desk.\n\nNow: 9:00"), Message("user", "Hi"), *more), **others)


def test_what_never_changes_is_marked_for_the_cache_and_what_does_is_not() -> None:
    system = body(asked(stable_chars=13))["system"]
    assert system == [
        {"type": "text", "text": "You are Desk.", "cache_control": MARK},
        {"type": "text", "text": "\n\nNow: 9:00"},
    ]


def test_a_prompt_that_never_changes_is_marked_whole() -> None:
    assert body(asked())["system"] == [{"type": "text", "text": "You are Desk.\n\nNow: 9:00", "cache_control": MARK}]


def test_the_conversation_is_marked_where_rounds_with_tools_follow() -> None:
    assert body(asked(tools=(TOOL,)))["messages"][-1]["content"][-1]["cache_control"] == MARK
    assert "cache_control" not in body(asked())["messages"][-1]["content"][-1]


def test_the_prefix_is_the_same_bytes_for_every_turn() -> None:
    first, second = (
        encode_request(asked(Message("user", text), tools=(TOOL,)), "claude-x", RULES, stream=True)
        for text in ("one", "two")
    )
    at = first.index(b'"messages"')
    assert first[:at] == second[:at]
    assert b'"tools"' in first[:at]
    assert b'"system"' in first[:at]


def test_caching_can_be_switched_off() -> None:
    assert b"cache_control" not in encode_request(
        asked(tools=(TOOL,)), "claude-x", AnthropicRules(caching=False), stream=False
    )


def test_a_system_message_in_the_middle_is_said_by_the_user() -> None:
    messages = body(asked(Message("assistant", "Hello"), Message("system", "Be quick"), Message("user", "?")))[
        "messages"
    ]
    assert [one["role"] for one in messages] == ["user", "assistant", "user"]
    assert [block["text"] for block in messages[2]["content"]] == ["Be quick", "?"]


def test_results_of_calls_at_the_same_time_stand_in_one_message() -> None:
    calls = (ToolCall("a", "find", {"code": "1"}), ToolCall("b", "find"))
    results = (Message("tool", "x", tool_call_id="a"), Message("tool", "", tool_call_id="b"))
    messages = body(asked(Message("assistant", "Wait", tool_calls=calls), *results))["messages"]
    assert [block["type"] for block in messages[1]["content"]] == ["text", "tool_use", "tool_use"]
    assert messages[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "a", "content": "x"},
        {"type": "tool_result", "tool_use_id": "b"},
    ]


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("claude-3-5-haiku-20241022", 0.2),
        ("claude-sonnet-4-20250514", 0.2),
        ("claude-sonnet-4-6", 0.2),
        ("claude-haiku-4-5-20251001", 0.2),
        ("claude-opus-4-7", None),
        ("claude-opus-5-5", None),
        ("claude-fable-5", None),
        ("claude-of-tomorrow", None),
    ],
)
def test_a_temperature_goes_to_models_that_take_one(model: str, sent: float | None) -> None:
    assert body(asked(temperature=0.2), model).get("temperature") == sent
    assert body(asked(temperature=0.2), model, AnthropicRules(temperature=True))["temperature"] == 0.2


def test_a_temperature_is_at_most_one() -> None:
    assert body(asked(temperature=1.7), "claude-sonnet-4-6")["temperature"] == 1.0


def test_a_schema_is_asked_for_as_the_wire_takes_it() -> None:
    sent = body(asked(json_schema=SLOTS), rules=AnthropicRules(effort="low"))
    assert sent["output_config"] == {
        "effort": "low",
        "format": {
            "type": "json_schema",
            "schema": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }


@pytest.mark.parametrize(
    ("model", "schema"), [("claude-3-5-haiku-20241022", SLOTS), ("claude-opus-5-5", {"type": "object"})]
)
def test_a_schema_that_cannot_be_asked_for_is_said_in_words_after_everything_else(model: str, schema: Any) -> None:
    sent = body(asked(json_schema=schema), model)
    assert "output_config" not in sent
    assert msgspec.json.encode(schema).decode() in sent["messages"][-1]["content"][-1]["text"]


def test_thoughts_go_back_only_under_the_prompt_they_were_thought_under() -> None:
    request = asked()
    bound = prefix_hash(request, "claude-opus-5-5")
    kept = msgspec.json.encode({"of": bound, "blocks": [{"type": "thinking", "thinking": "", "signature": "s"}]})
    said = Message("assistant", "", tool_calls=(ToolCall("a", "find", {}, kept.decode()),))
    result = Message("tool", "x", tool_call_id="a")
    types = [one["type"] for one in body(asked(said, result))["messages"][1]["content"]]
    assert types == ["thinking", "tool_use"]
    moved = ModelRequest((Message("system", "Now: 9:01"), *asked(said, result).messages[1:]))
    assert [one["type"] for one in body(moved)["messages"][1]["content"]] == ["tool_use"]
    later = asked(said, result, Message("assistant", "Done"), Message("user", "And?"))
    assert [one["type"] for one in body(later)["messages"][1]["content"]] == ["tool_use"]


@pytest.mark.parametrize(
    ("schema", "made"),
    [
        ({"type": "string", "pattern": "a", "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
        ({"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2}, {"type": "array", "items": {"type": "integer"}}),
        ({"oneOf": [{"type": "null"}, {"const": 1}]}, {"anyOf": [{"type": "null"}, {"const": 1}]}),
        ({"type": "object"}, None),
        ({"type": "object", "properties": {"a": {}}}, None),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True}, None),
        ({"type": "array"}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_a_schema_is_closed_or_it_cannot_be(schema: Any, made: Any) -> None:
    assert strict_schema(schema) == made


def test_a_schema_without_end_cannot_be_closed() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(100):
        schema = {"type": "array", "items": schema}
    assert strict_schema(schema) is None


def test_pictures_stand_among_the_texts_by_their_address_or_their_bytes() -> None:
    images = (Image("data:image/png;base64,AAAA", 4), Image("https://a.example/b.png", 8))
    (sent,) = body(ModelRequest((Message("user", "One:Two:", images=images),)))["messages"]
    assert sent["content"] == [
        {"type": "text", "text": "One:"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "text", "text": "Two:"},
        {"type": "image", "source": {"type": "url", "url": "https://a.example/b.png"}},
    ]
