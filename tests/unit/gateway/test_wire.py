from __future__ import annotations

import json

import pytest

from gateway import wire

DOCUMENTED_CLIENT = {
    "chat_message", "action_submit", "typed_interrupt", "typing", "cancel", "end_session", "ping", "voice_start",
    "feedback.submit",
}  # fmt: skip
DOCUMENTED_SERVER = {
    "session_start", "session_end", "message_ack", "response_start", "response_restart", "response_chunk", "response_end", "handoff",
    "pong", "error", "resume_gap", "server_draining", "voice_error", "status_update", "status_clear", "feedback.ack",
}  # fmt: skip
MARKS = {"session_id": "sess_1", "seq": 3, "timestamp": "2026-03-02T09:00:00.000Z"}


def test_the_tables_hold_every_frame() -> None:
    assert set(wire.CLIENT_FRAMES) == DOCUMENTED_CLIENT
    assert set(wire.SERVER_FRAMES) == DOCUMENTED_SERVER


def test_a_frame_is_read_by_its_type_and_unknown_fields_are_ignored() -> None:
    frame = wire.read_frame('{"type":"chat_message","text":"hi","messageId":"m","shoe":1,"id":"f"}')
    assert frame == wire.ChatMessage(text="hi", message_id="m", id="f")


@pytest.mark.parametrize("text", ["", "{}", "null", '{"type":5}', '{"type":"typing"}', "[" * 5000, '"\\ud800"'])
def test_what_is_no_frame_is_a_bad_frame(text: str) -> None:
    with pytest.raises(wire.BadFrame):
        wire.read_frame(text)


def test_a_frame_is_written_in_camel_case_without_what_is_absent() -> None:
    frame = wire.ErrorFrame(**MARKS, code="NOT_FOUND", message="x", fatal=False, retry_after_ms=4)
    assert json.loads(wire.write_frame(frame)) == {
        "type": "error",
        "sessionId": "sess_1",
        "seq": 3,
        "timestamp": "2026-03-02T09:00:00.000Z",
        "code": "NOT_FOUND",
        "message": "x",
        "fatal": False,
        "retryAfterMs": 4,
    }


@pytest.mark.parametrize(
    "more",
    ['"text": "hi", "messageId": "a\\u0000"', '"text": "a\\u0000"', '"text": "hi", "metadata": {"a": ["\\u0000"]}'],
)
def test_a_frame_with_a_zero_in_a_text_is_a_bad_frame(more: str) -> None:
    with pytest.raises(wire.BadFrame):
        wire.read_frame(f'{{"type": "chat_message", {more}}}')


def test_a_text_that_only_writes_the_escape_is_taken() -> None:
    assert wire.read_frame(r'{"type": "chat_message", "text": "\\u0000"}').text == "\\u0000"
