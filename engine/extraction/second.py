"""A value in the session's language, or else in another one that people mix in: `Thursday` in a German sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from abl.languages import Pack, fold, folded, words_only
from domain.json_values import JsonObject, JsonValue
from engine.extraction.fields import Reading, read_field
from engine.extraction.numbers import read_numbers
from engine.spoken import own_words, small_words

NUMBERS = frozenset({"number", "integer", "float", "currency"})
BY_WORDS = NUMBERS | {"date", "datetime", "time"}
"""Types whose values are said in words of a language."""

_WORD = re.compile(r"(?:[^\W\d_]|[\u0900-\u0963])+")


def read_in_any(field: JsonObject, reading: Reading, others: Iterable[Pack]) -> JsonValue:
    """Return the value of a field in the language of `reading`, else in one of the others where it is unambiguous.

    Words that the first language has itself say nothing in another one: the French `mon` is no Monday.
    """
    others = tuple(others)
    reading = replace(reading, others=others)
    value = read_field(field, reading)
    if value is not None or field.get("list"):
        return value
    kind = field.get("type")
    if kind in NUMBERS and any(read_numbers(reading.text, reading.words)):
        return None  # they are understood, and mean something else or nothing clear
    for other in others:
        if other is reading.words:
            continue
        if kind in BY_WORDS:
            value = read_field(field, replace(reading, words=other, text=_foreign_part(reading.text, reading.words)))
        elif kind == "boolean" and reading.is_asked and _is_foreign_answer(reading.text, reading.words, other):
            value = read_field(field, replace(reading, words=other))
        if value is not None:
            return value
    return None


def _foreign_part(text: str, words: Pack) -> str:
    """Return a text with the small words of its own language blanked out."""
    known = small_words(words)
    said = folded(text)
    kept = list(text)
    for found in _WORD.finditer(said.text):
        if found[0] in known:
            for at in range(said.places[found.start()], said.places[found.end()]):
                kept[at] = " "
    return "".join(kept)


def _is_foreign_answer(text: str, words: Pack, other: Pack) -> bool:
    """Return whether a text as a whole is a yes or no of another language, and no word of its own."""
    said = words_only(text)
    is_answer = any(words_only(fold(one)) == said for one in (*other.yes, *other.no))
    return is_answer and not own_words(words) & set(said.split())
