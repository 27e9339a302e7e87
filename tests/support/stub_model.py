"""A model server that speaks OpenAI-compatible chat completions on loopback: fixed delays, tool calls and faults.

In a test: `async with StubModel(StubBehaviour(...)) as stub`. For benchmarks a process of its own prints its address:
`python tests/support/stub_model.py --delay-ms 300`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

Fault = Literal["", "hang", "reset", "cut", "garbage", "not_http", "status", "error_event", "no_end"]

SENTENCE = "Your parcel left the hub this morning and arrives tomorrow before noon at your door"
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder()


@dataclass(frozen=True, slots=True)
class StubBehaviour:
    """How the stub answers.

    Attributes:
        text: What it says; `deltas` pieces of it when streaming, 0 for one per word.
        tool_calls: `(name, arguments)` it asks for while the last message is no tool result, or always if `calls_again`.
        call_first_tool: Ask for the first offered tool with empty arguments instead.
        delay_ms: Before the first byte of the answer; `delta_delay_ms` before every later delta.
        holds_after: When streaming, tell no more than so many deltas until `StubModel.may_go_on` is set; 0 for all.
        fault: What goes wrong; of `cut` and `error_event` after `fault_after` deltas.
        status: Of the fault `status`, with `retry_after_s` and the body `body`.
    """

    text: str = SENTENCE
    deltas: int = 0
    tool_calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    calls_again: bool = False
    call_first_tool: bool = False
    delay_ms: float = 0
    delta_delay_ms: float = 0
    holds_after: int = 0
    fault: Fault = ""
    fault_after: int = 2
    status: int = 500
    retry_after_s: str = ""
    body: bytes = b'{"error": {"message": "The stub fails as it was told", "code": "stub"}}'
    usage: dict[str, Any] = field(
        default_factory=lambda: {
            "prompt_tokens": 21,
            "completion_tokens": 16,
            "prompt_tokens_details": {"cached_tokens": 5},
        }
    )


@dataclass(frozen=True, slots=True)
class StubRequest:
    """What was asked."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class StubModel:
    """The server; `behaviours` are used up one per request, the last one stays."""

    def __init__(self, *behaviours: StubBehaviour, port: int = 0, keep_requests: int = 1_000) -> None:
        self._behaviours = list(behaviours) or [StubBehaviour()]
        self._port = port
        self._keep_requests = keep_requests
        self._server: asyncio.Server | None = None
        self._connections: set[_Connection] = set()
        self.requests: list[StubRequest] = []
        self.count = 0
        self.may_go_on = asyncio.Event()

    async def __aenter__(self) -> StubModel:
        await self.start()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.stop()

    @property
    def base_url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    @property
    def open_connections(self) -> int:
        return len(self._connections)

    def then(self, behaviours: Iterable[StubBehaviour]) -> None:
        """Replace what is still to come."""
        self._behaviours = list(behaviours)

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", self._port)

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for connection in list(self._connections):
            connection.abort()
        await self._server.wait_closed()

    def next_behaviour(self, request: StubRequest) -> StubBehaviour:
        self.count += 1
        if len(self.requests) < self._keep_requests:
            self.requests.append(request)
        return self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]


