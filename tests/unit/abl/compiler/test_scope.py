from __future__ import annotations

import pytest

from abl.compiler import CompileOptions, Places, Unit, compile_documents
from abl.compiler.scope import MAX_FINDINGS, MAX_LENT_CHARS, Scope
from abl.parser import parse_text
from abl.source import Source
from abl.syntax.document import Document
from abl.syntax.rules import Guardrail


def scope() -> Scope:
    document = Document(name="Desk")
    return Scope(Unit(document, None, "d.abl"), document, CompileOptions(), Places(), [])


def test_the_same_finding_is_said_once() -> None:
    made = scope()
    for _ in range(3):
        made.report("W602", name="x")
    assert [(one.code, one.agent, one.file) for one in made.findings] == [("W602", "Desk", "d.abl")]


def test_the_number_of_findings_is_bounded() -> None:
    made = scope()
    for at in range(MAX_FINDINGS + 10):
        made.report("W602", name=f"x{at}")
    assert len(made.findings) == MAX_FINDINGS


def test_patterns_in_conditions_are_checked(codes_of) -> None:
    rail = 'GUARDRAILS:\n  g:\n    kind: input\n    check: input MATCHES "(\\d+"\n    action: block\n'
    assert codes_of(rail) == ["INVALID_REGEX"]


def test_a_pattern_in_a_condition_is_marked_itself(compile_text) -> None:
    found = compile_text('COMPLETE:\n  - WHEN: code MATCHES "(a"\n').findings[0]
    assert (found.code, found.line, found.column, found.length) == ("INVALID_REGEX", 4, 25, 2)


def test_a_good_pattern_is_not_reported() -> None:
    made = scope()
    assert made.pattern(r"\d+", Guardrail(), "check")
    assert made.findings == []


LONG = "word " * 20_000
VALUES = ", ".join(f"{'word' * 15}{n}" for n in range(1_500))
HEAD = "AGENT: Desk\nGOAL: x\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}TEMPLATES:\n  t: {LONG}\nCOMPLETE:\n" + "  - WHEN: input == 1\n    RESPOND: TEMPLATE(t)\n" * 100,
        f"{HEAD}ENTITIES:\n  e:\n    TYPE: enum\n    VALUES: [{VALUES}]\nGATHER:\n"
        + "".join(f"  f{n}:\n    entity_ref: e\n" for n in range(100)),
        f"{HEAD}GATHER:\n  f:\n    options: [{VALUES}]\nFLOW:\n"
        + "".join(f"  s{n}:\n    REASONING: false\n    GATHER: f\n    THEN: s{n + 1}\n" for n in range(100)),
        f"{HEAD}INSTRUCTIONS: {LONG}\nFLOW:\n"
        + "".join(f"  s{n}:\n    REASONING: true\n    THEN: s{n + 1}\n" for n in range(100)),
    ],
    ids=["template", "entity", "field", "goal"],
)
def test_what_is_named_often_does_not_make_an_agent_many_times_as_large(text: str) -> None:
    compilation = compile_documents([Unit(parse_text(text).document, Source(text))])
    assert [one.code for one in compilation.findings].count("REPEATED_TOO_OFTEN") == 1
    assert len(repr(compilation.output["agents"])) < 3 * MAX_LENT_CHARS
