from __future__ import annotations

from actors.runtime import TurnReply
from gateway.bodies.chat_agent import ChatReply, reply_body
from tests.support.fake_forms import TRACE

FULL = TurnReply(
    session_id="sess_1",
    message_id="msg_1",
    turn=1,
    response="one\n\ntwo",
    action={"type": "respond"},
    agent_name="Desk",
    state={"currentStep": "ask"},
    trace_events=(TRACE,),
    voice_config={"enabled": True},
    rich_content={"markdown": "*one*"},
    actions={"elements": []},
)


def test_every_part_of_a_reply_stands_under_its_name() -> None:
    body = reply_body(FULL, with_traces=True)
    assert body == {
        "success": True,
        "sessionId": "sess_1",
        "messageId": "msg_1",
        "response": "one\n\ntwo",
        "action": {"type": "respond"},
        "state": {"currentStep": "ask"},
        "traceEvents": (TRACE,),
        "voiceConfig": {"enabled": True},
        "richContent": {"markdown": "*one*"},
        "actions": {"elements": []},
        "agentName": "Desk",
    }
    ChatReply.model_validate({**body, "traceEvents": list(body["traceEvents"])})


def test_what_is_absent_is_left_out() -> None:
    bare = TurnReply(session_id="s", message_id="m", turn=1, response="", action={"type": "respond"})
    assert set(reply_body(bare, with_traces=True)) == {
        "success",
        "sessionId",
        "messageId",
        "response",
        "action",
        "state",
        "richContent",
        "actions",
    }
    assert (reply_body(bare, with_traces=True)["richContent"], reply_body(bare, with_traces=True)["actions"]) == (
        None,
        None,
    )
    assert "traceEvents" not in reply_body(FULL, with_traces=False)
