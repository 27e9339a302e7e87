from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from domain.errors import InvalidInput, QueueFull
from gateway.sse import Event, EventId, event_stream, parse_event_id, wants_events, with_heartbeat, written

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


async def test_leaving_a_stream_leaves_its_source() -> None:
    left = asyncio.Event()

    async def source() -> AsyncIterator[Event]:
        try:
            yield Event("a", {})
            await asyncio.Event().wait()
        finally:
            left.set()

    beating = with_heartbeat(source(), 0.01)
    assert await anext(beating) == Event("a", {})
    assert await anext(beating) is None
    await beating.aclose()
    assert left.is_set()


async def test_what_goes_wrong_later_is_the_last_event() -> None:
    async def source() -> AsyncIterator[Event]:
        yield Event("a", {})
        raise QueueFull("Execution queue full", retry_after_ms=5)

    response = event_stream(source(), 15)
    pieces = [bytes(piece) async for piece in response.body_iterator]  # type: ignore[arg-type]
    assert pieces[-1] == (
        b'event: error\ndata: {"error":"Execution queue full","code":"QUEUE_FULL","retryAfterMs":5}\n\n'
    )
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["x-accel-buffering"] == "no"
