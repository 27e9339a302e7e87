"""Findings about a reference to something unknown: one way to say it and to offer the near name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from abl.checks.blocks import Block
from abl.checks.finding import Finding
from abl.diagnostics.suggest import closest, distance

MAX_LISTED = 12
MAX_SLIPS = 2
MIN_SLIP_CHARS = 3
MIN_MEANT_CHARS = 4
LONG_WORD_CHARS = 6


def unknown(code: str, block: Block, field: str, word: str, candidates: Iterable[str], **arguments: str) -> Finding:
    """Return the finding that `word` is unknown; a near candidate becomes its suggestion and its fix."""
    known = [name for name in dict.fromkeys(candidates) if name]
    near = closest(word, known) or ""
    said = {"name": word, "known": listed(known), "suggestion": near, **arguments}
    return Finding(code, block, field, word, near, said)


def listed(names: Iterable[str]) -> str:
    """Return names as a comma list, cut when it is long."""
    known = list(names)
    shown = ", ".join(known[:MAX_LISTED])
    return f"{shown} and {len(known) - MAX_LISTED} more" if len(known) > MAX_LISTED else shown


def slip(word: str, candidates: Iterable[str]) -> str:
    """Return the candidate that `word` is with a slip of the pen, empty when there is none.

    Nearer than a suggestion has to be, for names that may well exist where nobody can look: at most two letters
    differ (one in a short word), and neither only the number of a noun, nor a digit, nor a whole part.
    """
    if len(word) < MIN_SLIP_CHARS:
        return ""
    near = closest(word, (name for name in candidates if name != word)) or ""
    limit = MAX_SLIPS if len(word) >= LONG_WORD_CHARS else 1
    if not near or len(near) < MIN_MEANT_CHARS or distance(word, near, limit) > limit:
        return ""
    if len(word) == MIN_SLIP_CHARS and word[0] != near[0]:
        return ""
    left, right = sorted((word, near), key=len)
    only_number = right in (left + "s", left + "es")
    other = only_number or _without_digits(left) == _without_digits(right) or _other_part(word, near)
    return "" if other else near


def _other_part(word: str, near: str) -> bool:
    """Whether one part between `_` is another word altogether: `customer_no` is not meant as `customer_id`."""
    pairs = list(zip(re.split(r"[_.-]", word), re.split(r"[_.-]", near), strict=False))
    if word.count("_") != near.count("_"):
        return False
    return any(left != right and distance(left, right, 2) >= min(len(left), len(right), 3) for left, right in pairs)


def _without_digits(word: str) -> str:
    return "".join(char for char in word if not char.isdecimal())
