"""A client that calls an ASGI app in this process: plain requests, streams that can be cut, and WebSockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

DEADLINE_S = 60.0


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class SseEvent:
    name: str
    data: Any
    id: str = ""


@dataclass
class Exchange:
    """One request under way."""

    messages: asyncio.Queue[dict[str, Any]] = field(default_factory=asyncio.Queue)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    read_bytes: int = 0


class Client:
    """Calls `app` with the given headers on every request."""

    def __init__(self, app: Any, headers: Mapping[str, str] | None = None) -> None:
        self.app = app
        self.headers = dict(headers or {})

    def with_headers(self, **headers: str) -> Client:
        return Client(self.app, {name.replace("_", "-"): value for name, value in headers.items()})

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        raw: bytes | Iterable[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        exchange = Exchange()
        await asyncio.wait_for(self._call(exchange, method, path, body, raw, headers), DEADLINE_S)
        reply: Reply | None = None
        while not exchange.messages.empty():
            message = exchange.messages.get_nowait()
            if message["type"] == "http.response.start":
                reply = Reply(message["status"], _decoded(message["headers"]))
            elif reply is not None:
                reply.body += message.get("body", b"")
        assert reply is not None, "the app did not answer"
        reply.headers["x-test-read-bytes"] = str(exchange.read_bytes)
        return reply

    async def get(self, path: str, **options: Any) -> Reply:
        return await self.request("GET", path, **options)

    async def post(self, path: str, body: Any = None, **options: Any) -> Reply:
        return await self.request("POST", path, body=body, **options)

    async def delete(self, path: str, **options: Any) -> Reply:
        return await self.request("DELETE", path, **options)

    @asynccontextmanager
    async def stream(
        self, method: str, path: str, *, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[tuple[Reply, AsyncIterator[bytes]]]:
        """Open a stream; leaving the block cuts the connection."""
        exchange = Exchange()
        task = asyncio.create_task(self._call(exchange, method, path, body, None, headers))
        try:
            start = await asyncio.wait_for(exchange.messages.get(), DEADLINE_S)
            yield Reply(start["status"], _decoded(start["headers"])), _pieces(exchange)
        finally:
            exchange.gone.set()
            await asyncio.wait_for(task, DEADLINE_S)

    async def _call(
        self,
        exchange: Exchange,
        method: str,
        path: str,
        body: Any,
        raw: bytes | Iterable[bytes] | None,
        headers: Mapping[str, str] | None,
    ) -> None:
        sent = {"host": "testserver", **self.headers, **(headers or {})}
        if body is not None:
            raw = json.dumps(body).encode()
            sent.setdefault("content-type", "application/json")
        pieces = [raw] if isinstance(raw, bytes) else list(raw) if raw is not None else []
        if isinstance(raw, bytes):
            sent.setdefault("content-length", str(len(raw)))
        waiting = iter(pieces)
        over = False

        async def receive() -> dict[str, Any]:
            nonlocal over
            if over:
                await exchange.gone.wait()
                return {"type": "http.disconnect"}
            piece = next(waiting, None)
            over = piece is None
            exchange.read_bytes += len(piece or b"")
            return {"type": "http.request", "body": piece or b"", "more_body": not over}

        async def send(message: dict[str, Any]) -> None:
            if exchange.gone.is_set():
                raise OSError("the client has gone")
            exchange.messages.put_nowait(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                exchange.gone.set()

        await _swallowing_gone(self.app(_scope("http", path, sent, method=method), receive, send), exchange)

    @asynccontextmanager
    async def websocket(
        self, path: str, *, subprotocols: Iterable[str] = (), headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[Socket]:
        socket = Socket()
        sent = {"host": "testserver", **self.headers, **(headers or {})}
        scope = _scope("websocket", path, sent, subprotocols=list(subprotocols))
        task = asyncio.create_task(self.app(scope, socket.incoming.get, socket.outgoing.put))
        socket.incoming.put_nowait({"type": "websocket.connect"})
        try:
            accepted = await socket.next()
            assert accepted["type"] == "websocket.accept", accepted
            socket.subprotocol = accepted.get("subprotocol")
            yield socket
        finally:
            socket.incoming.put_nowait({"type": "websocket.disconnect", "code": 1001})
            await asyncio.wait_for(task, DEADLINE_S)


class Socket:
    """The client's end of a WebSocket."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.outgoing: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.subprotocol: str | None = None

    async def next(self) -> dict[str, Any]:
        return await asyncio.wait_for(self.outgoing.get(), DEADLINE_S)

    async def frame(self) -> dict[str, Any]:
        message = await self.next()
        assert message["type"] == "websocket.send", message
        return dict(json.loads(message["text"]))

    async def until(self, kind: str) -> list[dict[str, Any]]:
        """Return the frames up to the first of this kind."""
        frames = [await self.frame()]
        while frames[-1]["type"] != kind:
            frames.append(await self.frame())
        return frames

    async def close_code(self) -> int:
        while (message := await self.next())["type"] != "websocket.close":
            pass
        return int(message["code"])

    def say(self, **frame: Any) -> None:
        self.say_text(json.dumps(frame))

    def say_text(self, text: str) -> None:
        self.incoming.put_nowait({"type": "websocket.receive", "text": text})

    def say_bytes(self, data: bytes) -> None:
        self.incoming.put_nowait({"type": "websocket.receive", "bytes": data})


async def sse_events(pieces: AsyncIterator[bytes]) -> AsyncIterator[SseEvent]:
    """Yield the events of a stream; a comment is an event named `:`."""
    rest = b""
    async for piece in pieces:
        *blocks, rest = (rest + piece).split(b"\n\n")
        for block in blocks:
            yield _event(block.decode())


def _event(block: str) -> SseEvent:
    if block.startswith(":"):
        return SseEvent(":", block[1:].strip())
    fields = dict(line.split(": ", 1) for line in block.splitlines())
    return SseEvent(fields["event"], json.loads(fields["data"]), fields.get("id", ""))


async def _pieces(exchange: Exchange) -> AsyncIterator[bytes]:
    while True:
        message = await asyncio.wait_for(exchange.messages.get(), DEADLINE_S)
        if message.get("body"):
            yield message["body"]
        if not message.get("more_body"):
            return


async def _swallowing_gone(call: Any, exchange: Exchange) -> None:
    """Await the app; what it raises after it has answered is for the server's log."""
    try:
        await call
    except Exception:
        if not exchange.gone.is_set():
            raise


def _scope(kind: str, path: str, headers: Mapping[str, str], **more: Any) -> dict[str, Any]:
    parts = urlsplit(path)
    return {
        "type": kind,
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "ws" if kind == "websocket" else "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
        "client": ("127.0.0.1", 5000),
        "server": ("testserver", 80),
        **more,
    }


def _decoded(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode().lower(): value.decode("latin-1") for name, value in headers}
