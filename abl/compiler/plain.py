"""Turns whatever stands in a node into JSON values; wrong types give nothing instead of an exception."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any, TypeVar

from abl.syntax.node import Kind, Node, given

__all__ = [
    "MAX_NESTING", "Json", "given", "is_absent", "mapping", "merged", "number", "one", "only", "plain", "text", "texts",
    "written",
]  # fmt: skip

Json = dict[str, Any]
MAX_NESTING = 64

_N = TypeVar("_N", bound=Node)
_SCALARS = frozenset({str, bool, int, type(None)})
_NUMBERS = frozenset({bool, int, float})


def plain(value: Any, depth: int = 0) -> Any:
    """Return `value` as JSON: keys and unknown things as text, values nested too deep as null."""
    kind = value.__class__
    if kind in _SCALARS:
        return value
    if kind is float:
        return value if isfinite(value) else None
    if depth >= MAX_NESTING:
        return None
    if isinstance(value, dict):
        return {str(key): plain(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one, depth + 1) for one in value]
    if isinstance(value, Node):
        return plain(value.to_dict(), depth + 1)
    return str(value)


def is_absent(value: Any) -> bool:
    """Whether a field was not written: None or an empty text, list or map; false and 0 are values."""
    return not value and value.__class__ not in _NUMBERS


def text(value: Any) -> str:
    """Return a text; numbers and booleans as they are written in the language, everything else as nothing."""
    kind = value.__class__
    if kind is str:
        plain_text: str = value
        return plain_text
    if kind is bool:
        return "true" if value else "false"
    if kind in _NUMBERS:
        return str(value)
    return ""


def number(value: Any) -> int | float | None:
    """Return a finite number, else None."""
    if value.__class__ is int:
        whole: int = value
        return whole
    if value.__class__ is float and isfinite(value):
        real: float = value
        return real
    return None


def texts(value: Any) -> list[str]:
    """Return the texts of a list."""
    if not isinstance(value, list | tuple):
        return []
    return [one if one.__class__ is str else text(one) for one in value]


def mapping(value: Any) -> dict[str, str]:
    """Return a map from texts to texts."""
    if not isinstance(value, dict):
        return {}
    return {str(key): one if one.__class__ is str else text(one) for key, one in value.items()}


def only(cls: type[_N], values: Any) -> list[_N]:
    """Return the nodes of class `cls` in a list that may hold anything."""
    if not isinstance(values, list | tuple):
        return []
    return [one for one in values if isinstance(one, cls)]


def one(cls: type[_N], value: Any) -> _N | None:
    """Return `value` if it is a `cls`, else None."""
    return value if isinstance(value, cls) else None


def written(pairs: Iterable[tuple[str, Any]]) -> Json:
    """Return a dictionary of the pairs whose value is present."""
    return {key: value for key, value in pairs if not is_absent(value)}


def merged(cls: type[_N], *sources: Node | None) -> _N:
    """Return a new `cls` whose fields come from the first source that has them written; places from the first."""
    result = cls()
    literals = {row.field for row in cls.PROPS if row.kind is Kind.LITERAL}
    present = [source for source in sources if source is not None]
    for name in cls.FIELDS:
        for source in present:
            value = getattr(source, name, None)
            if not is_absent(value) or (value is not None and name in literals):
                setattr(result, name, value)
                break
    if present:
        result.pos, result.at = present[0].pos, present[0].at
    return result
