"""SET, CALL and branches of the YAML form in their several shapes."""

from textwrap import dedent

import pytest

import abl
from abl.yaml_form import parse_yaml

HEAD = "agent: Desk\ngoal: Help\n"


def read(body):
    result = parse_yaml(HEAD + dedent(body))
    assert not result.errors
    return result.document


def codes(body):
    return [one.code for one in parse_yaml(HEAD + dedent(body)).findings]


def step(body):
    return read(
        "flow:\n  steps:\n    a:\n" + "\n".join(f"      {line}" for line in body.split("\n")) + "\n"
    ).flow.steps[0]


@pytest.mark.parametrize(
    "written",
    [
        "set: a = b + 1",
        "set: [a = b + 1]",
        "set: {a: b + 1}",
        "set:\n  - {variable: a, expression: b + 1}",
        "set:\n  - {name: a, value: b + 1}",
        "set:\n  - {a: b + 1}",
    ],
)
def test_all_ways_to_set_a_variable_say_the_same(written):
    assert [(one.variable, one.expression) for one in step(written).set] == [("a", "b + 1")]


@pytest.mark.parametrize(
    "written",
    [
        "call: find\ncall_with: {code: c}\ncall_as: found",
        "call_with: {code: c}\ncall_as: found\ncall: find",
        "call: {tool: find, with: {code: c}, as: found}",
        "call_spec: {tool: find, with: {code: c}, as: found}",
    ],
)
def test_all_ways_to_call_a_tool_say_the_same(written):
    call = step(written).call
    assert (call.tool, call.with_, call.as_) == ("find", {"code": "c"}, "found")


def test_a_branch_without_condition_always_matches():
    first, second, third = step(
        "on_input:\n  - {condition: yes, then: b}\n  - {else: true, then: c}\n  - {then: d}"
    ).on_input
    assert (first.condition, first.then, bool(first.otherwise)) == ("yes", "b", False)
    assert (second.then, second.otherwise) == ("c", True)
    assert (third.then, third.otherwise) == ("d", True)


def test_a_call_that_is_a_list_is_reported():
    assert "INVALID_CALL" in codes("flow: {steps: {a: {call: [find]}}}\n")


STEP = "agent: A\ngoal: Help\nflow:\n  steps:\n    - name: ask\n      reasoning: false\n      then: COMPLETE\n"


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("respond: One\nrespond: Two", ("ACTION_LOST", "error", 9)),
        ("respond: One\nrespond: One", ("DUPLICATE_PROPERTY", "warning", 9)),
        ("when: a\nwhen: b", ("ACTION_LOST", "error", 9)),
        ("do: [{respond: a}]\ndo: [{respond: b}]", ("ACTION_LOST", "error", 9)),
        ("on_input: [{then: ask}]\non_input: [{then: COMPLETE}]", ("ACTION_LOST", "error", 9)),
        ("respond: One\ngoto: ask", ("ACTION_LOST", "error", 9)),
        ("max_turns: 3\nmax_turns: 4", ("DUPLICATE_PROPERTY", "warning", 9)),
        ("set: [a = 1]\nset: [b = 2]", ("ACTION_LOST", "error", 9)),
        ("on_input:\n  - {then: ask, check: a}", ("ACTION_LOST", "error", 9)),
        ("on_input:\n  - {then: ask, goto: COMPLETE}", ("ACTION_LOST", "error", 9)),
    ],
)
def test_of_two_different_actions_of_one_kind_none_is_lost_in_silence(keys, told):
    rows = "".join(f"      {one}\n" for one in keys.split("\n"))
    found = abl.parse(STEP + rows).findings
    assert [(one.code, one.severity, one.line) for one in found] == [told]
    assert abl.parse(STEP + "      respond: One\n      set: {a: 1}\n").findings == []


@pytest.mark.parametrize(
    ("second", "condition"),
    [
        ("{elseif: b == 2, then: c}", "b == 2"),
        ("{elif: b == 2, then: c}", "b == 2"),
        ("{default: c}", ""),
        ("{otherwise: {then: c}}", ""),
        ("{default: true, then: c}", ""),
    ],
)
def test_else_if_and_default_are_read_in_branches(second, condition):
    branches = step(f"on_input:\n  - {{condition: a, then: b}}\n  - {second}").on_input
    assert [(one.condition, one.then) for one in branches] == [("a", "b"), (condition, "c")]


@pytest.mark.parametrize(
    ("branches", "code"),
    [
        ("  - {case: a, then: b}", "UNKNOWN_BRANCH"),
        ("  - {then: b}\n        - {condition: a, then: b}", "UNREACHABLE_BRANCH"),
        ("  - {case: a, then: b}\n        - {condition: a, then: b}", "UNREACHABLE_BRANCH"),
    ],
)
def test_a_yaml_branch_that_hides_others_is_reported(branches, code):
    assert code in codes(f"flow:\n  steps:\n    a:\n      on_input:\n      {branches}")


@pytest.mark.parametrize("key", ["action", "id", "button", "on"])
def test_a_list_of_handlers_names_them_with_a_key(key):
    (handler,) = read(f"action_handlers: [{{{key}: b1, respond: Hi}}]").action_handlers
    assert (handler.action_id, handler.respond) == ("b1", "Hi")


def test_an_unknown_key_of_a_handler_is_an_error_as_in_text():
    assert codes("action_handlers: [{frob: b1, respond: Hi}]") == ["UNKNOWN_ACTION_KEY"]


def test_the_type_of_a_field_may_stand_behind_its_name():
    (field,) = read("gather:\n  fields:\n    days: number, required").gather.fields
    assert (field.type, field.required, field.prompt) == ("number", True, "")
    assert codes("gather:\n  fields:\n    days: number, min 1") == ["UNREAD_SHORT_FORM"]
