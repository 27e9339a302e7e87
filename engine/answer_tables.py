"""What the words of answers count for in a language, and numbers in words and figures made alike.

Spec: abl-language 5.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from abl.languages.folding import fold, is_spaced
from abl.languages.pack import Pack
from engine.extraction.numbers import read_numbers, spelled_numbers

WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_\u0900-\u0963][^\W\d_]*|[\u0900-\u0963]+")

ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|er|eme|re|º|ª|o|a|e|te|ten|ter|de)(?![^\W\d_])")
"""The end of a number in figures that counts: 5th, 5º."""

UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u3005]")

_RUN = re.compile(r"[\u3400-\u9fff\u3005]+|[\u30a1-\u30ff]+|[\u3040-\u309f]+|\d+(?:[.,]\d+)*|[^\W\d_]+")

_REPEATED = re.compile(r"(\w)\1+", re.DOTALL)

_LONG_RUN = re.compile(r"(\w)\1\1|(\w)\2$|^(\w)\3", re.DOTALL)

_SAME_SIGNS = str.maketrans({"\u0901": "\u0902", "ー": "", "〜": "", "~": ""})

_HUM = re.compile(r"う[ー〜~]+ん")
HESITATION = "考えさせて"
"""What a long hum says in Japanese ("let me think"): a short one is a yes, and long vowels are not told apart else."""

MIN_TYPO_CHARS = 3

MIN_LOST_CHARS = 6

MIN_VOWEL_CHARS = 9
"""How long a word is in which a vowel may be another one: definately."""

_VOWELS = frozenset("aeiouy")

_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


class Kind(Enum):
    """What a word of an answer counts for; the first of two that fit the same words counts."""

    WAIT = "wait"
    NO = "no"
    CANCEL = "cancel"
    DOUBT = "doubt"
    QUESTION = "question"
    YES = "yes"
    WISH = "wish"
    POLITE = "polite"
    SMALL = "small"
    JOIN = "join"
    OWN = "own"
    NUMBER = "number"
    UNKNOWN = "unknown"


SMALL = frozenset({Kind.WISH, Kind.POLITE, Kind.SMALL})
"""Words that change nothing about an answer."""


class Word(NamedTuple):
    """A word as it is compared, and the number it says, if any."""

    text: str
    number: str = ""


class Table(NamedTuple):
    """The phrases of a pack by their words, joined for scripts without spaces, and single; its numbers."""

    kinds: Mapping[tuple[str, ...], Kind]
    numbers: Mapping[str, str]
    longest: int
    joined: Mapping[str, Kind]
    single: Mapping[str, Kind]


def compared(text: str) -> str:
    """Return a text as its words are compared.

    >>> compared("うん"), compared("うーん"), compared("はーい")
    ('うん', '考えさせて', 'はい')
    """
    if "う" in text:
        text = _HUM.sub(HESITATION, text)
    return fold(text).translate(_SAME_SIGNS)


@lru_cache(maxsize=64)
def table_of(pack: Pack) -> Table:
    """Return the phrases of a pack by their words, and joined for scripts without spaces."""
    groups: tuple[tuple[Kind, Iterable[str]], ...] = (
        (Kind.WAIT, pack.wait),
        (Kind.NO, (*pack.no, *pack.disagree)),
        (Kind.CANCEL, pack.cancel),
        (Kind.DOUBT, (*_without_yes(pack), *pack.farewell)),
        (Kind.QUESTION, pack.question),
        (Kind.YES, pack.yes),
        (Kind.WISH, pack.wish),
        (Kind.POLITE, (*pack.politeness, *pack.closings)),
        (Kind.JOIN, pack.conjunctions),
        (Kind.SMALL, pack.filler),
    )
    kinds: dict[tuple[str, ...], Kind] = {}
    for kind, phrases in groups:
        for phrase in phrases:
            words = tuple(WORD.findall(compared(phrase)))
            if words:
                kinds.setdefault(words, kind)
            if len(words) > 1 and "'" in fold(phrase):
                kinds.setdefault(tuple(WORD.findall(compared(phrase).replace("'", ""))), kind)
    numbers: dict[str, str] = {}
    for counted in (pack.numbers, pack.ordinals):
        for value, phrases in counted.items():
            for phrase in phrases:
                numbers.setdefault(compared(phrase), plain_number(f"{value:g}"))
    joined = {"".join(words): kind for words, kind in kinds.items()}
    single = {words[0]: kind for words, kind in kinds.items() if len(words) == 1}
    return Table(kinds, numbers, max(map(len, kinds)), joined, single)


def _without_yes(pack: Pack) -> list[str]:
    """Return the words of doubt but those that only an accent keeps from a yes, as si from sí: all leave it out."""
    accented = {compared(phrase) for phrase in pack.yes if fold(phrase) != phrase.lower()}
    return [one for one in pack.doubt if compared(one) not in accented]


def plain_number(text: str) -> str:
    """Return a short number without zeros in front; a long one is a name of something and stands."""
    return text.lstrip("0") or "0" if text.isdigit() and len(text) < MIN_LOST_CHARS else text


def in_figures(said: str, pack: Pack) -> str:
    """Return a text as it is compared with its numbers of several words and those with signs in them in figures.

    "tres mil" and "3.000" are 3000; a number of one word that the pack has stands as it is.
    """
    if not is_spaced(said):
        return said
    known, pattern = _number_words(pack)
    found: list[tuple[float, int, int]] = []
    if _GROUPED.search(said):
        found += [one for one in read_numbers(said, pack) if _GROUPED.fullmatch(said[one[1] : one[2]])]
    if pattern.search(said):
        found += [one for one in spelled_numbers(said, pack) if said[one[1] : one[2]] not in known]
    for value, begun, end in sorted(found, key=lambda one: -one[1]):
        if float(value).is_integer():
            said = f"{said[:begun]}{int(value)}{said[end:]}"
    return said


@lru_cache(maxsize=64)
def _number_words(pack: Pack) -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the words that are a number by themselves, and what finds one of them in a text."""
    scales = {compared(one) for names in pack.scales.values() for one in names}
    known = frozenset({*table_of(pack).numbers, *scales})
    return known, re.compile("|".join(re.escape(one) for one in sorted(known, key=len, reverse=True)))


