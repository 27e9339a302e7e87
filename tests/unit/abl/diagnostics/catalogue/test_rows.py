"""Every row of the catalogue is complete, and every code of the specification has its row."""

from string import Formatter

import pytest

from abl.diagnostics.catalogue import RULES, TABLES
from abl.diagnostics.catalogue.rule import ARGUMENTS, Rule, flush
from tests.support.cells import over

ROWS = [row for table in TABLES for row in table]

SPECIFIED = """
E601 W602 E707 E720 E721 W721 E727 E728 W801 W822 W823 W824 MISSING_ENTRY_POINT DANGLING_STEP_REF ORPHANED_STEP
DUPLICATE_STEP_NAME EMPTY_FLOW FLOW_STEP_NO_ACTION REASONING_ZONE_NO_MODEL SUPERVISOR_NO_REASONING_STEP
UNDEFINED_TOOL_CALL MISSING_TOOL_DESCRIPTION MISSING_PARAM_DESCRIPTION SIDE_EFFECT_TOOL_WITHOUT_CONFIRMATION
AUTH_JIT_WITHOUT_PROFILE INVALID_HANDOFF_TARGET INVALID_DELEGATE_TARGET INVALID_ROUTING_TARGET
INVALID_DEFAULT_ROUTING_TARGET SELF_HANDOFF_TARGET SELF_DELEGATE_TARGET SELF_ROUTING_TARGET
UNKNOWN_HANDOFF_RETURN_FIELD UNKNOWN_DELEGATE_RETURN_FIELD UNDEFINED_CONDITION_VAR
MISSING_VARIABLE_PRODUCER_WARNING UNUSED_REQUIRED_GATHER_FIELD MIXED_ROUTING_CONDITION_STATE
RESERVED_VARIABLE_NAME INVALID_DEPENDS_ON_REF CIRCULAR_DEPENDS_ON CEL_IN_INPUT_MAPPING UNKNOWN_RECALL_TOOL
UNKNOWN_RECALL_AGENT UNKNOWN_RECALL_EVENT LEGACY_RECALL_EVENT_ALIAS BLOCKED_RECALL_TOOL_BEFORE_EVENT
INVALID_GUARDRAIL_ACTION GUARDRAIL_ACTION_WARNING PROFILE_INVALID_WHEN PROFILE_FLOW_CONFLICT PROFILE_NOT_FOUND
PROFILE_PRIORITY_CONFLICT PROFILE_UNKNOWN_TOOL PROFILE_UNKNOWN_STEP ENTITY_REF_CONFLICT UNKNOWN_ENTITY
ENTITY_CONFLICT INVALID_REGEX PRIVATE_DESTINATION LAMBDA_DEPRECATED INVALID_OPERATOR UNDEFINED_CONFIG_VARIABLE
CONTEXT_ACCESS_UNDECLARED UNDECLARED_INTENT MODE_DEPRECATED LEGACY_ROUTING
REASONING_MISSING GOAL_MISSING TAB_INDENT MULTILINE_STRING BRANCH_WITHOUT_THEN UNKNOWN_PROPERTY AGENT_NAME_STYLE
FUNCTION_UNKNOWN CONSTRAINT_PLAIN_ITEM
""".split()

SEVERITIES = """
E601 error, W602 warning, E707 error, E720 warning, E721 error, W721 warning, E727 error, E728 error, W801 warning,
W822 warning, W823 info, W824 error, MISSING_ENTRY_POINT error, DANGLING_STEP_REF error, ORPHANED_STEP warning,
EMPTY_FLOW warning, SUPERVISOR_NO_REASONING_STEP error, UNDEFINED_TOOL_CALL error, SELF_HANDOFF_TARGET error,
UNKNOWN_HANDOFF_RETURN_FIELD error, UNKNOWN_DELEGATE_RETURN_FIELD warning, INVALID_GUARDRAIL_ACTION error,
GUARDRAIL_ACTION_WARNING warning, PROFILE_PRIORITY_CONFLICT warning, PROFILE_FLOW_CONFLICT error,
LAMBDA_DEPRECATED warning, CONTEXT_ACCESS_UNDECLARED warning, UNDECLARED_INTENT warning, UNKNOWN_PROPERTY warning,
AGENT_NAME_STYLE info, WRONG_CASE_SECTION warning, UNKNOWN_SECTION error, DUPLICATE_SECTION error,
TAB_INDENT warning, FUNCTION_UNKNOWN warning, TRIPLE_EQUALS error, SINGLE_EQUALS warning
"""

