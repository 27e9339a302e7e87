"""A corrected value decides anew whatever it has decided on the way to the call it is asked about. Decision: 0098."""

from __future__ import annotations

from engine.facts import HumanResolved
from engine.testing import Conversation, gives, program_of
from tests.support.cells import over

HEAD = """AGENT: Desk
GOAL: "Send a parcel"
TOOLS:
  send(kilos: number) -> {ok: boolean}
    description: "Sends a parcel"
    confirm: always
    side_effects: true
    confirm_message: "Send {{kilos}} kilos?"
  price(kilos: number) -> {total: number}
    description: "Looks a price up"
    side_effects: false
FLOW:
  entry_point: take
  take:
    REASONING: false
    GATHER:
      kilos:
        type: number
        required: true
    THEN: go
"""
BRANCH = """  go:
    REASONING: false
    RESPOND: "Now or later?"
    ON_INPUT:
      - IF: input == "now" AND kilos <= 20
        CALL: send(kilos)
        RESPOND: "[sent {{kilos}}]"
        THEN: COMPLETE
      - ELSE:
        RESPOND: "[not now]"
        THEN: go
"""
LIST = """  go:
    REASONING: false
    RESPOND: "[going]"
    CHECK: kilos <= 20
      CALL: send(kilos)
      RESPOND: "[sent {{kilos}}]"
      ELSE:
        RESPOND: "[too heavy]"
"""
BRANCHED = """  go:
    REASONING: false
    ON_INPUT:
      - IF: input == "now" AND kilos <= 20
        THEN: post
      - ELSE:
        THEN: heavy
    RESPOND: "Now or later?"
  heavy:
    REASONING: false
    RESPOND: "[too heavy]"
  post:
    REASONING: false
    CALL: send(kilos)
    ON_SUCCESS:
      RESPOND: "[sent {{kilos}}]"
      THEN: COMPLETE
"""
OWN_WHEN = """  go:
    REASONING: false
    WHEN: kilos <= 20
    CALL: send(kilos)
    ON_SUCCESS:
      RESPOND: "[sent {{kilos}}]"
      THEN: COMPLETE
    THEN: heavy
  heavy:
    REASONING: false
    RESPOND: "[too heavy]"
"""
DERIVED = """  go:
    REASONING: false
    SET: heavy = kilos > 20
    THEN: post
  post:
    REASONING: false
    CHECK: heavy == false
    ON_FAIL:
      RESPOND: "[too heavy]"
    CALL: send(kilos)
    ON_SUCCESS:
      RESPOND: "[sent {{kilos}}]"
      THEN: COMPLETE
"""
LOOKED_UP = """  go:
    REASONING: false
    CALL: price(kilos)
      AS: found
    THEN: post
  post:
    REASONING: false
    CHECK: found.total <= 100
    ON_FAIL:
      RESPOND: "[too dear]"
    CALL: send(kilos)
    ON_SUCCESS:
      RESPOND: "[sent {{kilos}}]"
      THEN: COMPLETE
"""
JUDGED = """  go:
    REASONING: false
    CALL: price(1)
      AS: found
    ON_RESULT:
      - IF: kilos > 20
        RESPOND: "[too heavy]"
        THEN: end
      - ELSE:
        THEN: post
  post:
    REASONING: false
    CALL: send(kilos)
    ON_SUCCESS:
      RESPOND: "[sent {{kilos}}]"
      THEN: COMPLETE
  end:
    REASONING: false
    RESPOND: "[end]"
"""
MARKED = """  go:
    REASONING: false
    SET: heavy = false
    DO:
      - CHECK: kilos > 20
        DO:
          - SET: heavy = true
      - CHECK: heavy == false
    CALL: send(kilos)
    ON_SUCCESS:
      RESPOND: "[sent {{kilos}}]"
      THEN: COMPLETE
    ON_FAILURE:
      RESPOND: "[too heavy]"
"""
DISH = """  go:
    REASONING: false
    SET: parcel = {weight: kilos}
    CHECK: parcel.weight <= 20
    ON_FAIL:
      RESPOND: "[too heavy]"
    CALL: send(parcel.weight)
    ON_SUCCESS:
      RESPOND: "[sent {{parcel.weight}}]"
      THEN: COMPLETE
"""
WAYS = {
    "branch": BRANCH,
    "list": LIST,
    "branched": BRANCHED,
    "own when": OWN_WHEN,
    "derived": DERIVED,
    "looked up": LOOKED_UP,
    "judged": JUDGED,
    "marked": MARKED,
    "part": DISH,
}


