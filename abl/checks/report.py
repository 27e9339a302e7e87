"""Turns what the rules yield into diagnostics: severity, message, place and fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from abl.checks.anchors import Anchor, anchor_of, fix_of, span_of
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.spans import key_span, span
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
    anchor = _anchor(found, context)
    where = _where(found, anchor) if anchor is not None else {}
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


def _anchor(found: Finding, context: CheckContext) -> Anchor | None:
    if found.written is not None:
        return Anchor(found.written.place, found.written.field, found.written.text)
    return anchor_of(found, context)


def _where(found: Finding, anchor: Anchor) -> dict[str, Any]:
    """Return the span of the word: at its place in the text, as the key of a map, or within the value."""
    if found.written is not None:
        return span(found.written, found.start, len(found.word))
    return key_span(anchor.place, anchor.field, found.word) or span_of(anchor, found.word)
