"""Server-sent events: how one is written, the heartbeat, and the id by which a client resumes.

Spec: platform-api 4.1, 4.3. An id is `<session>:<number>`, so that a client which lost its connection during its
first turn needs nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Final, NamedTuple

from fastapi import Response
from starlette.types import Message, Receive, Scope, Send

from domain.errors import AppError, InvalidInput
from domain.json_values import JsonObject
from gateway.envelope import json_bytes
from gateway.errors import error_event

HEARTBEAT = b": heartbeat\n\n"
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
MEDIA_TYPE = "text/event-stream"
DESCRIBED: Final[JsonObject] = {
    MEDIA_TYPE: {
        "schema": {
            "description": "One event; lines that begin with a colon are none",
            "type": "object",
            "required": ["event", "data"],
            "properties": {
                "event": {"type": "string"},
                "data": {"type": "string", "contentMediaType": "application/json"},
                "id": {"type": "string"},
            },
        }
    }
}
"""A stream in the OpenAPI document: the form of each of its events."""


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


class EventStream(Response):
    """The response that sends events as they come, and a comment whenever `heartbeat_s` pass without one.

    The events are read where they are sent, without a task for each, and left when the client leaves.
    """

    media_type = MEDIA_TYPE

    def __init__(
        self,
        events: AsyncGenerator[Event],
        heartbeat_s: float,
        *,
        write: Callable[[Event], bytes] = written,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """`write` says how an event is written; `headers` are sent beside those of every stream."""
        self.status_code = 200
        self.background = None
        self.init_headers({**HEADERS, **(headers or {})})
        self._events = events
        self._heartbeat_s = heartbeat_s
        self._written = write
        self._sent_at = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all events, or as many as the client stays for."""
        writing = asyncio.create_task(self._write(send))
        beside = (asyncio.create_task(self._beat(send)), asyncio.create_task(_left(receive)))
        try:
            await asyncio.wait((writing, *beside), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (writing, *beside):
                task.cancel()
            written_out, *_ = await asyncio.gather(writing, *beside, return_exceptions=True)
        if isinstance(written_out, Exception):
            raise written_out

    async def _write(self, send: Send) -> None:
        await self._send(send, {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self._events) as events:
            try:
                async for event in events:
                    await self._send(send, _body(self._written(event)))
            except AppError as error:
                await self._send(send, _body(self._written(Event("error", error_event(error)))))
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _beat(self, send: Send) -> None:
        time = asyncio.get_running_loop().time
        self._sent_at = time()
        while True:
            silent_s = time() - self._sent_at
            if silent_s < self._heartbeat_s:
                await asyncio.sleep(self._heartbeat_s - silent_s)
            else:
                await self._send(send, _body(HEARTBEAT))

    async def _send(self, send: Send, message: Message) -> None:
        await send(message)
        self._sent_at = asyncio.get_running_loop().time()


def _body(piece: bytes) -> Message:
    return {"type": "http.response.body", "body": piece, "more_body": True}


async def _left(receive: Receive) -> None:
    """Wait until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
