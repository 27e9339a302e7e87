"""Options, synonyms, yes and no."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache

from abl.languages import BUILT_IN_WORDS, Pack, folded, folded_phrase, words_only
from abl.languages.folding import is_spaced
from engine.extraction.phrases import any_of, find_phrase, starts_with

__all__ = ["means", "read_boolean", "read_choice", "spoken", "spoken_word"]

FUZZY = 0.85

spoken = words_only
"""A text as words only, for comparing; see `abl.languages.words_only`."""

spoken_word = folded_phrase
"""`spoken` of a word of a program or pack, made once."""


def read_choice(
    text: str, options: Iterable[object], synonyms: Mapping[str, Iterable[str]], *, fuzzy: bool = False
) -> object | None:
    """Return the option a text names, by itself or by a synonym; None where it names several.

    Of a name within a longer one the longer one counts.

    >>> read_choice("it is my heart", ["cardiology", "skin"], {"cardiology": ["heart"]})
    'cardiology'
    """
    said = spoken(text)
    names: dict[str, object] = {}
    for option in options:
        for name in (str(option), *synonyms.get(str(option), ())):
            names.setdefault(spoken(name), option)
    found = [name for name in names if name.strip() and find_phrase(said, name) >= 0]
    if found:
        meant = {str(names[name]) for name in found if not any(name != one and name.strip() in one for one in found)}
        return names[max(found, key=len)] if len(meant) == 1 else None
    if not fuzzy:
        return None
    bare = {name.strip(): option for name, option in names.items()}
    for piece in (said.strip(), *said.split()):
        close = get_close_matches(piece, list(bare), n=1, cutoff=FUZZY) if len(piece) > 3 else []
        if close:
            return bare[close[0]]
    return None


def option_spans(
    text: str, options: Iterable[object], synonyms: Mapping[str, Iterable[str]]
) -> tuple[tuple[int, int], ...]:
    """Return where a text names an option of several words, or one that is a word of refusal itself."""
    names = tuple(name for option in options for name in (str(option), *synonyms.get(str(option), ())))
    pattern = any_of(names)
    said = folded(text)
    found = pattern.finditer(said.text) if pattern is not None else ()
    return tuple((said.places[one.start()], said.places[one.end()]) for one in found)


def read_boolean(text: str, words: Pack) -> bool | None:
    """Return yes or no; the phrase that comes first counts, the longer one where two begin at one place."""
    said = spoken(text)
    yes = _first(said, (*words.yes, *words.agree))
    no = _first(said, (*words.no, *words.disagree))
    if yes is None or no is None:
        return None if yes is None and no is None else no is None
    return yes < no


def _first(said: str, phrases: Iterable[str]) -> tuple[int, int] | None:
    """Return where the first phrase stands and its length below zero; None without one."""
    found = [(at, -len(word)) for phrase in phrases if (at := find_phrase(said, word := spoken_word(phrase))) >= 0]
    return min(found, default=None)


def means(text: str, word: str, words: Pack) -> bool:
    """Return whether a text says one of the built-in words, such as `back`; a yes stands where the text begins."""
    if word not in BUILT_IN_WORDS:
        return False
    said = spoken(text)
    phrases: tuple[str, ...] = getattr(words, word)
    if word == "yes":
        return starts_with(said, phrases, (*words.filler, *words.politeness), but_not=words.no)
    if word == "no":
        said = _without_yes(said, words)
    return any(find_phrase(said, spoken_word(phrase)) >= 0 for phrase in phrases)


def _without_yes(said: str, words: Pack) -> str:
    """Return a text without the phrases of yes that hold a word of no, such as `no problem`."""
    for phrase in _mixed(words):
        said = said.replace(phrase, " ")
    return said


@lru_cache(maxsize=64)
def _mixed(words: Pack) -> tuple[str, ...]:
    refusals = [spoken_word(one) for one in words.no]
    agreements = [spoken_word(one) if is_spaced(one) else spoken_word(one).strip() for one in words.yes]
    return tuple(one for one in agreements if any(find_phrase(one, no) >= 0 for no in refusals))
