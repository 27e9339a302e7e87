"""JSON as bytes: nothing a session holds makes an answer an error."""

import orjson
import pytest

from domain.json_values import JsonValue
from gateway.envelope import json_bytes


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"n": 10**40}, {"n": 1e40}),
        ({"n": -(2**64) + 1}, {"n": -1.8446744073709552e19}),
        (chr(0xD800), "�"),
        ({1: float("nan")}, {"1": None}),
        ("plain", "plain"),
    ],
)
def test_what_json_readers_cannot_take_is_said_as_near_as_they_can(content: JsonValue, told: JsonValue) -> None:
    assert orjson.loads(json_bytes(content)) == told
