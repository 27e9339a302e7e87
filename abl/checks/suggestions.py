"""Findings about a reference to something unknown: one way to say it and to offer the near name."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice

from abl.checks.blocks import Block
from abl.checks.finding import Finding
from abl.diagnostics.suggest import closest, distance

MAX_LISTED = 12
MAX_COUNTED = 1_000
"""Known names that are counted for a message; beyond them there are `many more`."""
MAX_GUESSES = 500
"""Different words of one agent for which one rule looks for a near name; in a text with more, they are no slips."""
MAX_SLIPS = 2
MIN_SLIP_CHARS = 3
MIN_MEANT_CHARS = 4
LONG_WORD_CHARS = 6


def unknown(code: str, block: Block, field: str, word: str, candidates: Iterable[str], **arguments: str) -> Finding:
    """Return the finding that `word` is unknown; a near candidate becomes its suggestion and its fix."""
    known = list(islice(distinct(filter(None, candidates)), MAX_COUNTED))
    near = closest(word, known) or ""
    said = {"name": word, "known": listed(known), "suggestion": near, **arguments}
    return Finding(code, block, field, word, near, said)


def distinct(names: Iterable[str]) -> Iterator[str]:
    """Yield names without repeats, as they are asked for: of many only the first are compared and shown."""
    seen: set[str] = set()
    for name in names:
        if name not in seen:
            seen.add(name)
            yield name


def listed(names: Iterable[str]) -> str:
    """Return names as a comma list, cut when it is long."""
    known = list(islice(names, MAX_COUNTED))
    shown = ", ".join(known[:MAX_LISTED])
    if len(known) <= MAX_LISTED:
        return shown
    return f"{shown} and {len(known) - MAX_LISTED if len(known) < MAX_COUNTED else 'many'} more"


class Guesses:
    """The near names that one rule finds for the unknown words of one agent: each word once, and not without end."""

    def __init__(self) -> None:
        self._found: dict[Hashable, str] = {}

    def slip(self, word: str, candidates: Iterable[str], place: Hashable = "") -> str:
        """Return what `slip` does; `place` tells apart where other candidates count."""
        return self._guess(slip, word, candidates, place)

    def closest(self, word: str, candidates: Iterable[str], place: Hashable = "") -> str:
        """Return the nearest candidate, empty when there is none."""
        return self._guess(_nearest, word, candidates, place)

    def _guess(
        self, guess: Callable[[str, Iterable[str]], str], word: str, candidates: Iterable[str], place: Hashable
    ) -> str:
        key = (word, place)
        if key not in self._found:
            if len(self._found) >= MAX_GUESSES:
                return ""
            self._found[key] = guess(word, candidates)
        return self._found[key]


def _nearest(word: str, candidates: Iterable[str]) -> str:
    return closest(word, candidates) or ""


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
