"""IF and ELSE items, and what happens after a human has answered. Spec: abl-language 3.9, 5.5."""

import pytest

from abl.syntax.coordination import HumanOutcome
from abl.syntax.steps import Assignment, Branch

TWO = [Branch(condition="a == 1", respond="One", then="one"), Branch(otherwise=True, then="two")]

FORMS = [
    "\n  - IF: a == 1\n    RESPOND: One\n    THEN: one\n  - ELSE:\n    THEN: two",
    "\n  - IF a == 1\n    RESPOND: One\n    THEN: one\n  - ELSE\n    THEN: two",
    "\n- IF: a == 1\n  RESPOND: One\n  THEN: one\n- ELSE:\n  THEN: two",
    "\n  - IF: a == 1\n      RESPOND: One\n      THEN: one\n  - ELSE:\n      THEN: two",
    "\n  - if: a == 1\n    respond: One\n    then: one\n  - else:\n    goto: two",
    "\n  - IF: a == 1\n    RESPOND: One\n    GOTO: one\n\n  - ELSE: THEN: two",
    "\n  IF: a == 1\n    RESPOND: One\n    THEN: one\n  ELSE:\n    THEN: two",
    "\n  # said\n  - IF: a == 1\n    # said\n    RESPOND: One\n    THEN: one\n  - ELSE:\n    THEN: two",
    "\n  - IF: |\n      a == 1\n    RESPOND: One\n    THEN: one\n  - ELSE:\n    THEN: two",
]


@pytest.mark.parametrize("written", FORMS)
@pytest.mark.parametrize("key", ["ON_INPUT", "ON_RESULT"])
def test_branches_may_be_written_in_many_ways(read, key, written):
    step = read.step(f"{key}:{written}\nTHEN: COMPLETE")
    assert getattr(step, key.lower()) == TWO
    assert step.then == "COMPLETE"


def test_a_branch_knows_its_place_and_that_of_its_condition(read):
    (branch,) = read.step("ON_INPUT:\n  - IF: a == 1\n    THEN: one").on_input
    assert read.text[branch.pos.offset :].startswith("- IF: a == 1")
    read.stands(branch, "condition")
    read.stands(branch, "then")


def test_a_branch_can_do_all_that_a_step_can(read):
    (branch,) = read.step("""
        ON_RESULT:
          - IF: a
            SET: b = 1
            SET: c = 2
            CLEAR: d, e
            CALL: find(b)
              AS: found
            MESSAGE_KEY: hello
            HANDOFF: Other
            THEN: one
        """).on_result
    assert branch.set == [Assignment(variable="b", expression="1"), Assignment(variable="c", expression="2")]
    assert (branch.clear, branch.call.as_, branch.message_key) == (["d", "e"], "found", "hello")
    assert (branch.handoff, branch.then) == ("Other", "one")


def test_a_branch_may_delegate(read):
    (branch,) = read.step("ON_RESULT:\n  - IF: a\n    DELEGATE: Other\n").on_result
    assert branch.delegate.agent == "Other"


def test_a_branch_without_target_is_kept_with_a_warning(read):
    (branch,) = read.step("ON_INPUT:\n  - IF: a   #! BRANCH_WITHOUT_THEN\n    RESPOND: Hm").on_input
    assert (branch.condition, branch.respond, branch.then) == ("a", "Hm", "")


def test_a_branch_without_condition_is_reported(read):
    read.step("ON_INPUT:\n  - IF:   #! BRANCH_WITHOUT_CONDITION\n    THEN: one")
    (branch,) = read.step("ON_INPUT:\n  - RESPOND: Hm   #! BRANCH_WITHOUT_CONDITION\n    THEN: one").on_input
    assert branch.otherwise
    assert (branch.respond, branch.then) == ("Hm", "one")


def test_what_stands_after_else_is_never_reached(read):
    step = read.step("""
        ON_INPUT:
          - ELSE:
            THEN: one
          - IF: a   #! UNREACHABLE_BRANCH
            THEN: two
        """)
    assert len(step.on_input) == 2


def test_a_branch_without_a_condition_hides_those_behind_it(read):
    read.step("""
        ON_INPUT:
          - RESPOND: Hm   #! BRANCH_WITHOUT_CONDITION
            THEN: one
          - ELSE:   #! UNREACHABLE_BRANCH
            THEN: two
        """)


ELSE_IFS = ["ELSE IF", "ELSEIF", "ELIF", "ELSIF", "ELSE_IF", "ELSE-IF", "elseif", "Else If"]


@pytest.mark.parametrize("head", ELSE_IFS)
@pytest.mark.parametrize("dash", ["- ", ""])
@pytest.mark.parametrize("colon", [":", ""])
def test_else_if_is_a_condition_however_it_is_written(read, head, dash, colon):
    step = read.step(f"ON_INPUT:\n  {dash}IF: a == 1\n    THEN: one\n  {dash}{head}{colon} b == 2\n    THEN: two")
    assert [(one.condition, one.otherwise, one.then) for one in step.on_input] == [
        ("a == 1", False, "one"),
        ("b == 2", False, "two"),
    ]


