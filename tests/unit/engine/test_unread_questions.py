"""A yes that was sent before its question was there is none: two taps on a button agree to one call."""

from __future__ import annotations

from engine.effects import CallTool
from engine.testing import Conversation, gives, program_of

AGENT = """AGENT: Desk
GOAL: "Book and charge"
TOOLS:
  book(room: string) -> {ok: boolean}
    description: "Books a room"
    confirm: always
    side_effects: true
  charge(card: string) -> {ok: boolean}
    description: "Charges a card"
    confirm: always
    side_effects: true
FLOW:
  entry_point: book
  book:
    REASONING: false
    CALL: book("12")
    ON_SUCCESS:
      RESPOND: "Booked."
      THEN: charge
  charge:
    REASONING: false
    CALL: charge("4711")
    ON_SUCCESS:
      RESPOND: "Charged."
      THEN: COMPLETE
"""


def calls(talk: Conversation) -> list[str]:
    return [one.tool for one in talk.effects if isinstance(one, CallTool)]


def test_a_second_yes_that_was_on_its_way_agrees_to_nothing() -> None:
    talk = Conversation(
        program_of({"desk.abl": AGENT}), tools={"book": gives({"ok": True}), "charge": gives({"ok": True})}
    )
    talk.begin()
    assert "Charge" in talk.say("yes")
    assert "Charge" in talk.say("yes", unread=True)
    assert calls(talk) == ["book"]
    assert "Charged." in talk.say("yes")
    assert calls(talk) == ["book", "charge"]


def test_a_no_that_was_on_its_way_is_a_no() -> None:
    talk = Conversation(program_of({"desk.abl": AGENT}), tools={"book": gives({"ok": True})})
    talk.begin()
    talk.say("yes")
    talk.say("no", unread=True)
    assert "Charged." not in talk.say("yes")
    assert calls(talk) == ["book"]
