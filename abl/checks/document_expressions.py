"""Reads every condition, expression and template of a document and reports what is wrong in them, with exact spans.

Spec: abl-language 6. The faults themselves come from `abl.expressions` and `abl.templates`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from abl.checks.spans import fix_at, span
from abl.checks.written import Form, Written, written_in
from abl.compiler.places import Unit
from abl.compiler.words import top_level_words
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.reporter import finding
from abl.expressions.analysis import analyse
from abl.expressions.faults import Fault
from abl.syntax.rules import Constraint, Guardrail
from abl.syntax.steps import Assignment
from abl.templates import analyse_template

MAX_FINDINGS = 500
"""Most findings of one document."""


def text_findings(unit: Unit, *, strict: bool = False) -> Iterator[Diagnostic]:
    """Yield what is wrong in the conditions, expressions and templates of a document."""
    agent = unit.document.name or None
    count = 0
    for written in written_in(unit.document, unit):
        for fault in faults_of(written):
            if count >= MAX_FINDINGS:
                return
            count += 1
            yield _diagnostic(fault, written, agent, strict)


def faults_of(written: Written) -> Iterable[Fault]:
    """Return the faults of one text, with places relative to it."""
    if written.form is Form.TEMPLATE:
        return analyse_template(written.text).faults
    if written.form is Form.EXPRESSION:
        if isinstance(written.place.node, Assignment) and not written.place.node.variable:
            return ()  # the reader has said that it assigns nothing
        return analyse(written.text, condition=False).faults
    if isinstance(written.place.node, Constraint):
        return [fault for start, part in implied_parts(written.text) for fault in _condition_faults(part, start)]
    allow = written.form is Form.JUDGED
    return analyse(written.text, condition=True, allow_text=allow).faults


def implied_parts(text: str) -> list[tuple[int, str]]:
    """Return the conditions around the top-level IMPLIES of a rule, each with its offset. Spec: abl-language 3.6."""
    parts: list[tuple[int, str]] = []
    start = 0
    for word, at, end in top_level_words(text):
        if word == "IMPLIES":
            parts.append((start, text[start:at]))
            start = end
    return [*parts, (start, text[start:])]


def _condition_faults(text: str, start: int) -> list[Fault]:
    return [fault.moved(start) for fault in analyse(text, condition=True).faults]


def _diagnostic(fault: Fault, written: Written, agent: str | None, strict: bool) -> Diagnostic:
    where = span(written, fault.start, fault.length)
    fix = fix_at(written, where, fault.start, fault.fix, fault.title)
    said: dict[str, Any] = {
        name: str(value) for name, value in fault.arguments.items() if name not in ("line", "agent", "path")
    }
    made = finding(fault.code, strict=strict, fix=fix, agent=agent, path=written.path, **where, **said)
    return replace(made, severity="error") if _is_hard(fault, written) else made


def _is_hard(fault: Fault, written: Written) -> bool:
    """Whether a fault is an error here: a check that finds something in every text, an object that would be a text."""
    if isinstance(written.place.node, Guardrail):
        return fault.code == "FUNCTION_UNKNOWN"
    is_object = written.text.lstrip().startswith("{") and not written.text.lstrip().startswith("{{")
    return fault.code == "INVALID_EXPRESSION" and is_object
