"""Answers while they come, through connections that break: each event once, and the text is that of the reply."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from abl_client import ApiError, Client, ServerAway
from tests.support.echo import an_echo
from tests.support.live_gateway import a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
TALKER = 'AGENT: Talker\nGOAL: "Tell a story"\nPERSONA: "A narrator"\n'
BODY = {"projectId": "p", "message": "How is the weather?"}
DOCUMENT = Path(__file__).parents[2] / "docs" / "client.md"
Told = tuple[str, dict[str, Any]]


@asynccontextmanager
async def a_cutter(port: int, cuts_after: list[int]) -> AsyncIterator[int]:
    """Yield the port of what carries connections to a server, and breaks the first ones off after so many bytes."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        room = cuts_after.pop(0) if cuts_after else None
        there, back = await asyncio.open_connection("127.0.0.1", port)
        upward = asyncio.create_task(copied(reader, back, None))
        try:
            await copied(there, writer, room)
        finally:
            upward.cancel()
            await asyncio.wait((upward,))
            back.transport.abort()
            writer.transport.abort()

    async with await asyncio.start_server(carry, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, room: int | None) -> None:
    while piece := await reader.read(4_096 if room is None else min(room, 4_096)):
        writer.write(piece)
        await writer.drain()
        if room is not None and (room := room - len(piece)) <= 0:
            return


@contextmanager
def a_server(*connections: list[Told], status: int = 200) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield the address of a server that tells these events, connection after connection, and what it was sent."""
    asked: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            asked.append({name.lower(): value for name, value in self.headers.items()})
            told = connections[len(asked) - 1]
            self.send_response(200 if told else status)
            self.send_header("Retry-After", "0")
            self.end_headers()
            for place, (name, data) in enumerate(told):
                mark = f"id: s:{100 * len(asked) + place}\n"
                self.wfile.write(f"{mark}event: {name}\ndata: {json.dumps(data)}\n\n: heartbeat\n\n".encode())

        def log_message(self, *_args: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


START: list[Told] = [
    ("session_start", {"sessionId": "s"}),
    ("response_start", {"messageId": "m", "attempt": 1}),
    ("response_chunk", {"messageId": "m", "chunk": "It rai"}),
]
AGAIN: list[Told] = [
    ("response_restart", {"messageId": "m", "attempt": 2}),
    ("response_start", {"messageId": "m", "attempt": 2}),
    ("response_chunk", {"messageId": "m", "chunk": "The sun "}),
    ("response_chunk", {"messageId": "m", "chunk": "shines."}),
]
END: list[Told] = [
    ("response_end", {"messageId": "m", "fullText": "The sun shines."}),
    ("complete", {"response": "The sun shines.", "sessionId": "s", "messageId": "m"}),
]


def test_an_answer_that_begins_again_is_not_joined_to_its_first_beginning() -> None:
    with a_server(START, [], AGAIN + END, status=503) as (url, asked):
        stream = Client(url, "key").streams.chat(BODY)
        texts = [(event.name, stream.text) for event in stream]
    assert texts[2:6] == [
        ("response_chunk", "It rai"), ("response_restart", ""), ("response_start", ""), ("response_chunk", "The sun "),
    ]  # fmt: skip
    assert (stream.text, stream.reply["response"], stream.session_id) == ("The sun shines.", "The sun shines.", "s")
    assert [one.get("last-event-id") for one in asked] == [None, "s:102", "s:102"]
    assert len({one["idempotency-key"] for one in asked}) == 1
    assert {one["accept"] for one in asked} == {"text/event-stream"}


def test_what_a_stream_tells_of_is_raised() -> None:
    told = {"error": "Budget exceeded", "code": "CONFLICT", "retryAfterMs": 1_500, "details": {"reason": "X"}}
    with a_server([*START, ("error", told)]) as (url, _), pytest.raises(ApiError, match="Budget exceeded") as failed:
        list(Client(url, "key").streams.chat(BODY))
    error = failed.value
    assert (error.status, error.code, error.retry_after_s, error.details) == (0, "CONFLICT", 1.5, {"reason": "X"})
    with a_server([], status=503) as (url, asked), pytest.raises(ApiError):
        list(Client(url, "key").streams.chat(BODY))
    assert len(asked) == 1, "what is refused at once is its caller's to ask again"


def test_a_model_call_that_breaks_off_says_so() -> None:
    pieces: list[Told] = [("metadata", {"modelId": "a/b"}), ("text_delta", {"delta": "It "})]
    body = {"projectId": "p", "messages": [{"role": "user", "content": "x"}]}
    with a_server(pieces) as (url, asked):
        stream = Client(url, "key").streams.completion(body)
        with pytest.raises(ServerAway, match="broke off"):
            list(stream)
        assert (stream.text, len(asked)) == ("It ", 1)
    with a_server([*pieces, ("text_delta", {"delta": "rains"}), ("complete", {"totalTokens": 3})]) as (url, _):
        whole = Client(url, "key").streams.completion(body)
        assert [one.name for one in whole] == ["metadata", "text_delta", "text_delta", "complete"]
    assert (whole.text, whole.complete) == ("It rains", {"totalTokens": 3})


async def test_a_turn_is_told_once_through_connections_that_break(servers: Servers) -> None:
    slow = StubBehaviour(text="".join(f"{number:03d}." for number in range(60)), deltas=60, delta_delay_ms=10)
    async with (
        StubModel(slow) as model,
        a_live_gateway(servers, "client-stream", {"t.abl": TALKER}, model_url=model.base_url) as gateway,
        a_cutter(gateway.port, [1_500, 3_000, 2_000]) as port,
    ):
        client = Client(f"http://127.0.0.1:{port}", gateway.key)
        stream = client.streams.chat({"projectId": gateway.project_id, "message": "Tell me"})
        events = await asyncio.to_thread(list, stream)
        joined = "".join(one.data["chunk"] for one in events if one.name == "response_chunk")
        assert joined == stream.text == stream.reply["response"] == slow.text
        assert len({one.id for one in events}) == len(events)
        assert model.count == 1
        asked = {"projectId": gateway.project_id, "messages": [{"role": "user", "content": "Tell me"}]}
        completion = client.streams.completion(asked)
        await asyncio.to_thread(list, completion)
        assert (completion.text, completion.complete["finishReason"]) == (slow.text, "end_turn")


async def test_the_example_of_the_documentation_works(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    (text := tmp_path / "barista.abl").write_text(an_echo("heard").replace("Echo", "Barista"), encoding="utf-8")
    example = example.replace('Path("barista.abl")', f"Path({str(text)!r})")  # another folder would have other keys
    async with a_live_gateway(servers, "client-docs", {"t.abl": TALKER}) as gateway:
        monkeypatch.setenv("ABL_URL", f"http://127.0.0.1:{gateway.port}")
        monkeypatch.setenv("ABL_API_KEY", gateway.key)
        await asyncio.to_thread(exec, compile(example, str(DOCUMENT), "exec"), {})
    assert capsys.readouterr().out == "heard Hello\nheard A flat white, please\n"
