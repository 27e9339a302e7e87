"""Actions on one line, and when they need a block."""

import pytest

from abl.printer.actions import action_text, argument, assignment, call_text, history_text, human_text, transform_text
from abl.printer.nodes import written_fields
from abl.syntax.coordination import History, HumanOutcome
from abl.syntax.flow import Transform
from abl.syntax.rules import FailAction
from abl.syntax.steps import Argument, Assignment, Call


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (Call(tool="find"), "find"),
        (Call(tool="find", arguments=[]), "find()"),
        (
            Call(tool="find", arguments=[Argument(expression="a"), Argument(name="b", expression="c + 1")]),
            "find(a, b: c + 1)",
        ),
    ],
    ids=str,
)
def test_a_call_has_parentheses_only_if_they_were_written(call, text):
    assert call_text(call) == text


def test_assignments_and_arguments_without_a_name_are_their_expression():
    assert assignment(Assignment(variable="a", expression="1")) == "a = 1"
    assert assignment(Assignment(expression="a += 1")) == "a += 1"
    assert argument(Argument(expression="a")) == "a"


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (FailAction(type="continue"), "CONTINUE"),
        (FailAction(type="respond", message="No"), 'RESPOND "No"'),
        (FailAction(type="respond", message="two\nlines"), None),
        (FailAction(type="escalate", reason="x"), 'ESCALATE "x"'),
        (FailAction(type="handoff", target="Desk"), "HANDOFF Desk"),
        (FailAction(type="handoff", target="The Desk"), None),
        (FailAction(type="escalate", message="x"), None),
        (FailAction(type="handoff", target="Desk", message="x"), None),
    ],
    ids=str,
)
def test_an_action_stands_on_one_line_if_it_is_read_back(action, text):
    assert action_text(action, set(written_fields(action)), upper=True) == text


def test_guardrails_write_actions_in_small_letters_and_allow_words_of_their_own():
    assert action_text(FailAction(type="block"), {"type"}, upper=False) == "block"
    assert action_text(FailAction(type="own_word"), {"type"}, upper=False) == "own_word"
    assert action_text(FailAction(type="own_word"), {"type"}, upper=True) is None


@pytest.mark.parametrize(
    ("history", "text"),
    [
        (History(mode="auto"), "auto"),
        (History(mode="last_n", count=4), "last_4"),
        (History(mode="last_n"), ""),
        (History(mode="last_n", count=-1), ""),
        (History(mode="full", count=4), ""),
    ],
    ids=str,
)
def test_a_history_is_one_word_if_that_says_all(history, text):
    assert history_text(history) == text


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (HumanOutcome(condition="ok", action="COMPLETE"), "IF ok: COMPLETE"),
        (HumanOutcome(action="CONTINUE"), "CONTINUE"),
        (HumanOutcome(action="HANDOFF Desk"), None),
        (HumanOutcome(condition="ok", action="wave"), None),
        (HumanOutcome(condition="ok", action="COMPLETE # now"), None),
        (HumanOutcome(condition="a == b: COMPLETE", action="COMPLETE"), None),
    ],
    ids=str,
)
def test_an_outcome_that_would_be_read_otherwise_needs_a_block(outcome, text):
    assert human_text(outcome) == text


def test_a_transform_that_could_not_be_read_is_its_source():
    assert transform_text(Transform(source="items", item_var="one", target="all")) == "items AS one INTO all"
    assert transform_text(Transform(source="items of all")) == "items of all"
