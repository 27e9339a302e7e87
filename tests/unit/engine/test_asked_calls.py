"""A question before a CALL outside of steps: what waits for the answer is kept, and nothing runs unasked."""

from __future__ import annotations

from engine import CallTool, decode_state, encode_state
from engine.limits import MAX_OPEN_QUESTIONS
from engine.testing import Conversation, gives, program_of, says

TOOLS = """\
TOOLS:
  block_card(card: string) -> {ok: boolean}
    description: "Block a card for good"
    confirm: always
"""
GREETER = f"""\
AGENT: Greeter
GOAL: "Greet"
{TOOLS}
ON_START:
  CALL: block_card("4421")
  RESPOND: "Blocked."
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER:
      - name:
          required: true
          PROMPT: "Your name?"
    RESPOND: "Hello {{{{name}}}}, I read {{{{input}}}}."
    THEN: COMPLETE
"""
FRONT = """\
AGENT: Front
GOAL: "Route"
HANDOFF:
  - TO: Greeter
    WHEN: input CONTAINS "greet"
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    RESPOND: "What now?"
    ON_INPUT:
      - ELSE:
        THEN: ask

"""
QUESTION = "Block card (card: 4421). Shall I go ahead?"


def _talk(text: str) -> Conversation:
    return Conversation(program_of({"a.abl": text}), tools={"block_card": gives({"ok": True})})


def _calls(talk: Conversation) -> list[str]:
    return [one.tool for one in talk.effects if isinstance(one, CallTool)]


def test_the_message_that_begins_a_session_is_dealt_with_after_the_question_of_on_start() -> None:
    talk = _talk(GREETER)
    assert talk.say("I am Ada") == QUESTION
    assert _calls(talk) == []
    assert talk.say("yes") == "Blocked.\n\nYour name?"
    assert _calls(talk) == ["block_card"]
    assert talk.state.turn.text == "I am Ada"


def test_an_agent_that_is_handed_a_message_asks_first_and_then_deals_with_it() -> None:
    talk = _talk(FRONT + GREETER)
    talk.begin()
    assert talk.say("greet me") == QUESTION
    assert talk.say("no") == "I cannot do that.\n\nYour name?"
    assert _calls(talk) == []


def test_what_waits_for_the_answer_is_stored_with_the_session() -> None:
    talk = _talk(GREETER)
    talk.begin()
    talk._state = decode_state(encode_state(talk.state))
    assert talk.say("yes") == "Blocked.\n\nYour name?"


def test_an_answer_that_leaves_it_open_is_asked_about_three_times() -> None:
    talk = _talk(GREETER)
    talk.begin()
    assert talk.say("what is it?") == QUESTION
    assert talk.say("ok wait") == QUESTION
    assert talk.say("hm") == "I cannot do that.\n\nYour name?"
    assert _calls(talk) == []


def test_a_hook_calls_nothing_that_needs_a_yes() -> None:
    hook = 'HOOKS:\n  before_turn:\n    CALL: block_card("4421")\n    CRITICAL: true\n'
    talk = _talk(FRONT.replace('HANDOFF:\n  - TO: Greeter\n    WHEN: input CONTAINS "greet"\n', TOOLS + hook))
    talk.begin()
    assert "What now?" in talk.say("yes")
    assert _calls(talk) == []
    assert any(one.data.get("details", {}).get("code") == "declined" for one in talk.traces if "details" in one.data)


def test_an_agent_that_reasons_is_asked_for_its_buttons_too() -> None:
    handler = 'ACTION_HANDLERS:\n  block:\n    CALL: block_card("4421")\n    RESPOND: "Blocked."\n'
    talk = _talk(f'AGENT: Talker\nGOAL: "Talk"\n{TOOLS}{handler}')
    talk.model = [says("Anything else?")]
    talk.begin(has_model=True)
    assert talk.press("block") == QUESTION
    assert talk.say("yes") == "Blocked."
    assert _calls(talk) == ["block_card"]
    assert talk.say("thanks") == "Anything else?"


def test_a_yes_that_was_written_before_the_question_runs_nothing() -> None:
    talk = _talk(GREETER)
    assert talk.say("yes") == QUESTION
    assert _calls(talk) == []


def test_side_questions_in_side_questions_come_to_an_end() -> None:
    aside = 'FLOW:\n  global_digressions:\n    - INTENT: lost\n      KEYWORDS: [lost]\n      CALL: block_card("4421")\n'
    head, _, flow = FRONT.partition("HANDOFF:")
    talk = _talk(head + TOOLS + aside + flow.partition("FLOW:\n")[2])
    talk.begin()
    for _ in range(MAX_OPEN_QUESTIONS):
        assert talk.say("lost") == QUESTION
    assert talk.say("lost") == f"I cannot do that.\n\n{QUESTION}"
    for _ in range(MAX_OPEN_QUESTIONS):
        assert talk.say("yes").endswith(("What now?", QUESTION))
    assert _calls(talk) == ["block_card"] * MAX_OPEN_QUESTIONS
