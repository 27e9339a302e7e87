"""Findings about a YAML text in its own words: properties are named in lowercase, as they are written there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from abl.diagnostics.model import Diagnostic
from abl.syntax.document import SECTIONS
from abl.syntax.node import NODES

_WORD = re.compile(r"\b[A-Z][A-Z_]+\b")


def reworded(findings: Iterable[Diagnostic], text: str) -> Iterator[Diagnostic]:
    """Yield findings whose messages name properties in lowercase; words that `text` writes in capitals stay so."""
    written: frozenset[str] | None = None
    for one in findings:
        words = _keys().intersection(_WORD.findall(one.message))
        if words and written is None:
            written = frozenset(_WORD.findall(text))
        words -= written or frozenset()
        if not words:
            yield one
            continue
        yield replace(one, message=_lowered(one.message, words))


def _lowered(message: str, words: frozenset[str]) -> str:
    return _WORD.sub(lambda found: found[0].lower() if found[0] in words else found[0], message)


@cache
def _keys() -> frozenset[str]:
    """Return the names of all sections and properties, in capitals."""
    return frozenset({*SECTIONS, *(key for cls in NODES.values() for key in cls.BY_KEY)})
