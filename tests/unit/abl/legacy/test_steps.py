import pytest

from abl.legacy.steps import read_numbered_steps, read_steps
from abl.parser.lines import scan
from abl.source import Source
from abl.syntax.legacy import LegacyAction, LegacyStep, Route
from abl.syntax.steps import Argument, Call


def triples(text):
    lines = scan(Source(text))
    return list(zip(lines.indents, lines.texts, lines.offsets, strict=True))


def actions(body):
    """Return the actions of one step and the codes of what is wrong."""
    text = "1. Ask\n" + "".join(f"  {line}\n" for line in body.split("\n"))
    steps, _, faults = read_steps(triples(text))
    assert len(steps) == 1
    return steps[0].actions, [one.code for one in faults]


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ('RESPOND "Hi"', LegacyAction(kind="respond", text="Hi")),
        ("RESPOND: Hi there", LegacyAction(kind="respond", text="Hi there")),
        ("respond 'Hi'", LegacyAction(kind="respond", text="Hi")),
        ("- GOTO 2", LegacyAction(kind="goto", target="2")),
        ("-> complete", LegacyAction(kind="goto", target="COMPLETE")),
        ("GOTO STEP 2", LegacyAction(kind="goto", target="2")),
        ("SET a.b = c + 1", LegacyAction(kind="set_state", variable="a.b", expression="c + 1")),
        ("SIGNAL: ESCALATE", LegacyAction(kind="signal", signal="ESCALATE")),
        ('SIGNAL: COMPLETE MESSAGE: "Bye"', LegacyAction(kind="signal", signal="COMPLETE", text="Bye")),
        ('SIGNAL: COMPLETE\n  MESSAGE: "Bye"', LegacyAction(kind="signal", signal="COMPLETE", text="Bye")),
        ("WAIT_INPUT", LegacyAction(kind="wait_input")),
        ("CLASSIFY input", LegacyAction(kind="classify_intent", variable="input")),
        ("ON_SUCCESS -> 3", LegacyAction(kind="on_success", target="3")),
        ("ON_FAILURE: Look up", LegacyAction(kind="on_failure", target="Look up")),
        ('IF a == " THEN " THEN 2', LegacyAction(kind="if", condition='a == " THEN "', target="2")),
        (
            'IF a:\n  RESPOND "x"\n  GOTO 2',
            LegacyAction(
                kind="if",
                condition="a",
                actions=[LegacyAction(kind="respond", text="x"), LegacyAction(kind="goto", target="2")],
            ),
        ),
        ("CALL find", LegacyAction(kind="call_tool", call=Call(tool="find"))),
        (
            'CALL find(code, n: a > 3, t = "x, y") AS hub',
            LegacyAction(
                kind="call_tool",
                call=Call(
                    tool="find",
                    arguments=[
                        Argument(expression="code"),
                        Argument(name="n", expression="a > 3"),
                        Argument(name="t", expression='"x, y"'),
                    ],
                    as_="hub",
                ),
            ),
        ),
        (
            "CALL find\n  WITH: code: c\n  AS: hub",
            LegacyAction(kind="call_tool", call=Call(tool="find", with_={"code": "c"}, as_="hub")),
        ),
    ],
)
def test_every_action_is_read(line, action):
    assert actions(line) == ([action], [])


@pytest.mark.parametrize(
    ("line", "route"),
    [
        ('INTENT(a, "b c") -> 2', Route(kind="intent", values=["a", "b c"], target="2")),
        ("[a, b] -> Look", Route(kind="intent", values=["a", "b"], target="Look")),
        ('PATTERN("[A-Z]{2}") -> 2', Route(kind="pattern", values=["[A-Z]{2}"], target="2")),
        ("PATTERN(/ab+/i) → 2", Route(kind="pattern", values=["(?i)ab+"], target="2")),
        ("MAX_ATTEMPTS: 3 -> End", Route(kind="max_attempts", count=3, target="End")),
        ("POSITIVE -> 1", Route(kind="positive", target="1")),
        ("DEFAULT => escalate", Route(kind="default", target="ESCALATE")),
    ],
)
def test_every_route_is_read_nested_or_not(line, route):
    expected = ([LegacyAction(kind="wait_input", routes=[route])], [])
    assert actions(f"WAIT_INPUT\n  {line}") == expected
    assert actions(f"WAIT_INPUT\n{line}") == expected
    assert actions(line) == expected


def test_else_on_the_line_of_if_is_an_action_of_its_own():
    found, codes = actions('IF a THEN 2 ELSE RESPOND "no"')
    assert codes == []
    assert found == [
        LegacyAction(kind="if", condition="a", target="2"),
        LegacyAction(kind="else", actions=[LegacyAction(kind="respond", text="no")]),
    ]


