"""The one number a text gives to a field: not that of a day or a time, not one of two, not one that is refused.

Where it is unclear which of several is meant there is none, and the user is asked again. Spec: abl-language 3.3, 5.7.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from abl.languages import Pack, fold
from engine.answer_own import is_form_of
from engine.answer_tables import ORDINAL, Kind
from engine.answer_words import pieces_of
from engine.extraction.corrections import corrected
from engine.extraction.dates import days_in, likely_days_in
from engine.extraction.numbers import MAX_CHARS, read_numbers, spelled_numbers
from engine.extraction.phrases import alternatives, any_of
from engine.extraction.stated import stated
from engine.extraction.times import times_in

MAX_BETWEEN = 40
"""Characters between two numbers of which one is meant, or both are one: "two or three"."""
_NAMING = frozenset({Kind.UNKNOWN, Kind.WAIT, Kind.CANCEL, Kind.QUESTION})
"""Kinds of a word that a one beside it may count."""
_TELLING = frozenset({Kind.UNKNOWN, Kind.OWN, Kind.NUMBER})
Name = tuple[int, int]
"""Where the name of what was asked for stands beside a number, and how far from it."""
Beside = Callable[[str, int, int], Name | None]
Counted = Callable[[str], bool]
"""Whether a word, as it is folded, names what was asked for."""
_ENDS = re.compile(r"\s*(?:$|[^\w\s'’])")
"""The end of a clause: what stands behind it is not counted."""
_LAST_WORD = re.compile(r"([^\W\d_]+)\s*$")
_NOUNS_FIRST = frozenset({"ar"})
"""Languages in which a one stands behind what it counts."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number and where it stands in the folded text; `is_likely_moment`: it may be a part of a day or time."""

    value: float
    start: int
    end: int
    is_likely_moment: bool = False


def amounts_in(text: str, words: Pack, others: tuple[Pack, ...] = ()) -> list[Amount]:
    """Return the numbers of a text that are no part of a day or a time of day, in the order they stand.

    Those that may be a part of one are there only where no other is. `others`: languages whose days are known too.
    """
    return _read(text, words, others)[1]


def _read(text: str, words: Pack, others: tuple[Pack, ...]) -> tuple[str, list[Amount]]:
    """Return a folded text with its days and times blanked out, and its numbers."""
    said = fold(text[:MAX_CHARS])
    times = list(times_in(said, words))
    sure = [(start, end) for start, end, is_sure in times if is_sure]
    said = _without(said, sure + [span for pack in (words, *others) for span in days_in(said, pack)])
    likely = [(start, end) for start, end, is_sure in times if not is_sure] + [*likely_days_in(said, words)]
    bare = _without(said, likely)
    if found := [Amount(*one) for one in read_numbers(bare, words)]:
        return bare, found
    return said, [Amount(*one, is_likely_moment=True) for one in read_numbers(said, words)]


