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
