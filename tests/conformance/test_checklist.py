"""Items 1 to 11 of the conformance checklist, told in the names of the tests: reading texts, conditions and templates.
Spec: abl-language 15."""

from __future__ import annotations

import ast

import pytest

import abl
from abl.expressions import compile_condition
from abl.syntax.document import SECTIONS
from abl.templates import render_template
from tests.support.cells import over

HEAD = 'AGENT: Probe\nGOAL: "Answer"\n'


def codes(text: str, *, strict: bool = False) -> list[str]:
    return [one.code for one in abl.parse(text, strict=strict).findings]


def document(text: str) -> abl.Document:
    result = abl.parse(text)
    assert result.document is not None
    assert not result.errors, [one.message for one in result.errors]
    return result.document


def ir(text: str) -> dict:
    return abl.compile_abl_to_ir(text, {"single_agent": True})["agents"]["Probe"]


# --- 1 ---------------------------------------------------------------------------------------------------------------


def test_01_a_minimal_agent_parses() -> None:
    assert document(HEAD).to_dict() == {"detected_type": "agent", "name": "Probe", "goal": "Answer"}
    assert codes(HEAD) == []


def test_01_a_missing_goal_is_one_error() -> None:
    errors = abl.parse('AGENT: Probe\nPERSONA: "Calm"\n').errors
    assert [one.code for one in errors] == ["GOAL_REQUIRED"]
    assert errors[0].message.startswith("GOAL is required")


def test_01_line_ends_do_not_matter() -> None:
    text = HEAD + "LIMITATIONS:\n  - one\nSYSTEM_PROMPT: |\n  a\n\n  b\n"
    assert document(text.replace("\n", "\r\n")) == document(text) == document(text.replace("\n", "\r"))


# --- 2 ---------------------------------------------------------------------------------------------------------------

KINDS = {
    "agent: Probe\ngoal: x\n": "yaml",
    "TOOLS:\n  ping()\n": "tools",
    "SUPERVISOR: Probe\nGOAL: x\n": "supervisor",
    "SUPERVISOR: Probe\nMODE: reasoning\nGOAL: x\n": "agent-based",
    "AGENT: Probe\nGOAL: x\n": "agent",
    "AGENT: Probe\nGOAL: x\nMODE: reasoning\n": "agent-based",
    "BEHAVIOR_PROFILE: probe\nPRIORITY: 1\nWHEN: true\n": "agent-based",
}


@over(("text", "kind"), KINDS.items())
@over("before", ["", "# a comment\n", "# two\n\n# comments\n", "\ufeff", "\ufeff# both\n\n\n"])
@over("after", ["", "\n\n   \n"])
def test_02_the_kind_of_a_text_is_detected(text: str, kind: str, before: str, after: str) -> None:
    assert document(before + text + after).detected_type == kind


def test_02_tools_beside_an_agent_are_no_library() -> None:
    assert document("TOOLS:\n  ping()\nAGENT: Probe\nGOAL: x\n").kind == "agent"


@pytest.mark.parametrize("text", ["Dear reader, this is prose.\n", "", "- a\n- b\n", "{}\n"])
def test_02_a_text_of_no_kind_gives_one_error(text: str) -> None:
    result = abl.parse(text)
    assert result.document is None
    assert len(result.errors) == 1
    assert (result.errors[0].line, result.errors[0].column) == (1, 1)
    assert "Unable to detect document type" in result.errors[0].message


# --- 3 ---------------------------------------------------------------------------------------------------------------

