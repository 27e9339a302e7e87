"""The smallest value of a JSON schema."""

from __future__ import annotations

from typing import Any

import pytest

from providers.chat.schema_values import smallest_value


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, ""),
        ({"type": "integer", "minimum": 3}, 3),
        ({"type": "array", "minItems": 2, "items": {"type": "boolean"}}, [False, False]),
        ({"enum": ["a", "b"]}, "a"),
        ({"const": 7}, 7),
        ({"default": "x", "type": "string"}, "x"),
        ({"oneOf": [{"const": 1}, {"const": 2}]}, 1),
        ({"type": ["string", "null"]}, None),
        ({}, None),
        ({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]}, {"a": ""}),
        ({"properties": {"a": {"type": "number"}}, "required": ["a"]}, {"a": 0}),
    ],
)
def test_is_a_value_of_the_schema(schema: dict[str, Any], value: Any) -> None:
    assert smallest_value(schema) == value


def test_a_schema_that_holds_itself_ends() -> None:
    schema: dict[str, Any] = {"type": "object", "required": ["again"], "properties": {}}
    schema["properties"]["again"] = schema
    assert isinstance(smallest_value(schema), dict)
