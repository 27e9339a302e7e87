from abl.legacy.flow import flow_of
from abl.legacy.steps import read_steps
from abl.parser.lines import scan
from abl.source import Source
from abl.syntax.flow import Flow, Step
from abl.syntax.steps import Argument, Assignment, Branch, Call, Outcome


def flow(text):
    lines = scan(Source(text))
    steps, entry, faults = read_steps(list(zip(lines.indents, lines.texts, lines.offsets, strict=True)))
    assert faults == ()
    return flow_of(steps, entry)


def test_the_example_of_the_language_becomes_a_flow():
    made = flow(
        """
1. Ask
  RESPOND "Which code?"
  WAIT_INPUT
    PATTERN("[A-Z]{2}") -> 2
    MAX_ATTEMPTS: 3 -> End
    DEFAULT -> 1
2. Look
  CALL find_parcel(code)
  ON_SUCCESS -> 3
  ON_FAILURE -> Ask
3. End
  SIGNAL: COMPLETE MESSAGE: "Bye"
"""
    )
    assert made == Flow(
        entry_point="Ask",
        steps=[
            Step(
                name="Ask",
                reasoning=False,
                respond="Which code?",
                max_attempts=3,
                on_exhausted="End",
                on_input=[
                    Branch(condition='input MATCHES "[A-Z]{2}"', then="Look"),
                    Branch(otherwise=True, then="Ask"),
                ],
            ),
            Step(
                name="Look",
                reasoning=False,
                call=Call(tool="find_parcel", arguments=[Argument(expression="code")]),
                on_success=Outcome(then="End"),
                on_failure=Outcome(then="Ask"),
            ),
            Step(name="End", reasoning=False, respond="Bye", then="COMPLETE"),
        ],
    )


def test_actions_in_another_order_than_a_modern_step_has_become_a_chain_of_steps():
    made = flow('1. A\n  CALL x\n  RESPOND "one"\n  SET v = 1\n  RESPOND "two"\n  CALL y\n  CALL z\n2. B\n  GOTO 1\n')
    assert [(step.name, step.then) for step in made.steps] == [
        ("A", "A_2"), ("A_2", "A_3"), ("A_3", "A_4"), ("A_4", "B"), ("B", "A"),
    ]  # fmt: skip
    assert made.steps[2].set == [Assignment(variable="v", expression="1")]
    assert (made.steps[2].respond, made.steps[2].call.tool) == ("two", "y")


def test_an_answer_that_mentions_the_result_of_the_next_call_is_said_before_it():
    made = flow('1. A\n  RESPOND "Was {{hub}}"\n  CALL x AS hub\n')
    assert [(step.respond, step.call and step.call.tool) for step in made.steps] == [("Was {{hub}}", None), ("", "x")]


def test_intents_and_yes_and_no_become_branches_on_input():
    made = flow(
        '1. A\n  WAIT_INPUT said\n    INTENT(a, "b c") -> 2\n    POSITIVE -> 2\n    NEGATIVE -> escalate\n2. B\n  GOTO 1\n'
    )
    heard = [Assignment(variable="said", expression="input")]
    assert made.steps[0].on_input == [
        Branch(condition='intent IN ["a", "b c"]', then="B", set=heard),
        Branch(condition='intent == "yes"', then="B", set=heard),
        Branch(condition='intent == "no"', then="ESCALATE", set=heard),
    ]


def test_waiting_without_routes_goes_on_with_what_follows():
    made = flow('1. A\n  WAIT_INPUT\n  RESPOND "x"\n2. B\n  WAIT_INPUT\n3. C\n  GOTO 1\n')
    assert made.steps[0].on_input == [Branch(otherwise=True, then="A_2")]
    assert made.steps[1].then == "B"
    assert made.steps[2].on_input == [Branch(otherwise=True, then="C")]


def test_conditions_and_classifying_branch_at_once():
    made = flow(
        '1. A\n  IF a == 1 THEN 2\n  ELSE:\n    SET b = 2\n    RESPOND "x"\n  CLASSIFY input\n    [c] -> 2\n2. B\n  SIGNAL: HANDOFF_READY\n'
    )
    first, last = made.steps
    assert first.on_result == [
        Branch(condition="a == 1", then="B"),
        Branch(otherwise=True, set=[Assignment(variable="b", expression="2")], respond="x"),
        Branch(condition='intent IN ["c"]', then="B"),
    ]
    assert first.then == "B"
    assert (last.set, last.then) == ([Assignment(variable="signal", expression='"HANDOFF_READY"')], "COMPLETE")


def test_names_become_identifiers_of_their_own():
    made = flow(
        "1. Ask the code\n  GOTO 3\n2. Ask-the-code\n  GOTO ask the code\n3. Complete\n  GOTO 2\n4. 7\n  GOTO 9\n"
    )
    assert [(step.name, step.then) for step in made.steps] == [
        ("Ask_the_code", "step_3"), ("step_2", "Ask_the_code"), ("step_3", "step_2"), ("step_4", "9"),
    ]  # fmt: skip


def test_nothing_follows_an_unconditional_transition():
    made = flow('entry_point: B\n1. A\n  GOTO 2\n  RESPOND "never"\n2. B\n  SIGNAL: CONTINUE\n')
    assert made.entry_point == "B"
    assert made.steps == [Step(name="A", reasoning=False, then="B"), Step(name="B", reasoning=False)]


def test_no_steps_give_an_empty_flow():
    assert flow_of([]) == Flow(steps=[])
