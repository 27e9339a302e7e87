from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.runtime import SessionRef, StreamEvent
from domain.errors import AgentFault, AppError, Conflict, Forbidden, NotFound, QueueFull, Unauthenticated, Unavailable
from gateway import bounds, socket
from gateway.closing import CloseCode
from tests.support.gateway import PAGE, PUBLIC_KEY, Gateway
from tests.support.pages import PATH, opened, started
from tests.support.until import until

pytestmark = pytest.mark.anyio


async def test_the_first_frame_starts_the_session_and_the_protocol_is_the_word(gateway: Gateway) -> None:
    async with opened(gateway) as socket:
        frame = await socket.frame()
        session = gateway.runtime.sessions_by_id[frame["sessionId"]]
    assert gateway.runtime.sessions_by_id == {}, "nothing was said in it"
    assert socket.subprotocol == "sdk-auth"
    assert frame["type"] == "session_start"
    assert (frame["resumed"], frame["lastSeq"], frame["heartbeatSec"]) == (False, 0, 25)
    assert frame["channelId"] is None
    assert frame["capabilities"] == {
        "voice": False,
        "realtimeVoice": False,
        "attachments": True,
        "binaryAudio": False,
    }
    assert session.transport == "websocket"


@pytest.mark.parametrize(
    ("subprotocols", "query", "origin", "code"),
    [
        ([], "", PAGE, 4001),
        (["sdk-auth"], "", PAGE, 4001),
        (["sdk-auth", "nonsense"], "", PAGE, 4001),
        (["sdk-auth", PUBLIC_KEY], "", PAGE, 4001),
        (["sdk-auth", "TOKEN"], "?token=abc", PAGE, 4001),
        (["sdk-auth", "TOKEN"], "", "https://evil.example.com", 4003),
        (["sdk-ticket", "nonsense"], "", PAGE, 4003),
        (["sdk-ticket", "TOKEN"], "", PAGE, 4003),
        (["sdk-auth", "TICKET"], "", PAGE, 4001),
    ],
)
async def test_a_failed_handshake_is_accepted_told_and_closed(
    gateway: Gateway, subprotocols: list[str], query: str, origin: str, code: int
) -> None:
    token = await gateway.sdk_token()
    ticket = (await gateway.page(token).post("/api/v1/sdk/ws-ticket")).json()["ticket"]
    offered = [{"TOKEN": token, "TICKET": ticket}.get(word, word) for word in subprotocols]
    client = gateway.nobody().with_headers(origin=origin)
    async with client.websocket(PATH + query, subprotocols=offered) as socket:
        error = await socket.frame()
        assert (error["type"], error["fatal"]) == ("error", True)
        assert await socket.close_code() == code


async def test_a_ticket_opens_one_socket(gateway: Gateway) -> None:
    page = gateway.page(await gateway.sdk_token())
    ticket = (await page.post("/api/v1/sdk/ws-ticket")).json()["ticket"]
    async with page.websocket(PATH, subprotocols=["sdk-ticket", ticket]) as socket:
        assert (await socket.frame())["type"] == "session_start"
        assert socket.subprotocol == "sdk-ticket"
    async with page.websocket(PATH, subprotocols=["sdk-ticket", ticket]) as socket:
        assert await socket.close_code() == 4003
    late = (await page.post("/api/v1/sdk/ws-ticket")).json()["ticket"]
    gateway.clock.move(seconds=61)
    async with page.websocket(PATH, subprotocols=["sdk-ticket", late]) as socket:
        assert await socket.close_code() == 4003


async def test_a_page_that_was_loaded_again_finds_its_session(gateway: Gateway) -> None:
    async with opened(gateway) as socket:
        start = await socket.frame()
        socket.say(type="chat_message", text="hello")
        await socket.until("response_end")
    page = gateway.nobody().with_headers(x_public_key=PUBLIC_KEY, origin=PAGE)
    body = (await page.post("/api/v1/sdk/init", {"resumeToken": start["resumeToken"]})).json()
    assert body["sessionId"] == start["sessionId"]
    async with opened(gateway, body["token"]) as socket:
        assert (await socket.frame())["sessionId"] == start["sessionId"]