def _without(said: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        said = said[:start] + " " * (end - start) + said[end:]
    return said


def _none(word: str) -> bool:
    return word == ""


def meant_amount(
    text: str, words: Pack, beside: Beside, others: tuple[Pack, ...] = (), counted: Counted = _none
) -> float | None:
    """Return the number an answer gives; None without one, and where it is unclear which.

    Args:
        text: The answer to the question for the number.
        words: The words of its language.
        beside: Where the name of what was asked for stands beside the number at a place of a text, None if it does not.
        others: Languages whose days are known too.
        counted: Whether a word names what was asked for, or its unit: "one night".
    """
    tail = corrected(text, words)
    if tail and amounts_in(tail, words, others):
        text = tail
    said, found = _read(text, words, others)
    if any(_is_behind_no(said, one, words) for one in found[1:]):
        return None  # "5, no 6": no, it is six, or not six
    text = stated(text, words)
    said, found = _read(text, words, others)
    found = [one for one in found if not _is_refused(said, one, words)]
    near = named(said, found, beside, words)
    found = [one for one in found if one in near or not _counts_none(said, one, words)]
    found = [
        one
        for one in found
        if not (_is_word_of_one(said, one) and _counts_another(said, one, words, counted, is_near=one in near))
    ]
    near = [one for one in near if one in found]
    if not found or any(_is_part(said, one, words) for one in (near or found)):
        return None
    ones = [one for one in found if _is_word_of_one(said, one)]
    rest = [one for one in found if one not in ones]
    if not near and ones and rest and _joins(said[ones[0].end : rest[-1].start], words):
        return None  # one person and two children
    if not near and len({one.value for one in rest or found}) > 1:
        return None  # three adults and two children
    meant = (near or rest or found)[0]
    if meant.is_likely_moment and len({one.value for one in found}) > 1 and not near:
        return None
    return None if _is_one_of_several(said, meant, found, words) else meant.value


def named(said: str, found: list[Amount], beside: Beside, words: Pack) -> list[Amount]:
    """Return the numbers to which the name of what was asked for belongs, in their order.

    A name between two numbers belongs to the one it is closer to: "room 4, floor 2". Where it is as close to both, the
    other words tell: "room 4 floor 2" names before the numbers, "2 adults 1 child" behind them.
    """
    owner: dict[int, tuple[int, Amount]] = {}
    for one in found:
        if (name := beside(said, one.start, one.end)) is None:
            continue
        place, distance = name
        before = owner.get(place)
        is_closer = before is None or distance < before[0]
        if is_closer or (before is not None and distance == before[0] and _names_first(said, before[1], one, words)):
            owner[place] = (distance, one)
    kept = [one for _, one in owner.values()]
    return [one for one in found if one in kept]


def _names_first(said: str, left: Amount, right: Amount, words: Pack) -> bool:
    """Return whether a name between two numbers belongs to the right one: the left one has another before it."""
    behind = next(iter(pieces_of(said[right.end :], words, frozenset())), None)
    before = [*pieces_of(said[: left.start], words, frozenset())]
    has_own = behind is not None and behind.kind in _TELLING
    return not has_own and bool(before) and before[-1].kind in _TELLING


def _is_refused(said: str, one: Amount, words: Pack) -> bool:
    """Return whether a number stands behind a word of no, or with one at the end: "not 4"."""
    refused = alternatives(words.no)
    if not refused:
        return False
    before = re.search(rf"{refused}\s*$", said[: one.start])
    behind = re.match(rf"\s*{refused}[\s.!。]*$", said[one.end :])
    return before is not None or behind is not None


def _is_behind_no(said: str, one: Amount, words: Pack) -> bool:
    """Return whether the plain word of no stands before a number, which takes back what was said before it."""
    return re.search(rf"{alternatives(words.no[:1])}\s*$", said[: one.start]) is not None


def _counts_none(said: str, one: Amount, words: Pack) -> bool:
    """Return whether a number counts nothing: it tells which one ("the 5th"), or speaks of somebody ("one of us")."""
    if said[one.end - 1].isdigit():
        return ORDINAL.match(said, one.end) is not None
    behind = alternatives(words.partitive)
    following = pieces_of(said[one.end :], words, frozenset())[:1]
    if following and following[0].kind in (Kind.POLITE, Kind.WISH):
        return False
    return bool(behind) and one.value == 1 and re.match(rf"\s*{behind}", said[one.end :]) is not None


def _is_word_of_one(said: str, one: Amount) -> bool:
    return one.value == 1 and not any(sign.isdigit() for sign in said[one.start : one.end])


def _counts_another(said: str, one: Amount, words: Pack, counted: Counted, *, is_near: bool) -> bool:
    """Return whether a word of one is none for what was asked: "one moment", "eine Frage", "un po'", "one more".

    It is the article of most languages. Alone, or with small words and courtesy, it counts: "just one", "eine bitte".
    """
    behind = [] if _ENDS.match(said, one.end) else pieces_of(said[one.end :], words, frozenset())[:1]
    word = behind[0].text.split()[0] if behind else ""
    if word and (counted(word) or _is_generic(word, words)):
        return False
    if _is_in_phrase(said, one, words) or _is_beside_more(said, one, words):
        return True
    if is_near or (behind and behind[0].kind not in _NAMING):
        return False
    if behind:
        return True
    before = _LAST_WORD.search(said[: one.start]) if words.tag in _NOUNS_FIRST else None
    if before is None or counted(before[1]) or _is_generic(before[1], words):
        return False
    return all(piece.kind in _NAMING for piece in pieces_of(before[1], words, frozenset()))


def _is_generic(word: str, words: Pack) -> bool:
    """Return whether a word names what a one may count whatever was asked for: person, piece."""
    return any(is_form_of(word, name) or word == name for name in _generic(words))


@lru_cache(maxsize=64)
def _generic(words: Pack) -> frozenset[str]:
    signs = tuple(sign for names in words.currencies.values() for sign in names)
    return frozenset(fold(one).strip() for one in (*words.counted, *signs))


def _is_in_phrase(said: str, one: Amount, words: Pack) -> bool:
    """Return whether a number is a part of a longer phrase the pack knows: "un momento", "ein bisschen"."""
    pattern = _phrases(words)
    return pattern is not None and any(
        found.start() <= one.start and one.end <= found.end() and found.end() - found.start() > one.end - one.start
        for found in pattern.finditer(said)
    )


@lru_cache(maxsize=64)
def _phrases(words: Pack) -> re.Pattern[str] | None:
    return any_of((*words.wait, *words.yes, *words.no, *words.cancel, *words.politeness, *words.filler))


def _is_beside_more(said: str, one: Amount, words: Pack) -> bool:
    """Return whether a word beside a one tells that it is one more, or which one it is: "one more", "the first one"."""
    more, which = _more(words)
    is_more = more is not None and any(
        not said[found.end() : one.start].strip()
        if found.end() <= one.start
        else not said[one.end : found.start()].strip()
        for found in more.finditer(said)
    )
    return is_more or (which is not None and which.search(said[: one.start]) is not None)


@lru_cache(maxsize=64)
def _more(words: Pack) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    """Return what finds a word of more or less, and what finds one of order at the end of a text."""
    which = alternatives(tuple(phrase for names in words.ordinals.values() for phrase in names))
    return any_of(words.relative), re.compile(rf"{which}\s*$") if which else None


def _is_part(said: str, one: Amount, words: Pack) -> bool:
    """Return whether a word of a fraction stands beside a number: "half a million", "one and a half", "two dozen"."""
    parts = alternatives(words.fractions)
    if not parts:
        return False
    return (
        re.search(rf"{parts}[\s-]*$", said[: one.start]) is not None
        or re.match(rf"[\s-]*{parts}", said[one.end :]) is not None
    )


def _is_one_of_several(said: str, meant: Amount, found: list[Amount], words: Pack) -> bool:
    """Return whether another number stands beside the one that is meant with nothing between that tells them apart."""
    spelled = [Amount(*one) for one in spelled_numbers(said, words) if one[0] != 1]
    known = sorted({(one.start, one.end, one.value) for one in (*found, *spelled)})
    for (_, end, value), (start, _, other) in pairwise(known):
        is_other = (value != other or said[end - 1].isdigit() == said[start].isdigit()) and meant.start in (
            start,
            _start_of(known, end),
        )
        if is_other and end <= start and _tells_nothing(said[end:start], words):
            return True
    return False


def _start_of(known: list[tuple[int, int, float]], end: int) -> int:
    return next(start for start, one, _ in known if one == end)


def _tells_nothing(between: str, words: Pack) -> bool:
    """Return whether a text between two numbers leaves it open which is meant: "or", "to", a dash, a currency."""
    if len(between) > MAX_BETWEEN:
        return False
    signs = any_of(tuple(sign for names in words.currencies.values() for sign in names))
    bare = signs.sub(" ", between) if signs is not None else between
    return all(one.kind not in _TELLING for one in pieces_of(bare, words, frozenset()))


def _joins(between: str, words: Pack) -> bool:
    pattern = any_of(words.conjunctions)
    return pattern is not None and pattern.search(between) is not None
