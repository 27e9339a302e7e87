"""Which language a message is in, by the words that only one language has. Careful: unclear is no language.

A message counts when it is in a script that one language has, or when the words of one language in it are worth more
than those of every other by a margin. A word is worth the less the more languages have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from abl.languages import Pack, words_only

SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)
"""Signs only one of the shipped languages is written with, Japanese before what it shares with others."""

MIN_SIGNS = 2
MIN_WORTH = 1.5
"""What the words of a language must be worth in a message, at the least."""
MIN_WORDS = 2
MIN_LETTERS = 4
"""How long a message must be whose every word is one language's: "ho" is Italian, and a laugh, and a slip.

A lone month or number says nothing either: "Mars" is French, and a place.
"""
MARGIN = 1.0
"""How much more they must be worth than those of any other language."""
MAX_CHARS = 1_000
MAX_WORD_LISTS = 64

_KEYS = (
    *("yes", "no", "cancel", "wait", "help", "politeness", "wish", "filler", "doubt", "question", "greeting"),
    *("farewell", "conjunctions"),
)
_GROUPS = ("months", "weekdays")


def language_of(text: str, packs: Mapping[str, Pack]) -> str:
    """Return the tag of the language a text is in, empty when that is not clear.

    >>> from abl.languages import TAGS, load_pack
    >>> packs = {tag: load_pack(tag) for tag in TAGS}
    >>> language_of("Ich möchte bitte einen Termin", packs), language_of("Die Hard", packs), language_of("はい", packs)
    ('de', '', 'ja')
    >>> language_of("ho", packs), language_of("Mars", packs), language_of("danke", packs)
    ('', '', 'de')
    """
    text = text[:MAX_CHARS]
    for tag, signs in SCRIPTS:
        if tag in packs and len(signs.findall(text)) >= MIN_SIGNS:
            return tag
    said = words_only(text).split()
    if not said:
        return ""
    known = {tag: own_words(pack) for tag, pack in packs.items()}
    worth = dict.fromkeys(known, 0.0)
    hits = dict.fromkeys(known, 0)
    for word in dict.fromkeys(said):
        owners = [tag for tag, words in known.items() if word in words]
        for tag in owners:
            worth[tag] += 1 / len(owners)
            hits[tag] += 1
    best, second = sorted(worth, key=lambda tag: -worth[tag])[:2]
    is_all = small_words(packs[best]).issuperset(said) and worth[best] >= 1 and len("".join(said)) >= MIN_LETTERS
    is_clear = (worth[best] >= MIN_WORTH and hits[best] >= MIN_WORDS) or is_all
    return best if is_clear and worth[best] - worth[second] >= MARGIN else ""


@lru_cache(maxsize=MAX_WORD_LISTS)
def own_words(pack: Pack) -> frozenset[str]:
    """Return the words a language is known by, folded."""
    phrases = [one for key in _GROUPS for group in getattr(pack, key) for one in group]
    phrases += [
        one for key in ("numbers", "days", "ordinals") for group in getattr(pack, key).values() for one in group
    ]
    return small_words(pack) | _words_of(phrases)


@lru_cache(maxsize=MAX_WORD_LISTS)
def small_words(pack: Pack) -> frozenset[str]:
    """Return the words of a language that are no numbers and no parts of a date, folded."""
    return _words_of(one for key in _KEYS for one in getattr(pack, key))


def _words_of(phrases: Iterable[str]) -> frozenset[str]:
    words = (word for one in phrases for word in words_only(one).split())
    return frozenset(word for word in words if len(word) > 1 and not word.isdigit())
