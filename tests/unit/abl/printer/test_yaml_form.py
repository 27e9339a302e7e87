"""Documents as YAML text; that it is read back is a property test."""

from textwrap import dedent

from abl.parser import parse_text
from abl.printer import serialize
from abl.printer.yaml_form import to_yaml
from abl.syntax.document import Document
from abl.syntax.rules import Guardrail
from abl.syntax.tools import Parameter, Tool, TypeExpr
from abl.yaml_form import parse_yaml


def yaml_of(body: str) -> str:
    document = parse_text('AGENT: Desk\nGOAL: "Help"\n' + body).document
    assert document is not None
    return to_yaml(document).removeprefix("agent: Desk\ngoal: Help\n")


def test_serialize_writes_yaml_on_demand():
    assert serialize(Document(name="A", goal="x"), format="yaml") == "agent: A\ngoal: x\n"


def test_a_step_is_a_map_under_its_name():
    text = (
        "FLOW:\n  ask:\n    REASONING: false\n    CALL: find(a) AS b\n    ON_INPUT:\n      - ELSE:\n        THEN: ask\n"
    )
    assert yaml_of(text) == dedent(
        """\
        flow:
          steps:
            ask:
              reasoning: false
              call: "find(a)"
              call_as: b
              on_input:
                - else: true
                  then: ask
        """
    )


def test_steps_of_the_same_name_make_a_list():
    written = yaml_of("FLOW:\n  a:\n    THEN: b\n  a:\n    THEN: c\n")
    assert written == "flow:\n  steps:\n    - name: a\n      then: b\n    - name: a\n      then: c\n"


def test_rules_under_a_label_are_its_requirements():
    written = yaml_of('CONSTRAINTS:\n  - WARN a < 3\n  late:\n    - REQUIRE b\n      ON_FAIL: BLOCK "No"\n')
    assert written == dedent(
        """\
        constraints:
          - kind: warn
            condition: "a < 3"
          - name: late
            requirements:
              - condition: b
                on_fail:
                  action: block
                  message: "No"
        """
    )


def test_bindings_stand_in_their_wrapper():
    tool = Tool(name="t", description="d", type="http", endpoint="/x", timeout=5, cacheable=True)
    written = to_yaml(Document(name="A", goal="x", tools=[tool]))
    assert written.endswith(
        "    description: d\n    type: http\n    cacheable: true\n    http_binding:\n"
        '      endpoint: "/x"\n      timeout: 5\n'
    )


def test_descriptions_of_nested_fields_are_kept():
    nested = TypeExpr(base="object", fields=[Parameter(name="a", type=TypeExpr(), description="deep")])
    document = Document(name="A", goal="x", tools=[Tool(name="t", parameters=[Parameter(name="p", type=nested)])])
    made = parse_yaml(to_yaml(document)).document
    assert made is not None
    assert made.tools == document.tools


def test_guardrail_defaults_of_the_text_form_are_written_out():
    written = to_yaml(Document(name="A", goal="x", guardrails=[Guardrail(name="g", check="a")]))
    assert written.endswith("  - name: g\n    check: a\n    kind: output\n    action: warn\n")


def test_unknown_lists_and_maps_stay_yaml_and_all_else_becomes_text():
    extras = {"a": "\n- x\n- y: z", "b": "\nno: [yaml", "c": "one"}
    written = to_yaml(Document(name="A", goal="x", extras=extras))
    assert written.endswith('a:\n  - x\n  - y: z\nb: "\\nno: [yaml"\nc: one\n')
    made = parse_yaml(written).document
    assert made is not None
    assert made.extras["a"] == extras["a"]


def test_profiles_and_libraries_have_a_yaml_form_too():
    profile = parse_text("BEHAVIOR_PROFILE: phone\nPRIORITY: 1\nWHEN: x\nRESPONSE:\n  max_buttons: 0\n").document
    library = parse_text("TOOLS:\n  timeout: 5\n\n  t() -> string\n", "tools").document
    for document in (profile, library):
        assert document is not None
        made = parse_yaml(to_yaml(document)).document
        assert made is not None
        made.format, made.detected_type = document.format, document.detected_type
        assert made == document