FRAGMENTS = {
    "MISSING_AGENT": "Missing required AGENT: declaration",
    "GOAL_REQUIRED": "GOAL is required",
    "GOAL_MISSING": "GOAL is required",
    "UNKNOWN_SECTION": "Unknown section",
    "DUPLICATE_SECTION": "Duplicate section",
    "REASONING_MISSING": "must declare REASONING",
    "WRONG_CASE_SECTION": "ABL keywords must be uppercase",
    "UNDETECTED_TYPE": "Unable to detect document type",
    "INVALID_TOOL_SIGNATURE": "Invalid tool signature",
    "RESERVED_TOOL_NAME": "Names starting with __",
    "DUPLICATE_TOOL": "Duplicate TOOLS entry",
    "WITH_OUTSIDE_CALL": "must be nested under CALL",
    "MALFORMED_CONSTRAINT": "Malformed constraint requirement",
    "MODE_DEPRECATED": "is no longer supported",
    "DESTINATION_WITHOUT_URL": 'missing a required "url"',
    "ACTION_CALL_WITHOUT_AS": "must declare an AS result key",
    "CONVERSATION_UNKNOWN_FIELD": "is not a supported Conversation Behavior field",
    "EXPECTED_TOOLS": "Expected TOOLS: section, got: ",
    "NO_TOOLS_SECTION": "No TOOLS: section found",
    "YAML_MISSING_AGENT": 'Missing required field: "agent"',
    "NOT_TEXT": "Cannot parse non-string ABL source",
    "EXPECTED_AGENT": "Expected AGENT:",
    "INVALID_DELEGATE_ENTRY": "Invalid DELEGATE entry",
}


def by_code(row: Rule) -> str:
    return row.code


def test_a_code_stands_in_one_table_only():
    assert len(ROWS) == len(RULES) >= 130


@over("code", SPECIFIED)
def test_every_code_of_the_specification_has_a_row(code):
    assert code in RULES


@over("pair", SEVERITIES.replace("\n", " ").split(","))
def test_severities_are_those_of_the_specification(pair):
    code, severity = pair.split()
    assert RULES[code].severity == severity


@pytest.mark.parametrize(("code", "fragment"), FRAGMENTS.items())
def test_messages_keep_the_fragments_others_look_for(code, fragment):
    assert fragment in RULES[code].message


@over("row", ROWS, ids=by_code)
def test_a_row_is_complete(row):
    assert row.severity in ("error", "warning", "info")
    assert row.strict in (None, "error")
    assert row.title
    assert not row.title.endswith(".")
    explanation = row.explanation.split("\n")
    assert 2 <= len(explanation) <= 10
    assert all(line and line == line.strip() for line in explanation)
    assert explanation[-1].endswith(".")
    assert set(row.also) <= set(RULES) - {row.code}


@over("row", ROWS, ids=by_code)
def test_a_message_is_a_sentence_over_the_allowed_arguments(row):
    names = {name for _, name, _, _ in Formatter().parse(row.message) if name is not None}
    assert names <= set(ARGUMENTS)
    assert row.message.count("[[") == row.message.count("]]")
    assert "!" not in row.message.replace("!=", "")
    assert row.message.rstrip().endswith((".", "]]", "}"))


@over("row", ROWS, ids=by_code)
def test_a_row_has_two_different_examples_or_says_why_not(row):
    if row.example_note:
        assert not row.wrong
        assert not row.right
        return
    assert row.wrong != row.right
    for text in (row.wrong, row.right):
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert not text.startswith((" ", "\n"))


@pytest.mark.parametrize("row", [row for row in ROWS if row.needs == "a project"], ids=by_code)
def test_the_example_of_a_project_names_its_files(row):
    for text in (row.wrong, row.right):
        headings = [line for line in text.split("\n") if line.startswith("=== ")]
        assert len(headings) == len(set(headings)) >= 2
        assert text.startswith("=== ")
        assert all(line.endswith(".abl") for line in headings)


def test_flush_takes_the_indent_of_the_first_line_from_all():
    assert flush("\n    a:\n      b\n\n    c\n  ") == "a:\n  b\n\nc\n"
    assert flush("") == ""
