"""The conformance checklist of the language, items 12 to 21: coordination, IR, forms, strictness, robustness.

Spec: abl-language 15. The number of the item stands in the name of each test.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import abl
from abl.expressions import compile_condition, compile_expression
from abl.templates import render_template
from benchmarks.shapes import of_lines
from tests.support.proportion import grows_in_proportion
from tools.corpus import cases

HEAD = 'AGENT: Probe\nGOAL: "Answer"\n'


def ir(text: str, **options: object) -> dict[str, Any]:
    output = abl.compile_abl_to_ir(text, {"single_agent": True, **options})
    return next(iter(output["agents"].values()))


def codes(found: list[abl.Diagnostic]) -> list[str]:
    return [one.code for one in found]


# --- 12 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "history"),
    [
        ("", "auto"),
        ("    HISTORY: auto\n", "auto"),
        ("    HISTORY: none\n", "none"),
        ("    CONTEXT:\n      history: summary_only\n", "summary_only"),
        ("    CONTEXT:\n      history: full\n", "full"),
        ("    HISTORY: last_4\n", {"mode": "last_n", "count": 4}),
        ("    CONTEXT:\n      history:\n        mode: last_n\n        count: 3\n", {"mode": "last_n", "count": 3}),
    ],
)
def test_12_history_is_written_in_several_forms(lines: str, history: object) -> None:
    found = ir(f"{HEAD}HANDOFF:\n  - TO: Desk\n{lines}")["coordination"]["handoffs"][0]
    assert found["context"]["history"] == history


@pytest.mark.parametrize("lines", ["      history: everything\n", "      history:\n        mode: last_n\n"])
def test_12_an_unknown_or_incomplete_history_is_an_error(lines: str) -> None:
    assert codes(abl.parse(f"{HEAD}HANDOFF:\n  - TO: Desk\n    CONTEXT:\n{lines}").errors) == ["INVALID_HISTORY"]


def test_12_a_map_beside_on_return_is_read_with_a_warning() -> None:
    result = abl.parse(HEAD + "HANDOFF:\n  - TO: Desk\n    RETURN: true\n    ON_RETURN: continue\n    MAP: {a: b}\n")
    assert (codes(result.errors), codes(result.warnings)) == ([], ["MISPLACED_ON_RETURN"])
    assert result.document is not None
    assert result.document.handoffs[0].to_dict()["on_return"] == {"action": "continue", "map": {"a": "b"}}


def test_12_a_target_is_cut_to_its_first_word() -> None:
    document = abl.parse(HEAD + "HANDOFF:\n  - TO: Desk when somebody asks\n").document
    assert document is not None
    assert document.handoffs[0].to == "Desk"


# --- 13 --------------------------------------------------------------------------------------------------------------


def test_13_a_guardrail_of_both_kinds_becomes_two() -> None:
    found = ir(HEAD + 'GUARDRAILS:\n  g:\n    kind: both\n    check: input == "x"\n')["constraints"]["guardrails"]
    assert [(one["name"], one["kind"]) for one in found] == [("g", "input"), ("g", "output")]


def test_13_the_defaults_of_text_and_yaml_differ() -> None:
    text = ir(HEAD + 'GUARDRAILS:\n  g:\n    check: input == "x"\n')["constraints"]["guardrails"][0]
    yaml = ir("agent: Probe\ngoal: Answer\nguardrails:\n  - {name: g, check: 'input == \"x\"'}\n")["constraints"][
        "guardrails"
    ][0]
    assert (text["kind"], text["action"]["type"]) == ("output", "warn")
    assert (yaml["kind"], yaml["action"]["type"]) == ("input", "block")


# --- 14 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("section", "tools"),
    [
        ("", []),
        ("HANDOFF:\n  - TO: Desk\n", ["__handoff__"]),
        ("DELEGATE:\n  - AGENT: Desk\n", ["__delegate__"]),
        ("COMPLETE:\n  - WHEN: a == 1\n", ["__complete__"]),
        ("GATHER:\n  a:\n    prompt: x\n", ["__complete__"]),
        ("ESCALATE:\n  triggers:\n    - WHEN: a == 1\n", ["__escalate__"]),
        ("ESCALATE:\n  context_for_human: [a]\n", []),
        ("HANDOFF:\n  - TO: A\nDELEGATE:\n  - AGENT: B\n", ["__handoff__", "__delegate__"]),
    ],
)
def test_14_system_tools_appear_when_they_are_needed(section: str, tools: list[str]) -> None:
    assert [one["name"] for one in ir(HEAD + section)["tools"] if one["system"]] == tools


# --- 15 --------------------------------------------------------------------------------------------------------------


def agents(*texts: str) -> dict[str, Any]:
    output: dict[str, Any] = abl.compile_abl_to_ir(list(texts))["agents"]
    return output


CHILD = 'AGENT: Desk\nGOAL: "Help"\nGATHER:\n  claim_id:\n    prompt: "Id?"\n'


def test_15_an_unknown_target_is_found() -> None:
    found = abl.validate_cross_agent_refs(agents(HEAD + "HANDOFF:\n  - TO: Dsk\n", CHILD))
    assert codes(found) == ["INVALID_HANDOFF_TARGET"]
    assert "Desk" in found[0].message


def test_15_a_handoff_to_itself_is_found() -> None:
    assert codes(abl.validate_cross_agent_refs(agents(HEAD + "HANDOFF:\n  - TO: Probe\n"))) == ["SELF_HANDOFF_TARGET"]


def test_15_a_remote_target_is_not_missed() -> None:
    remote = 'HANDOFF:\n  - TO: Far\n    LOCATION: remote\n    ENDPOINT: "https://far.example"\n    PROTOCOL: a2a\n'
    assert codes(abl.validate_cross_agent_refs(agents(HEAD + remote))) == []


def test_15_a_returned_field_that_the_child_never_produces_is_found() -> None:
    handoff = "HANDOFF:\n  - TO: Desk\n    RETURN: true\n    ON_RETURN:\n      MAP: {KEY: mine}\n"
    assert codes(abl.validate_cross_agent_refs(agents(HEAD + handoff.replace("KEY", "claim_id"), CHILD))) == []
    found = abl.validate_cross_agent_refs(agents(HEAD + handoff.replace("KEY", "clam_id"), CHILD))
    assert [(one.code, one.severity) for one in found] == [("UNKNOWN_HANDOFF_RETURN_FIELD", "error")]


# --- 16 --------------------------------------------------------------------------------------------------------------


def test_16_the_corpus_holds_documents_of_all_forms_for_the_round_trip() -> None:
    # each of them is printed and read again in tests/corpus/test_corpus.py
    documents = [abl.parse(case.text).document for case in cases()]
    assert {one.format for one in documents if one is not None} == {"abl", "yaml", "legacy"}
    assert {one.kind for one in documents if one is not None} == {"agent", "supervisor", "tools", "profile"}


@pytest.mark.parametrize(
    "name",
    ["flow/results", "memory/all_properties", "profiles/all_sections", "libraries/defaults_and_tools", "legacy/agent"],
)
def test_16_a_document_is_the_same_after_printing_and_reading(name: str) -> None:
    text = next(case.text for case in cases() if case.name == name)
    document = abl.parse(text).document
    assert document is not None
    assert abl.parse(abl.serialize(document)).document == document


# --- 17 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "flow/call_forms",
        "gather/all_properties",
        "coordination/handoff_all_properties",
        "constraints/modifiers",
        "tools/http_binding",
    ],
)
def test_17_the_text_and_the_yaml_form_compile_to_the_same(name: str) -> None:
    text = next(case.text for case in cases() if case.name == name)
    document = abl.parse(text).document
    assert document is not None
    one, other = ir(text), ir(abl.serialize(document, "yaml"))
    for found in (one, other):
        found["metadata"].pop("source_hash")
    assert other == one


# --- 18 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "kind"), [("legacy/agent", "agent"), ("legacy/supervisor", "supervisor")])
def test_18_the_numbered_grammar_is_read(name: str, kind: str) -> None:
    result = abl.parse(next(case.text for case in cases() if case.name == name))
    assert not result.errors
    assert result.document is not None
    assert (result.document.kind, result.document.format) == (kind, "legacy")


def test_18_tokens_carry_their_places_and_faults_a_caret() -> None:
    found = abl.tokenize("AGENT: Old\nSTEPS:\n  1. Ask → 2\n  \u201cx\u201d\n")
    assert [(one.type, one.line, one.column) for one in found.tokens[:4]] == [
        ("AgentKeyword", 1, 1),
        ("Identifier", 1, 8),
        ("NewLine", 1, 11),
        ("StepsKeyword", 2, 1),
    ]
    assert [(one.type, one.image) for one in found.tokens if one.type in ("StepNumber", "Arrow")] == [
        ("StepNumber", "1."),
        ("Arrow", "→"),
    ]
    fault = found.errors[0]
    lines = fault.message.split("\n")
    assert (fault.line, fault.column, fault.length) == (4, 3, 1)
    assert lines[0] == "Line 4, Column 3: Unexpected character '\u201c'"
    assert lines[1:3] == ["  \u201cx\u201d", "  ^"]


# --- 19 --------------------------------------------------------------------------------------------------------------

FORMER = {
    "MODE_DEPRECATED": HEAD + "MODE: reasoning\n",
    "REASONING_MISSING": HEAD + "FLOW:\n  a:\n    RESPOND: x\n    THEN: COMPLETE\n",
    "E720": HEAD + 'TOOLS:\n  t()\n    description: "x"\n    type: http\n    endpoint: "https://t.example"\n',
    "LEGACY_RECALL_EVENT_ALIAS": HEAD + "MEMORY:\n  recall:\n    - ON: session_start\n      PATHS: [user.a]\n",
}


@pytest.mark.parametrize(("code", "text"), FORMER.items())
def test_19_strict_mode_turns_warnings_into_errors(code: str, text: str) -> None:
    assert {one.severity for one in abl.validate_abl(text) if one.code == code} == {"warning"}
    assert {one.severity for one in abl.validate_abl(text, strict=True) if one.code == code} == {"error"}


def test_19_strict_mode_leaves_bindings_out() -> None:
    assert "http_binding" in ir(FORMER["E720"])["tools"][0]
    assert "http_binding" not in ir(FORMER["E720"], strict=True)["tools"][0]


# --- 20 --------------------------------------------------------------------------------------------------------------

TALK = """\
AGENT: Parcel_Talk
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    SET: tries = tries + 1
    RESPOND: "Code, please ({{tries}})"
    ON_INPUT:
      - IF: input MATCHES "^[A-Z]{2}\\d+$"
        SET: code = input
        THEN: tell
      - ELSE:
        THEN: ask
  tell:
    REASONING: false
    RESPOND: "Parcel {{code | lower}} is on its way."
    THEN: COMPLETE
