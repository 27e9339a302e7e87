from __future__ import annotations

from abl.compiler import CompileOptions, Places, Unit
from abl.compiler.scope import MAX_FINDINGS, Scope
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