def plain_words(text: str, pack: Pack) -> list[Word]:
    """Return the words of a text as they are compared, numbers in figures or words as numbers."""
    table = table_of(pack)
    found: list[Word] = []
    for word in _split(in_figures(compared(text), pack)):
        number = plain_number(word) if word[0].isdigit() else table.numbers.get(word, "")
        found.append(Word(word, number))
    return found


def _split(said: str) -> Iterator[str]:
    for word in WORD.findall(ORDINAL.sub("", said)):
        if UNSPACED.search(word):
            yield from (run for run in _RUN.findall(word))
        else:
            yield word


def kind_of(word: str, pack: Pack) -> Kind | None:
    """Return what a single word counts for in a language, None when it is no word of answers."""
    return table_of(pack).single.get(word)


@lru_cache(maxsize=64)
def small_words(pack: Pack) -> frozenset[str]:
    """Return the small words of a language: no word is another form of one."""
    return frozenset(word for word, kind in table_of(pack).single.items() if kind in SMALL)


def kind_of_word(word: str, table: Table) -> Kind | None:
    """Return what a word counts for: as it stands, with its letters drawn out, or with two of them changed over."""
    known = table.single.get(word)
    if known is not None:
        return known
    if _LONG_RUN.search(word):
        short = _REPEATED.sub(r"\1", word)
        for one, kind in table.single.items():
            if one[0] == word[0] and _REPEATED.sub(r"\1", one) == short:
                return kind
    if len(word) >= MIN_TYPO_CHARS:
        for one, kind in table.single.items():
            if kind in (Kind.YES, Kind.NO, Kind.POLITE, Kind.WISH, Kind.WAIT) and is_typo(word, one):
                return kind
    return None


def is_typo(word: str, meant: str) -> bool:
    """Return whether a word is another with two letters changed over, or a long one with a slip of one letter."""
    if word[0] != meant[0] or len(meant) < MIN_TYPO_CHARS or abs(len(word) - len(meant)) > 1:
        return False
    if len(word) == len(meant):
        wrong = [at for at in range(len(word)) if word[at] != meant[at]]
        if len(wrong) == 1:
            return len(meant) >= MIN_VOWEL_CHARS and {word[wrong[0]], meant[wrong[0]]} <= _VOWELS
        return (
            len(wrong) == 2
            and wrong[1] == wrong[0] + 1
            and word[wrong[0]] == meant[wrong[1]]
            and word[wrong[1]] == meant[wrong[0]]
        )
    long, short = (word, meant) if len(word) > len(meant) else (meant, word)
    if len(meant) < MIN_LOST_CHARS:
        return False
    return any(long[:at] + long[at + 1 :] == short for at in range(1, len(long)))


def is_known(word: str, pack: Pack) -> bool:
    """Return whether a word, as it is compared, has a meaning of its own in a language: an answer, a number, a day."""
    return word in _known(pack) or any(is_typo(word, one) for one in table_of(pack).single)


@lru_cache(maxsize=64)
def _known(pack: Pack) -> frozenset[str]:
    groups: list[Iterable[str]] = [
        pack.back,
        pack.change,
        pack.help,
        pack.human,
        pack.negative,
        pack.angry,
        pack.common,
    ]
    groups += [*pack.units.values(), *pack.currencies.values(), *pack.days.values(), *pack.times.values()]
    groups += [*pack.months, *pack.weekdays, *pack.numbers.values(), *pack.ordinals.values(), *pack.scales.values()]
    groups += [pack.origin, pack.destination, pack.at, pack.oclock, pack.am, pack.pm, pack.articles, pack.conjunctions]
    words = {word for group in groups for phrase in group for word in WORD.findall(compared(phrase))}
    return frozenset(words | {word for phrase in table_of(pack).kinds for word in phrase})
