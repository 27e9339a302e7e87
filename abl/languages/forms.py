"""Forms of sentences as authors write them, such as `make it {value}`, as patterns over folded text.

Words stand as they are; `a|b` is one of two words, `{value}` any text, `{field}` up to four words, `{count}` a number
with its unit, `{hour}` an hour; `^` in front is the start of the message; a comma is a sign that must be there.
"""

from __future__ import annotations

import re
from functools import lru_cache

from abl.languages.folding import AFTER_WORD, BEFORE_WORD, fold, is_spaced

PLACES = {
    "value": r"(?P<value>.+)",
    "field": r"(?:[^\s,.:;!?]+ ){0,3}?[^\s,.:;!?]+",
    "count": r"(?P<count>[^\s,.;!?]+(?: [^\s,.;!?]+){0,5}?)",
    "hour": r"(?P<hour>[^\s,.;!?]+)",
}
_PLACE = re.compile(r"\{(\w*)\}")
_GAPS = {" ": r"[\s,.:;!?、。،؟-]+", ",": r"\s*[,.:;!?、。،-]+\s*"}
"""What stands before a word of a form -> the signs that may stand there in a text."""

MAX_CACHED_FORMS = 4_096


def form_fault(form: str) -> str:
    """Return what is wrong with a form, empty when it is good; nothing is compiled for that.

    >>> form_fault("make it {thing}")
    '{thing} is no place; there are {value}, {field}, {count}, {hour}'
    """
    bare = form.removeprefix("^").strip()
    seen = _PLACE.findall(bare)
    unknown = [place for place in seen if place not in PLACES]
    if unknown:
        return f"{{{unknown[0]}}} is no place; there are {', '.join(f'{{{one}}}' for one in PLACES)}"
    if any(seen.count(place) > 1 for place in seen if place != "field"):
        return "a place stands once in a form"
    return "" if _tokens(bare) else "a form has words"


@lru_cache(maxsize=MAX_CACHED_FORMS)
def form_pattern(form: str) -> re.Pattern[str]:
    """Return a form as a pattern over folded text, with a group for each place but `field`.

    Raises:
        ValueError: The form has a place nobody knows, or has one twice.

    >>> form_pattern("make it|that {value}").search("ok, make it 5 days")["value"]
    '5 days'
    """
    if fault := form_fault(form):
        raise ValueError(fault)
    bare = form.removeprefix("^").strip()
    parts = [_token(token) for token in _tokens(bare)]
    start = r"^\s*" if form.startswith("^") else BEFORE_WORD if is_spaced(bare) else ""
    return re.compile(start + "".join(parts).rstrip() + _end(bare), re.DOTALL)


def _tokens(bare: str) -> list[tuple[str, str]]:
    """Return the words and places of a form, each with what stands before it: nothing, a space, or a sign."""
    found: list[tuple[str, str]] = []
    before = ""
    for piece in re.finditer(r"\{\w*\}|[^\s{},]+|,|\s+", bare):
        text = piece[0]
        if text == ",":
            before = ","
        elif text.isspace():
            before = before or " "
        else:
            found.append((before if found else "", text))
            before = ""
    return found


def _token(token: tuple[str, str]) -> str:
    before, text = token
    gap = _GAPS[before] if before else r"\s*"
    if found := _PLACE.fullmatch(text):
        return gap + PLACES[found[1]]
    words = [re.escape(fold(one)) for one in text.split("|") if one]
    return gap + (words[0] if len(words) == 1 else f"(?:{'|'.join(words)})")


def _end(bare: str) -> str:
    if bare.endswith("{value}"):
        return "$"
    return AFTER_WORD if is_spaced(bare) else ""
