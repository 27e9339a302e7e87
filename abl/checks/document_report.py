"""Findings about a node of a document: the span of one word in a field, and the fix that puts another there."""

from __future__ import annotations

from typing import Any

from abl.checks.anchors import Anchor, fix_of, span_of
from abl.checks.spans import key_span
from abl.checks.suggestions import listed
from abl.compiler.places import Place
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.reporter import finding
from abl.diagnostics.suggest import closest


def found_at(
    code: str, place: Place, field: str = "", word: str = "", near: str = "", path: str = "", **said: str
) -> Diagnostic:
    """Return the finding `code` at `word` in a field of a node; `near` is what should stand there instead."""
    head, _, part = field.partition(".")
    value = getattr(place.node, head, "")
    if part and isinstance(value, list) and part.isdecimal() and int(part) < len(value):
        value = value[int(part)]
    anchor = Anchor(place, field, value if isinstance(value, str) else "")
    where: dict[str, Any] = key_span(place, field, word) or span_of(anchor, word)
    words: dict[str, Any] = {"suggestion": near, **said} if near else dict(said)
    fix = fix_of(anchor, where, word, near)
    agent = place.unit.document.name or None
    return finding(code, fix=fix, agent=agent, path=path or field or None, **where, **words)


def unknown_at(code: str, place: Place, field: str, word: str, candidates: list[str], **said: str) -> Diagnostic:
    """Return the finding that `word` is none of `candidates`; the near one is suggested and becomes the fix."""
    near = closest(word, candidates) or ""
    return found_at(code, place, field, word, near, **{"name": word, "known": listed(candidates), **said})
