"""A corrected value passes what a gathered one passes: the options of its field and the CHECKs before the call. 0083."""

from __future__ import annotations

from engine.testing import Conversation, gives, program_of
from tests.support.cells import over

AGENT = """AGENT: Desk
GOAL: "Send a parcel"
TOOLS:
  send(zone: string, kilos: integer) -> {ok: boolean}
    description: "Sends a parcel"
    confirm: always
    side_effects: true
    confirm_message: "Send {{kilos}} kilos to zone {{zone}}?"
FLOW:
  entry_point: take
  take:
    REASONING: false
    GATHER:
      zone:
        type: enum
        options: [EU, WORLD]
        required: true
      kilos:
        type: integer
        required: true
    CHECK: kilos <= 20
    ON_FAIL:
      RESPOND: "[20 kilos at most]"
      COLLECT: [kilos]
    THEN: send
  send:
    REASONING: false
    CALL: send(zone, kilos)
    ON_SUCCESS:
      RESPOND: "[sent {{kilos}} to {{zone}}]"
      THEN: COMPLETE
    ON_FAILURE:
      RESPOND: "[not sent]"
      THEN: COMPLETE
"""


def asked() -> Conversation:
    talk = Conversation(program_of({"desk.abl": AGENT}), tools={"send": gives({"ok": True})})
    talk.begin()
    talk.say("EU")
    assert "Send 5 kilos to zone EU?" in talk.say("5")
    return talk


def test_a_corrected_value_meets_the_check_between_its_question_and_the_call() -> None:
    talk = asked()
    said = talk.say("make it 30 kilos")
    assert "[20 kilos at most]" in said
    assert "Send" not in said
    assert "[sent" not in talk.say("yes")
    assert "Send 7 kilos to zone EU?" in talk.say("7")
    assert "[sent 7 to EU]" in talk.say("yes")


@over("text", ["change the zone to MARS", "not EU, MARS", "change the zone to Mars please"])
def test_a_value_that_is_no_option_is_not_taken(text: str) -> None:
    talk = asked()
    assert "zone EU?" in talk.say(text)
    assert "[sent 5 to EU]" in talk.say("yes")


@over("text", ["change the zone to world", "not EU, WORLD"])
def test_an_option_is_taken_as_its_field_writes_it(text: str) -> None:
    talk = asked()
    assert "zone WORLD?" in talk.say(text)
    assert "[sent 5 to WORLD]" in talk.say("yes")


GUARD = "    CHECK: kilos <= 20\n      SET: size = 'small'\n{fails}"
CALL_LINE = "    CALL: send(zone, kilos)\n"
GATHERS = """    CHECK: kilos <= 20
    ON_FAIL:
      RESPOND: "[20 kilos at most]"
      COLLECT: [kilos]
"""


def guarded(fails: str) -> Conversation:
    """Return a talk whose CHECK stands in a list above the call of its step, asked about five kilos."""
    text = AGENT.replace(GATHERS, "").replace(CALL_LINE, GUARD.format(fails=fails) + CALL_LINE)
    talk = Conversation(program_of({"desk.abl": text}), tools={"send": gives({"ok": True})})
    talk.begin()
    talk.say("EU")
    assert "Send 5 kilos to zone EU?" in talk.say("5")
    return talk


def test_a_corrected_value_meets_the_nested_check_above_the_call_of_its_step() -> None:
    talk = guarded("      ELSE:\n        RESPOND: '[too heavy]'\n        CLEAR: kilos\n        THEN: take\n")
    said = talk.say("make it 30 kilos")
    assert "[too heavy]" in said
    assert "Send" not in said
    assert "Send 7 kilos to zone EU?" in talk.say("7")
    assert "[sent 7 to EU]" in talk.say("yes")


def test_a_corrected_value_within_the_nested_check_is_asked_about_again() -> None:
    talk = guarded("      ELSE:\n        RESPOND: '[too heavy]'\n        THEN: take\n")
    assert "Send 9 kilos to zone EU?" in talk.say("make it 9 kilos")
    assert "[sent 9 to EU]" in talk.say("yes")


def test_the_call_is_not_made_when_no_plain_check_above_it_holds_any_more() -> None:
    text = AGENT.replace(GATHERS, "").replace(CALL_LINE, "    DO:\n      - CHECK: kilos <= 20\n" + CALL_LINE)
    talk = Conversation(program_of({"desk.abl": text}), tools={"send": gives({"ok": True})})
    talk.begin()
    talk.say("EU")
    talk.say("5")
    said = talk.say("make it 30 kilos")
    assert "[not sent]" in said
    assert "Send" not in said
