from __future__ import annotations

import json

import pytest
from msgspec.json import encode

from actors.runtime import StreamEvent
from domain.errors import AgentFault, AppError, Conflict, Gone, InvalidInput, NotFound, QueueFull, TooLarge, Unavailable
from gateway import wire
from gateway.frames import Marks, error_frame, frame_of, restart_before

MARKS = Marks("sess_1", 7, "2026-03-02T09:00:00.000Z")
HTTP_CODES = {
    "BAD_REQUEST", "VALIDATION_ERROR", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "RATE_LIMIT_EXCEEDED", "QUEUE_FULL",
    "INTERNAL_ERROR", "SERVICE_UNAVAILABLE", "PAYLOAD_TOO_LARGE",
}  # fmt: skip


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidInput("x"), "VALIDATION_ERROR"),
        (InvalidInput("x", details={"reason": "INVALID_METADATA"}), "INVALID_METADATA"),
        (NotFound("x"), "NOT_FOUND"),
        (NotFound("x", details={"reason": "ATTACHMENT_NOT_FOUND"}), "ATTACHMENT_NOT_FOUND"),
        (Conflict("x"), "BAD_REQUEST"),
        (Conflict("x", details={"reason": "SESSION_ENDED"}), "SESSION_ENDED"),
        (Gone("x"), "SESSION_ENDED"),
        (TooLarge("x"), "PAYLOAD_TOO_LARGE"),
        (QueueFull("x", retry_after_ms=3), "QUEUE_FULL"),
        (Unavailable("x"), "SERVICE_UNAVAILABLE"),
        (Unavailable("x", details={"reason": "TURN_TIMEOUT"}), "TURN_TIMEOUT"),
        (AgentFault("x"), "INTERNAL_ERROR"),
    ],
    ids=str,
)
def test_an_error_is_told_by_a_code_that_sockets_have(error: AppError, code: str) -> None:
    frame = error_frame(error, MARKS, fatal=False, message_id="m", reply_to="f")
    assert frame.code == code
    assert frame.code in HTTP_CODES | wire.SOCKET_CODES
    assert (frame.message_id, frame.reply_to, frame.fatal) == ("m", "f", False)
    assert frame.retry_after_ms == (3 if code == "QUEUE_FULL" else None)


def an_event(kind: str, **data: object) -> StreamEvent:
    return StreamEvent(seq=7, turn=1, kind=kind, data=data)  # type: ignore[arg-type]


def test_a_message_that_begins_again_says_so() -> None:
    frame = frame_of(an_event("response_restart", messageId="m", attempt=2), MARKS)
    assert frame == wire.ResponseRestart(**MARKS._asdict(), message_id="m", attempt=2)


def test_the_end_of_a_message_names_what_is_shown_beside_it_also_where_there_is_nothing() -> None:
    ended = {"messageId": "m", "fullText": "Hello"}
    beside = {"richContent": {"markdown": "*Hello*"}, "actions": {"elements": []}}
    for shown in (dict.fromkeys(beside), beside):
        for data in ({**ended, **shown}, {**ended, **{name: value for name, value in shown.items() if value}}):
            sent = json.loads(encode(frame_of(an_event("response_end", **data), MARKS)))
            assert {name: sent.get(name, "not there") for name in beside} == shown


def test_a_turn_that_is_shown_again_from_its_start_says_first_that_the_earlier_is_void() -> None:
    again = restart_before(an_event("response_start", messageId="m", attempt=3), MARKS)
    assert again == wire.ResponseRestart(**MARKS._replace(seq=6)._asdict(), message_id="m", attempt=3)
    for event in (
        an_event("response_start", messageId="m", attempt=1),
        an_event("response_start", messageId="m"),
        an_event("response_restart", messageId="m", attempt=2),
    ):
        assert restart_before(event, MARKS) is None


def test_the_end_of_a_session_is_told_when_a_turn_ended_it() -> None:
    frame = frame_of(an_event("complete", status="ended", endReason="user"), MARKS)
    assert frame == wire.SessionEnd(**MARKS._asdict(), reason="user")
    assert frame_of(an_event("complete", status="idle"), MARKS) is None


def test_a_turn_that_fails_is_told_by_a_code_that_sockets_have() -> None:
    for code, details, told in (
        ("CONFLICT", {"reason": "BUDGET_EXCEEDED"}, "BAD_REQUEST"),
        ("SERVICE_UNAVAILABLE", {"reason": "TURN_TIMEOUT"}, "TURN_TIMEOUT"),
        ("SERVICE_UNAVAILABLE", {}, "SERVICE_UNAVAILABLE"),
    ):
        frame = frame_of(an_event("error", error="x", code=code, details=details), MARKS)
        assert isinstance(frame, wire.ErrorFrame)
        assert frame.code == told


def test_what_only_activity_is_made_of_is_not_told() -> None:
    assert frame_of(an_event("trace_event", event={"type": "handoff"}), MARKS) is None
    assert frame_of(an_event("session_start", sessionId="sess_1"), MARKS) is None
