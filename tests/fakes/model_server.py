"""A server on loopback that speaks the documented protocol of one provider byte by byte, with faults.

It refuses what the provider would refuse, so a request that passes here has the form the documentation asks for.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import msgspec

from tests.fakes import anthropic_protocol, gemini_protocol, openai_protocol
from tests.fakes.words import Call, End, Fail, Say, Script, Tokens, said

PROTOCOLS: dict[str, ModuleType] = {
    "openai": openai_protocol,
    "anthropic": anthropic_protocol,
    "gemini": gemini_protocol,
}
KINDS = {"openai": "openai_compatible", "anthropic": "anthropic", "gemini": "gemini"}
BASE_PATHS = {"openai": "/v1", "anthropic": "", "gemini": ""}
PAGE = b"<!doctype html><html><body><h1>Welcome to the proxy</h1></body></html>"
HUGE_BYTES = 5 << 20
DRIP_S = 0.02
STATUSES = {
    "bad_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "context_exceeded": 400,
    "content_filter": 400,
    "too_large": 413,
    "rate_limited": 429,
    "rate_limit_storm": 429,
    "server_error": 500,
    "bad_gateway": 502,
    "unavailable": 503,
    "gateway_timeout": 504,
    "overloaded": 529,
}
"""Fault -> the status it is told by."""
SPOKEN = said("The parcel ", "is on ", "its way")


@dataclass(frozen=True)
class Answer:
    """One answer: what is said, what goes wrong, and how the bytes are cut (0: one piece per event, -1: one in all)."""

    script: Script = SPOKEN
    fault: str = ""
    piece_bytes: int = 0
    retry_after: str = ""
    sentence: str = ""


@dataclass
class Asked:
    """What was asked."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    complaint: str = ""


