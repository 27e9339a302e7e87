"""Sub-tasks that may have changed something: never given out twice, and said. Spec: abl-language 3.2, 7.3, 14.2."""

from __future__ import annotations

import pytest

from domain.json_values import JsonObject
from engine import Program
from engine.changing import can_change
from engine.testing import Conversation, fails, gives, program_of

PAYER = """\
AGENT: {name}
GOAL: "Pay"
TOOLS:
  pay(order: string) -> {{done: boolean}}
    side_effects: {changes}
    type: http
    endpoint: "https://bank.example/pay"
    method: POST
  check(order: string) -> {{done: boolean}}
    side_effects: false
    type: http
    endpoint: "https://bank.example/check"
    method: POST
FLOW:
  entry_point: pay
  pay:
    REASONING: false
    CALL: pay("o1")
      AS: a
    ON_SUCCESS:
      THEN: check
    ON_FAILURE:
      THEN: COMPLETE
  check:
    REASONING: false
    CALL: check("o1")
      AS: b
    THEN: ask
  ask:
    REASONING: false
    GATHER:
      - name: colour
        prompt: "Which colour?"
        required: true
    THEN: COMPLETE
"""
PARENT = """\
AGENT: Parent
GOAL: "Have it paid"
MEMORY:
  session:
    - part
DELEGATE:
  - AGENT: Payer
    {when}
    RETURNS: {{receipt: part}}
    ON_FAILURE:
{failure}
FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input == "step"
        DELEGATE: Payer
        THEN: answer
      - ELSE:
        THEN: answer
  answer:
    REASONING: false
    RESPOND: "got {{{{part}}}}"
    THEN: listen
"""
RETRY = "      type: retry\n      count: 2"
BLANK = """\
AGENT: {name}
GOAL: "Pass on"
{rules}
FLOW:
  entry_point: a
  a:
    REASONING: false
    RESPOND: "x"
"""
UNKNOWN = "I cannot tell whether Payer was done. Please check before you ask again."
STOCK = "A part of the work could not be done."


def payer(name: str = "Payer", *, changes: bool = True) -> str:
    return PAYER.format(name=name, changes=str(changes).lower())


def a_program(failure: str = RETRY, *, changes: bool = True, when: str = 'WHEN: input == "rule"') -> Program:
    parent = PARENT.format(failure=failure, when=when)
    return program_of({"a.abl": parent, "b.abl": payer(changes=changes)})


def blank(name: str, rules: str = "") -> str:
    return BLANK.format(name=name, rules=rules)


def asked(talk: Conversation) -> int:
    """Return how often the sub-task was given out."""
    return sum(type(one).__name__ == "Delegate" for one in talk.effects)


def codes(talk: Conversation) -> list[str]:
    events = [one.data for one in talk.traces if one.type == "delegate"]
    return ["" if one["success"] else one["error"]["code"] for one in events]


# -- what an agent can change -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "can"),
    [
        ("", False),
        ("DELEGATE:\n  - AGENT: Payer", True),
        ("HANDOFF:\n  - TO: Payer", True),
        ("DELEGATE:\n  - AGENT: Reader", False),
        ("DELEGATE:\n  - AGENT: Reader\n    ON_FAILURE: HANDOFF Payer\nHANDOFF:\n  - TO: Payer", True),
        ('HANDOFF:\n  - TO: Far\n    LOCATION: remote\n    ENDPOINT: "https://far.example"', True),
    ],
)
def test_an_agent_can_change_what_it_or_an_agent_it_reaches_can(rules: str, *, can: bool) -> None:
    texts = {"m.abl": blank("Middle", rules), "p.abl": payer(), "r.abl": payer("Reader", changes=False)}
    assert can_change(program_of(texts), "Middle") is can


