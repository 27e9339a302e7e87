"""Texts with `{{ }}` in them: where the tags are, and what a `{{ expression | filter }}` says.

Shared by string literals of expressions and by templates. Spec: abl-language 6.1, 6.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from abl.expressions.limits import MAX_EXPRESSION_CHARS

FILTERS: Mapping[str, str] = MappingProxyType(
    {
        "upper": "UPPER",
        "lower": "LOWER",
        "json": "JSON",
        "tojson": "JSON",
        "ago": "AGO",
        "default": "DEFAULT",
        "date": "FORMAT_DATE",
        "currency": "FORMAT_CURRENCY",
    }
)
"""The filters and the function each of them is."""

OPEN, CLOSE = "{{", "}}"
MAX_UNCLOSED = 20
"""After so many tags without an end the rest of a text is not looked at."""

_STOP = re.compile(r"""\}\}|\{\{|"[^"\n]*"|'[^'\n]*'""")


class Tag(NamedTuple):
    """One `{{ }}`: offset of its first brace, its inside, and the offset behind it (None: it has no end)."""

    start: int
    inside: str
    stop: int | None


def tags_of(text: str) -> Iterator[Tag]:
    """Yield the tags of `text` in order; one without an end has no `stop`, its inside is what may belong to it."""
    at, unclosed = 0, 0
    while (start := text.find(OPEN, at)) >= 0 and unclosed < MAX_UNCLOSED:
        while text.startswith("{", start + 2):
            start += 1
        end = _end_of(text, start + 2)
        if end is None:
            unclosed += 1
            at = start + 2
            yield Tag(start, _unclosed_inside(text, at), None)
        else:
            at = end + 2
            yield Tag(start, text[start + 2 : end], at)


def _end_of(text: str, at: int) -> int | None:
    """Return the offset of the `}}` that closes a tag whose inside begins at `at`, None when there is none."""
    limit = at + MAX_EXPRESSION_CHARS
    while (found := _STOP.search(text, at, limit)) is not None:
        if found[0] == CLOSE:
            return found.start()
        if found[0] == OPEN:
            return None
        at = found.end()
    return None


def _unclosed_inside(text: str, at: int) -> str:
    line = text[at : at + MAX_EXPRESSION_CHARS].split("\n", 1)[0]
    return line.split(OPEN, 1)[0]