def test_a_text_below_respond_is_its_text():
    found, codes = actions("RESPOND:\n  One\n  RESPOND two\nGOTO 2")
    assert codes == []
    assert found == [LegacyAction(kind="respond", text="One\nRESPOND two"), LegacyAction(kind="goto", target="2")]


@pytest.mark.parametrize(
    ("header", "step"),
    [
        ("1. Ask", LegacyStep(number=1, name="Ask")),
        ("12) Ask again:", LegacyStep(number=12, name="Ask again")),
        ('Step 3: "Ask"', LegacyStep(number=3, name="Ask")),
        ("- 4. Ask # here", LegacyStep(number=4, name="Ask")),
        ('5. RESPOND "x"', LegacyStep(number=5, actions=[LegacyAction(kind="respond", text="x")])),
        ("6. Respond to the user", LegacyStep(number=6, name="Respond to the user")),
    ],
)
def test_every_form_of_a_step_is_read(header, step):
    steps, _, faults = read_steps(triples(header + "\n"))
    assert (steps, faults) == ([step], ())


def test_actions_may_stand_at_the_start_of_the_line():
    steps, entry, faults = read_steps(triples('entry_point: 2\n1. A\nRESPOND "x"\n2. B\nGOTO 1\n'))
    assert (entry, faults) == ("2", ())
    assert [(step.name, len(step.actions)) for step in steps] == [("A", 1), ("B", 1)]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ('REPSOND "x"', 'RESPOND "x"'),
        ("ON_SUCESS -> 3", "ON_SUCCESS -> 3"),
        ("ON_SUCCESS 3", "ON_SUCCESS -> 3"),
        ("WAIT_INPUT\n  DEFUALT -> 1", "WAIT_INPUT\n  DEFAULT -> 1"),
        ("WAIT_INPUT\n  DEFAULT 1", "WAIT_INPUT\n  DEFAULT -> 1"),
        ("INTENT(a, b -> 2", "INTENT(a, b) -> 2"),
        ("[a, b -> 2", "[a, b] -> 2"),
        ("CALL find(a, b", "CALL find(a, b)"),
        ('RESPOND "x', 'RESPOND "x"'),
        ("RESPOND \u201cx\u201d", 'RESPOND "x"'),
        ("SIGNAL: COMPLET", "SIGNAL: COMPLETE"),
    ],
)
def test_one_slip_gives_one_finding_and_the_line_is_read_as_it_was_meant(wrong, right):
    text = "1. Ask\n" + "".join(f"  {line}\n" for line in wrong.split("\n"))
    steps, _, faults = read_steps(triples(text))
    assert len(faults) == 1
    assert steps[0].actions == actions(right)[0]
    mended = faults[0].fix.apply(text)
    assert read_steps(triples(mended)) == (steps, "", ())


@pytest.mark.parametrize(
    "line",
    [
        "GOTO",
        "SET x",
        "SET",
        "CALL",
        "IF THEN 2",
        "PATTERN -> 2",
        "MAX_ATTEMPTS -> 2",
        "DEFAULT ->",
        "@!",
        "RESPOND",
        "xyzzy",
    ],
)
def test_a_line_that_cannot_be_read_is_one_finding_and_the_rest_is_read(line):
    found, codes = actions(f'RESPOND "x"\n{line}\nGOTO 2')
    assert codes == ["LEGACY_INVALID_LINE"]
    assert found[0] == LegacyAction(kind="respond", text="x")
    assert found[-1] == LegacyAction(kind="goto", target="2")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1. A\n  GOTO 1\nB\n  GOTO 1\n", ["A", "B"]),
        ("1. A\n  GOTO 1\n2.\n  GOTO 1\n", ["A", ""]),
        ('RESPOND "x"\nGOTO COMPLETE\n', [""]),
    ],
)
def test_a_step_without_number_or_name_is_one_finding(text, names):
    steps, _, faults = read_steps(triples(text))
    assert [one.code for one in faults] == ["LEGACY_INVALID_STEP"]
    assert [step.name for step in steps] == names
    assert all(step.actions for step in steps)
    assert read_steps(triples(faults[0].fix.apply(text)))[2] == ()


def test_a_number_that_stands_twice_is_found():
    _, _, faults = read_steps(triples("1. A\n  GOTO 2\n1. B\n"))
    assert [one.code for one in faults] == ["DUPLICATE_NAME"]


def test_numbered_steps_become_a_flow_with_places():
    source = Source("1. A\n  GOTO 2\n2. B\n")
    flow, faults = read_numbered_steps(triples(source.text), locate=source.pos)
    assert faults == ()
    assert [(step.name, step.then, step.pos.line) for step in flow.steps] == [("A", "B", 1), ("B", "", 3)]
