"""Spelling suggestions: which known word did the author mean?

A Damerau-Levenshtein comparison (optimal string alignment); every call is cheap whatever it is given.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
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
    """Return the optimal string alignment distance, or `limit + 1` when it is greater than `limit`.

    A column of the table of distances is kept as bits (the method of Hyyrö): the sign of each difference between
    neighbours, all letters of `left` at once.
    """
    far = limit + 1
    if abs(len(left) - len(right)) > limit:
        return far
    if not left or not right:
        return len(left) + len(right)
    masks = _masks(left)
    if sum([char not in masks for char in right]) > limit:
        return far
    top = 1 << (len(left) - 1)
    steps = len(left)
    up, down, diagonal, before = 2 * top - 1, 0, 0, 0
    for char in right:
        here = masks.get(char, 0)
        swapped = ((~diagonal & here) << 1) & before
        diagonal = (((here & up) + up) ^ up) | here | down | swapped
        more = down | ~(diagonal | up)
        less = diagonal & up
        if more & top:
            steps += 1
        elif less & top:
            steps -= 1
        more = (more << 1) | 1
        less <<= 1
        up = (less | ~(diagonal | more)) & (2 * top - 1)
        down = more & diagonal & (2 * top - 1)
        before = here
    return min(steps, far)


@lru_cache(maxsize=64)
def _masks(word: str) -> dict[str, int]:
    """Return where each letter stands in `word`, as bits; the same word is compared with many."""
    masks: dict[str, int] = {}
    for at, char in enumerate(word):
        masks[char] = masks.get(char, 0) | 1 << at
    return masks


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
