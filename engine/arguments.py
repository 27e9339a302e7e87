"""The arguments of a tool call: defaults filled in, values a model gave checked and brought to their type.

Spec: abl-language 3.2 (parameters), 14.3 (3).
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from domain.json_values import JsonObject, JsonValue

TRUE_WORDS, FALSE_WORDS = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})


def with_defaults(tool: JsonObject, arguments: JsonObject) -> JsonObject:
    """Return the arguments with the defaults of parameters that were left out."""
    missing = {
        one["name"]: one["default"]
        for one in tool.get("parameters", ())
        if one.get("default") is not None and arguments.get(one["name"]) is None
    }
    return {**arguments, **missing} if missing else arguments


def missing_arguments(tool: JsonObject, arguments: JsonObject) -> list[str]:
    """Return the required parameters that have no value."""
    return [
        one["name"]
        for one in tool.get("parameters", ())
        if one.get("required") and one.get("default") is None and arguments.get(one["name"]) is None
    ]


def checked(tool: JsonObject, arguments: JsonObject) -> tuple[JsonObject, list[str]]:
    """Return what a model gave, brought to the declared types, and what is wrong with it; unknown names are dropped."""
    found: JsonObject = {}
    faults: list[str] = []
    for one in tool.get("parameters", ()):
        name = one["name"]
        if arguments.get(name) is None:
            continue
        value, is_right = _brought(str(one.get("type", "string")), arguments[name])
        options = one.get("enum")
        if not is_right:
            faults.append(f"{name} has to be of type {one.get('type')}")
        elif options and value not in options:
            faults.append(f"{name} has to be one of {', '.join(map(str, options))}")
        else:
            found[name] = value
    return found, faults


def _brought(kind: str, value: JsonValue) -> tuple[JsonValue, bool]:
    """Return a value as its type wants it, and whether that was possible."""
    if kind.endswith("[]"):
        items = value if isinstance(value, list) else [value]
        pairs = [_brought(kind[:-2], one) for one in items]
        return [one for one, _ in pairs], all(is_right for _, is_right in pairs)
    reader = _READERS.get(kind)
    return (value, True) if reader is None else reader(value)


def _number(value: JsonValue) -> tuple[JsonValue, bool]:
    if isinstance(value, bool):
        return value, False
    if isinstance(value, int | float):
        return value, True
    try:
        number = float(str(value).strip())
    except ValueError:
        return value, False
    return (int(number) if number.is_integer() else number), isfinite(number)


def _integer(value: JsonValue) -> tuple[JsonValue, bool]:
    number, is_right = _number(value)
    if not is_right or float(number) != int(number):
        return value, False
    return int(number), True


def _boolean(value: JsonValue) -> tuple[JsonValue, bool]:
    if isinstance(value, bool):
        return value, True
    word = str(value).strip().lower()
    return (word in TRUE_WORDS, True) if word in TRUE_WORDS | FALSE_WORDS else (value, False)


def _text(value: JsonValue) -> tuple[JsonValue, bool]:
    if isinstance(value, bool | int | float):
        return str(value).lower() if isinstance(value, bool) else str(value), True
    return value, isinstance(value, str)


_READERS: dict[str, Callable[[JsonValue], tuple[JsonValue, bool]]] = {
    "number": _number,
    "float": _number,
    "currency": _number,
    "integer": _integer,
    "boolean": _boolean,
    "string": _text,
    "date": _text,
    "datetime": _text,
    "array": lambda value: (value, isinstance(value, list)),
    "list": lambda value: (value, isinstance(value, list)),
    "object": lambda value: (value, isinstance(value, dict)),
}
