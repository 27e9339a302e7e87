"""Our requests as the bytes of the wire."""

from __future__ import annotations

import msgspec
import pytest

from domain.model_calls import Image, Message, ModelRequest
from domain.tool_calls import ToolCall
from providers.chat.openai_wire import WireRules, encode_request


@pytest.mark.parametrize(
    ("message", "wire"),
    [
        (Message("user", "Where is it?"), {"role": "user", "content": "Where is it?"}),
        (Message("user", ""), {"role": "user", "content": ""}),
        (Message("user", "Hi", name="Ann"), {"role": "user", "content": "Hi", "name": "Ann"}),
        (Message("user", "Hi", tool_call_id="c1"), {"role": "user", "content": "Hi"}),
        (
            Message("tool", "{}", tool_call_id="c1", name="find"),
            {"role": "tool", "content": "{}", "tool_call_id": "c1", "name": "find"},
        ),
        (Message("tool", "{}"), {"role": "tool", "content": "{}", "tool_call_id": ""}),
        (
            Message("assistant", tool_calls=(ToolCall("c1", "find"), ToolCall("c2", "find", {"code": "A"}))),
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}},
                    {"id": "c2", "type": "function", "function": {"name": "find", "arguments": '{"code":"A"}'}},
                ],
            },
        ),
    ],
)
def test_every_message_has_its_form_on_the_wire(message: Message, wire: object) -> None:
    body = msgspec.json.decode(encode_request(ModelRequest((message,)), "m", WireRules(), stream=False))
    assert body["messages"] == [wire]


def test_pictures_stand_among_the_texts() -> None:
    images = (Image("data:image/png;base64,AAAA"), Image("https://a.example/b.png", 4))
    message = Message("user", "One:Two:", images=images)
    body = msgspec.json.decode(encode_request(ModelRequest((message,)), "m", WireRules(), stream=False))
    assert body["messages"][0]["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "One:"},
        {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}},
        {"type": "text", "text": "Two:"},
    ]
