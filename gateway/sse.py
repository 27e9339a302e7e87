"""Server-sent events: how one is written, the heartbeat, and the id by which a client resumes.

Spec: platform-api 4.1, 4.3. An id is `<session>:<number>`, so that a client which lost its connection during its
first turn needs nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import NamedTuple

from fastapi.responses import StreamingResponse

from domain.errors import AppError, InvalidInput
from domain.json_values import JsonObject
from gateway.envelope import json_bytes
from gateway.errors import error_event

HEARTBEAT = b": heartbeat\n\n"
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
MEDIA_TYPE = "text/event-stream"


class EventId(NamedTuple):
    """Where a client stands in a session's output."""

    session_id: str
    seq: int


class Event(NamedTuple):
    """One event of a stream; without an id it cannot be resumed from."""

    name: str
    data: JsonObject
    id: EventId | None = None


def written(event: Event) -> bytes:
    """Return the bytes of one event."""
    mark = b"" if event.id is None else b"id: %s:%d\n" % (event.id.session_id.encode(), event.id.seq)
    return b"%sevent: %s\ndata: %s\n\n" % (mark, event.name.encode(), json_bytes(event.data))


def parse_event_id(text: str, session_id: str | None) -> EventId:
    """Return what a `Last-Event-ID` says; a bare number belongs to the session that the request names.

    Raises:
        InvalidInput: It is no id of ours, or one of another session than the request names.
    """
    named, _, seq = text.rpartition(":")
    session = named or session_id or ""
    if not session or not seq.isascii() or not seq.isdigit() or (session_id and session != session_id):
        raise InvalidInput("Invalid Last-Event-ID")
    return EventId(session, int(seq))


def wants_events(accept: str) -> bool:
    """Return whether an `Accept` header asks for events."""
    return MEDIA_TYPE in accept


def event_stream(events: AsyncIterator[Event], heartbeat_s: float) -> StreamingResponse:
    """Return the response that sends `events` as they come, and a comment whenever `heartbeat_s` pass without one."""
    return StreamingResponse(_written_stream(events, heartbeat_s), media_type=MEDIA_TYPE, headers=HEADERS)


async def _written_stream(events: AsyncIterator[Event], heartbeat_s: float) -> AsyncIterator[bytes]:
    async with aclosing(with_heartbeat(events, heartbeat_s)) as beating:
        try:
            async for event in beating:
                yield HEARTBEAT if event is None else written(event)
        except AppError as error:
            yield written(Event("error", error_event(error)))


async def with_heartbeat(events: AsyncIterator[Event], heartbeat_s: float) -> AsyncGenerator[Event | None]:
    """Yield `events`, and None whenever `heartbeat_s` pass without one; leaving it leaves `events`."""
    waiting: asyncio.Future[Event] | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait((waiting,), timeout=heartbeat_s)
            if not done:
                yield None
                continue
            finished, waiting = waiting, None
            try:
                event = finished.result()
            except StopAsyncIteration:
                return
            yield event
    finally:
        if waiting is not None:
            waiting.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration, AppError):
                await waiting