@pytest.mark.parametrize("moment", ["session", "follow"])
async def test_a_socket_that_comes_while_its_silent_session_is_removed_has_it_again(
    gateway: Gateway, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = await gateway.sdk_token()
    runtime = gateway.runtime
    wanted = getattr(runtime, moment)
    removed: list[bool] = []

    def after_its_removal(session: SessionRef, *arguments: Any, **named: Any) -> Any:
        if not removed:
            removed.append(runtime.sessions_by_id.pop(session.session_id) is not None)
            runtime.opened.clear()
        return wanted(session, *arguments, **named)

    monkeypatch.setattr(runtime, moment, after_its_removal)
    async with opened(gateway, token) as socket:
        start = await socket.frame()
        await until(lambda: bool(removed) and start["sessionId"] in runtime.sessions_by_id)
        socket.say(type="chat_message", text="hello")
        frames = await socket.until("response_end")
    assert {frame["sessionId"] for frame in frames} == {start["sessionId"]}
    assert len(runtime.wanted) == 2


async def test_what_was_missed_of_a_session_that_is_being_removed_is_nothing(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[SessionRef] = []

    async def gone(session: SessionRef, after: int) -> AsyncIterator[StreamEvent]:
        asked.append(session)
        raise NotFound("Session not found")
        yield

    monkeypatch.setattr(gateway.runtime, "resume", gone)
    async with opened(gateway) as socket:
        await socket.frame()
        await until(lambda: bool(asked))
        socket.say(type="chat_message", text="hello")
        await socket.until("response_end")


async def test_a_page_whose_silent_session_is_removed_behind_its_resume_token_has_it_again(gateway: Gateway) -> None:
    async with opened(gateway) as socket:
        start = await socket.frame()
        page = gateway.nobody().with_headers(x_public_key=PUBLIC_KEY, origin=PAGE)
        body = (await page.post("/api/v1/sdk/init", {"resumeToken": start["resumeToken"]})).json()
    assert (body["sessionId"], gateway.runtime.sessions_by_id) == (start["sessionId"], {})
    async with opened(gateway, body["token"]) as socket:
        assert (await socket.frame())["sessionId"] == start["sessionId"]
        socket.say(type="chat_message", text="hello")
        await socket.until("response_end")


async def test_a_session_that_is_removed_again_and_again_is_given_up(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = gateway.runtime

    async def gone(*arguments: Any, **named: Any) -> Any:
        raise NotFound("Session not found")

    monkeypatch.setattr(runtime, "session", gone)
    async with opened(gateway) as socket:
        assert await socket.close_code() == CloseCode.NO_SESSION
    assert len(runtime.wanted) == bounds.SOCKET_REOPENS


async def test_frames_before_the_start_are_heard_after_it(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    async with gateway.page(token).websocket(PATH, subprotocols=["sdk-auth", token]) as socket:
        socket.say(type="ping", t=1)
        socket.say(type="ping", t=2)
        kinds = [await socket.frame() for _ in range(3)]
    assert [frame["type"] for frame in kinds] == ["session_start", "pong", "pong"]
    assert [frame["t"] for frame in kinds[1:]] == [1, 2]


@pytest.mark.parametrize(("frames", "size"), [(17, 2), (2, 40_000)], ids=["too many", "too large"])
async def test_a_flood_before_the_start_closes_the_socket(gateway: Gateway, frames: int, size: int) -> None:
    held = asyncio.Event()
    create = gateway.runtime.create_session

    async def slow(wanted: Any) -> Any:
        await held.wait()
        return await create(wanted)

    gateway.runtime.create_session = slow  # type: ignore[method-assign]
    async with opened(gateway) as socket:
        for _ in range(frames):
            socket.say_text("x" * size)
        assert await socket.close_code() == 1008
    held.set()


async def test_more_sockets_than_a_gateway_can_hold_are_sent_away(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "SOCKETS_HELD", 1)
    async with started(gateway), opened(gateway) as second:
        error = await second.frame()
        assert (error["code"], error["fatal"]) == ("SERVICE_UNAVAILABLE", True)
        assert await second.close_code() == 1013


@pytest.mark.parametrize(
    ("error", "by_token", "by_ticket"),
    [
        (Unauthenticated("x"), 4001, 4003),
        (Forbidden("x"), 4003, 4003),
        (NotFound("x"), 4004, 4004),
        (Conflict("x"), 4004, 4004),
        (QueueFull("x", retry_after_ms=1), 4029, 4029),
        (Unavailable("x"), 1013, 1013),
        (AgentFault("x"), 1011, 1011),
    ],
    ids=str,
)
def test_every_error_of_a_handshake_has_its_close_code(error: AppError, by_token: int, by_ticket: int) -> None:
    assert socket._close_code(error, socket.Offer(socket.AUTH, "t")) == by_token
    assert socket._close_code(error, socket.Offer(socket.TICKET, "t")) == by_ticket
