from __future__ import annotations

from typing import Any

import pytest

from domain.errors import InvalidInput
from gateway.bodies.texts import checked_metadata


def nested(depth: int) -> dict[str, Any]:
    return {"a": nested(depth - 1)} if depth > 1 else {"a": 1}


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        {},
        nested(5),
        {str(n): n for n in range(64)},
        {"k" * 128: "v" * 4096},
        {"a": [{"b": [1]}]},
        {"a": "å" * 4096},
    ],
)
def test_metadata_within_its_limits_is_taken(metadata: Any) -> None:
    assert checked_metadata(metadata) == (metadata or {})


@pytest.mark.parametrize(
    ("metadata", "path"),
    [
        ([], "/metadata"),
        ("text", "/metadata"),
        (nested(6), "/metadata/a/a/a/a/a"),
        ({"a": [[[[[1]]]]]}, "/metadata/a/0/0/0/0"),
        ({str(n): n for n in range(65)}, "/metadata"),
        ({"k" * 129: 1}, "/metadata"),
        ({"a": "v" * 4097}, "/metadata/a"),
        ({"a": {"b": {"constructor": 1}}}, "/metadata/a/b/constructor"),
        ({"prototype": 1}, "/metadata/prototype"),
        ({str(n): "v" * 4000 for n in range(5)}, "/metadata"),
    ],
)
def test_metadata_beyond_its_limits_is_told_where(metadata: Any, path: str) -> None:
    with pytest.raises(InvalidInput, match="Invalid message metadata") as raised:
        checked_metadata(metadata)
    assert raised.value.details["fields"][0]["path"] == path
