"""Names that stand in an answer beside what it says: "thanks Ann", "Mr Smith", the name under a letter.

A name is taken out only where something says that it is one: a word of thanks right before it, the end of a letter, a
form of address. Words the language knows, the question's own words and what is like an argument are no names.
Decision: 0074. Spec: abl-language 5.7, 8.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from abl.languages.folding import is_spaced
from abl.languages.pack import Pack
from engine.answer_words import Kind, compared, is_known, kind_of, own_word

PARTICLES = frozenset("de da do dos das di del della du van von der den zu el al bin ben la le".split())
"""Words inside of a name."""
MAX_NAME_WORDS = 4
"""Words of the name under a letter."""
MAX_ADDRESSED_WORDS = 2
MIN_NAME_CHARS = 2
SAME_BEGINNING = 3
"""Letters that a name and an argument may not have in common at their beginning: Mario, Maria."""
_TOKEN = re.compile(r"[^\W\d_\u0900-\u0963]+(?:['’-][^\W\d_]+)*|[\u0900-\u0963]+")
_PLACE = "{name}"


class _Token(NamedTuple):
    """A word of an answer, as it is compared, with where it stands."""

    word: str
    begun: int
    end: int
    is_capital: bool


class _Forms(NamedTuple):
    thanks: frozenset[tuple[str, ...]]
    closings: frozenset[tuple[str, ...]]
    before: frozenset[tuple[str, ...]]
    behind: frozenset[tuple[str, ...]]


def without_names(text: str, pack: Pack, own: Collection[str]) -> str:
    """Return an answer without the names of those who are thanked, addressed or sign it.

    `own`: the question's own words, and those of its arguments; none of them is taken for a name.
    """
    forms = _forms(pack)
    if not any(forms) or not is_spaced(text):
        return text
    words = frozenset(own)
    said = [
        _Token(compared(one[0]), one.start(), one.end(), one[0][:1].isupper() and not one[0][1:].isupper())
        for one in _TOKEN.finditer(text)
    ]
    out = [*_signed(said, text, forms, pack, words), *_thanked(said, text, forms, pack, words)]
    out += _addressed(said, text, forms, pack, words)
    for begun, end in sorted(set(out), reverse=True):
        text = f"{text[:begun]} {text[end:]}"
    return text


@lru_cache(maxsize=64)
def _forms(pack: Pack) -> _Forms:
    address = [one.partition(_PLACE) for one in pack.address]
    return _Forms(
        frozenset(map(_words, pack.thanks)),
        frozenset(map(_words, pack.closings)),
        frozenset(_words(before) for before, _, _ in address if before.strip()),
        frozenset(_words(behind) for _, _, behind in address if behind.strip()),
    )


def _words(phrase: str) -> tuple[str, ...]:
    return tuple(compared(one) for one in _TOKEN.findall(phrase))


def _ends_at(said: list[_Token], end: int, phrases: frozenset[tuple[str, ...]]) -> bool:
    """Return whether one of some phrases ends right before a word."""
    return any(
        len(phrase) <= end and tuple(one.word for one in said[end - len(phrase) : end]) == phrase for phrase in phrases
    )


def _signed(said: list[_Token], text: str, forms: _Forms, pack: Pack, own: frozenset[str]) -> list[tuple[int, int]]:
    """Return where the name under a letter stands: behind its closing words, with nothing after it."""
    for count in range(1, min(MAX_NAME_WORDS, len(said) - 1) + 1):
        first = len(said) - count
        if not _ends_at(said, first, forms.closings):
            continue
        names = said[first:]
        tail = text[names[0].begun :]
        inner = [one.word in PARTICLES and not one.is_capital for one in names]
        if inner[0] or inner[-1]:
            continue
        full = [one for one, is_inner in zip(names, inner, strict=True) if not is_inner]
        is_one = count == 1 or all(one.is_capital for one in full)
        if is_one and not re.search(r"[\d,;:?]", tail) and all(_may_be_name(one, pack, own) for one in full):
            return [(names[0].begun, names[-1].end)]
    return []


def _thanked(said: list[_Token], text: str, forms: _Forms, pack: Pack, own: frozenset[str]) -> list[tuple[int, int]]:
    """Return where somebody who is thanked is named: one word with a capital right behind the thanks, at the end."""
    at = len(said) - 1
    if at < 1 or not _ends_at(said, at, forms.thanks) or not said[at].is_capital:
        return []
    between, behind = text[said[at - 1].end : said[at].begun], text[said[at].end :]
    first = _begun_before(said, at, forms.thanks) or 0
    is_sentence = re.search(r"[.!\n]\s*$", text[: said[first].begun]) is not None
    is_near = between.strip() == "" or (is_sentence and between.strip() == ",")
    is_last = is_near and not re.search(r"[^\W_]", behind)
    return [(said[at].begun, said[at].end)] if is_last and _may_be_name(said[at], pack, own) else []


def _addressed(said: list[_Token], text: str, forms: _Forms, pack: Pack, own: frozenset[str]) -> list[tuple[int, int]]:
    """Return where somebody is addressed by name, the form of address and all."""
    found: list[tuple[int, int]] = []
    for at, one in enumerate(said):
        if not one.is_capital or not _may_be_name(one, pack, own):
            continue
        before = _begun_before(said, at, forms.before)
        if (
            before is not None
            and _is_one_clause(text, said[at - 1], one)
            and _stands_apart(said, before, text, forms, pack)
        ):
            found.append((one.begun, one.end))
        behind = at + 1 < len(said) and (said[at + 1].word,) in forms.behind
        if behind and _is_one_clause(text, one, said[at + 1]) and _stands_apart(said, at, text, forms, pack):
            found.append((one.begun, said[at + 1].end))
    return found


def _begun_before(said: list[_Token], end: int, phrases: frozenset[tuple[str, ...]]) -> int | None:
    """Return where the phrase begins that ends right before a word, None when none does."""
    found = [end - len(one) for one in phrases if _ends_at(said, end, frozenset({one}))]
    return min(found, default=None)


def _stands_apart(said: list[_Token], at: int, text: str, forms: _Forms, pack: Pack) -> bool:
    """Return whether an address is no part of what is said before it, as in "the card of Mr Smith"."""
    if at == 0 or _ends_at(said, at, forms.thanks):
        return True
    is_behind_a_sign = bool(re.search(r"[,.;!]", text[said[at - 1].end : said[at].begun]))
    return is_behind_a_sign or kind_of(said[at - 1].word, pack) in (Kind.YES, Kind.POLITE)


def _is_one_clause(text: str, first: _Token, second: _Token) -> bool:
    return text[first.end : second.begun].strip(" .") == ""


def _may_be_name(one: _Token, pack: Pack, own: frozenset[str]) -> bool:
    """Return whether a word means nothing in the language or the question, and is like none of its words."""
    if len(one.word) < MIN_NAME_CHARS or is_known(one.word, pack) or own_word(one.word, own):
        return False
    return not any(word[:SAME_BEGINNING] == one.word[:SAME_BEGINNING] for word in own)
