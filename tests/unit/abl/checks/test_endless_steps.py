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
        ("ask:\n DO:\n  - SET: n = 1\n  - GOTO: ask", "(ask -> ask)"),
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
        ("ask:\n CHECK: n > 5\n  RESPOND: Yes\n  ELSE:\n   THEN: ask\n THEN: COMPLETE", "(ask -> ask)"),
        ("ask:\n CHECK: n > 5\n  THEN: COMPLETE\n ON_FAIL:\n  THEN: ask", "(ask -> ask)"),
        ("ask:\n CHECK: n > 5\n  CHECK: m\n   RESPOND: Yes\n   ELSE:\n    THEN: ask\n THEN: COMPLETE", "(ask -> ask)"),
        ("ask:\n DO:\n  - CHECK: n > 5\n    DO:\n     - GOTO: ask\n THEN: COMPLETE", "(ask -> ask)"),
        ("ask:\n DO:\n  - SET: m = 1\n CHECK: n > 5\n ON_FAIL:\n  THEN: ask\n THEN: COMPLETE", "(ask -> ask)"),
        ("ask:\n SET: m = 1\n CHECK: n > 5\n ON_FAIL:\n  THEN: ask\n THEN: COMPLETE", "(ask -> ask)"),
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
        "ask:\n CHECK: n > 5\n  RESPOND: Yes\n  ELSE:\n   SET: n = n + 1\n   THEN: ask\n THEN: COMPLETE",
        "ask:\n DO:\n  - SET: n = n + 1\n  - CHECK: n > 5\n    DO:\n     - GOTO: COMPLETE\n  - GOTO: ask",
        "ask:\n DO:\n  - CALL: poll\n  - CHECK: n > 5\n    ON_FAIL:\n     THEN: ask\n THEN: COMPLETE",
        "ask:\n DO:\n  - CLEAR: n\n GATHER: n\n CHECK: n > 5\n ON_FAIL:\n  THEN: ask\n THEN: COMPLETE",
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


def as_calls(ways, call="poll(n)", tool=""):
    tools = f"TOOLS:\n  poll(code: string) -> object\n    description: Asks\n{tool}"
    return tools + as_flow(f"ask:\n CALL: {call}\n  AS: p\n" + textwrap.indent(textwrap.dedent(ways), " "))


BACK = [
    "ON_FAILURE:\n  THEN: ask\nTHEN: COMPLETE",
    "ON_SUCCESS:\n  RESPOND: Again\n  THEN: ask\nON_FAILURE:\n  THEN: COMPLETE",
    "ON_RESULT:\n  - IF: p.done\n    THEN: COMPLETE\n  - ELSE:\n    THEN: ask",
    "ON_RESULT:\n  - IF: p.done\n    THEN: COMPLETE\n  - ELSE:\n    THEN: low\nlow:\n RESPOND: Wait\n THEN: ask",
]


@pytest.mark.parametrize("ways", [one.replace("\nlow:", "\n\0low:") for one in BACK])
def test_a_call_that_is_made_again_at_once_is_a_warning(in_text, ways):
    ways, _, more = ways.partition("\0")
    text = as_calls(ways) + textwrap.indent(more, "  ")
    (found,) = in_text(text, "REPEATED_CALL")
    assert (found.severity, "calls poll again at once" in found.message) == ("warning", True)
    assert not in_text(text, CODE)


@pytest.mark.parametrize(
    ("ways", "more"),
    [
        ("MAX_ATTEMPTS: 3\nON_FAILURE:\n  THEN: ask\nTHEN: COMPLETE", {}),
        ("ON_FAILURE:\n  THEN: COMPLETE\nTHEN: COMPLETE", {}),
        ("ON_FAILURE:\n  SET: n = n + 1\n  THEN: ask\nTHEN: COMPLETE", {}),
        ("ON_FAILURE:\n  CLEAR: n\n  THEN: ask\nTHEN: COMPLETE", {}),
        ("ON_INPUT:\n  - ELSE:\n    THEN: ask", {}),
        (BACK[0], {"tool": "    confirm: always\n"}),
        (BACK[0], {"tool": "    type: async_webhook\n    endpoint: https://a.example\n"}),
    ],
)
def test_a_call_that_may_be_another_one_or_waits_is_fine(in_text, ways, more):
    assert not in_text(as_calls(ways, **more), "REPEATED_CALL")


@pytest.mark.parametrize("ways", [
    "ON_RESULT:\n  - IF: p.x\n    THEN: ask\n  - ELSE:\n    THEN: ask",
    "ON_SUCCESS:\n  THEN: ask\nON_FAILURE:\n  THEN: ask",
    "THEN: ask",
])  # fmt: skip
@pytest.mark.parametrize("tool", ["", "    confirm: never\n"])
def test_a_call_after_which_all_leads_back_is_an_error_and_said_once(in_text, ways, tool):
    text = as_calls(ways, tool=tool)
    assert [one.severity for one in in_text(text, CODE)] == ["error"]
    assert not in_text(text, "REPEATED_CALL")


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