def asked(way: str) -> Conversation:
    """Return a talk that stands at the question whether to send five kilos."""
    tools = {
        "send": gives({"ok": True}),
        "price": lambda call: gives({"total": 10 * call.arguments["kilos"]}),
    }
    talk = Conversation(program_of({"desk.abl": HEAD + way}), tools=tools)
    talk.begin()
    said = talk.say("5")
    if "Now or later?" in said:
        said = talk.say("now")
    assert "Send 5 kilos" in said, said
    return talk


@over("way", list(WAYS))
def test_what_was_decided_for_the_first_value_is_decided_again(way: str) -> None:
    talk = asked(WAYS[way])
    said = talk.say("make it 30 kilos")
    assert "Send 30" not in said, said
    assert "[sent 30" not in talk.say("yes") + talk.say("yes")


@over("way", [one for one in WAYS if one not in ("branch", "branched", "part")])
def test_a_value_for_which_all_is_decided_the_same_is_asked_about(way: str) -> None:
    talk = asked(WAYS[way])
    said = talk.say("make it 7 kilos")
    assert "Send 7 kilos?" in said, said
    assert "[sent 7" in talk.say("yes")


POST = """  go:
    REASONING: false
    CALL: send(kilos)
    ON_SUCCESS:
      RESPOND: "[sent {{kilos}}]"
      THEN: COMPLETE
"""
COPIED = """  go:
    REASONING: false
    SET: weight = kilos
    THEN: post
  post:
    REASONING: false
    CHECK: kilos <= 20
    ON_FAIL:
      RESPOND: "[too heavy]"
    CALL: send(weight)
    ON_SUCCESS:
      RESPOND: "[sent {{weight}}]"
      THEN: COMPLETE
"""


def test_a_plain_copy_leads_to_what_the_user_has_given() -> None:
    talk = asked(COPIED)
    assert "Send" not in talk.say("make it 30 kilos")
    talk = asked(COPIED)
    assert "Send 7 kilos?" in talk.say("make it 7 kilos")
    assert "[sent 7]" in talk.say("yes")


@over(
    "line, argument",
    [
        ("", "5"),
        ("    SET: weight = 5\n", "weight"),
        ("    SET: weight = kilos * 1\n", "weight"),
        ("", "kilos + 0"),
        ("    SET: parcel = {weight: kilos}\n", "parcel.weight"),
    ],
)
def test_what_the_user_has_not_given_he_cannot_correct(line: str, argument: str) -> None:
    way = POST.replace("    CALL: send(kilos)", f"{line}    CALL: send({argument})").replace("{{kilos}}", "5")
    talk = asked(way)
    said = talk.say("make it 7 kilos")
    assert "I did not understand what should be different." in said
    assert "Send 5 kilos?" in said
    assert "[sent 5]" in talk.say("yes")


@over("line", ["    SET: weight = tool.total\n", ""])
def test_the_result_of_a_tool_is_not_corrected(line: str) -> None:
    look = "    REASONING: false\n    CALL: price(1)\n      AS: tool\n    THEN: post\n"
    argument = "weight" if line else "tool.total"
    way = f"  go:\n{look}  post:\n    REASONING: false\n{line}    CALL: send({argument})\n    RESPOND: '[sent]'\n"
    talk = Conversation(
        program_of({"desk.abl": HEAD + way}), tools={"send": gives({"ok": True}), "price": gives({"total": 50})}
    )
    talk.begin()
    assert "Send 50 kilos?" in talk.say("5")
    assert "Send 50 kilos?" in talk.say("make it 20")


