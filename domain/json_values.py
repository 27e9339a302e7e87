"""What JSON can hold; `Any` is allowed in this codebase only under these names.

JSON can say more than every store and every reader takes: PostgreSQL keeps no text with a zero in it, UTF-8 has no half
of a surrogate pair, and readers stop at 64 bits and at some depth. `storable` is the one rule for all of that.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias, TypeVar

import msgspec
import orjson

JsonValue: TypeAlias = Any
"""None, bool, int, float, str, or lists and maps of these."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object."""

MAX_JSON_DEPTH = 128
"""Deepest nesting of lists and maps that is kept where a value has to be made storable."""
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_ESCAPED_ZERO = b"\\u0000"
_SMALLEST, _LARGEST = -(1 << 63), (1 << 64) - 1
Value = TypeVar("Value")


def storable_text(text: str) -> str:
    """Return a text with U+FFFD in the place of zeros and of halves of characters.

    >>> storable_text("a\\0b") == "a" + REPLACEMENT + "b"
    True
    """
    return _UNSTORABLE.sub(REPLACEMENT, text)


def is_too_deep(value: JsonValue) -> bool:
    """Return whether lists and maps stand in each other deeper than `MAX_JSON_DEPTH`: such a value is refused.

    >>> is_too_deep([[]])
    False
    """
    level = [value] if isinstance(value, dict | list | tuple) else []
    for _ in range(MAX_JSON_DEPTH):
        if not level:
            return False
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list | tuple)
        ]
    return bool(level)


def storable(value: Value) -> Value:
    """Return a value, or a struct of values, that every store keeps and every reader of JSON reads.

    What is so already, nearly everything, comes back as it is. Integers beyond 64 bits become floating point numbers,
    as in expressions, or null where even those end; what is nested too deep becomes null: where somebody has to be told
    of that, `is_too_deep` is asked before.

    >>> storable({"n": 10**40, "text": "plain"})
    {'n': 1e+40, 'text': 'plain'}
    """
    try:
        encoded = orjson.dumps(msgspec.to_builtins(value), option=orjson.OPT_NON_STR_KEYS)
    except (orjson.JSONEncodeError, RecursionError):
        encoded = _ESCAPED_ZERO
    made: Value = _storable(value, MAX_JSON_DEPTH) if _ESCAPED_ZERO in encoded else value
    return made


def _storable(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, int):
        return value if _SMALLEST <= value <= _LARGEST else _as_float(value)
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        return msgspec.structs.replace(value, **{name: _storable(getattr(value, name), depth) for name in names})
    if not isinstance(value, dict | list | tuple):
        return value
    if not depth:
        return None
    if isinstance(value, dict):
        return {_storable(key, depth): _storable(one, depth - 1) for key, one in value.items()}
    return type(value)(_storable(one, depth - 1) for one in value)


def _as_float(number: int) -> float | None:
    try:
        return float(number)
    except OverflowError:
        return None
