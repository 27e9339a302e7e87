"""Spelling suggestions: which known word did the author mean?

A bounded Damerau-Levenshtein comparison (optimal string alignment); every call is cheap whatever it is given.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

MAX_CANDIDATES = 400
MAX_WORD_CHARS = 64
MIN_PREFIX_CHARS = 4

_JOINERS = str.maketrans("", "", "_- \t")


def fold(word: str) -> str:
    """Return `word` as it is compared: lowercase, without `_`, `-` and spaces."""
    return word.translate(_JOINERS).lower()


def threshold(word: str) -> int:
    """Return how many slips of the pen a word of this length may hold."""
    return max(1, len(word) // 3)


def distance(left: str, right: str, limit: int) -> int:
    """Return the optimal string alignment distance, or `limit + 1` when it is greater than `limit`."""
    far = limit + 1
    if abs(len(left) - len(right)) > limit or _strangers(left, right) > limit or _strangers(right, left) > limit:
        return far
    width = len(right)
    above = [column if column <= limit else far for column in range(width + 1)]
    before = above
    for row, char in enumerate(left, 1):
        first, last = max(1, row - limit), min(width, row + limit)
        current = [far] * (width + 1)
        current[first - 1] = row if first == 1 else far
        for column in range(first, last + 1):
            cost = (
                above[column - 1]
                if char == right[column - 1]
                else 1 + min(above[column - 1], above[column], current[column - 1])
            )
            if row > 1 and column > 1 and char == right[column - 2] and left[row - 2] == right[column - 1]:
                cost = min(cost, before[column - 2] + 1)
            current[column] = cost
        if min(current) > limit:
            return far
        before, above = above, current
    return min(above[width], far)


def _strangers(left: str, right: str) -> int:
    """Return how many characters of `left` do not occur in `right`: no fewer changes are needed."""
    return sum([char not in right for char in left])


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate the author most likely meant by `word`, or None when nothing is near."""
    best = ranked(word, candidates, limit=1)
    return best[0] if best else None


def ranked(word: str, candidates: Iterable[str], limit: int = 3) -> list[str]:
    """Return up to `limit` candidates near `word`, the nearest first."""
    plain = fold(word)
    if not plain or len(plain) > MAX_WORD_CHARS:
        return []
    known = [(fold(name), name) for name in dict.fromkeys(islice(candidates, MAX_CANDIDATES))]
    scores = [(*score, at, name) for at, (folded, name) in enumerate(known) if (score := _score(plain, folded))]
    names = [name for *_, name in sorted(scores)]
    if not names:
        names = _by_prefix(plain, known)
    return names[:limit]


def _score(word: str, candidate: str) -> tuple[float, bool, int] | None:
    """Rank `candidate`: the smaller the nearer; None when it is too far away."""
    if not candidate or len(candidate) > MAX_WORD_CHARS:
        return None
    if word == candidate:
        return (0.0, False, 0)
    if _same_noun(word, candidate):
        return (0.5, False, 0)
    bound = threshold(max(word, candidate, key=len))
    if word[0] != candidate[0]:
        bound = max(1, bound - 1)
    steps = distance(word, candidate, bound)
    if steps > bound or steps >= min(len(word), len(candidate)):
        return None
    return (float(steps), word[0] != candidate[0], abs(len(word) - len(candidate)))


def _same_noun(left: str, right: str) -> bool:
    """Whether the words differ only in number, e.g. `tool` and `tools`, `entity` and `entities`."""
    short, long = sorted((left, right), key=len)
    if len(short) < 3:
        return False
    return long in (short + "s", short + "es") or (short.endswith("y") and long == short[:-1] + "ies")


def _by_prefix(word: str, known: list[tuple[str, str]]) -> list[str]:
    """Return the one candidate that `word` abbreviates (or that is lengthened to `word`), if it is the only one."""
    if len(word) < MIN_PREFIX_CHARS:
        return []
    names = [name for folded, name in known if folded.startswith(word)]
    if not names:
        names = [name for folded, name in known if len(folded) >= MIN_PREFIX_CHARS and word.startswith(folded)]
    return names if len(names) == 1 else []
