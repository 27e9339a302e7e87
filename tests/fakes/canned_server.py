"""The same recorded-shape stream on all three protocols, as fast as it can be sent: what benchmarks read.

`python -m tests.fakes.canned_server PAUSES` prints one address for each protocol; with PAUSES 1 every event is sent by
itself, as providers do, else all in one piece.
"""

from __future__ import annotations

import asyncio
import sys
from types import ModuleType

from tests.fakes.model_server import BASE_PATHS, PROTOCOLS
from tests.fakes.words import Call, End, Say, Script, Tokens, pieces

HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n"
    b"x-request-id: req_0123456789\r\nTransfer-Encoding: chunked\r\n\r\n"
)
WORDS = "Your parcel left the hub this morning and arrives tomorrow before noon at your door".split()
SCRIPT: Script = (
    *(Say(f"{word} ") for word in (*WORDS, *WORDS)),
    Call(
        "call_a", "find_parcel", pieces({"code": "A1", "deep": True, "notes": "as soon as possible"}, *range(4, 40, 4))
    ),
    Call("call_b", "list_hubs", pieces({"city": "Rome", "open": True, "limit": 25}, *range(4, 32, 4))),
    Tokens(1_200, 60, cached=900),
    End("tool_calls"),
)


class _Connection(asyncio.Protocol):
    def __init__(self, events: list[bytes], *, pauses: bool) -> None:
        self._events = events
        self._pauses = pauses
        self._buffer = b""
        self._tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        size = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
        if len(rest) < size:
            return
        self._buffer = rest[size:]
        if not self._pauses:
            self._transport.write(HEAD + b"".join(self._events) + b"0\r\n\r\n")  # type: ignore[attr-defined]
            return
        task = asyncio.get_running_loop().create_task(self._send())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self) -> None:
        self._transport.write(HEAD)  # type: ignore[attr-defined]
        for event in self._events:
            await asyncio.sleep(0.001)  # what is measured is the reading of pieces that come one by one
            self._transport.write(event)  # type: ignore[attr-defined]
        self._transport.write(b"0\r\n\r\n")  # type: ignore[attr-defined]


def chunks_of(wire: ModuleType) -> list[bytes]:
    return [b"%x\r\n%s\r\n" % (len(event), event) for event in wire.events(SCRIPT)]


async def serve(*, pauses: bool) -> None:
    loop = asyncio.get_running_loop()
    for name, wire in PROTOCOLS.items():
        events = chunks_of(wire)
        server = await loop.create_server(lambda events=events: _Connection(events, pauses=pauses), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        sys.stdout.write(f"{name} http://127.0.0.1:{port}{BASE_PATHS[name]}\n")
        sys.stdout.flush()
        loop.call_soon(lambda server=server: server)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(pauses=sys.argv[1] == "1"))
