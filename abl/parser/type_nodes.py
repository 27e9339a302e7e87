"""Makes the plain nodes of types: one word, and arrays around it. Spec: abl-language 3.2."""

from __future__ import annotations

from abl.syntax.node import new_object
from abl.syntax.tools import TypeExpr

MAX_ARRAY_SUFFIXES = 4


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
