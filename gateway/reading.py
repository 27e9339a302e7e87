"""What a request's body is read with: a least speed, and JSON in which no key stands twice. Spec: platform-api 1.1.

Readers differ in which of two equal keys counts, so what one has checked another may not see: such a body is refused
(RFC 8259, section 4; RFC 7493, section 2.3).
"""

from __future__ import annotations

import asyncio
import re
from typing import Final

import orjson
from starlette.types import Message, Receive

from domain.json_values import JsonValue
from gateway import bounds
from gateway.errors import MalformedRequest, SlowRequest

TWICE: Final = "Invalid JSON body: a key stands twice"
_TEXTS: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


def read_json(raw: bytes) -> JsonValue:
    """Return the JSON of a body.

    Raises:
        orjson.JSONDecodeError: It is none.
        MalformedRequest: An object in it has a key twice.
    """
    value = orjson.loads(raw)
    if _TEXTS.sub(b"", raw).count(b":") != _keys(value):
        raise MalformedRequest(TWICE)
    return value


def _keys(value: JsonValue) -> int:
    """Return how many keys all objects in a value have together.

    >>> _keys({"a": [{"b": 1}, {"b": 2}], "c": {}})
    4
    """
    found, waiting = 0, [value]
    while waiting:
        match waiting.pop():
            case dict() as inner:
                found += len(inner)
                waiting += inner.values()
            case list() as inner:
                waiting += inner
    return found


def declares_more(length: str, max_bytes: int) -> bool:
    """Return whether a `Content-Length` says more than `max_bytes`; what is no number says nothing.

    >>> declares_more("7", 6), declares_more("06", 6), declares_more("9" * 9_999, 6), declares_more("\xb2", 1)
    (True, False, True, False)
    """
    digits = length.lstrip("0") if length.isascii() and length.isdigit() else ""
    return len(digits) > len(str(max_bytes)) or int(digits or "0") > max_bytes


class Paced:
    """Reads the pieces of a body while they come fast enough."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._began_s = asyncio.get_running_loop().time()
        self._size_bytes = 0
        self._is_over = False

    async def __call__(self) -> Message:
        """Return the next message; those behind the body may take as long as they do.

        Raises:
            SlowRequest: It has not come in time: `BODY_WAIT_S`, and what all before it may take at the least speed.
        """
        if self._is_over:
            return await self._receive()
        until_s = self._began_s + bounds.BODY_WAIT_S + self._size_bytes / bounds.BODY_MIN_BYTES_PER_S
        try:
            async with asyncio.timeout_at(until_s):
                message = await self._receive()
        except TimeoutError as error:
            raise SlowRequest("The request body came too slowly") from error
        self._size_bytes += len(message.get("body", b""))
        self._is_over = not message.get("more_body", False)
        return message
