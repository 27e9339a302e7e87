"""The validators of the public API."""

import pytest

from abl.compilation import compile_abl_to_ir
from abl.validation import (
    validate_abl,
    validate_cross_agent_refs,
    validate_field_references,
    validate_ir,
)

DESK = """AGENT: Desk
GOAL: "Help"
HANDOFF:
  - TO: Clams_Desk
    WHEN: intent_name == "claim"
COMPLETE:
  - WHEN: language = "de"
    RESPOND: "Bye."
"""
CLAIMS = 'AGENT: Claims_Desk\nGOAL: "Handle claims"\n'


def codes(findings):
    return [one.code for one in findings]


def test_a_text_alone_gives_what_parser_compiler_and_checks_find_by_line():
    text = DESK + "TEMPLATES:\n  card: Hi\nGAHTER:\n  x:\n"
    found = validate_abl(text)
    assert codes(found) == ["UNDEFINED_CONDITION_VAR", "SINGLE_EQUALS", "W602", "UNKNOWN_SECTION"]
    assert [one.line for one in found] == sorted(one.line for one in found)


def test_an_agent_outside_of_the_text_is_not_missed():
    assert "INVALID_HANDOFF_TARGET" not in codes(validate_abl(DESK))


def test_a_good_text_has_no_findings():
    assert validate_abl(CLAIMS) == []


@pytest.mark.parametrize("value", [None, 3, b"AGENT: A", ["AGENT: A"]])
def test_what_is_no_text_is_one_finding(value):
    assert codes(validate_abl(value)) == ["NOT_TEXT"]


def test_strict_makes_errors_of_older_forms():
    text = "AGENT: A\nGOAL: x\nMODE: reasoning\n"
    assert [one.severity for one in validate_abl(text)] == ["warning"]
    assert [one.severity for one in validate_abl(text, strict=True)] == ["error"]


def test_references_between_agents_are_checked_in_any_form_of_the_agents():
    output = compile_abl_to_ir([DESK, CLAIMS])
    agents = output["agents"]
    for given in (output, agents, list(agents.values())):
        (found,) = validate_cross_agent_refs(given)
        assert (found.code, found.agent) == ("INVALID_HANDOFF_TARGET", "Desk")
        assert "Did you mean Claims_Desk?" in found.message


def test_an_agent_ir_is_checked_on_its_own():
    agent = compile_abl_to_ir(DESK)["agents"]["Desk"]
    assert codes(validate_ir(agent)) == ["UNDEFINED_CONDITION_VAR"]
    assert codes(validate_field_references(agent)) == ["UNDEFINED_CONDITION_VAR"]


def test_an_output_is_checked_as_a_whole():
    output = compile_abl_to_ir([DESK, CLAIMS])
    assert codes(validate_ir(output)) == ["INVALID_HANDOFF_TARGET", "UNDEFINED_CONDITION_VAR"]
    assert codes(validate_field_references(output)) == ["UNDEFINED_CONDITION_VAR"]


def test_an_unreadable_condition_is_reported_in_an_ir_without_text():
    ir = {"metadata": {"name": "A"}, "identity": {}, "completion": {"conditions": [{"when": "a == AND"}]}}
    assert codes(validate_ir(ir)) == ["INVALID_CONDITION"]


@pytest.mark.parametrize(
    "value", [None, 0, "x", [], {}, {"agents": None}, {"agents": {"A": 3}}, [None, {"metadata": 1}]]
)
def test_validators_accept_anything(value):
    assert isinstance(validate_ir(value), list)
    assert isinstance(validate_cross_agent_refs(value), list)
    assert isinstance(validate_field_references(value), list)


def test_one_fault_is_said_once():
    text = 'AGENT: A\nGOAL: x\nCOMPLETE:\n  - WHEN: input MATCHES "(a+)+"\n'
    assert codes(validate_abl(text)) == ["INVALID_REGEX"]
