"""The smallest value of a JSON schema: what a scripted model says when it is asked for JSON and has no row. Pure."""

from __future__ import annotations

from typing import Final

from domain.json_values import JsonObject, JsonValue

MAX_NESTING: Final = 32

_EMPTY: Final[dict[str, JsonValue]] = {"string": "", "number": 0, "integer": 0, "boolean": False, "null": None}


def smallest_value(schema: JsonObject, depth: int = 0) -> JsonValue:
    """Return a value of the schema: its default or first choice, else only what is required."""
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for key in ("oneOf", "anyOf", "allOf"):
        if schema.get(key) and depth < MAX_NESTING:
            return smallest_value(schema[key][0], depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "null")
    if isinstance(kind, list):
        kind = "null" if "null" in kind else kind[0]
    if kind == "object":
        return _object(schema, depth)
    if kind == "array":
        fewest = int(schema.get("minItems", 0)) if depth < MAX_NESTING else 0
        return [smallest_value(schema.get("items", {}), depth + 1) for _ in range(min(fewest, MAX_NESTING))]
    if kind in {"number", "integer"}:
        return schema.get("minimum", _EMPTY[kind])
    return _EMPTY.get(kind)


def _object(schema: JsonObject, depth: int) -> JsonObject:
    properties = schema.get("properties", {})
    if depth >= MAX_NESTING:
        return {}
    return {name: smallest_value(properties.get(name, {}), depth + 1) for name in schema.get("required", ())}