@dataclass
class FakeModelServer:
    """Gives its answers one after the other; the last one stays."""

    protocol: str
    answers: Sequence[Answer] = (Answer(),)
    asked: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._wire = PROTOCOLS[self.protocol]
        self._left = list(self.answers)
        self._connections: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> FakeModelServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=HUGE_BYTES)
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        for writer in list(self._connections):
            writer.transport.abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}{BASE_PATHS[self.protocol]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._connections.add(writer)
        try:
            while (asked := await _request(reader)) is not None:
                asked.complaint = self._wire.complaint(asked.path, asked.headers, asked.body)
                self.asked.append(asked)
                answer = self._left.pop(0) if len(self._left) > 1 else self._left[0]
                if not await self._answer(answer, asked, writer):
                    return
        except (ConnectionError, asyncio.CancelledError):
            return
        finally:
            self._tasks.discard(task)
            self._connections.discard(writer)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, answer: Answer, asked: Asked, writer: asyncio.StreamWriter) -> bool:
        """Answer, and return whether the connection goes on."""
        if asked.complaint:
            writer.write(_whole(400, self._wire.error(400, asked.complaint)))
            return True
        fault = answer.fault
        streamed = asked.body.get("stream") is True or "stream" in asked.path
        if fault in STATUSES:
            writer.write(self._refusal(answer, streamed=streamed))
            return True
        if fault == "hang_before_headers":
            await asyncio.Event().wait()
        if fault == "reset_at_once":
            _reset(writer)
            return False
        if fault == "garbage_bytes":
            writer.write(b"\x00\x01\xfe not HTTP at all \xff\r\n\r\n" * 4)
            return False
        if fault == "wrong_content_type":
            writer.write(_whole(200, PAGE, "text/html"))
            return True
        if fault == "empty_answer":
            writer.write(_whole(200, b"", "text/event-stream" if streamed else "application/json"))
            return True
        if not streamed:
            return await self._answer_whole(answer, writer)
        return await self._answer_stream(answer, writer)

    def _refusal(self, answer: Answer, *, streamed: bool) -> bytes:
        status = STATUSES[answer.fault]
        extra = (
            f"Retry-After: {answer.retry_after}\r\nretry-after: {answer.retry_after}\r\n" if answer.retry_after else ""
        )
        if answer.fault == "bad_gateway":
            return _whole(status, PAGE, "text/html", extra)
        word = {"context_exceeded": "context", "content_filter": "filter"}.get(answer.fault, "")
        body = self._wire.error(status, answer.sentence or f"The fake says {status}", word)
        if self.protocol == "gemini" and word == "filter":
            if streamed:  # a blocked prompt is an answer without candidates on this wire
                return _whole(200, b"data: " + body + b"\r\n\r\n", "text/event-stream")
            status = 200
        return _whole(status, body, "application/json", extra)

    async def _answer_whole(self, answer: Answer, writer: asyncio.StreamWriter) -> bool:
        data = self._wire.body(answer.script)
        match answer.fault:
            case "garbage_events":
                data = b'{"half": '
            case "bad_unicode":
                data = data.replace(b"parcel", b"par\xff\xfecel")
            case "error_event" | "error_event_later":
                data = self._wire.error(503, "Overloaded")
            case "huge_event":
                data = b" " * (HUGE_BYTES + 1) + data
        head = _head(200, "application/json", f"Content-Length: {len(data)}\r\n")
        match answer.fault:
            case "hang_after_headers":
                writer.write(head)
                await asyncio.Event().wait()
            case "hang_later":
                writer.write(head + data[: len(data) // 2])
                await asyncio.Event().wait()
            case "slow_drip":
                await _drip(writer, head + data)
            case "cut_later" | "cut_in_event" | "no_end":
                writer.write(head + data[:-5])
                return False
            case "reset_later":
                writer.write(head + data[:-5])
                await writer.drain()
                _reset(writer)
                return False
            case "wrong_length":
                writer.write(_head(200, "application/json", f"Content-Length: {len(data) + 50}\r\n") + data)
                return False
        for piece in _cut(data, answer.piece_bytes):
            writer.write(head + piece)
            head = b""
            await writer.drain()
        return True

    async def _answer_stream(self, answer: Answer, writer: asyncio.StreamWriter) -> bool:
        events = self._events(answer)
        writer.write(_head(200, "text/event-stream; charset=utf-8", "Transfer-Encoding: chunked\r\n"))
        match answer.fault:
            case "hang_after_headers":
                await asyncio.Event().wait()
            case "slow_drip":
                await _drip(writer, b"".join(_chunk(event) for event in events))
            case "wrong_length":
                writer.write(b"fffff\r\n" + events[0][:8])
                return False
        half = len(events) // 2
        for place, piece in enumerate(_pieces(events, answer.piece_bytes)):
            if place == half:
                match answer.fault:
                    case "hang_later":
                        await asyncio.Event().wait()
                    case "cut_later":
                        return False
                    case "cut_in_event":
                        writer.write(_chunk(piece[: len(piece) // 2]))
                        return False
                    case "reset_later":
                        await writer.drain()
                        _reset(writer)
                        return False
            writer.write(_chunk(piece))
            if answer.piece_bytes >= 0:
                await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    def _events(self, answer: Answer) -> list[bytes]:
        script = answer.script
        match answer.fault:
            case "no_end":
                return list(self._wire.events(tuple(one for one in script if not isinstance(one, End))))
            case "error_event":
                return list(self._wire.events((Fail("Overloaded"),)))
            case "error_event_later":
                return list(self._wire.events((*script[:2], Fail("Overloaded"))))
            case "garbage_events":
                return [b"data: {not json\n\n"]
            case "bad_unicode":
                return [event.replace(b"parcel", b"par\xff\xfecel") for event in self._wire.events(script)]
            case "huge_event":
                return [b"data: " + b"x" * HUGE_BYTES]
            case _:
                return list(self._wire.events(script))


async def _request(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    data = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(first.split(" ")[1], headers, msgspec.json.decode(data) if data else {})


def _head(status: int, kind: str, extra: str) -> bytes:
    return f"HTTP/1.1 {status} Fake\r\nContent-Type: {kind}\r\n{extra}\r\n".encode()


def _whole(status: int, data: bytes, kind: str = "application/json", extra: str = "") -> bytes:
    return _head(status, kind, f"{extra}Content-Length: {len(data)}\r\n") + data


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _pieces(events: list[bytes], piece_bytes: int) -> list[bytes]:
    return events if piece_bytes == 0 else _cut(b"".join(events), piece_bytes)


def _cut(data: bytes, piece_bytes: int) -> list[bytes]:
    size = piece_bytes if piece_bytes > 0 else max(len(data), 1)
    return [data[at : at + size] for at in range(0, len(data), size)]


async def _drip(writer: asyncio.StreamWriter, data: bytes) -> None:
    for at in range(len(data)):
        writer.write(data[at : at + 1])
        await writer.drain()
        await asyncio.sleep(DRIP_S)  # this is what the fault is: a server that is slow


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close without a goodbye: the other side meets a reset."""
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


BROKEN_CALL: Script = (Call("c1", "find_parcel", ('{"code": "A1", ', "oops")), Tokens(), End("tool_calls"))
TWIN_CALLS: Script = (
    Call("twin", "find_parcel", ('{"code": "A1"}',)),
    Call("twin", "find_parcel", ('{"code": "B2"}',)),
    Tokens(),
    End("tool_calls"),
)
SCRIPTED_FAULTS = {"broken_arguments": BROKEN_CALL, "twin_ids": TWIN_CALLS}
"""Faults that are words of the model."""
WIRE_FAULTS = (
    *STATUSES,
    *("hang_before_headers", "hang_after_headers", "hang_later", "slow_drip"),
    *("reset_at_once", "reset_later", "cut_later", "cut_in_event", "wrong_length"),
    *("garbage_bytes", "garbage_events", "bad_unicode", "huge_event"),
    *("wrong_content_type", "empty_answer", "no_end", "error_event", "error_event_later"),
)
FAULTS = (*WIRE_FAULTS, *SCRIPTED_FAULTS)


def faulty(fault: str) -> Answer:
    """Return the answer that goes wrong in this way."""
    retry_after = {"rate_limited": "2", "overloaded": "3"}.get(fault, "")
    if fault in SCRIPTED_FAULTS:
        return Answer(SCRIPTED_FAULTS[fault])
    return Answer(fault=fault, retry_after=retry_after)


__all__ = ["FAULTS", "KINDS", "PROTOCOLS", "Answer", "FakeModelServer", "Say", "faulty"]