BODIES = {
    "VERSION": ' "1.0"', "DESCRIPTION": ' "d"', "LANGUAGE": " de", "GOAL": ' "g"', "PERSONA": ' "p"',
    "INSTRUCTIONS": ' "i"', "LIMITATIONS": "\n  - a", "IDENTITY": '\n  role: "r"', "SYSTEM_PROMPT": ' "s"',
    "EXECUTION": "\n  temperature: 0.1", "CONVERSATION": "\n  speaking:\n    style: concise",
    "USE BEHAVIOR_PROFILE": " night", "MEMORY": "\n  session:\n    - m", "TOOLS": "\n  t{n}()",
    "GATHER": "\n  f{n}:\n    prompt: x", "ATTACHMENTS": "\n  a{n}:\n    prompt: x",
    "ENTITIES": "\n  e{n}:\n    TYPE: string", "INTENTS": '\n  i{n}: "x"', "NLU": "\n  languages: [de]",
    "LOOKUP_TABLES": "\n  l{n}:\n    source: inline\n    values: [a]", "MULTI_INTENT": "\n  enabled: true",
    "CONSTRAINTS": "\n  - REQUIRE a > {n}", "GUARDRAILS": '\n  g{n}:\n    check: input == "x"',
    "FLOW": "\n  s:\n    REASONING: false\n    RESPOND: x\n    THEN: COMPLETE", "DELEGATE": "\n  - AGENT: D{n}",
    "HANDOFF": "\n  - TO: H{n}", "RETURN_HANDLERS": "\n  r{n}:\n    CONTINUE: true",
    "ESCALATE": "\n  triggers:\n    - WHEN: a == 1", "DESTINATIONS": '\n  d{n}:\n    url: "https://d.example"',
    "COMPLETE": "\n  - WHEN: a == {n}", "ON_START": '\n  RESPOND: "hi"', "HOOKS": "\n  before_turn:\n    SET: a = 1",
    "ON_ERROR": "\n  kind_{n}:\n    THEN: CONTINUE", "ACTION_HANDLERS": '\n  h{n}:\n    RESPOND: "x"',
    "TEMPLATES": '\n  t{n}: "x"', "MESSAGES": '\n  greeting: "hi"',
}  # fmt: skip
# Spec 3.0: what repeats without an error.
LISTED_AS_MERGED = {
    "INSTRUCTIONS", "LIMITATIONS", "TOOLS", "GATHER", "ATTACHMENTS", "ENTITIES", "INTENTS", "LOOKUP_TABLES", "MEMORY",
    "CONSTRAINTS", "GUARDRAILS", "DELEGATE", "HANDOFF", "RETURN_HANDLERS", "COMPLETE", "ON_ERROR", "ACTION_HANDLERS",
    "TEMPLATES", "DESTINATIONS", "USE BEHAVIOR_PROFILE",
}  # fmt: skip


@over("section", BODIES)
def test_03_every_section_parses_alone(section: str) -> None:
    head = "AGENT: Probe\n" if section == "GOAL" else HEAD
    text = f"{head}{section}:{BODIES[section].replace('{n}', '1')}\n"
    assert codes(text) == []
    assert SECTIONS[section].field in dict(document(text).written())


@over("section", BODIES)
def test_03_a_section_written_twice_is_merged_or_an_error(section: str) -> None:
    head = "AGENT: Probe\n" if section == "GOAL" else HEAD
    twice = "\n".join(f"{section}:{BODIES[section].replace('{n}', n)}" for n in ("1", "2"))
    found = [one for one in abl.parse(f"{head}{twice}\n").errors if one.code == "DUPLICATE_SECTION"]
    assert len(found) == (section not in LISTED_AS_MERGED)
    assert all(one.message.startswith(f"Duplicate section {section}") for one in found)


def test_03_merged_sections_keep_the_items_of_both() -> None:
    both = document(
        HEAD + "TOOLS:\n  one()\nTOOLS:\n  two()\nMEMORY:\n  session:\n    - a\nMEMORY:\n  READS:\n    - b\n"
    )
    assert [tool.name for tool in both.tools] == ["one", "two"]
    assert both.memory is not None
    assert (both.memory.session[0].name, both.memory.reads) == ("a", ["b"])
    assert document(HEAD + "INSTRUCTIONS: a\nINSTRUCTIONS: b\n").instructions == "a\nb"
    assert document(HEAD + "LIMITATIONS: [a]\nLIMITATIONS: [b]\n").limitations == ["b"]


# --- 4 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("section", ["Persona", "persona", "pERSONA"])
def test_04_a_section_in_the_wrong_case_is_read_with_one_warning(section: str) -> None:
    result = abl.parse(f'{HEAD}{section}: "Calm"\n')
    assert result.document is not None
    assert result.document.persona == "Calm"
    assert [(one.code, one.severity) for one in result.findings] == [("WRONG_CASE_SECTION", "warning")]
    assert "ABL keywords must be uppercase" in result.warnings[0].message
    assert "PERSONA" in result.warnings[0].message


