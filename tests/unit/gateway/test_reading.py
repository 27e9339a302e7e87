from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from domain.clock import parse_iso
from gateway import bounds
from gateway.errors import MalformedRequest, SlowRequest
from gateway.reading import Paced, declares_more, read_json

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        "a",
        None,
        {"a": ":", ":": 'b":"c'},
        {"a": [{"b": 1}, {"b": {"b": []}}], "": {}},
        {"\\": '\\"', "\n": "é"},
    ],
)
def test_what_every_reader_agrees_on_is_read(value: Any) -> None:
    assert read_json(orjson.dumps(value)) == value


@pytest.mark.parametrize(
    "raw", [b'{"a":1,"a":1}', b'{"a":1,"\\u0061":2}', b'[{"b":{"":1,"":2}}]', b'{"a\\"":1,"a\\"":2}']
)
def test_a_key_that_stands_twice_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedRequest, match="twice"):
        read_json(raw)


def test_what_is_no_json_is_told_as_before() -> None:
    with pytest.raises(orjson.JSONDecodeError):
        read_json(b'{"a":1,"a":')


@pytest.mark.parametrize(
    ("length", "more"),
    [
        ("7", True),
        ("6", False),
        ("0006", False),
        ("9" * 9_999, True),
        ("\xb2", False),
        ("", False),
        ("-9", False),
        ("9 ", False),
    ],
)
def test_a_length_is_a_number_or_nothing(length: str, more: bool) -> None:
    assert declares_more(length, 6) is more


async def test_a_body_may_take_as_long_as_its_pieces_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "BODY_WAIT_S", 0.02)
    monkeypatch.setattr(bounds, "BODY_MIN_BYTES_PER_S", 1)
    pieces: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    read = Paced(pieces.get)
    pieces.put_nowait({"type": "http.request", "body": b"a" * 60, "more_body": True})
    await read()
    asyncio.get_running_loop().call_later(0.1, pieces.put_nowait, {"type": "http.request", "body": b""})
    await read()
    asyncio.get_running_loop().call_later(0.1, pieces.put_nowait, {"type": "http.disconnect"})
    assert (await read())["type"] == "http.disconnect"


async def test_a_body_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "BODY_WAIT_S", 0.02)
    with pytest.raises(SlowRequest):
        await Paced(asyncio.Queue().get)()


@pytest.mark.parametrize("text", ["2026-01-01Z00", "2026-01-01x10:00", "2026-13-01", "", "T"])
def test_what_only_the_library_takes_for_a_moment_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="."):
        parse_iso(text)
