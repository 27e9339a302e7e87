"""What a text states, apart from what it refuses, leaves open or asks: no value is taken out of those.

"not today" states no day, "not city but road" states road, "city or road" leaves it open.
The words are data of the packs. Decision: 0083. Spec: abl-language 3.3, 5.7.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from abl.languages import Pack, fold, folded
from engine.extraction.phrases import alternatives, any_of

MAX_CHARS = 4_000
_CLAUSE_END = r"(?P<end>(?<!\d)\.(?=\s|$)|[,;:!?](?=\s|$)|[。、،؛！？\n])"

Span = tuple[int, int]


def stated(text: str, words: Pack, kept: Iterable[Span] = ()) -> str:
    """Return a text with the clauses that refuse something blanked out; its length stays.

    Args:
        text: What was said.
        words: The words of its language.
        kept: Places of the text that name a value, whatever words they hold: the option "no preference".

    >>> from abl.languages import load_pack
    >>> stated("not city but road", load_pack("en")).strip()
    'but road'
    """
    pattern = _parts(words)
    said = folded(text[:MAX_CHARS])
    kept = tuple(kept)
    out = list(text)
    begun, is_refused = 0, False
    for found in pattern.finditer(said.text):
        start, end = said.places[found.start()], said.places[found.end()]
        if any(start < last and first < end for first, last in kept):
            continue
        if found.lastgroup == "behind":
            _blank(out, begun, end)
            begun, is_refused = end, False
        elif found.lastgroup == "refusal":
            is_refused = True
        elif found.lastgroup in ("end", "contrast"):
            if is_refused:
                _blank(out, begun, start)
            begun, is_refused = start, False
    if is_refused:
        _blank(out, begun, len(text))
    return "".join(out)


def _blank(out: list[str], start: int, end: int) -> None:
    out[start:end] = " " * (end - start)


@lru_cache(maxsize=64)
def _parts(words: Pack) -> re.Pattern[str]:
    """Return what finds refusals, what ends a clause, and phrases that hold a refusal and are none: "no problem"."""
    refusing = tuple({*words.refusal, *words.refusal_behind})
    finder = any_of(refusing)
    innocent = (
        ()
        if finder is None
        else tuple(
            one
            for one in (*words.yes, *words.politeness, *words.request, *_named_days(words))
            if finder.search(fold(one)) is not None
        )
    )
    parts = [f"(?P<innocent>{alternatives(innocent)})"] if innocent else []
    for name, phrases in (("behind", words.refusal_behind), ("refusal", words.refusal), ("contrast", words.contrast)):
        if phrases:
            parts.append(f"(?P<{name}>{alternatives(phrases)})")
    return re.compile("|".join([*parts, _CLAUSE_END]))


def _named_days(words: Pack) -> tuple[str, ...]:
    return tuple(phrase for names in words.days.values() for phrase in names)


def leaves_open(text: str, words: Pack, holds: Callable[[str], bool]) -> bool:
    """Return whether a text has values on both sides of an "or"; `holds` tells whether a part of it has one."""
    pattern = any_of(words.either)
    if pattern is None:
        return False
    said = folded(text[:MAX_CHARS])
    parts, begun = [], 0
    for found in pattern.finditer(said.text):
        parts.append(text[begun : said.places[found.start()]])
        begun = said.places[found.end()]
    return bool(parts) and sum(holds(one) for one in (*parts, text[begun:])) > 1


def is_range(text: str, words: Pack) -> bool:
    """Return whether a text has a word that makes no single day or time of what it names: between, every."""
    pattern = any_of(words.between)
    return pattern is not None and pattern.search(fold(text[:MAX_CHARS])) is not None
