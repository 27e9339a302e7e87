"""The one rule for what JSON can say and stores or readers do not take."""

import orjson
import pytest

from domain.json_values import MAX_JSON_DEPTH, JsonValue, storable, storable_text
from domain.tool_calls import ToolResult
from engine import ToolReturned

HALF = chr(0xD800)


def nested(depth: int) -> JsonValue:
    value: JsonValue = "end"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", ["a\0b", {"k\0": 1}, [{"a": ["\0"]}], HALF, {"a": HALF}, 10**40, [-(10**40)], 10**400]
)
def test_what_cannot_be_kept_becomes_something_that_can(value: JsonValue) -> None:
    encoded = orjson.dumps(storable(value))
    assert b"\\u0000" not in encoded
    assert storable(storable(value)) == storable(value)


def test_zeros_and_halves_of_characters_are_replaced_one_by_one() -> None:
    assert storable({"a\0": f"b\0{HALF}c"}) == {"a�": "b��c"}


def test_the_pieces_of_a_text_give_the_same_as_the_whole() -> None:
    text = f"x\0y{HALF}z"
    assert "".join(map(storable_text, text)) == storable_text(text)


def test_large_integers_become_what_expressions_make_of_them_and_64_bits_stay() -> None:
    assert storable([10**40, 10**400, 2**64 - 1, -(2**63), True]) == [1e40, None, 2**64 - 1, -(2**63), True]


@pytest.mark.parametrize("depth", [300, 5_000])
def test_what_is_nested_too_deep_ends_in_null(depth: int) -> None:
    value = storable(nested(depth))
    for _ in range(MAX_JSON_DEPTH):
        value = value[0]
    assert value is None


def test_what_can_be_kept_is_the_same_object() -> None:
    value = {"text": "a \\u0000 that is only written", "n": 2**60, "list": [1, None, 1.5]}
    assert storable(value) == value
    plain = {"a": [1]}
    assert storable(plain) is plain


def test_a_struct_stays_one() -> None:
    fact = ToolReturned(at="t", effect_id="1.1", result=ToolResult(ok=True, value={"text": "a\0b"}))
    clean = storable(fact)
    assert isinstance(clean, ToolReturned)
    assert clean.result.value == {"text": "a�b"}
    assert storable(clean) is clean
