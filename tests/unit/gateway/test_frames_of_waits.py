"""A page's socket is told that a person takes over, and not why. Spec: platform-api 4.1, 12.4; abl-language 7."""

from __future__ import annotations

from actors.runtime import StreamEvent
from gateway.frames import Marks, frame_of
from gateway.wire import ResponseEnd

AT = Marks("s", 4, "2026-03-02T09:00:00.000Z")


def test_the_action_of_an_escalation_says_nothing_internal() -> None:
    action = {"type": "escalate", "reason": "fraud score 97", "priority": "high", "taskId": "t", "callbackId": "c"}
    told = {"messageId": "m", "fullText": "One moment.", "action": {**action, "suspensionId": "w", "expiresAt": "x"}}
    frame = frame_of(StreamEvent(seq=4, turn=1, kind="response_end", data=told), AT)
    assert isinstance(frame, ResponseEnd)
    assert frame.action == {"type": "escalate", "expiresAt": "x"}


def test_any_other_action_is_told_whole() -> None:
    action = {"type": "block", "reason": "Let us stay friendly", "constraint": "polite"}
    frame = frame_of(
        StreamEvent(seq=4, turn=1, kind="response_end", data={"messageId": "m", "fullText": "", "action": action}), AT
    )
    assert isinstance(frame, ResponseEnd)
    assert frame.action == action
