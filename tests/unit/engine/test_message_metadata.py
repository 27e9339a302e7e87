"""What a caller says of one message: two names, one turn, for texts and for tools. Spec: platform-api 4.1."""

from __future__ import annotations

from engine.effects import CallTool
from engine.testing import Conversation, gives, program_of

DESK = program_of(
    {
        "desk.abl": """
AGENT: Desk
GOAL: "Help"
TOOLS:
  note(text: string) -> {ok: boolean}
    description: "Notes"
    context_access:
      read: [message_metadata]
FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: session.messageMetadata.vip IS SET
        RESPOND: "[{{session.messageMetadata.vip}}|{{kept}}]"
        SET: kept = session.messageMetadata.vip
        THEN: note
      - ELSE:
        RESPOND: "[{{session.messageMetadata.vip}}|{{kept}}]"
        THEN: note
  note:
    REASONING: false
    CALL: note("x")
      AS: noted
    ON_SUCCESS:
      THEN: listen
"""
    }
)


def test_the_metadata_of_a_message_has_two_names_and_is_gone_after_its_turn() -> None:
    talk = Conversation(DESK, tools={"note": gives({"ok": True})})
    talk.begin()
    assert talk.say("a", metadata={"vip": "gold"}) == "[gold|gold]"
    assert talk.say("b") == "[|gold]"
    given = [one.variables for one in talk.effects if isinstance(one, CallTool)]
    assert given == [{"message_metadata": {"vip": "gold"}}, {}]