class _Connection(asyncio.Protocol):
    """One connection: requests one after the other, each answered by a task of its own."""

    def __init__(self, stub: StubModel) -> None:
        self._stub = stub
        self._buffer = b""
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # uvloop's is no asyncio.Transport
        self._stub._connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._stub._connections.discard(self)
        if self._task is not None:
            self._task.cancel()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        size = int(headers.get("content-length", 0))
        if len(rest) < size:
            return
        self._buffer = rest[size:]
        request = StubRequest(first.split(" ")[1], headers, _DECODER.decode(rest[:size]) if size else {})
        behaviour = self._stub.next_behaviour(request)
        if behaviour.delay_ms or behaviour.delta_delay_ms or behaviour.holds_after or behaviour.fault:
            self._task = asyncio.get_running_loop().create_task(self._answer(behaviour, request))
        else:
            self._write(_whole(behaviour, request))

    async def _answer(self, behaviour: StubBehaviour, request: StubRequest) -> None:
        if behaviour.delay_ms:
            await asyncio.sleep(behaviour.delay_ms / 1_000)
        if behaviour.fault and self._fail_at_once(behaviour):
            return
        if not request.body.get("stream"):
            if behaviour.fault == "cut":
                self._write(_json_answer(behaviour, request)[:-5])
                self._close()
                return
            self._write(_json_answer(behaviour, request))
            return
        await self._stream(behaviour, request)

    async def _stream(self, behaviour: StubBehaviour, request: StubRequest) -> None:
        self._write(_STREAM_HEAD)
        for place, event in enumerate(_events(behaviour, request)):
            if behaviour.fault == "cut" and place == behaviour.fault_after:
                self._close()
                return
            if behaviour.fault == "error_event" and place == behaviour.fault_after:
                self._write(_chunk(b"data: " + behaviour.body + b"\n\n"))
            if behaviour.fault == "no_end" and event == _DONE:
                break
            if behaviour.holds_after and place > behaviour.holds_after:  # the first event is no delta
                await self._stub.may_go_on.wait()
            if place and behaviour.delta_delay_ms:
                await asyncio.sleep(behaviour.delta_delay_ms / 1_000)
            self._write(_chunk(event))
        self._write(b"0\r\n\r\n")

    def _fail_at_once(self, behaviour: StubBehaviour) -> bool:
        """Whether the fault needs no answer of the model; then it has happened."""
        match behaviour.fault:
            case "hang":
                pass
            case "reset":
                self._close()
            case "not_http":
                self._write(b"\x00\x01 this is no HTTP \xff\r\n\r\n")
                self._close()
            case "garbage":
                body = b"data: {not json\n\n"
                self._write(_head(200, "text/event-stream", len(body)) + body)
            case "status":
                extra = f"Retry-After: {behaviour.retry_after_s}\r\n" if behaviour.retry_after_s else ""
                self._write(_head(behaviour.status, "application/json", len(behaviour.body), extra) + behaviour.body)
            case _:
                return False
        return True

    def _write(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def _close(self) -> None:
        if self._transport is not None:
            self._transport.close()


_DONE = b"data: [DONE]\n\n"
_STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def _head(status: int, kind: str, size: int, extra: str = "") -> bytes:
    return f"HTTP/1.1 {status} Stub\r\nContent-Type: {kind}\r\n{extra}Content-Length: {size}\r\n\r\n".encode()


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _whole(behaviour: StubBehaviour, request: StubRequest) -> bytes:
    if not request.body.get("stream"):
        return _json_answer(behaviour, request)
    return _STREAM_HEAD + _chunk(b"".join(_events(behaviour, request))) + b"0\r\n\r\n"


def _json_answer(behaviour: StubBehaviour, request: StubRequest) -> bytes:
    calls = _calls(behaviour, request)
    message: dict[str, Any] = {"role": "assistant", "content": None if calls else behaviour.text}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    answer = {"id": "stub", "model": request.body.get("model"), "choices": [choice], "usage": behaviour.usage}
    body = _ENCODER.encode(answer)
    return _head(200, "application/json", len(body)) + body


def _events(behaviour: StubBehaviour, request: StubRequest) -> list[bytes]:
    model, calls = request.body.get("model"), _calls(behaviour, request)
    says: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    if calls:
        for place, call in enumerate(calls):
            arguments = call["function"]["arguments"]
            half = len(arguments) // 2
            says.append({"tool_calls": [{**call, "index": place, "function": {**call["function"], "arguments": ""}}]})
            says.extend(
                {"tool_calls": [{"index": place, "function": {"arguments": piece}}]}
                for piece in (arguments[:half], arguments[half:])
            )
    else:
        says.extend({"content": piece} for piece in _pieces(behaviour))
    rows: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in says]
    rows.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}]})
    rows.append({"choices": [], "usage": behaviour.usage})
    return [*(b"data: " + _ENCODER.encode({"id": "stub", "model": model, **row}) + b"\n\n" for row in rows), _DONE]


def _pieces(behaviour: StubBehaviour) -> list[str]:
    if not behaviour.deltas:
        first, *words = behaviour.text.split(" ")
        return [first, *(f" {word}" for word in words)]
    size = max(-(-len(behaviour.text) // behaviour.deltas), 1)
    return [behaviour.text[at : at + size] for at in range(0, len(behaviour.text), size)]


def _calls(behaviour: StubBehaviour, request: StubRequest) -> list[dict[str, Any]]:
    messages = request.body.get("messages") or [{}]
    if messages[-1].get("role") == "tool" and not behaviour.calls_again:
        return []
    wanted = behaviour.tool_calls
    tools = request.body.get("tools")
    if behaviour.call_first_tool and tools:
        wanted = ((tools[0]["function"]["name"], {}),)
    return [
        {
            "id": f"call_{len(messages)}_{place}",
            "type": "function",
            "function": {"name": name, "arguments": _ENCODER.encode(arguments).decode()},
        }
        for place, (name, arguments) in enumerate(wanted)
    ]


async def serve(behaviour: StubBehaviour, port: int) -> None:
    """Serve until the process is ended; the first line says where."""
    stub = StubModel(behaviour, port=port, keep_requests=0)
    await stub.start()
    sys.stdout.write(f"{stub.base_url}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


def main() -> None:
    options = argparse.ArgumentParser(description="A stub of an OpenAI-compatible model server on loopback")
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--delay-ms", type=float, default=0)
    options.add_argument("--delta-delay-ms", type=float, default=0)
    options.add_argument("--deltas", type=int, default=0)
    options.add_argument("--call-first-tool", action="store_true")
    given = options.parse_args()
    behaviour = StubBehaviour(
        delay_ms=given.delay_ms,
        delta_delay_ms=given.delta_delay_ms,
        deltas=given.deltas,
        call_first_tool=given.call_first_tool,
    )
    try:
        asyncio.run(serve(behaviour, given.port))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
