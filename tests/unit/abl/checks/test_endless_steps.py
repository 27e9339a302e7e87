"""Steps that lead back to themselves without asking are found, and those that ask are not."""

from __future__ import annotations

import textwrap

import pytest

CODE = "ENDLESS_STEPS"


def as_flow(steps):
    return "FLOW:\n  entry_point: ask\n" + textwrap.indent(steps, "  ")


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("ask:\n RESPOND: Hi\n THEN: ask", "The step ask leads back to itself without asking anything (ask -> ask)"),
        ("ask:\n SET: n = 1\n THEN: more\nmore:\n RESPOND: Hi\n THEN: ask", "(ask -> more -> ask)"),
        ("ask:\n RESPOND: Hi\n THEN: more\nmore:\n RESPOND: Hi\n THEN: more", "(more -> more)"),
        ("ask:\n GATHER: city\n THEN: show\nshow:\n RESPOND: '{{city}}'\n THEN: ask", "(ask -> show -> ask)"),
        ("ask:\n WHEN: n > 1\n SET: n = 1\n THEN: ask", "(ask -> ask)"),
    ],
)
def test_a_circle_that_never_asks_is_an_error_at_its_first_step(in_text, steps, said):
    (found,) = in_text(as_flow(steps), CODE)
    assert (found.severity, said in found.message) == ("error", True)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("ask:\n GATHER: n\n CHECK: n > 5\n ON_FAIL:\n  RESPOND: No\n  GOTO: ask\n THEN: COMPLETE", "(ask -> ask)"),
        ("ask:\n CHECK: n > 5\n ON_FAILURE:\n  THEN: ask\n THEN: COMPLETE", "(ask -> ask)"),
        (
            "ask:\n GATHER: n\n CHECK: n > 5\n ON_FAIL:\n  THEN: low\n THEN: COMPLETE\nlow:\n RESPOND: No\n THEN: ask",
            "(ask -> low -> ask)",
        ),
    ],
)
def test_a_check_that_leads_back_to_itself_fails_again(in_text, steps, said):
    (found,) = in_text(as_flow(steps), CODE)
    assert (found.severity, said in found.message) == ("error", True)


@pytest.mark.parametrize(
    "steps",
    [
        "ask:\n GATHER: n\n CHECK: n > 5\n ON_FAIL:\n  CLEAR: n\n  THEN: ask\n THEN: COMPLETE",
        "ask:\n GATHER: n\n CHECK: n > 5\n ON_FAIL:\n  COLLECT: n\n  THEN: ask\n THEN: COMPLETE",
        "ask:\n CHECK: n > 5\n ON_FAIL:\n  SET: n = n + 1\n  THEN: ask\n THEN: COMPLETE",
        "ask:\n CALL: poll\n  AS: n\n CHECK: n > 5\n ON_FAIL:\n  THEN: ask\n THEN: COMPLETE",
        "ask:\n GATHER: n\n CHECK: n > 5\n ON_FAIL:\n  THEN: low\n THEN: COMPLETE\nlow:\n CLEAR: n\n THEN: ask",
        "ask:\n CHECK: n > 5\n ON_FAIL:\n  THEN: low\n THEN: COMPLETE\nlow:\n GATHER: n\n THEN: ask",
        "ask:\n CLEAR: n\n GATHER: n\n CHECK: n > 5\n ON_FAIL:\n  THEN: ask\n THEN: COMPLETE",
        "ask:\n CHECK: n > 5\n MAX_ATTEMPTS: 3\n ON_FAIL:\n  THEN: ask\n THEN: COMPLETE",
    ],
)
def test_a_check_is_fine_when_something_can_be_different_the_next_time(in_text, steps):
    assert not in_text(as_flow(steps), CODE)


@pytest.mark.parametrize(
    "steps",
    [
        "ask:\n RESPOND: Hi\n THEN: COMPLETE",
        "ask:\n RESPOND: Hi",
        "ask:\n RESPOND: Hi\n ON_INPUT:\n  - ELSE:\n    THEN: ask",
        "ask:\n GATHER: city\n THEN: show\nshow:\n CLEAR: city\n RESPOND: Done\n THEN: ask",
        "ask:\n GATHER: city\n THEN: show\nshow:\n RESPOND: Done\n THEN: COMPLETE",
        "ask:\n SET: n = n + 1\n MAX_ATTEMPTS: 3\n ON_EXHAUSTED: COMPLETE\n THEN: ask",
        "ask:\n CALL: poll\n  AS: p\n ON_RESULT:\n  - IF: p.done\n    THEN: COMPLETE\n  - ELSE:\n    THEN: ask\n THEN: ask",
        "ask:\n AWAIT_ATTACHMENT: photo\n THEN: ask",
    ],
)
def test_a_circle_with_a_place_to_rest_is_fine(in_text, steps):
    assert not in_text(as_flow(steps), CODE)


def test_a_tool_that_asks_or_suspends_ends_the_turn(in_ir):
    step = {"call_spec": {"tool": "order"}, "then": "ask"}
    flow = {"definitions": {"ask": step}, "steps": ["ask"], "entry_point": "ask"}
    ir = {"metadata": {"name": "A"}, "flow": flow, "tools": [{"name": "order"}]}
    assert [one.path for one in in_ir(ir, CODE)] == ["flow.definitions.ask.then"]
    for asks in ({"confirmation": {"require": "always"}}, {"tool_type": "async_webhook"}):
        assert not in_ir({**ir, "tools": [{"name": "order", **asks}]}, CODE)


PROFILE = {"name": "Calm", "when": "channel == 'voice'", "priority": 1}


@pytest.mark.parametrize(
    ("changes", "is_found"),
    [
        ({}, True),
        ({"skip": ["other"]}, True),
        ({"skip": ["ask"]}, False),
        ({"overrides": {"ask": {"respond": "Hi"}}}, False),
        ({"insertions": [{"step": "other", "after": "ask"}]}, False),
    ],
)
def test_a_profile_hides_only_the_circles_that_it_changes(in_ir, changes, is_found):
    steps = {"ask": {"respond": "Hi", "then": "ask"}, "other": {"respond": "Hi"}}
    flow = {"definitions": steps, "steps": ["ask", "other"], "entry_point": "ask"}
    profiles = [{**PROFILE, "flow_modifications": changes}]
    ir = {"metadata": {"name": "A"}, "flow": flow, "behavior_profiles": profiles}
    assert bool(in_ir(ir, CODE)) is is_found


PHONE = """
BEHAVIOR_PROFILE: phone
PRIORITY: 1
WHEN: channel == "voice"
FLOW:
  REPLACE:
    hello:
      REASONING: false
      RESPOND: Hello
      THEN: more
    more:
      REASONING: false
      RESPOND: More
      THEN: {}
"""


def test_a_circle_in_the_flow_that_a_profile_puts_in_place_is_found_where_it_is_written(in_project):
    desk = "AGENT: Desk\nGOAL: Help\nUSE BEHAVIOR_PROFILE: phone\n" + as_flow("ask:\n RESPOND: Hi\n THEN: COMPLETE")
    (found,) = in_project(CODE, desk=desk, phone=PHONE.format("hello"))
    assert (found.severity, found.file, found.line) == ("error", "phone", 9)
    assert "(hello -> more -> hello)" in found.message
    assert not in_project(CODE, desk=desk, phone=PHONE.format("COMPLETE"))
