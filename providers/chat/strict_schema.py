"""JSON schemas as providers with constrained output take them: closed objects, no bounds. Pure."""

from __future__ import annotations

from typing import Final

from domain.json_values import JsonObject, JsonValue

MAX_NESTING: Final = 32

_TAKEN: Final = frozenset({"type", "description", "title", "enum", "const", "default", "format", "$ref"})
"""Keywords that are passed on as they are; bounds and patterns are left out, the caller checks the values anyway."""
_BRANCHES: Final = ("anyOf", "allOf", "oneOf")


def strict_schema(schema: JsonObject) -> JsonObject | None:
    """Return the schema with closed objects and without bounds, None when it has a part that has to stay open."""
    try:
        return _strict(schema, 0)
    except _Open:
        return None


class _Open(Exception):
    """A part of a schema allows anything."""


def _strict(schema: JsonValue, depth: int) -> JsonObject:
    if not isinstance(schema, dict) or not schema or depth > MAX_NESTING:
        raise _Open
    made: JsonObject = {name: value for name, value in schema.items() if name in _TAKEN}
    for name in _BRANCHES:
        if name in schema:
            made["anyOf" if name == "oneOf" else name] = [_strict(one, depth + 1) for one in schema[name]]
    if "$defs" in schema:
        made["$defs"] = {name: _strict(one, depth + 1) for name, one in schema["$defs"].items()}
    kinds = schema.get("type", "object" if "properties" in schema else "")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "object" in kinds:
        properties = schema.get("properties")
        if (
            not isinstance(properties, dict)
            or not properties
            or schema.get("additionalProperties") not in (None, False)
        ):
            raise _Open
        made["properties"] = {name: _strict(one, depth + 1) for name, one in properties.items()}
        made["additionalProperties"] = False
        if required := schema.get("required"):
            made["required"] = required
    if "array" in kinds:
        made["items"] = _strict(schema.get("items"), depth + 1)
    return made
