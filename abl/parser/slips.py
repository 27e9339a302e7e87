"""Which unknown keys are slips of the pen, and are read as the key that was meant. Spec: abl-language 0, 5.1."""

from __future__ import annotations

from functools import cache

from abl.diagnostics.suggest import distance, fold
from abl.syntax.document import SECTIONS
from abl.syntax.node import NODES

MIN_CHARS = 4
"""Letters of the shortest key that a slip is taken for; shorter words are all near each other."""
ORDINARY = frozenset(
    """
    alter auto chart chat clean clear content core debug defer handle identify inner invent last list local lost made
    more move named page patch person personal present prevent provide ready real rest role roll routine score sent
    serve stop story test tests text texts than they thin units unity urls valve vice white width wish witch writer
    """.split()
)
"""Words one letter away from a key that are keys of somebody's own rather than slips."""
SAME = frozenset({("constraints", "stepconstraints")})
"""Keys of another place that can mean only one thing here: key, what it is called here."""


def is_slip(word: str, meant: str) -> bool:
    """Return whether `word` is `meant` with one wrong letter, and no word with a meaning of its own.

    A plural is meant as one: it holds a list where the key takes one value.

    >>> is_slip("promt", "prompt"), is_slip("optional", "options"), is_slip("WHEN", "THEN")
    (True, False, False)
    """
    one, other = fold(word), fold(meant)
    if (one, other) in SAME:
        return True
    if len(other) < MIN_CHARS or one[:1] != other[0] or one == other + "s" or one in ORDINARY or is_key(word):
        return False
    return distance(one, other, 1) <= 1


def is_key(word: str) -> bool:
    """Return whether `word` is a key somewhere in the language."""
    return fold(word) in _keys()


@cache
def _keys() -> frozenset[str]:
    keys = {fold(spelling) for cls in NODES.values() for spelling in cls.BY_KEY}
    return frozenset(keys.union(map(fold, SECTIONS)))