@pytest.mark.parametrize("tools", [True, False])
def test_agents_that_reach_each_other_come_to_an_end(*, tools: bool) -> None:
    last = payer("C").replace("FLOW:", "HANDOFF:\n  - TO: A\nFLOW:") if tools else blank("C", "HANDOFF:\n  - TO: A")
    program = program_of(
        {"a.abl": blank("A", "HANDOFF:\n  - TO: B"), "b.abl": blank("B", "DELEGATE:\n  - AGENT: C"), "c.abl": last}
    )
    assert [can_change(program, name) for name in ("A", "B", "C")] == [tools] * 3


# -- what is cut off --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("say", ["rule", "step"])
@pytest.mark.parametrize("error", ["timeout", "lost"])
def test_what_was_cut_off_and_can_change_something_is_unknown_and_not_repeated(say: str, error: str) -> None:
    talk = Conversation(a_program(), others={"Payer": [{"error": error}, {"values": {"receipt": "r2"}}]})
    reply = talk.say(say)
    assert asked(talk) == 1
    assert codes(talk) == ["outcome_unknown"]
    assert UNKNOWN in reply


@pytest.mark.parametrize("say", ["rule", "step"])
@pytest.mark.parametrize(
    ("changes", "error"), [(False, "timeout"), (True, "delegation_error"), (True, "needs_input"), (True, "unavailable")]
)
def test_what_has_certainly_changed_nothing_is_given_out_again(say: str, error: str, *, changes: bool) -> None:
    others: dict[str, JsonObject | list[JsonObject]] = {
        "Payer": [{"error": error}, {"error": error}, {"values": {"receipt": "r3"}}]
    }
    talk = Conversation(a_program(changes=changes), others=others)  # type: ignore[arg-type]
    reply = talk.say(say)
    assert codes(talk) == [error, error, ""]
    assert "cannot tell" not in reply
    assert talk.state.threads["Parent"].variables["part"] == "r3"


def test_a_child_that_cannot_tell_whether_a_call_was_done_leaves_its_parent_in_the_same_doubt() -> None:
    talk = Conversation(a_program(), tools={"pay": fails("outcome_unknown")})
    reply = talk.say("step")
    assert codes(talk) == ["outcome_unknown"]
    assert UNKNOWN in reply


def test_a_child_that_has_changed_something_and_then_needs_the_user_is_not_begun_again() -> None:
    talk = Conversation(a_program(), tools={"pay": gives({"done": True}), "check": gives({"done": True})})
    talk.say("step")
    assert codes(talk) == ["needs_input"]


def test_a_child_that_was_refused_before_it_changed_anything_is_begun_again() -> None:
    quiet = payer().replace("ON_FAILURE:\n      THEN: COMPLETE", "ON_FAILURE:\n      THEN: ask")
    program = program_of({"a.abl": PARENT.format(failure=RETRY, when=""), "b.abl": quiet})
    talk = Conversation(program, tools={"pay": fails("tool_error")})
    talk.say("step")
    assert codes(talk)[:3] == ["needs_input"] * 3


def test_a_turn_that_is_given_up_warns_of_its_children() -> None:
    talk = Conversation(a_program(), cancels=True)
    assert talk.say("step") == UNKNOWN
    assert talk.ends[-1].status == "cancelled"
    assert codes(talk) == ["outcome_unknown"]
    quiet = Conversation(a_program(changes=False), cancels=True)
    assert quiet.say("step") == ""


# -- the ON_FAILURE of a step's DELEGATE ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failure", "contains"),
    [
        ('      type: respond\n      message: "No luck."', "No luck."),
        ('      type: escalate\n      reason: "Payer is down"', "I am bringing in a colleague."),
        ("      type: continue", STOCK),
    ],
)
def test_a_step_follows_the_on_failure_of_its_sub_task(failure: str, contains: str) -> None:
    talk = Conversation(a_program(failure), others={"Payer": {"error": "delegation_error"}})
    assert contains in talk.say("step")
    assert asked(talk) == 1


def test_words_for_a_failure_are_not_said_of_a_sub_task_that_may_have_been_done() -> None:
    failure = '      type: respond\n      message: "No luck."'
    talk = Conversation(a_program(failure), others={"Payer": {"error": "lost"}})
    reply = talk.say("step")
    assert UNKNOWN in reply
    assert "No luck." not in reply