def test_an_immutable_parameter_is_not_corrected() -> None:
    text = (HEAD + POST).replace("    confirm: always\n", "    confirm: always\n    immutable: [kilos]\n")
    talk = Conversation(program_of({"desk.abl": text}), tools={"send": gives({"ok": True})})
    talk.begin()
    talk.say("5")
    assert "Send 5 kilos?" in talk.say("make it 7 kilos")
    assert "[sent 5]" in talk.say("yes")


def test_a_person_who_has_approved_one_value_is_asked_about_the_other() -> None:
    way = POST.replace("    CALL", '    HUMAN_APPROVAL:\n      prompt: "May {{kilos}} kilos go?"\n    CALL')
    talk = Conversation(program_of({"desk.abl": HEAD + way}), tools={"send": gives({"ok": True})})
    talk.begin()
    talk.say("5")
    (waits,) = talk.state.suspensions
    assert "Send 5 kilos?" in talk.tell(HumanResolved(at=talk.state.at, suspension_id=waits, approved=True))
    assert "Send" not in talk.say("make it 30 kilos")
    assert "[sent" not in talk.say("yes")
    (waits,) = talk.state.suspensions
    assert "Send 30 kilos?" in talk.tell(HumanResolved(at=talk.state.at, suspension_id=waits, approved=True))
    assert "[sent 30]" in talk.say("yes")


HANDLER = """ACTION_HANDLERS:
  b1:
    CONDITION: kilos <= 20
    CALL: send(kilos)
    RESPOND: "[sent {{kilos}}]"
"""
BUTTON = """  go:
    REASONING: false
    RESPOND: "What now?"
      ACTIONS:
        - BUTTON: "Send" -> b1
    ON_INPUT:
      - ELSE:
        RESPOND: "[buttons please]"
        THEN: go
"""


def test_what_a_handler_of_the_agent_has_decided_keeps_its_value() -> None:
    program = program_of({"desk.abl": HEAD.replace("FLOW:\n", HANDLER + "FLOW:\n") + BUTTON})
    talk = Conversation(program, tools={"send": gives({"ok": True})})
    talk.begin()
    talk.say("5")
    assert "Send 5 kilos?" in talk.press("b1")
    said = talk.say("make it 30 kilos")
    assert "I did not understand what should be different." in said
    assert "Send 5 kilos?" in said
    assert "[sent 5]" in talk.say("yes")


RULE = """CONSTRAINTS:
  rules:
    - REQUIRE kilos <= 20
      ON_FAIL: {does}
"""


def ruled(does: str) -> Conversation:
    text = HEAD.replace("FLOW:\n", RULE.format(does=does) + "FLOW:\n") + POST
    talk = Conversation(program_of({"desk.abl": text}), tools={"send": gives({"ok": True})})
    talk.begin()
    assert "Send 5 kilos?" in talk.say("5")
    return talk


def test_a_corrected_value_that_breaks_a_rule_is_not_taken() -> None:
    talk = ruled('RESPOND "[20 at most]"')
    said = talk.say("make it 30 kilos")
    assert "[20 at most]" in said
    assert "Send 5 kilos?" in said
    assert "Send 7 kilos?" in talk.say("make it 7 kilos")
    assert "[sent 7]" in talk.say("yes")


def test_a_rule_that_leads_elsewhere_is_followed() -> None:
    talk = ruled('ESCALATE "[too heavy]"')
    assert talk.say("make it 30 kilos") == "I am bringing in a colleague."


LATER = """  go:
    REASONING: false
    {guard}
    THEN: ask
  ask:
    REASONING: false
    GATHER:
      city:
        type: string
        required: true
        PROMPT: "Which city?"
    CALL: send(kilos)
    ON_SUCCESS:
      RESPOND: "[sent {{{{kilos}}}}]"
      THEN: COMPLETE
  heavy:
    REASONING: false
    RESPOND: "[too heavy]"
"""
GUARDS = [
    "CHECK: kilos <= 20\n    ON_FAIL:\n      RESPOND: '[too heavy]'\n      THEN: heavy",
    "ON_RESULT:\n      - IF: kilos > 20\n        RESPOND: '[too heavy]'\n        THEN: heavy",
]


