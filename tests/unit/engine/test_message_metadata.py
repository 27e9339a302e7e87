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


SEEN = """
AGENT: Desk
GOAL: "Help"
MEMORY:
  session:
    - tier
TOOLS:
  quiet(text: string) -> {ok: boolean}
    description: "Mentions it only"
    type: http
    endpoint: "https://log.example/{{message_metadata.page}}/{{session.messageMetadata.page}}/{{session.tier}}"
  open(text: string) -> {ok: boolean}
    description: "Declares it"
    type: http
    endpoint: "https://log.example/{{message_metadata.page}}"
    context_access:
      READ: [message_metadata]
  code(text: string) -> {ok: boolean}
    description: "Code"
    type: code
    code: "tier"
    context_access:
      READ: [session.messageMetadata, tier, caller.plan]
FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input == "quiet"
        CALL: quiet("x")
        THEN: listen
      - IF: input == "open"
        CALL: open("x")
        THEN: listen
      - ELSE:
        CALL: code("x")
        THEN: listen
"""


def test_only_a_tool_that_declares_the_metadata_sees_it_and_code_sees_all_it_declares() -> None:
    ok = gives({"ok": True})
    talk = Conversation(program_of({"desk.abl": SEEN}), tools={"quiet": ok, "open": ok, "code": ok})
    talk.begin(caller={"plan": "pro", "key": "k"})
    for text in ("quiet", "open", "code"):
        talk.say(text, metadata={"page": "checkout"})
    page = {"page": "checkout"}
    assert [one.variables for one in talk.effects if isinstance(one, CallTool)] == [
        {},
        {"message_metadata": page},
        {"message_metadata": page, "messageMetadata": page, "tier": None, "caller": {"plan": "pro"}},
    ]