def test_04_an_unknown_section_is_an_error_that_names_it() -> None:
    errors = abl.parse(HEAD + "SHOPPING_LIST:\n  - milk\n").errors
    assert [one.code for one in errors] == ["UNKNOWN_SECTION"]
    assert errors[0].message.startswith("Unknown section: SHOPPING_LIST")
    assert "HANDOFF" in errors[0].message


# --- 5 ---------------------------------------------------------------------------------------------------------------

STEP = "    REASONING: false\n    RESPOND: x\n"


def test_05_steps_may_stand_in_column_0() -> None:
    indented = HEAD + "FLOW:\n  a:\n    REASONING: false\n    THEN: b\n  b:\n    REASONING: false\n    THEN: complete\n"
    flat = HEAD + "FLOW:\na:\n  REASONING: false\n  THEN: b\nb:\n  REASONING: false\n  THEN: complete\n"
    assert document(flat) == document(indented)


@pytest.mark.parametrize("column", [0, 4, 6])
def test_05_dashes_may_stand_in_column_0_or_at_their_header(column: int) -> None:
    gap = " " * column
    text = f'{HEAD}FLOW:\n  a:\n{STEP}    ON_INPUT:\n{gap}- IF: input == "y"\n{gap}  THEN: a\n{gap}- ELSE:\n{gap}  THEN: complete\n'
    flow = document(text).flow
    assert flow is not None
    assert flow.steps is not None
    assert [(one.condition, one.otherwise, one.then) for one in flow.steps[0].on_input] == [
        ('input == "y"', False, "a"),
        ("", True, "COMPLETE"),
    ]


def test_05_on_start_may_be_written_with_bullets() -> None:
    plain = HEAD + "ON_START:\n  SET: a = 1\n  CALL: load(a)\n    AS: b\n  RESPOND: hi\n"
    bullets = HEAD + "ON_START:\n  - SET: a = 1\n  - CALL: load(a)\n    AS: b\n  - RESPOND: hi\n"
    assert document(bullets) == document(plain)


def test_05_several_set_lines_are_kept_in_order() -> None:
    flow = document(HEAD + f"FLOW:\n  a:\n{STEP}    SET: x = 1\n    SET: y = x\n    SET:\n      z = y\n").flow
    assert flow is not None
    assert flow.steps is not None
    assert [(one.variable, one.expression) for one in flow.steps[0].set] == [("x", "1"), ("y", "x"), ("z", "y")]


@pytest.mark.parametrize("word", ["complete", "Complete", "COMPLETE"])
def test_05_the_end_of_a_flow_is_written_in_any_case(word: str) -> None:
    flow = document(HEAD + f"FLOW:\n  a:\n{STEP}    THEN: {word}\n").flow
    assert flow is not None
    assert flow.steps is not None
    assert flow.steps[0].then == "COMPLETE"


# --- 6 ---------------------------------------------------------------------------------------------------------------


def test_06_a_signature_may_go_over_several_lines() -> None:
    one = (
        HEAD
        + "TOOLS:\n  find(code: string, limit: integer = 5, near?: boolean) -> {rows: {at: datetime, tags: string[]}[], note?: string}\n"
    )
    many = HEAD + (
        "TOOLS:\n  find(\n    code: string,\n    limit: integer = 5,\n    near?: boolean\n  ) -> {\n    rows: {\n"
        "      at: datetime,\n      tags: string[]\n    }[],\n    note?: string\n  }\n"
    )
    assert document(many) == document(one)


def test_06_parameters_and_return_types_are_read() -> None:
    tool = ir(
        HEAD
        + "TOOLS:\n  find(code: string, limit: integer = 5, near?: boolean, tags) -> {rows: {at: datetime}[], note?: string}\n"
    )["tools"][0]
    assert [(one["name"], one["type"], one["required"], one.get("default")) for one in tool["parameters"]] == [
        ("code", "string", True, None),
        ("limit", "integer", False, 5),
        ("near", "boolean", False, None),
        ("tags", "string", True, None),
    ]
    assert tool["returns"] == {
        "type": "object",
        "fields": {
            "rows": {"type": "array", "items": {"type": "object", "fields": {"at": {"type": "datetime"}}}},
            "note": {"type": "string", "optional": True},
        },
    }


