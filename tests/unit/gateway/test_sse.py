from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from domain.errors import InvalidInput, QueueFull
from gateway.sse import HEARTBEAT, Event, EventId, EventStream, parse_event_id, wants_events, written
from tests.support.until import until

pytestmark = pytest.mark.anyio


def test_an_event_is_four_lines() -> None:
    event = Event("response_chunk", {"chunk": "line\nline — “x”"}, EventId("sess_1", 7))
    assert written(event).decode() == ('id: sess_1:7\nevent: response_chunk\ndata: {"chunk":"line\\nline — “x”"}\n\n')
    assert written(Event("error", {})) == b"event: error\ndata: {}\n\n"


def test_an_id_names_its_session_or_the_request_does() -> None:
    assert parse_event_id("sess_1:7", None) == EventId("sess_1", 7)
    assert parse_event_id("7", "sess_1") == EventId("sess_1", 7)
    for text, session in (("7", None), ("", "sess_1"), ("a:b", None), ("sess_1:7", "sess_2"), ("a:²", None)):
        with pytest.raises(InvalidInput):
            parse_event_id(text, session)


def test_events_are_wanted_by_their_media_type() -> None:
    assert wants_events("text/event-stream, */*")
    assert not wants_events("*/*")


class Wire:
    """The client's end of one response."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.gone = asyncio.Event()
        self.heard = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        self.messages.append(message)
        self.heard.set()

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages)


async def sent(source: AsyncGenerator[Event], heartbeat_s: float = 15) -> Wire:
    wire = Wire()
    await asyncio.wait_for(EventStream(source, heartbeat_s)({"type": "http"}, wire.receive, wire.send), 5)
    return wire


async def test_events_are_sent_as_they_come_and_the_end_is_an_empty_piece() -> None:
    async def source() -> AsyncGenerator[Event]:
        for number in range(3):
            yield Event("a", {"n": number})

    wire = await sent(source())
    assert [message["type"] for message in wire.messages] == ["http.response.start", *["http.response.body"] * 4]
    assert wire.body == b"".join(written(Event("a", {"n": number})) for number in range(3))
    assert [message["more_body"] for message in wire.messages[1:]] == [True, True, True, False]
    headers = dict(wire.messages[0]["headers"])
    assert headers[b"content-type"].startswith(b"text/event-stream")
    assert headers[b"cache-control"] == b"no-cache"
    assert headers[b"x-accel-buffering"] == b"no"
    assert b"content-length" not in headers


async def test_a_client_that_leaves_leaves_the_source() -> None:
    left = asyncio.Event()
    wire = Wire()

    async def source() -> AsyncGenerator[Event]:
        try:
            yield Event("a", {})
            await asyncio.Event().wait()
        finally:
            left.set()

    serving = asyncio.create_task(EventStream(source(), 15)({"type": "http"}, wire.receive, wire.send))
    await until(lambda: len(wire.messages) == 2)
    wire.gone.set()
    await asyncio.wait_for(serving, 60)
    assert left.is_set()
    assert wire.messages[-1]["more_body"] is True


async def test_silence_is_filled_and_counted_from_the_last_byte() -> None:
    go_on = asyncio.Event()
    wire = Wire()

    async def source() -> AsyncGenerator[Event]:
        yield Event("a", {})
        await go_on.wait()
        yield Event("b", {})

    serving = asyncio.create_task(EventStream(source(), 0.01)({"type": "http"}, wire.receive, wire.send))
    while wire.body.count(HEARTBEAT) < 3:
        wire.heard.clear()
        await asyncio.wait_for(wire.heard.wait(), 5)
    go_on.set()
    await asyncio.wait_for(serving, 60)
    assert wire.body.startswith(written(Event("a", {})) + HEARTBEAT)
    assert wire.body.endswith(written(Event("b", {})))


async def test_what_goes_wrong_later_is_the_last_event() -> None:
    async def source() -> AsyncGenerator[Event]:
        yield Event("a", {})
        raise QueueFull("Execution queue full", retry_after_ms=5)

    wire = await sent(source())
    assert wire.body.endswith(
        b'event: error\ndata: {"error":"Execution queue full","code":"QUEUE_FULL","retryAfterMs":5}\n\n'
    )
    assert wire.messages[-1]["more_body"] is False


async def test_a_bug_in_the_source_is_not_hidden() -> None:
    async def source() -> AsyncGenerator[Event]:
        yield Event("a", {})
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        await sent(source())