@pytest.mark.parametrize("head", ["DEFAULT", "OTHERWISE", "default"])
@pytest.mark.parametrize("rest", [":\n    RESPOND: Hm\n    THEN: two", ":\n    THEN: two", ": two", " -> two"])
@pytest.mark.parametrize("dash", ["- ", ""])
def test_the_branch_for_all_the_rest_has_other_names(read, head, rest, dash):
    step = read.step(f"ON_RESULT:\n  {dash}IF: a == 1\n    THEN: one\n  {dash}{head}{rest}")
    assert [(one.condition, one.otherwise, one.then) for one in step.on_result] == [
        ("a == 1", False, "one"),
        ("", True, "two"),
    ]


@pytest.mark.parametrize("head", ["ELSEIF: b == 2", "ELIF: b == 2", "DEFAULT:"])
def test_branches_of_an_outcome_have_the_same_heads(read, head):
    outcome = read.step(f"ON_SUCCESS:\n  IF: a == 1\n    THEN: one\n  {head}\n    THEN: two").on_success
    assert [one.then for one in outcome.branches] == ["one", "two"]
    assert outcome.branches[1].condition == ("" if head == "DEFAULT:" else "b == 2")


def test_a_step_whose_name_begins_with_if_is_no_condition(read):
    (_, last) = read.step("ON_INPUT:\n  - IF: a\n    THEN: one\n  - ELSE: iffy").on_input
    assert (last.condition, last.then) == ("", "iffy")


@pytest.mark.parametrize("head", ["CASE: yes", "CASE:", '"yes":', "ON: yes"])
def test_a_branch_that_begins_with_an_unknown_word_is_refused(read, head):
    read.step(f"ON_INPUT:\n  - {head}   #! UNKNOWN_PROPERTY UNKNOWN_BRANCH\n    THEN: one")
    assert read.finding("UNKNOWN_BRANCH").severity == "error"
    (branch,) = read.step(f"ON_INPUT:\n  - {head}   #! UNKNOWN_PROPERTY\n    IF: a\n    THEN: one").on_input
    assert branch.condition == "a"


@pytest.mark.parametrize("key", ["ON_SUCCESS", "ON_FAILURE", "ON_FAIL"])
def test_an_outcome_takes_direct_actions_and_branches(read, key):
    outcome = getattr(
        read.step(f"""
        {key}:
          SET: a = 1
          RESPOND: Well
          - IF: b
            THEN: one
          - ELSE:
            THEN: two
        """),
        key.lower(),
    )
    assert outcome.set == [Assignment(variable="a", expression="1")]
    assert outcome.respond == "Well"
    assert [(one.condition, one.otherwise, one.then) for one in outcome.branches] == [
        ("b", False, "one"),
        ("", True, "two"),
    ]


def test_an_outcome_may_have_branches_alone(read):
    outcome = read.step("ON_SUCCESS:\n  - IF: b\n    THEN: one\n  - ELSE:\n    THEN: two").on_success
    assert [one.then for one in outcome.branches] == ["one", "two"]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("ON_FAIL: retry_step", {"then": "retry_step"}),
        ("ON_FAIL:\n  GOTO: one", {"then": "one"}),
        ("ON_FAIL:\n  COLLECT: [a, b]\n  RETRY: true", {"collect": ["a", "b"], "retry": True}),
        ("ON_FAIL:\n  RESPOND: No\n  THEN: one", {"respond": "No", "then": "one"}),
    ],
)
def test_the_failure_of_a_step_is_a_target_or_a_block(read, written, found):
    outcome = read.step(written).on_fail
    assert {name: getattr(outcome, name) for name in found} == found


HUMAN = [
    ('- IF resolution == "done": COMPLETE', 'resolution == "done"', "COMPLETE"),
    ('- IF resolution == "reroute": HANDOFF to Claims_Desk', 'resolution == "reroute"', "HANDOFF to Claims_Desk"),
    ("- IF true: CONTINUE", "true", "CONTINUE"),
    ("- IF: true -> ESCALATE", "true", "ESCALATE"),
    ("- IF: true\n  ACTION: COMPLETE", "true", "COMPLETE"),
    ("- WHEN true: COMPLETE", "true", "COMPLETE"),
    ("- CONTINUE", "", "CONTINUE"),
    ("- ELSE: CONTINUE", "", "CONTINUE"),
    ("- IF done: COMPLETE  # said", "done", "COMPLETE"),
]


@pytest.mark.parametrize(("written", "condition", "action"), HUMAN)
def test_the_outcomes_of_a_human_task_have_a_condition_and_an_action(read, written, condition, action):
    body = "on_human_complete:\n  " + written.replace("\n", "\n  ")
    (outcome,) = read.under("ESCALATE", body).escalate.on_human_complete
    assert outcome == HumanOutcome(condition=condition, action=action)
    if condition:
        read.stands(outcome, "condition")


@pytest.mark.parametrize("written", ["- IF true: STOP", "- IF true: COMPLET"])
def test_an_action_nobody_knows_is_reported(read, written):
    read.raw(f"AGENT: A\nGOAL: b\nESCALATE:\n  on_human_complete:\n    {written}\n")
    assert len(read.findings) == 1
