"""A connection that is cut after any event goes on where it was cut: 200 of 200, over SSE and over WebSocket.

The real gateway on real sockets, the real runtime, a model that streams; every position has a turn of its own, and the
connection is broken off while the turn runs. Spec: platform-api 4.1, 12.6.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from tests.support.asgi import SseEvent, sse_events
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio

EVENTS = 200
AT_ONCE = 10
TALKER = 'AGENT: Talker\nGOAL: "Tell a long story"\nPERSONA: "A patient narrator"\n'
DELTA_DELAY_MS = 0.5


def story(deltas: int) -> StubBehaviour:
    """Return a model that says so many pieces, each different from the others."""
    text = "".join(f"{number:03d}." for number in range(deltas))
    return StubBehaviour(text=text, deltas=deltas, delta_delay_ms=DELTA_DELAY_MS)


async def read_events(answer: Answer, count: int | None = None) -> list[SseEvent]:
    """Return so many events, or all; heartbeats are none."""
    seen: list[SseEvent] = []
    async for event in sse_events(answer.pieces()):
        if event.name != ":":
            seen.append(event)
        if count is not None and len(seen) >= count:
            return seen
    return seen


async def over_sse(gateway: LiveGateway, cut_after: int, key: str, *, keyed: bool) -> list[SseEvent]:
    """Return what a client saw whose connection was cut after so many events."""
    body = {"projectId": gateway.project_id, "message": "Tell me"}
    headers = {"accept": "text/event-stream", "idempotency-key": key}
    async with gateway.request("POST", "/api/v1/chat/agent", body, headers) as answer:
        assert answer.status == 200
        seen = await read_events(answer, cut_after)
    again = {"accept": "text/event-stream", "last-event-id": seen[-1].id}
    if keyed:
        again["idempotency-key"] = key
    async with gateway.request("POST", "/api/v1/chat/agent", body, again) as answer:
        return seen + await read_events(answer)


def seq(event: SseEvent) -> int:
    return int(event.id.rpartition(":")[2])


def check_sse(seen: list[SseEvent], text: str) -> None:
    numbers = [seq(event) for event in seen]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert "".join(event.data["chunk"] for event in seen if event.name == "response_chunk") == text
    assert [event.name for event in seen if event.name == "response_end"] == ["response_end"]
    assert seen[-1].name == "complete"
    assert seen[-1].data["response"] == text


async def frames(socket: Any) -> AsyncIterator[dict[str, Any]]:
    """Yield the numbered frames of a socket."""
    async for text in socket:
        frame = json.loads(text)
        if frame["type"] not in ("session_start", "message_ack"):
            yield frame


async def over_socket(gateway: LiveGateway, cut_after: int) -> list[dict[str, Any]]:
    """Return the frames that a page saw whose socket was cut after so many of them."""
    token = await gateway.page_token()
    seen: list[dict[str, Any]] = []
    async with gateway.socket(token) as socket:
        await socket.send(json.dumps({"type": "chat_message", "text": "Tell me", "messageId": "m1"}))
        async for frame in frames(socket):
            seen.append(frame)
            if len(seen) >= cut_after or frame["type"] == "response_end":
                break
    if seen[-1]["type"] == "response_end":
        return seen
    async with gateway.socket(token, f"?lastSeq={seen[-1]['seq']}") as socket:
        async for frame in frames(socket):
            seen.append(frame)
            if frame["type"] == "response_end":
                return seen
    raise AssertionError("the stream broke off")


def check_socket(seen: list[dict[str, Any]], text: str) -> None:
    numbers = [frame["seq"] for frame in seen]
    assert numbers == sorted(set(numbers))
    assert seen[0]["type"] == "response_start"
    assert "".join(frame["chunk"] for frame in seen if frame["type"] == "response_chunk") == text
    assert seen[-1]["fullText"] == text


async def at_every_cut(cuts: range, once: Callable[[int], Awaitable[None]]) -> int:
    """Run `once` for each position, some at a time; return how many came through."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(cut_after: int) -> None:
        async with places:
            await once(cut_after)

    await asyncio.gather(*(one(cut_after) for cut_after in cuts))
    return len(cuts)


async def test_a_stream_of_200_events_cut_at_every_one_of_them_is_whole(servers: Servers) -> None:
    async with (
        StubModel(story(10)) as model,
        a_live_gateway(servers, "sse", {"t.abl": TALKER}, model_url=model.base_url) as gateway,
    ):
        beside = len(await over_sse(gateway, 1, "first", keyed=True)) - 10
        behaviour = story(EVENTS - beside)
        model.then([behaviour])

        async def once(cut_after: int) -> None:
            seen = await over_sse(gateway, cut_after, f"cut-{cut_after}", keyed=bool(cut_after % 2))
            check_sse(seen, behaviour.text)
            assert len(seen) == EVENTS

        assert await at_every_cut(range(1, EVENTS + 1), once) == EVENTS


async def test_a_socket_cut_at_every_one_of_200_frames_misses_nothing(servers: Servers) -> None:
    async with (
        StubModel(story(10)) as model,
        a_live_gateway(servers, "socket", {"t.abl": TALKER}, model_url=model.base_url) as gateway,
    ):
        beside = len(await over_socket(gateway, 1)) - 10
        behaviour = story(EVENTS - beside)
        model.then([behaviour])

        async def once(cut_after: int) -> None:
            seen = await over_socket(gateway, cut_after)
            check_socket(seen, behaviour.text)
            assert len(seen) == EVENTS

        assert await at_every_cut(range(1, EVENTS + 1), once) == EVENTS
