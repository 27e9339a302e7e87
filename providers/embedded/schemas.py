"""JSON schemas a small model gets along with: numbers of few digits, short texts. And back: what it wrote as values."""

from __future__ import annotations

from typing import Final

from domain.json_values import JsonObject, JsonValue

TEXT_MAX_CHARS: Final = 80
DECIMAL: Final = "^-?[0-9]{1,9}(\\.[0-9]{1,2})?$"
WHOLE: Final = "^-?[0-9]{1,9}$"
"""A small model writes a number on and on when nothing ends it, so it is asked for as a text of few digits."""
_NULL: Final[JsonObject] = {"type": "null"}
_YES: Final = frozenset({"true", "yes", "1"})
_NO: Final = frozenset({"false", "no", "0"})


def small_schema(schema: JsonObject) -> JsonObject:
    """Return the schema of one value for a small model; one that may be left out may be null."""
    kinds = schema.get("type", "string")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    kind = next((one for one in kinds if one != "null"), "string")
    made = _one(schema, str(kind))
    return {"oneOf": [made, _NULL]} if "null" in kinds else made


def _one(schema: JsonObject, kind: str) -> JsonObject:
    choices = [one for one in schema.get("enum") or () if one is not None]
    if choices:
        return {"enum": choices}
    match kind:
        case "number":
            return {"type": "string", "pattern": DECIMAL}
        case "integer":
            return {"type": "string", "pattern": WHOLE}
        case "boolean":
            return {"type": "boolean"}
        case "array":
            items = schema.get("items")
            inner = small_schema(items) if isinstance(items, dict) else {"type": "string", "maxLength": TEXT_MAX_CHARS}
            return {"type": "array", "items": inner, "maxItems": 5}
        case "object":
            properties = {name: small_schema(one) for name, one in (schema.get("properties") or {}).items()}
            return {"type": "object", "properties": properties, "required": list(properties)}
        case _:
            return {"type": "string", "maxLength": TEXT_MAX_CHARS}


def as_value(value: JsonValue, schema: JsonObject) -> JsonValue:
    """Return a value in the type its schema names; None when it is none of that type."""
    kinds = schema.get("type", "string")
    kind = next((one for one in (kinds if isinstance(kinds, list) else [kinds]) if one != "null"), "string")
    if value is None or isinstance(value, (list, dict)):
        return value
    match kind:
        case "number" | "integer":
            return _number(str(value), whole=kind == "integer")
        case "boolean":
            word = str(value).strip().casefold()
            return True if word in _YES else False if word in _NO else None
        case _:
            return str(value)


def _number(text: str, *, whole: bool) -> JsonValue:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return int(number) if whole or number.is_integer() else number