def test_06_a_name_of_system_tools_is_refused() -> None:
    errors = abl.parse(HEAD + "TOOLS:\n  __secret(a: string)\n").errors
    assert [one.code for one in errors] == ["RESERVED_TOOL_NAME"]
    assert "Names starting with __" in errors[0].message


# --- 7 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("LIMITATIONS: [a, b] # two", "limitations", ["a", "b"]),
        ('PERSONA: "Calm" # tone', "persona", "Calm"),
        ("LANGUAGE: de # German", "language", "de"),
        ('VERSION: "1.0"\t# tab', "version", "1.0"),
        ("DESCRIPTION: Handles ticket #12 # twice", "description", "Handles ticket #12 # twice"),
        ("SYSTEM_PROMPT: |\n  a # b\n  # c", "system_prompt", "a # b\n# c"),
        ('PERSONA: "Calm # really"', "persona", "Calm # really"),
    ],
)
def test_07_a_trailing_comment_is_cut_only_after_a_complete_value(line: str, field: str, value: object) -> None:
    assert getattr(document(f"{HEAD}{line}\n"), field) == value


def test_07_a_comment_after_a_sequence_is_cut() -> None:
    flow = document(HEAD + "FLOW:\n  a -> b # on\n  a:\n    REASONING: false\n  b:\n    REASONING: false\n").flow
    assert flow is not None
    assert flow.sequences == [["a", "b"]]


def test_07_a_goal_keeps_its_number_sign() -> None:
    assert document("AGENT: Probe\nGOAL: Handle ticket #12\n").goal == "Handle ticket #12"


# --- 8 ---------------------------------------------------------------------------------------------------------------

CALLING = '_abl_constraint_checkpoint_kind == "tool_call" AND _abl_constraint_checkpoint_target == "pay"'
LOWERED = {
    "REQUIRE a IMPLIES b": "NOT (a) OR (b)",
    "RESTRICT a IS SET": "NOT (a IS SET)",
    "REQUIRE a == 1 WHEN b == 2": "NOT (b == 2) OR (a == 1)",
    "REQUIRE a > 1 BEFORE calling pay": f"NOT ({CALLING}) OR (a > 1)",
    "REQUIRE a > 1 BEFORE returning results": 'NOT (_abl_constraint_checkpoint_kind == "response") OR (a > 1)',
    "REQUIRE a > 1 BEFORE lunch": "true",
    "REQUIRE a > 1 WHEN b == 2 BEFORE calling pay": f"NOT ({CALLING}) OR (NOT (b == 2) OR (a > 1))",
    "REQUIRE 1 < 2": "1 < 2",
    "REQUIRE a > 1 OR b > 1": "a > 1 OR b > 1",
    "REQUIRE a > 1": "a IS NOT SET OR a > 1",
    "REQUIRE a > 1 AND b > 1": "(a IS NOT SET AND b IS NOT SET) OR (a > 1 AND b > 1)",
    "REQUIRE a IS SET AND b > 1": "a IS SET AND b > 1",
}


@pytest.mark.parametrize(("rule", "condition"), LOWERED.items())
def test_08_constraints_are_lowered(rule: str, condition: str) -> None:
    assert ir(f"{HEAD}CONSTRAINTS:\n  - {rule}\n")["constraints"]["constraints"][0]["condition"] == condition


# --- 9 ---------------------------------------------------------------------------------------------------------------


def test_09_and_binds_tighter_than_or_and_not_tighter_than_both() -> None:
    assert abl.parse_condition("a OR b AND NOT c") == abl.parse_condition("a OR (b AND (NOT c))")
    assert abl.parse_condition("a OR b AND NOT c") != abl.parse_condition("(a OR b) AND NOT c")
    holds = compile_condition("a OR b AND NOT c")
    assert holds({"a": True, "b": False, "c": True})
    assert not holds({"a": False, "b": True, "c": True})


