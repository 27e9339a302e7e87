from abl.legacy import modernise, parse_legacy
from abl.parser import parse_text
from abl.printer import serialize
from abl.syntax.memory import PersistentPath, SessionVariable
from abl.syntax.rules import Constraint, FailAction


def modern(text):
    return modernise(parse_legacy(text).document)


def test_a_modern_document_is_returned_as_it_is():
    document = parse_text("AGENT: A\nGOAL: g\n").document
    assert modernise(document) is document


def test_identity_becomes_goal_persona_and_limitations():
    made = modern(
        'AGENT: A\nIDENTITY:\n  role: "r"\n  persona: "p"\n  expertise: [a, b]\n  limitations: [c]\nCONTRACT:\n'
    )
    assert (made.goal, made.persona, made.limitations, made.identity) == ("r", "p\nExpertise: a, b", ["c"], None)
    assert (made.format, made.legacy) == ("abl", None)


def test_the_fields_of_a_contract_become_variables_but_for_those_of_every_reply():
    made = modern(
        'AGENT: A\nCONTRACT:\n  inputs:\n    a: enum(x, y) = "x"\n  outputs:\n    response: string\n    b: number\n'
    )
    assert made.memory.session == [
        SessionVariable(name="a", type="string", initial_value="x"),
        SessionVariable(name="b", type="number"),
    ]


def test_namespaces_of_state_become_object_variables():
    made = modern(
        "SUPERVISOR: A\nSTATE:\n  c.a: number = 1\n  c.d.e: string = x\n  session.f: date\n  g: boolean = true\n"
    )
    assert made.memory.session == [
        SessionVariable(name="c", type="object", initial_value={"a": 1, "d": {"e": "x"}}),
        SessionVariable(name="f", type="date"),
        SessionVariable(name="g", type="boolean", initial_value=True),
    ]


def test_a_variable_that_is_declared_is_not_declared_again():
    text = "SUPERVISOR: A\nMEMORY:\n  session:\n    - a\nSTATE:\n  a: number\n  b: number\n"
    document = parse_legacy(text).document
    assert [one.name for one in modernise(document).memory.session] == ["a", "b"]
    assert [one.name for one in document.memory.session] == ["a"]


def test_on_failure_of_a_tool_becomes_retry():
    document = parse_legacy("AGENT: A\nTOOLS:\n  f()\n    on_failure: retry(2)\nCONTRACT:\n").document
    tool = modernise(document).tools[0]
    assert (tool.retry, tool.on_failure) == (2, "")
    assert document.tools[0].on_failure == "retry(2)"


def test_rules_become_handoffs_and_completions():
    made = modern(
        "SUPERVISOR: A\nAGENTS:\n  x: p [c]\n  y: q\nINTENTS:\n  DEFAULT -> x\n  [a] -> x\n"
        "ROUTING:\n  - WHEN: d\n    THEN: END_CONVERSATION\n"
    )
    assert [(one.to, one.when, one.description) for one in made.handoffs] == [
        ("x", 'intent.category IN ["a"]', "Can do: c"),
        ("y", "", ""),
        ("x", "true", "Can do: c"),
    ]
    assert [one.when for one in made.complete] == ["d"]


def test_policies_become_constraints():
    made = modern(
        "SUPERVISOR: A\nPOLICIES:\n  p:\n    allowed_when: a\n    forbidden_when: b\n    trigger_signal: ESCALATE\n"
    )
    fail = FailAction(type="escalate", reason="p")
    assert made.constraints == [
        Constraint(kind="require", condition="a", phase="p", on_fail=fail),
        Constraint(kind="restrict", condition="b", phase="p", on_fail=fail),
    ]


def test_communication_and_behavior_become_text_for_the_model():
    made = modern(
        "SUPERVISOR: A\nCOMMUNICATION:\n  language: de\n  formality: formal\n  constraints: [short]\n"
        "BEHAVIOR:\n  can_respond_directly: true\n  allowed_actions: [greet]\n  forbidden_actions: [sell]\n"
    )
    assert (made.language, made.persona) == ("de", "Formality: formal")
    assert made.limitations == ["short", "Never: sell"]
    assert made.instructions == "You may answer the user yourself.\nYou may: greet."


def test_a_lowered_document_is_a_modern_text_without_errors():
    made = modern(
        'AGENT: A\nIDENTITY:\n  role: "r"\nSTEPS:\n  1. Ask\n    RESPOND "Hi"\n    WAIT_INPUT\n      INTENT(a) -> 2\n'
        "      DEFAULT -> 1\n  2. End\n    SIGNAL: COMPLETE\n"
    )
    result = parse_text(serialize(made))
    assert result.findings == []
    assert result.document.flow == made.flow


def test_facts_of_users_and_projects_become_persistent_paths():
    made = modern(
        'SUPERVISOR: A\nMEMORY:\n  persistent:\n    - user.known\nSTATE:\n  user.name: string? = "x"\n'
        "  user.known: string\n  project.rate: number = 2\n"
    )
    assert made.memory.session == []
    assert made.memory.persistent == [
        PersistentPath(path="user.known"),
        PersistentPath(path="user.name", type="string", default_value="x"),
        PersistentPath(path="project.rate", scope="project", type="number", default_value=2),
    ]


def test_a_numbered_document_without_a_goal_gets_one():
    assert modern("SUPERVISOR: A\nSTATE:\n  a: number\n").goal == "Hand every request to the right agent"
    assert modern("AGENT: A\nIDENTITY:\n  role: r\nCONTRACT:\n").goal == "r"
