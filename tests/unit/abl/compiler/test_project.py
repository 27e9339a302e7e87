from __future__ import annotations

import json

import pytest

from abl.compiler import CompileOptions, Unit, add_findings, compile_documents
from abl.diagnostics.reporter import finding
from abl.ir import IR_VERSION, OUTPUT_KEYS, canonical_bytes
from abl.legacy import parse_legacy
from abl.syntax.document import Document
from abl.yaml_form import parse_yaml


def units(*names: str, kind: str = "agent") -> list[Unit]:
    return [Unit(Document(kind=kind, name=name), None, f"{name}.abl") for name in names]


def test_the_output_has_the_documented_keys() -> None:
    output = compile_documents(units("Desk")).output
    optional = {"compilation_errors", "compilation_warnings", "errors", "warnings"}
    assert set(output) == set(OUTPUT_KEYS) - optional
    assert output["version"] == IR_VERSION
    assert output["compiled_at"] is None


def test_nothing_gives_an_empty_project() -> None:
    output = compile_documents([]).output
    assert (output["agents"], output["entry_agent"]) == ({}, None)


@pytest.mark.parametrize(
    ("made", "options", "entry"),
    [
        (units("A", "B"), CompileOptions(), "A"),
        (units("A") + units("S", kind="supervisor"), CompileOptions(), "S"),
        (units("A") + units("S", kind="supervisor"), CompileOptions(entry_agent="A"), "A"),
    ],
)
def test_the_entry_agent(made: list[Unit], options: CompileOptions, entry: str) -> None:
    assert compile_documents(made, options).output["entry_agent"] == entry


def test_libraries_and_profiles_are_no_agents() -> None:
    made = units("A") + units("T", kind="tools") + units("P", kind="profile")
    assert list(compile_documents(made).output["agents"]) == ["A"]


def test_a_second_supervisor_is_reported_where_it_stands() -> None:
    result = compile_documents(units("A", "B", kind="supervisor"))
    assert [(one.code, one.agent, one.file) for one in result.findings] == [("E728", "B", "B.abl")]
    assert "A, B" in result.findings[0].message


def test_a_second_agent_of_the_same_name_is_reported_and_left_out() -> None:
    result = compile_documents(units("A", "A"))
    assert [one.code for one in result.findings] == ["DUPLICATE_AGENT"]
    assert list(result.output["agents"]) == ["A"]


def test_errors_and_warnings_stand_in_the_output_under_both_names() -> None:
    output = compile_documents(units("A", "B", kind="supervisor")).output
    assert output["compilation_errors"] == output["errors"]
    assert output["errors"][0]["code"] == "E728"
    assert "compilation_warnings" not in output
    add_findings(output, [finding("W602", name="x", agent="A", line=3), finding("W823", name="x")])
    assert [(one["code"], one["agent"], one["line"]) for one in output["warnings"]] == [("W602", "A", 3)]


def test_a_compile_that_takes_too_long_stops() -> None:
    ticks = iter([0.0, 0.1, 0.9])
    result = compile_documents(units("A", "B"), CompileOptions(timeout_ms=500, clock=lambda: next(ticks)))
    assert [one.code for one in result.findings] == ["E727"]
    assert "1 of 2 agents" in result.findings[0].message
    assert list(result.output["agents"]) == ["A"]


def test_the_deployment_says_what_it_needs(compile_text) -> None:
    def deployment(text: str) -> dict:
        return compile_text(text).output["deployment"]

    scripted = deployment("FLOW:\n  a:\n    REASONING: false\n    RESPOND: x\n")
    assert scripted["runtime_recommendations"]["needs_model"] is False
    assert scripted["stateful"] is True
    assert deployment("")["runtime_recommendations"]["needs_model"] is True
    assert deployment("ESCALATE:\n  triggers:\n    - WHEN: a\n")["hitl_capable"] is True


