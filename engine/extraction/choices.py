"""Options, synonyms, yes and no."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache

from engine.extraction.words import Vocabulary

FUZZY = 0.85
_SIGNS = re.compile(r"[\W_]+")


def spoken(text: str) -> str:
    """Return a text as words only, for comparing: lower case, signs as one space, a space at both ends."""
    return f" {_SIGNS.sub(' ', text.lower()).strip()} "


@lru_cache(maxsize=1_024)
def spoken_word(text: str) -> str:
    """Return `spoken` of a word of a program or vocabulary, made once."""
    return spoken(text)


def read_choice(
    text: str, options: Iterable[object], synonyms: Mapping[str, Iterable[str]], *, fuzzy: bool = False
) -> object | None:
    """Return the option a text names, by itself or by a synonym; the longest name found counts.

    >>> read_choice("it is my heart", ["cardiology", "skin"], {"cardiology": ["heart"]})
    'cardiology'
    """
    said = spoken(text)
    names: dict[str, object] = {}
    for option in options:
        for name in (str(option), *synonyms.get(str(option), ())):
            names.setdefault(spoken(name), option)
    found = [name for name in names if name.strip() and name in said]
    if found:
        return names[max(found, key=len)]
    if not fuzzy:
        return None
    bare = {name.strip(): option for name, option in names.items()}
    for piece in (said.strip(), *said.split()):
        close = get_close_matches(piece, list(bare), n=1, cutoff=FUZZY) if len(piece) > 3 else []
        if close:
            return bare[close[0]]
    return None


def read_boolean(text: str, words: Vocabulary) -> bool | None:
    """Return yes or no; the word that comes first counts, a negation anywhere before a yes word is a no."""
    said = spoken(text)
    yes = min((at for word in words.true_words if (at := said.find(spoken_word(word))) >= 0), default=-1)
    no = min((at for word in words.false_words if (at := said.find(spoken_word(word))) >= 0), default=-1)
    if yes < 0 and no < 0:
        return None
    if yes >= 0 and no >= 0:
        return yes < no
    return yes >= 0


def means(text: str, word: str, words: Vocabulary) -> bool:
    """Return whether a text holds one of the phrases of a built-in word such as `back` or `yes`."""
    said = spoken(text)
    return any(spoken_word(phrase) in said for phrase in words.builtin.get(word, ()))