def test_09_operators_inside_quotes_are_text() -> None:
    tree = abl.parse_condition('a == "x AND y OR NOT z"').to_dict()
    assert tree["operator"] == "=="
    assert tree["right"] == {"kind": "string", "value": "x AND y OR NOT z"}


def test_09_is_not_set_is_the_negation_of_exists() -> None:
    assert abl.parse_condition("x IS NOT SET").to_dict() == {
        "kind": "unary",
        "operator": "not",
        "operand": {"kind": "unary", "operator": "exists", "operand": {"kind": "variable", "path": ["x"]}},
    }


# --- 10 --------------------------------------------------------------------------------------------------------------

PYTHON = {
    '"say"': '"say"',
    "'a \"b\"'": '"a \\"b\\""',
    "3": "3",
    "true": "True",
    "false": "False",
    "null": "None",
    "[a, 1]": '[state["a"], 1]',
    "a.b.c": 'state["a"]["b"]["c"]',
    "a": 'state["a"]',
    "UPPER(a, b)": 'UPPER(state["a"], state["b"])',
    "a AND b": '(state["a"] and state["b"])',
    "a OR b": '(state["a"] or state["b"])',
    "a == 1": '(state["a"] == 1)',
    "a != 1": '(state["a"] != 1)',
    "a > 1": '(state["a"] > 1)',
    "a >= 1": '(state["a"] >= 1)',
    "a < 1": '(state["a"] < 1)',
    "a <= 1": '(state["a"] <= 1)',
    "a IN b": '(state["a"] in state["b"])',
    "a NOT IN b": '(state["a"] not in state["b"])',
    "a CONTAINS b": '(state["b"] in state["a"])',
    "a MATCHES b": 're.search(state["b"], state["a"])',
    "NOT a": 'not state["a"]',
    "a IS SET": 'state["a"] is not None',
    "a IS NOT SET": 'not state["a"] is not None',
    "a IS EMPTY": 'len(state["a"]) == 0',
    "a STARTS_WITH b": 'state["a"].startswith(state["b"])',
    "a ENDS_WITH b": 'state["a"].endswith(state["b"])',
    "*": "True",
}


@pytest.mark.parametrize(("text", "python"), PYTHON.items())
def test_10_a_condition_is_printed_as_python_that_compiles(text: str, python: str) -> None:
    printed = abl.expression_to_python(abl.parse_condition(text))
    assert printed == python
    ast.parse(printed, mode="eval")


def test_10_the_reference_spelling_of_matches_is_an_option() -> None:
    assert abl.expression_to_python(abl.parse_condition("a MATCHES b"), matches="tilde") == '(state["a"] ~ state["b"])'


def test_10_a_template_becomes_an_f_string() -> None:
    printed = abl.expression_to_python(abl.parse_expression('"Hello {{name}}"'))
    assert eval(printed, {"state": {"name": "Ada"}}) == "Hello Ada"  # noqa: S307 # our own text


# --- 11 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ name | upper }} {{name|lower}}", "ADA ada"),
        ("{{rows | json}} {{rows | tojson}}", '["a","b"] ["a","b"]'),
        ("{{#each rows}}{{@index}}{{this}};{{/each}}", "0a;1b;"),
        ("{{#each people}}{{this.name}} {{/each}}", "Bo Cy "),
        ("{{#if vip}}Dear{{else}}Hi{{/if}} {{name}}", "Dear Ada"),
        ('{{#if name == "Bo"}}Dear{{else}}Hi{{/if}}', "Hi"),
        ("[{{missing}}] [{{name.missing.deeper}}]", "[] []"),
        ("{{braces}}", "{{name}} {{#if vip}}"),
    ],
)
def test_11_templates_render(template: str, text: str) -> None:
    values = {
        "name": "Ada",
        "rows": ["a", "b"],
        "people": [{"name": "Bo"}, {"name": "Cy"}],
        "vip": True,
        "braces": "{{name}} {{#if vip}}",
    }
    assert render_template(template, values).replace('", "', '","') == text