"""


def test_20_a_flow_can_be_walked_to_its_end_without_a_model() -> None:
    """The language's part of item 20; the trace of a turn is tested with the engine."""
    flow = ir(TALK)["flow"]
    state: dict[str, Any] = {"tries": 0}
    said: list[str] = []
    inputs = iter(["hello", "AB12"])
    step, path = flow["entry_point"], []
    while step != "COMPLETE":
        path.append(step)
        made = flow["definitions"][step]
        for one in made.get("set", ()):
            state[one["variable"]] = compile_expression(one["expression"])(state)
        said.append(render_template(made["respond"], state))
        if "on_input" in made:
            state["input"] = next(inputs)
            made = next(one for one in made["on_input"] if compile_condition(one.get("condition", ""))(state))
            for one in made.get("set", ()):
                state[one["variable"]] = compile_expression(one["expression"])(state)
        step = made["then"]
    assert path == ["ask", "ask", "tell"]
    assert said == ["Code, please (1)", "Code, please (2)", "Parcel ab12 is on its way."]


# --- 21 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["\x00", "\ufeff", ":" * 500, "- " * 500, "AGENT: A\n" * 300, "[" * 5000, "{{" * 2000, "AGENT: A\nGOAL: |\n" + " " * 900, "\t" * 800 + "x",
     "AGENT: A\nFLOW:\n" + "".join(" " * n + f"s{n}:\n" for n in range(300)), "a: {" * 800, "AGENT: A\nTOOLS:\n  t(" + "{a: " * 900, "\ud800"],
    ids=range(13),
)  # fmt: skip
def test_21_no_text_raises(text: str) -> None:
    for function in (
        abl.parse,
        abl.validate,
        abl.validate_abl,
        abl.tokenize,
        abl.compile_abl_to_ir,
        abl.parse_yaml_abl,
        abl.parse_condition,
        abl.format_text,
    ):
        function(text)


