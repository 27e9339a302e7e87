"""The words of types, and the plain nodes they make: one word, and arrays around it. Spec: abl-language 3.2."""

from __future__ import annotations

from abl.syntax.node import new_object
from abl.syntax.tools import BASE_TYPES, TypeExpr

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
