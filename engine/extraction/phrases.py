"""Phrases in folded texts: with spaces between words, or, where a script has none, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from abl.languages import Pack, fold, folded_phrase
from abl.languages.folding import AFTER_WORD, BEFORE_WORD, is_spaced

MAX_CACHED = 2_048


def find_phrase(said: str, phrase: str) -> int:
    """Return where a phrase stands in a text, both as `words_only` gives them; -1 when it does not.

    >>> find_phrase(" yes please ", " please "), find_phrase(" はいお願いします ", " お願い ")
    (4, 3)
    """
    if not phrase.strip():
        return -1
    return said.find(phrase if is_spaced(phrase) else phrase.strip())


def starts_with(said: str, phrases: Iterable[str], skipped: Iterable[str] = (), *, but_not: Iterable[str] = ()) -> bool:
    """Return whether a text begins with one of the phrases, and no longer one of `but_not`; small words are skipped."""
    wanted = sorted((folded_phrase(one) for one in phrases), key=len, reverse=True)
    unwanted = [folded_phrase(one) for one in but_not]
    small = sorted((folded_phrase(one) for one in skipped), key=len, reverse=True)
    rest = said
    while rest.strip():
        found = next((len(one) for one in wanted if _begins(rest, one)), 0)
        if found:
            return not any(len(one) > found and _begins(rest, one) for one in unwanted)
        length = next((len(one) - 1 if is_spaced(one) else len(one.strip()) for one in small if _begins(rest, one)), 0)
        if not length:
            return False
        rest = f" {rest[length:].strip()} "
    return False


def _begins(said: str, phrase: str) -> bool:
    return said.startswith(phrase) if is_spaced(phrase) else said.lstrip().startswith(phrase.strip())


@lru_cache(maxsize=MAX_CACHED)
def any_of(phrases: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return a pattern that finds the longest of some phrases in folded text; None without phrases."""
    choices = alternatives(phrases)
    return re.compile(choices) if choices else None


@lru_cache(maxsize=MAX_CACHED)
def alternatives(phrases: tuple[str, ...]) -> str:
    """Return phrases as one alternative of a pattern over folded text, the longest first; empty without phrases."""
    made = []
    for phrase in sorted({fold(one).strip() for one in phrases} - {""}, key=lambda one: (-len(one), one)):
        body = re.escape(phrase).replace(r"\ ", r"[\s'-]+")
        before = BEFORE_WORD if is_spaced(phrase) and (phrase[0].isalnum()) else ""
        after = AFTER_WORD if is_spaced(phrase) and (phrase[-1].isalnum() or ord(phrase[-1]) >= 0x0900) else ""
        made.append(f"{before}{body}{after}")
    return f"(?:{'|'.join(made)})" if made else ""


def without(text: str, *groups: tuple[str, ...]) -> str:
    """Return a folded text with some phrases blanked out; its length stays."""
    pattern = any_of(tuple(one for group in groups for one in group))
    return pattern.sub(lambda found: " " * len(found[0]), text) if pattern is not None else text


@lru_cache(maxsize=64)
def numbered(pack: Pack, key: str) -> dict[str, float]:
    """Return the phrases of a table of numbers, folded, with what each stands for."""
    table: dict[float, tuple[str, ...]] = getattr(pack, key)
    return {folded_phrase(phrase).strip(): number for number, phrases in table.items() for phrase in phrases}