def test_the_same_text_gives_the_same_bytes(compile_text) -> None:
    text = "HANDOFF:\n  - TO: B\n    WHEN: a\nGATHER:\n  c:\n    prompt: ä\n"
    first, second = (canonical_bytes(compile_text(text).output) for _ in range(2))
    assert first == second
    assert json.loads(first) == compile_text(text).output


def test_the_time_comes_from_the_caller(compile_text) -> None:
    output = compile_text("", compiled_at="2026-01-01T00:00:00Z").output
    assert output["compiled_at"] == "2026-01-01T00:00:00Z"
    assert output["agents"]["Parcel_Desk"]["metadata"]["compiled_at"] == "2026-01-01T00:00:00Z"


def test_coordination_has_defaults() -> None:
    assert compile_documents([]).output["coordination_defaults"]["history"] == "auto"


NUMBERED = """AGENT: Old_Tracer
IDENTITY:
  role: "Tracer"
TOOLS:
  find_parcel(code: string) -> object
STEPS:
  1. Ask
    RESPOND "Which code?"
    WAIT_INPUT
      PATTERN("[A-Z]{2}") -> 2
      DEFAULT -> 1
  2. Look
    CALL find_parcel(code)
    ON_SUCCESS -> 3
    ON_FAILURE -> Ask
  3. End
    SIGNAL: COMPLETE MESSAGE: "Bye"
"""


def test_the_numbered_grammar_is_compiled_through_todays_flow() -> None:
    unit = Unit(parse_legacy(NUMBERED).document)
    agent = compile_documents([unit]).output["agents"]["Old_Tracer"]
    assert agent["identity"]["goal"] == "Tracer"
    assert agent["flow"]["steps"] == ["Ask", "Look", "End"]
    edges = {(one["from"], one["to"], one["label"]) for one in agent["flow"]["staticGraph"]["edges"]}
    assert edges == {
        ("Ask", "Look", "on_input"),
        ("Ask", "Ask", "on_input"),
        ("Look", "End", "on_success"),
        ("Look", "Ask", "on_failure"),
        ("End", "COMPLETE", "then"),
    }


IN_TEXT = """VERSION: "2.1.0"
TOOLS:
  find_parcel(code: string) -> {status: string}
    description: Look a parcel up
    type: http
    endpoint: "https://api.parcels.example/p/{code}"
    method: GET
GATHER:
  tracking_code:
    prompt: "Code?"
    type: string
    required: true
CONSTRAINTS:
  - REQUIRE claim_amount <= 500
    ON_FAIL: RESPOND "Limit is 500"
HANDOFF:
  - TO: Claims_Desk
    WHEN: parcel_status == "lost"
    CONTEXT:
      pass: [tracking_code]
      history: auto
    RETURN: true
    ON_RETURN: continue
COMPLETE:
  - WHEN: parcel IS SET
    RESPOND: Done
"""
IN_YAML = """agent: Parcel_Desk
version: "2.1.0"
goal: Find parcels
tools:
  - name: find_parcel
    description: Look a parcel up
    parameters:
      - {name: code, type: string, required: true}
    returns: {type: object, fields: {status: string}}
    type: http
    http_binding: {endpoint: "https://api.parcels.example/p/{code}", method: GET}
gather:
  - {name: tracking_code, prompt: "Code?", type: string, required: true}
constraints:
  - condition: claim_amount <= 500
    on_fail: {action: respond, message: "Limit is 500"}
handoff:
  - to: Claims_Desk
    when: parcel_status == "lost"
    context: {pass: [tracking_code], history: auto}
    return: true
    on_return: {action: continue}
complete:
  - {when: parcel IS SET, respond: Done}
"""


def test_the_yaml_form_compiles_to_the_same_agent(agent_of) -> None:
    text = agent_of(IN_TEXT)
    yaml = compile_documents([Unit(parse_yaml(IN_YAML).document)]).output["agents"]["Parcel_Desk"]
    assert text["metadata"].pop("source_hash") != yaml["metadata"].pop("source_hash")
    assert text == yaml