@over("guard", GUARDS)
def test_a_value_corrected_at_a_later_question_meets_what_it_has_passed_before(guard: str) -> None:
    talk = Conversation(program_of({"desk.abl": HEAD + LATER.format(guard=guard)}), tools={"send": gives({"ok": True})})
    talk.begin()
    assert "Which city?" in talk.say("5")
    assert "[too heavy]" in talk.say("no, make it 30 kilos")
    talk = Conversation(program_of({"desk.abl": HEAD + LATER.format(guard=guard)}), tools={"send": gives({"ok": True})})
    talk.begin()
    talk.say("5")
    assert "Which city?" in talk.say("no, make it 7 kilos")
    assert "Send 7 kilos?" in talk.say("Porto")


@over("line", ["CONSTRAINTS:\n  rules:\n    - REQUIRE kilos <= 20\n      ON_FAIL: RESPOND '[20 at most]'\n"])
def test_a_value_that_the_flow_has_just_set_meets_the_rules_before_a_call(line: str) -> None:
    way = POST.replace("    CALL:", "    SET: kilos = 900\n    CALL:")
    text = HEAD.replace("FLOW:\n", line + "FLOW:\n").replace("    confirm: always\n", "    confirm: never\n") + way
    talk = Conversation(program_of({"desk.abl": text}), tools={"send": gives({"ok": True})})
    talk.begin()
    said = talk.say("5")
    assert "[20 at most]" in said
    assert "[sent" not in said


TWO = """AGENT: Desk
GOAL: "Send a parcel"
TOOLS:
  send(kilos: number, boxes: number) -> {ok: boolean}
    description: "Sends a parcel"
    confirm: always
    side_effects: true
    confirm_message: "Send {{kilos}} kilos in {{boxes}} boxes?"
FLOW:
  entry_point: weigh
  weigh:
    REASONING: false
    GATHER:
      kilos:
        type: number
        required: true
    SET: heavy = kilos > 20
    THEN: place
  place:
    REASONING: false
    GATHER:
      boxes:
        type: number
        required: true
    SET: many = boxes > 3
    THEN: post
  post:
    REASONING: false
    CHECK: heavy == false
    ON_FAIL:
      RESPOND: "[too heavy]"
    CALL: send(kilos, boxes)
    ON_SUCCESS:
      RESPOND: "[sent]"
      THEN: COMPLETE
"""


def test_two_values_corrected_at_once_go_back_to_where_the_first_of_them_was_read() -> None:
    talk = Conversation(program_of({"desk.abl": TWO}), tools={"send": gives({"ok": True})})
    talk.begin()
    talk.say("5")
    assert "Send 5 kilos in 2 boxes?" in talk.say("2")
    assert "[too heavy]" in talk.say("make it 30 kilos in 4 boxes")


REASONS = """AGENT: Desk
GOAL: "Help"
TOOLS:
  send(kilos: number) -> {ok: boolean}
    description: "Sends a parcel"
    confirm: always
    side_effects: true
    confirm_message: "Send {{kilos}} kilos?"
GATHER:
  kilos:
    type: number
    prompt: "How many kilos?"
ACTION_HANDLERS:
  b1:
    CALL: send(kilos)
    RESPOND: "[sent {{kilos}}]"
"""


def test_a_call_of_a_handler_where_there_is_no_flow_is_corrected() -> None:
    talk = Conversation(program_of({"desk.abl": REASONS}), tools={"send": gives({"ok": True})})
    talk.begin(input={"kilos": 5})
    assert "Send 5 kilos?" in talk.press("b1")
    assert "Send 7 kilos?" in talk.say("make it 7 kilos")
    assert "[sent 7]" in talk.say("yes")
