"""Whether a word of an answer is a word of its question in another form: another end of a verb, a part of a compound.

Decision: 0074. Spec: abl-language 5.7, 8.
"""

from __future__ import annotations

import re
from functools import lru_cache

from abl.languages.pack import Pack
from engine.answer_tables import MIN_TYPO_CHARS, compared, kind_of, small_words

_COMPOUNDING = frozenset({"de", "nl"})
"""Languages that write nouns as one: the last names the thing (Stadtrad, Rad), one more makes it another (huurauto)."""

MAX_PLAIN_ENDING = 3

_ARABIC_PERSONS = frozenset("اتني")
"""Letters a verb begins with by person: ادفع, تدفع."""

_ARABIC = re.compile(r"[\u0600-\u06ff]")


@lru_cache(maxsize=256)
def _compared_all(phrases: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(compared(one) for one in phrases)


def own_in_any_form(word: str, own: frozenset[str], pack: Pack) -> str:
    """Return the question's word that a word repeats: that word, it in another form, or another form of its verb."""
    if word in own:
        return word
    if any(f"{one}{end}" == word for one in own for end in ("s", "es")):
        return ""
    stems = own - small_words(pack)
    if pack.tag in _COMPOUNDING:
        ends = {*_compared_all(pack.conjugation), *_compared_all(pack.nouns), *_compared_all(pack.endings)}
        if head := next((one for one in sorted(own) if one.endswith(word) and _is_head(word, one)), ""):
            return head
        stems = frozenset(
            one for one in stems if len(word) - len(one) <= MAX_PLAIN_ENDING or word.removeprefix(one) in ends
        )
    return own_word(word, stems) or own_word(_without_ending(word, pack), stems) or own_verb(word, stems, pack)


def _is_head(word: str, one: str) -> bool:
    return len(word) >= MIN_TYPO_CHARS and len(one) - len(word) >= MIN_TYPO_CHARS


def own_word(word: str, own: frozenset[str]) -> str:
    """Return the question's word that a word of the answer repeats, in whatever form; empty when there is none."""
    if word in own:
        return word
    for one in sorted(own):
        if is_form_of(word, one):
            return one
    return ""


def is_form_of(word: str, one: str) -> bool:
    """Return whether a word is another with another ending."""
    if _ARABIC.search(word):
        return _arabic_stem(word) == _arabic_stem(one)
    if word[0] != one[0] or word[0].isdigit() or word in (f"{one}s", f"{one}es"):
        return False
    short = min(len(word), len(one))
    same = next((at for at in range(short) if word[at] != one[at]), short)
    if same < MIN_TYPO_CHARS or len(word) - same > MAX_ENDING or len(one) - same > MAX_ENDING_OF_QUESTION:
        return False
    return same == short or (same >= 4 and same >= 0.66 * short)


@lru_cache(maxsize=4_096)
def _without_ending(word: str, pack: Pack) -> str:
    """Return a word without one of the longer ends that verbs have in its language."""
    ends = _compared_all(pack.endings)
    found = [one for one in ends if word.endswith(one) and len(word) - len(one) >= MIN_TYPO_CHARS]
    return word.removesuffix(max(found, key=len)) if found else word


def own_verb(word: str, own: frozenset[str], pack: Pack) -> str:
    """Return the question's verb that a word repeats with another of the verb's ends: "súbemelo" of "subo"."""
    if not pack.conjugation or kind_of(word, pack) is not None:
        return ""
    stems = _stems(word, pack) | _stems(_without_ending(word, pack), pack)
    return next((one for one in sorted(own) if word not in (f"{one}s", f"{one}es") and stems & _stems(one, pack)), "")


@lru_cache(maxsize=8_192)
def _stems(word: str, pack: Pack) -> frozenset[str]:
    """Return what a verb may be without its end."""
    ends = _compared_all(pack.conjugation)
    return frozenset(
        word.removesuffix(end) for end in ends if word.endswith(end) and len(word) - len(end) >= MIN_TYPO_CHARS
    )


MAX_ENDING = 4
"""Letters an answer's form of a word may end in that the question's does not have: bloquear, bloquéala."""

MAX_ENDING_OF_QUESTION = 8
"""The other way round: sil, silecegim."""


@lru_cache(maxsize=2_048)
def _arabic_stem(word: str) -> str:
    """Return an Arabic word without article, future and pronoun."""
    for start in ("ال", "س", "و"):
        if word.startswith(start) and len(word) - len(start) >= MIN_TYPO_CHARS:
            word = word[len(start) :]
            break
    for end in ("ها", "ه", "ك"):
        if word.endswith(end) and len(word) - len(end) >= MIN_TYPO_CHARS:
            word = word[: -len(end)]
            break
    if word[0] in _ARABIC_PERSONS and len(word) > MIN_TYPO_CHARS:
        word = word[1:]
    return word
