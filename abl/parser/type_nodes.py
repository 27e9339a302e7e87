"""The words of types, and the plain nodes they make: a word, arrays around it, typed names. Spec: abl-language 3.2."""

from __future__ import annotations

from abl.parser.reading import Reading
from abl.syntax.node import new_object
from abl.syntax.tools import BASE_TYPES, Parameter, TypeExpr

MAX_ARRAY_SUFFIXES = 4
TYPE_ALIASES = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "bool": "boolean",
    "timestamp": "datetime",
    "list": "array",
    "dict": "object",
    "map": "object",
    "json": "object",
    "void": "any",
    "none": "any",
    "null": "any",
    "unknown": "any",
    "enum": "string",
}
TYPE_WORDS = {word: word for word in BASE_TYPES} | TYPE_ALIASES
"""Lowercase type word -> base."""


def of_base(base: str) -> TypeExpr:
    """Return the type that one word is."""
    made = new_object(TypeExpr)
    made.at = {}
    made.base = base
    return made


def arrays(made: TypeExpr, count: int) -> TypeExpr:
    """Return the type of arrays in arrays, `count` of them, around `made`."""
    for _ in range(min(count, MAX_ARRAY_SUFFIXES)):
        items, made = made, of_base("array")
        made.items = items
    return made


def plain_members(reading: Reading, closer: str, seen: set[str], found: list[Parameter]) -> bool:
    """Read members of the form `name: word` up to the first of another form; return whether there were no others."""
    text, begin = reading.text, reading.at
    stop = text.find(closer, begin)
    if stop < 0 or not text.isascii():
        return False
    place = reading.base + begin
    for part in text[begin:stop].split(", "):
        name, _, word = part.partition(": ")
        if word not in TYPE_WORDS or name in seen or not name.isidentifier():
            reading.at = place - reading.base
            return False
        made = new_object(Parameter)
        made.name = name
        made.at = {"name": place, "type": place + len(name) + 2}
        kind = made.type = new_object(TypeExpr)
        kind.at = {}
        kind.base = TYPE_WORDS[word]
        seen.add(name)
        found.append(made)
        place += len(part) + 2
    reading.at = stop + 1
    return True
