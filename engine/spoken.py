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

_HAN = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_WORD = re.compile(r"[^\W\d_]+|[¿¡]")
_NO_WORDS = re.compile(
    r"(?:https?://|www\.)\S+|\S+@\S+|(?<![A-Za-z0-9])(?=[A-Za-z-]*\d)[A-Za-z0-9-]*[A-Za-z][A-Za-z0-9-]*|\b[A-Z]{2,}\b"
)
"""Addresses, codes and abbreviations: they are in no language."""

MIN_SIGNS = 2
MIN_WORTH = 1.5
"""What the words of a language must be worth in a message, at the least."""
MIN_WORDS = 2
MIN_LETTERS = 4
"""How long a message must be whose every word is one language's: "ho" is Italian, and a laugh, and a slip.

A lone month or number says nothing either: "Mars" is French, and a place.
"""
MARGIN = 0.7
"""How much more they must be worth than those of any other language."""
LONG_WORDS = 4
MIN_WORTH_LONG = 1.0
MAX_SHARE = 0.5
"""In a sentence of so many words less is enough, where few are names and no other language has half of it."""
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
    text = _NO_WORDS.sub(" ", text[:MAX_CHARS])
    found = _by_words(text, packs)
    letters = len(_LATIN.findall(text))
    for tag, signs in SCRIPTS:
        count = len(signs.findall(text))
        if tag in packs and count >= MIN_SIGNS and (not found or count >= letters):
            return tag
    if not found and not letters and "ja" in packs and len(_HAN.findall(text)) >= MIN_SIGNS:
        return "ja"
    return found


def _by_words(text: str, packs: Mapping[str, Pack]) -> str:
    """Return the language whose words are in a text, empty when that is not clear."""
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
    for word in dict.fromkeys(_WORD.findall(text)):
        owners = [tag for tag, pack in packs.items() if any(one in word.lower() for one in pack.letters)]
        if len(owners) == 1 and not word[0].isupper() and words_only(word).strip() not in known[owners[0]]:
            worth[owners[0]] += 1
            hits[owners[0]] += 1
    best, second = sorted(worth, key=lambda tag: -worth[tag])[:2]
    words = small_words(packs[best]) if len(said) == 1 else small_words(packs[best]) | common_words(packs[best])
    is_all = words.issuperset(said) and worth[best] >= 1 and len("".join(said)) >= MIN_LETTERS
    is_clear = (worth[best] >= MIN_WORTH and hits[best] >= MIN_WORDS) or is_all
    capitals = sum(word[0].isupper() for word in _WORD.findall(text))
    if len(said) >= LONG_WORDS and not is_clear and hits[best] >= MIN_WORDS and capitals * 3 <= len(said):
        return best if worth[best] >= MIN_WORTH_LONG and worth[second] <= MAX_SHARE * worth[best] else ""
    return best if is_clear and worth[best] - worth[second] >= MARGIN else ""


@lru_cache(maxsize=MAX_WORD_LISTS)
def common_words(pack: Pack) -> frozenset[str]:
    """Return the frequent words of a language and its own name, folded."""
    return _words_of((*pack.common, *pack.names[:1]))


@lru_cache(maxsize=MAX_WORD_LISTS)
def own_words(pack: Pack) -> frozenset[str]:
    """Return the words a language is known by, folded."""
    phrases = [one for key in _GROUPS for group in getattr(pack, key) for one in group]
    phrases += [
        one for key in ("numbers", "days", "ordinals") for group in getattr(pack, key).values() for one in group
    ]
    return small_words(pack) | common_words(pack) | _words_of(phrases)


@lru_cache(maxsize=MAX_WORD_LISTS)
def small_words(pack: Pack) -> frozenset[str]:
    """Return the words of a language that are no numbers and no parts of a date, folded."""
    return _words_of(one for key in _KEYS for one in getattr(pack, key))


def _words_of(phrases: Iterable[str]) -> frozenset[str]:
    words = (word for one in phrases for word in words_only(one).split())
    return frozenset(word for word in words if len(word) > 1 and not word.isdigit())
