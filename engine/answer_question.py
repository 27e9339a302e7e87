"""What was asked, and what of it an answer may repeat and stay a yes: its words, and its numbers beside theirs.

Decision: 0044. Spec: abl-language 3.2 (confirm, consent), 8.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from abl.languages.pack import Pack
from domain.json_values import JsonObject, JsonValue
from engine.answer_forms import clock_numbers, is_time, money_words, names_deed, parted, same_deeds
from engine.answer_own import is_form_of
from engine.answer_tables import Kind, Word, plain_words, table_of

_CLAUSE_END = re.compile(r"[,;、،](?!\d)")

MIN_ASKED_CHARS = 5
"""Letters of a word of the sentence that asks, which an answer may repeat though the pack does not know it: zlecić."""

LONG_NUMBER = 4
"""A number of so many digits names one thing: it needs no word beside it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question of yes and no was about.

    Attributes:
        question: The question as the user read it.
        names: The tool's name, its action in words: whatever else the user may repeat.
        arguments: The arguments it was asked with.
    """

    question: str = ""
    names: tuple[str, ...] = ()
    arguments: JsonObject = field(default_factory=dict)


class Beside(NamedTuple):
    """A word beside a number; `is_shared`: it stands beside another number too, so the side counts."""

    word: str
    number: str
    is_behind: bool
    is_shared: bool = False


class Own(NamedTuple):
    """The question's own words, and its numbers, each with the words beside it.

    `whole`: short arguments; `clock`: the numbers of its time of day.
    """

    words: frozenset[str]
    numbers: frozenset[str]
    beside: frozenset[Beside]
    whole: frozenset[str]
    clock: frozenset[str] = frozenset()


def own_words(asked: Asked, pack: Pack) -> Own:
    """Return what an answer may repeat of its question and stay a yes."""
    texts = [flat_text(value) for value in asked.arguments.values()]
    whole = frozenset(text for text in texts if text.isdigit() and len(text) < LONG_NUMBER)
    return _own_of(asked.question, " ".join((*asked.names, *asked.arguments)), " ".join(texts), whole, pack)


def _own_of(question: str, names: str, values: str, whole: frozenset[str], pack: Pack) -> Own:
    given = plain_words(values, pack)
    telling = {one.text for one in given} | {one.text for one in plain_words(names, pack)}
    words = set(telling)
    numbers = {one.number for one in given if one.number}
    beside: set[Beside] = set()
    told = numbers.union(*(clock_numbers(one) for one in values.split() if is_time(one)))
    sentences = [one for one in sentences_of(question) if plain_words(one, pack)]
    for at, sentence in enumerate(sentences):
        said = plain_words(sentence, pack)
        words.update(one.text for one in said if names_deed(one.text, pack))
        if at == len(sentences) - 1 and not _lets_choose(said, pack):
            words.update(one.text for one in said if _is_asked_for(one.text, pack))
        if numbers and not any(one.number in told or one.text in telling for one in said):
            continue
        words.update(one.text for one in said)
        for clause in _CLAUSE_END.split(sentence):
            beside |= _beside(plain_words(clause, pack))
    words |= same_deeds(words, pack) | parted(words, pack) | money_words(f"{question} {values}", pack)
    if pack.tag == "hi":
        words |= {in_latin(one) for one in words}
    shown = {one.number for one in beside}
    several = {word for word in {one.word for one in beside} if len({o.number for o in beside if o.word == word}) > 1}
    beside = {one._replace(is_shared=one.word in several) for one in beside}
    timely = _days(pack) - {one.text for one in given}
    return Own(frozenset(words - timely), frozenset(numbers | shown), frozenset(beside), whole)


@lru_cache(maxsize=8_192)
def _is_asked_for(word: str, pack: Pack) -> bool:
    """Return whether a word of the sentence that asks is long enough, and none for going on: continuar, conta."""
    if len(word) < MIN_ASKED_CHARS:
        return False
    return not any(kind is Kind.YES and is_form_of(one, word) for one, kind in table_of(pack).single.items())


def _lets_choose(said: list[Word], pack: Pack) -> bool:
    """Return whether a sentence asks which of two things shall be done, or has a number."""
    either = {one.text for phrase in pack.either for one in plain_words(phrase, pack)}
    return any(one.number or (one.text in either and at > 0) for at, one in enumerate(said))


_LATIN = dict(
    zip(
        "कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसहािीुूेैोौंअआइईउऊएऐओऔ",
        "k kh g gh ch chh j jh t th d dh n t th d dh n p ph b bh m y r l v sh sh s h "
        "a i i u u e ai o au n a a i i u u e ai o au".split(),
        strict=True,
    )
)
_CONSONANTS = frozenset("कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह")


def in_latin(word: str) -> str:
    """Return a Hindi word as it is typed in Latin letters; another word as it is.

    >>> in_latin("हटा"), in_latin("bike")
    ('hata', 'bike')
    """
    found = ""
    for sign, behind in zip(word, [*word[1:], ""], strict=True):
        has_vowel = sign in _CONSONANTS and (behind in _CONSONANTS or behind == "ं")
        found += _LATIN.get(sign, sign if sign.isascii() else "") + ("a" if has_vowel else "")
    return found or word


def _beside(said: list[Word]) -> set[Beside]:
    """Return the words of a clause that stand beside its numbers."""
    found: set[Beside] = set()
    for at, one in enumerate(said):
        if one.number:
            near = [(place, place > at) for place in (at - 1, at + 1) if 0 <= place < len(said)]
            found |= {Beside(said[place].text, one.number, is_behind) for place, is_behind in near}
    return found


def sentences_of(question: str) -> list[str]:
    """Return the sentences of a question; what stands in brackets is one of its own."""
    found, begun = [], 0
    for at, sign in enumerate(question):
        is_end = sign in "!?؟？。！।;()（）\n" or (sign == "." and question[at + 1 : at + 2].strip() == "")
        if is_end:
            found.append(question[begun:at])
            begun = at + 1
    return [*found, question[begun:]]


@lru_cache(maxsize=64)
def _days(pack: Pack) -> frozenset[str]:
    """Return the words that are days by themselves: an answer with one says when, whatever the question says."""
    groups = (*pack.days.values(), *pack.weekdays)
    phrases = [plain_words(phrase, pack) for words in groups for phrase in words]
    units = {one.text for words in pack.units.values() for phrase in words for one in plain_words(phrase, pack)}
    return frozenset(words[0].text for words in phrases if len(words) == 1) - units


def flat_text(value: JsonValue) -> str:
    """Return a value as text, lists and maps as what they hold."""
    if isinstance(value, dict):
        return " ".join(f"{name} {flat_text(one)}" for name, one in value.items())
    if isinstance(value, list):
        return " ".join(flat_text(one) for one in value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)
