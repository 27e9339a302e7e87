"""Every message and answer survives the link."""

import pytest

from actors.messages import (
    CancelTurn,
    Done,
    EndSession,
    Failed,
    Follow,
    HostAnswer,
    HostMessage,
    Replied,
    TaskClosed,
    TimerDue,
    decode_answer,
    decode_message,
    encode,
)
from actors.runtime import TurnReply
from tests.support.sessions import a_turn

MESSAGES: list[HostMessage] = [
    a_turn("hello", "k1", action={"actionId": "x"}),
    CancelTurn(tenant_id="t", project_id="p", session_id="s", message_id="m"),
    EndSession(tenant_id="t", project_id="p", session_id="s", reason="api", quiet_since="2026-01-01T00:00:00.000Z"),
    Follow(tenant_id="t", session_id="s", after=3, endless=True),
    TimerDue(tenant_id="t", session_id="s", runtime_session_id="c", effect_id="1.1"),
    TaskClosed(tenant_id="t", session_id="s", task_id="ht_1"),
]
ANSWERS: list[HostAnswer] = [
    Done(note="x"),
    Failed(kind="Conflict", message="no", moved=True, details={"owner": "host-1"}),
    Replied(reply=TurnReply(session_id="s", message_id="m", turn=1, response="r", action={}, status="cancelled")),
]


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_read_as_it_was_written(message: HostMessage) -> None:
    assert decode_message(encode(message)) == message


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_is_read_as_it_was_written(answer: HostAnswer) -> None:
    assert decode_answer(encode(answer)) == answer
