"""Trailing ` // comments`: read like those with `#`, where they end a complete value. Spec: abl-language 1.3.

Whoever writes `//` at the start of a line writes it at the end of one, too. A slash has no other meaning there than in
a sentence (`Open day // night`) or in program text, and before it stands then no complete value.
"""

from __future__ import annotations

import re
from functools import cache

from abl.parser.values import comment_start, is_complete
from abl.syntax.node import NODES, Kind

_RULE = re.compile(r"(?:IF|ELSE|WHEN|REQUIRE|WARN|LIMIT|RESTRICT)\b", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"[\w.]+\s*=(?!=)")
_SIGNATURE = re.compile(r"\w+\(.*\)\Z")
_FORMULAS = frozenset({Kind.CONDITION, Kind.EXPRESSION, Kind.SET, Kind.CALL})


def hashed(text: str) -> str:
    """Return a line whose ` // comment` ends a complete value with `# ` for `//`; any other line as it is.

    The length stays the same, and so do all places.

    >>> hashed("THEN: COMPLETE // the end"), hashed("GOAL: Open day // night")
    ('THEN: COMPLETE #  the end', 'GOAL: Open day // night')
    """
    at = comment_start(text, "//")
    if at <= 0 or not _is_whole(text[:at].rstrip()):
        return text
    return f"{text[:at]}# {text[at + 2 :]}"


def _is_whole(text: str) -> bool:
    """Return whether a line may end here: with a key, a complete value, or a formula, which knows no slashes."""
    bare = text[1:].lstrip() if text[:1] == "-" else text
    if "->" in bare or _RULE.match(bare) or _ASSIGNMENT.match(bare) or _SIGNATURE.match(bare):
        return True
    key, colon, value = bare.partition(":")
    value = value.strip() if colon else bare.rstrip(",")
    return not value or is_complete(value) or key.strip().upper() in _formula_keys()


@cache
def _formula_keys() -> frozenset[str]:
    """Return the spellings of all properties whose values are formulas."""
    return frozenset(
        spelling for cls in NODES.values() for spelling, row in cls.BY_KEY.items() if row.kind in _FORMULAS
    )
