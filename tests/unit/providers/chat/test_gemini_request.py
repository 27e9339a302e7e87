"""Our requests as the Gemini API wants them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.model_calls import Image, Message, ModelRequest, ToolSpec
from domain.tool_calls import ToolCall
from providers.chat.gemini import GeminiWire
from providers.chat.gemini_request import UNSIGNED, GeminiRules, encode_request

TOOL = ToolSpec("find", "Find it", {"type": "object", "properties": {"code": {"type": "string"}}})


def body(request: ModelRequest, model: str = "gemini-3.8-flash", **rules: Any) -> dict[str, Any]:
    decoded: dict[str, Any] = msgspec.json.decode(encode_request(request, model, GeminiRules(**rules)))
    return decoded


def asked(*more: Message, **others: Any) -> ModelRequest:
    return ModelRequest((Message("system", "You are Desk."), Message("user", "Hi"), *more), **others)


def test_system_tools_and_conversation_have_their_places() -> None:
    sent = body(asked(tools=(TOOL, ToolSpec("list"))))
    assert sent["systemInstruction"] == {"parts": [{"text": "You are Desk."}]}
    assert sent["tools"] == [
        {
            "functionDeclarations": [
                {"name": "find", "description": "Find it", "parametersJsonSchema": TOOL.parameters},
                {"name": "list", "description": ""},
            ]
        }
    ]
    assert sent["contents"] == [{"role": "user", "parts": [{"text": "Hi"}]}]
    assert next(iter(sent)) == "systemInstruction"


def test_settings_and_a_schema_are_one_configuration() -> None:
    schema = {"type": "object"}
    sent = body(asked(temperature=1.5, max_tokens=9, json_schema=schema), thinking={"thinkingLevel": "low"})
    assert sent["generationConfig"] == {
        "temperature": 1.5,
        "maxOutputTokens": 9,
        "responseMimeType": "application/json",
        "responseJsonSchema": schema,
        "thinkingConfig": {"thinkingLevel": "low"},
    }


def test_results_are_objects_and_named_as_their_calls() -> None:
    calls = (ToolCall("a", "find", {"code": "1"}, "sig"), ToolCall("b", "list"))
    results = (Message("tool", '{"ok": true}', tool_call_id="a", name="find"), Message("tool", "[1]", tool_call_id="b"))
    contents = body(asked(Message("assistant", "", tool_calls=calls), *results))["contents"]
    assert contents[1]["parts"] == [
        {"functionCall": {"id": "a", "name": "find", "args": {"code": "1"}}, "thoughtSignature": "sig"},
        {"functionCall": {"id": "b", "name": "list", "args": {}}},
    ]
    assert contents[2] == {
        "role": "user",
        "parts": [
            {"functionResponse": {"id": "a", "name": "find", "response": {"ok": True}}},
            {"functionResponse": {"id": "b", "name": "list", "response": {"result": [1]}}},
        ],
    }


@pytest.mark.parametrize(("model", "signed"), [("gemini-3.8-flash", True), ("gemini-2.5-pro", False)])
def test_a_call_of_another_model_is_marked_where_one_without_a_signature_is_refused(model: str, signed: bool) -> None:
    calls = (ToolCall("a", "find"), ToolCall("b", "find"))
    results = (Message("tool", "1", tool_call_id="a"), Message("tool", "2", tool_call_id="b"))
    turn = (Message("assistant", "", tool_calls=calls), *results)
    first, second = body(asked(*turn), model)["contents"][1]["parts"]
    assert first.get("thoughtSignature") == (UNSIGNED if signed else None)
    assert "thoughtSignature" not in second
    earlier = body(asked(*turn, Message("assistant", "Done"), Message("user", "And?")), model)
    assert "thoughtSignature" not in earlier["contents"][1]["parts"][0]


@pytest.mark.parametrize(
    ("base_url", "model", "url"),
    [
        ("https://g", "gemini-x", "https://g/v1beta/models/gemini-x:generateContent"),
        ("https://g/v1beta", "models/gemini-x", "https://g/v1beta/models/gemini-x:generateContent"),
        ("https://g", "tuned/a b", "https://g/v1beta/models/tuned/a%20b:generateContent"),
    ],
)
def test_the_address_says_model_and_way(base_url: str, model: str, url: str) -> None:
    wire = GeminiWire(GeminiRules())
    assert wire.url(base_url, model, stream=False) == url
    assert wire.url(base_url, model, stream=True) == url.replace(":generate", ":streamGenerate") + "?alt=sse"


def test_an_error_may_come_as_a_list() -> None:
    told = b'[{"error": {"code": 429, "message": "Slow down", "status": "RESOURCE_EXHAUSTED"}}]'
    assert GeminiWire(GeminiRules()).error(told) == ("RESOURCE_EXHAUSTED", "Slow down")


def test_pictures_stand_among_the_texts_by_their_bytes() -> None:
    image = Image("data:image/png;base64,AAAA", 4)
    (sent,) = body(ModelRequest((Message("user", "One:Two:", images=(image,)),)))["contents"]
    assert sent["parts"] == [
        {"text": "One:"},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
        {"text": "Two:"},
    ]
