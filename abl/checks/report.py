"""Turns what the rules yield into diagnostics: severity, message, place and fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from abl.checks.anchors import anchor_of, fix_of, span_of
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.reporter import finding

MAX_FINDINGS = 200
"""Most findings of one code in one agent; the rest would only repeat them."""


class Check(NamedTuple):
    """One rule: the code it is about, and the function that looks for it."""

    code: str
    find: Callable[[AgentFacts, CheckContext], Iterable[Finding]]


def diagnostics(checks: Iterable[Check], facts: AgentFacts, context: CheckContext) -> Iterator[Diagnostic]:
    """Yield the diagnostics of some rules over one agent."""
    for check in checks:
        for count, found in enumerate(check.find(facts, context)):
            if count >= MAX_FINDINGS:
                break
            yield diagnostic(found, facts, context)


def diagnostic(found: Finding, facts: AgentFacts, context: CheckContext) -> Diagnostic:
    """Return the diagnostic of one finding, with its place when the text is known."""
    anchor = anchor_of(found, context)
    where = span_of(anchor, found.word) if anchor is not None else {}
    fix = fix_of(anchor, where, found.word, found.replacement) if anchor is not None else None
    said: dict[str, Any] = dict(found.arguments)
    return finding(
        found.code,
        strict=context.options.strict,
        fix=fix,
        agent=facts.name or None,
        path=found.path or None,
        **where,
        **said,
    )