@pytest.mark.parametrize("value", [None, 3, b"AGENT: A", ["AGENT: A"], {}])
def test_21_what_is_no_text_gives_one_error(value: object) -> None:
    result = abl.parse(value)  # type: ignore[arg-type]
    assert result.document is None
    assert [one.code for one in result.errors] == ["NOT_TEXT"]
    assert "Cannot parse non-string ABL source" in result.errors[0].message


def test_21_time_is_linear_in_the_length_of_the_text() -> None:
    step = '  step_{n}:\n    REASONING: false\n    RESPOND: "Step {n} of many"\n    THEN: COMPLETE\n'

    steps = of_lines(HEAD + "FLOW:\n", lambda n: step.replace("{n}", str(n)))
    grows_in_proportion(abl.parse, steps, 512_000)


def test_21_a_megabyte_is_read() -> None:
    text = HEAD + "LIMITATIONS:\n" + "".join(f'  - "Limitation number {n}"\n' for n in range(35_000))
    assert len(text) > 1_000_000
    assert abl.parse(text).document is not None


def test_21_deep_nesting_is_bounded() -> None:
    text = HEAD + "EXECUTION:\n  pipeline: " + "{a: " * 3000 + "}" * 3000 + "\n"
    json.dumps(abl.compile_abl_to_ir(text))
