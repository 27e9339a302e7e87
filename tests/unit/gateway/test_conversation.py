from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.runtime import StreamEvent
from domain import limits
from domain.errors import NotFound, QueueFull
from domain.rates import RateSettings
from gateway import bounds
from gateway.app import drain
from tests.support.gateway import PUBLIC_KEY, Gateway, a_gateway, a_public_key
from tests.support.pages import PATH, opened, spoken, started

pytestmark = pytest.mark.anyio


async def test_a_message_is_acknowledged_and_answered_in_order(gateway: Gateway) -> None:
    gateway.runtime.chunks = ("one ", "two")
    async with started(gateway) as socket:
        socket.say(type="chat_message", id="f1", text="hello", messageId="m1", metadata={"seat": 1})
        frames = await socket.until("response_end")
    assert [frame["type"] for frame in frames] == [
        "message_ack",
        "response_start",
        "response_chunk",
        "response_chunk",
        "response_end",
    ]
    assert (frames[0]["messageId"], frames[0]["replyTo"], frames[0]["queued"]) == ("m1", "f1", 0)
    assert spoken(frames) == frames[-1]["fullText"] == "one two"
    numbers = [frame["seq"] for frame in frames[1:]]
    assert numbers == sorted(set(numbers))
    assert all(frame["timestamp"].endswith("Z") for frame in frames)
    assert gateway.runtime.asked[0].metadata == {"seat": 1}


async def test_a_repeated_message_is_acknowledged_but_not_run_again(gateway: Gateway) -> None:
    async with started(gateway) as socket:
        socket.say(type="chat_message", text="hello", messageId="m9")
        await socket.until("response_end")
        socket.say(type="chat_message", text="hello", messageId="m9")
        assert (await socket.frame())["type"] == "message_ack"
        socket.say(type="ping")
        assert (await socket.frame())["type"] == "pong"
    assert len(gateway.runtime.asked) == 1


async def test_every_socket_of_a_session_hears_it(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    async with started(gateway, token) as one, started(gateway, token) as other:
        one.say(type="chat_message", text="hello")
        heard = await other.until("response_end")
        said = await one.until("response_end")
    assert "message_ack" not in [frame["type"] for frame in heard]
    assert [frame["seq"] for frame in heard] == [frame["seq"] for frame in said if frame["type"] != "message_ack"]


@pytest.mark.parametrize("cut_after", range(1, 12))
async def test_a_socket_cut_anywhere_goes_on_where_it_was_cut(gateway: Gateway, cut_after: int) -> None:
    gateway.runtime.chunks = tuple(f"word{n} " for n in range(10))
    token = await gateway.sdk_token()
    seen: list[dict[str, Any]] = []
    async with started(gateway, token) as socket:
        socket.say(type="chat_message", text="hello")
        assert (await socket.frame())["type"] == "message_ack"
        while len(seen) < cut_after:
            seen.append(await socket.frame())
    async with opened(gateway, token, f"?lastSeq={seen[-1]['seq']}") as socket:
        start = await socket.frame()
        assert start["resumed"] is True
        rest = await socket.until("response_end") if seen[-1]["type"] != "response_end" else []
    frames = [*seen, *rest]
    assert spoken(frames) == "".join(gateway.runtime.chunks)
    assert [frame["seq"] for frame in frames] == [2, *range(4, 15)]
    assert len(gateway.runtime.asked) == 1


async def test_a_turn_outlives_the_socket_that_asked_for_it(gateway: Gateway) -> None:
    gateway.runtime.gate = asyncio.Event()
    token = await gateway.sdk_token()
    async with started(gateway, token) as socket:
        socket.say(type="chat_message", text="hello")
        await socket.until("response_start")
    gateway.runtime.gate.set()
    async with started(gateway, token, "?lastSeq=2") as socket:
        assert spoken(await socket.until("response_end")) == "you said: hello"


async def test_output_that_nobody_here_asked_for_is_pushed(gateway: Gateway) -> None:
    gateway.runtime.action = {"type": "suspend", "callbackId": "cb_1"}
    async with started(gateway) as socket:
        socket.say(type="chat_message", text="hello")
        session_id = (await socket.until("response_end"))[-1]["sessionId"]
        await gateway.runtime.say(session_id, "by itself")
        frames = await socket.until("response_end")
    assert spoken(frames) == "you said: by itself"


async def test_turns_over_http_wake_the_sockets_of_their_session(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    async with started(gateway, token) as socket:
        body = {"projectId": "c" + "a" * 24, "message": "over http"}
        await gateway.page(token).post("/api/v1/chat/agent", body)
        assert spoken(await socket.until("response_end")) == "you said: over http"


async def test_frames_that_are_gone_are_announced(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    async with started(gateway, token) as socket:
        socket.say(type="chat_message", text="hello")
        session_id = (await socket.until("response_end"))[-1]["sessionId"]
    events = gateway.runtime.sessions_by_id[session_id].events

    async def resume(session: object, after: int) -> AsyncIterator[object]:
        if after < 3:
            yield StreamEvent(seq=3, turn=0, kind="resume_gap", data={"fromSeq": 2, "toSeq": 3})
        for event in events[3:]:
            yield event

    gateway.runtime.resume = gateway.runtime.follow = resume  # type: ignore[method-assign]
    async with started(gateway, token, "?lastSeq=1") as socket:
        gap = await socket.frame()
        assert (gap["type"], gap["fromSeq"], gap["toSeq"]) == ("resume_gap", 2, 3)
        assert (await socket.frame())["type"] == "response_chunk"


async def test_a_refused_turn_is_an_error_of_its_message(gateway: Gateway) -> None:
    async with started(gateway) as socket:
        gateway.runtime.refuse = QueueFull("Execution queue full", retry_after_ms=700)
        socket.say(type="chat_message", id="f1", text="hello", messageId="m1")
        error = (await socket.until("error"))[-1]
    assert (error["code"], error["retryAfterMs"], error["messageId"], error["replyTo"], error["fatal"]) == (
        "QUEUE_FULL",
        700,
        "m1",
        "f1",
        False,
    )


@pytest.mark.parametrize(
    ("text", "code", "reply_to"),
    [
        ('{"type":"dance","id":"f"}', "UNSUPPORTED_MESSAGE", "f"),
        ('{"type":"auth_response"}', "UNSUPPORTED_MESSAGE", None),
        ("[]", "BAD_REQUEST", None),
        ("nonsense", "BAD_REQUEST", None),
        ('{"type":"chat_message","id":"f"}', "VALIDATION_ERROR", "f"),
        ('{"type":"chat_message","text":5}', "VALIDATION_ERROR", None),
        ('{"type":"chat_message","text":""}', "VALIDATION_ERROR", None),
        ('{"type":"chat_message","text":"a\\u0000"}', "VALIDATION_ERROR", None),
        ('{"type":"chat_message","text":"a","metadata":{"__proto__":1}}', "INVALID_METADATA", None),
        ('{"type":"chat_message","text":"a","metadata":[]}', "INVALID_METADATA", None),
        ('{"type":"ping","sessionId":"sess_other"}', "SESSION_MISMATCH", None),
    ],
)
async def test_a_bad_frame_is_told_and_does_no_harm(
    gateway: Gateway, text: str, code: str, reply_to: str | None
) -> None:
    async with started(gateway) as socket:
        socket.say_text(text)
        error = await socket.frame()
        assert (error["type"], error["code"], error["fatal"]) == ("error", code, False)
        assert error.get("replyTo") == reply_to
        socket.say(type="ping", id="p", t=7)
        pong = await socket.frame()
    assert (pong["type"], pong["t"], pong["replyTo"]) == ("pong", 7, "p")
    assert gateway.runtime.asked == []


async def test_too_many_bad_frames_close_the_socket(gateway: Gateway) -> None:
    async with started(gateway) as socket:
        for _ in range(21):
            socket.say_text("nonsense")
        assert await socket.close_code() == 1008


async def test_frames_beyond_their_size_and_binary_ones_close_the_socket(gateway: Gateway) -> None:
    async with started(gateway) as socket:
        socket.say_text('"' + "x" * limits.SOCKET_FRAME_MAX_BYTES + '"')
        assert await socket.close_code() == 1009
    async with started(gateway) as socket:
        socket.say_bytes(b"\0\0")
        assert await socket.close_code() == 1003


async def test_an_ended_session_says_so_and_closes(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    async with started(gateway, token) as socket:
        socket.say(type="end_session")
        end = await socket.frame()
        assert (end["type"], end["reason"]) == ("session_end", "user")
        assert await socket.close_code() == 1000
    async with opened(gateway, token) as socket:
        error = await socket.frame()
        assert (error["code"], error["fatal"]) == ("SESSION_ENDED", True)
        assert await socket.close_code() == 4004


async def test_a_button_is_a_turn_with_its_value(gateway: Gateway) -> None:
    async with started(gateway) as socket:
        socket.say(type="action_submit", actionId="pick", value="Oslo", formData={"a": "b"}, renderId="r1")
        await socket.until("response_end")
    turn = gateway.runtime.asked[0]
    assert turn.message == "Oslo"
    assert turn.action == {"actionId": "pick", "value": "Oslo", "formData": {"a": "b"}, "renderId": "r1"}


async def test_handoffs_are_shown_only_where_the_key_shows_activity(gateway: Gateway) -> None:
    gateway.runtime.trace = {"type": "handoff", "data": {"fromAgent": "desk", "toAgent": "hotel", "reason": "x"}}
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key(show_activity_updates=True)
    async with started(gateway) as socket:
        socket.say(type="chat_message", text="hello")
        frames = await socket.until("response_end")
    handoff = next(frame for frame in frames if frame["type"] == "handoff")
    assert handoff["metadata"] == {"fromAgent": "desk", "toAgent": "hotel"}


async def test_voice_is_answered_as_not_configured(gateway: Gateway) -> None:
    async with started(gateway) as socket:
        socket.say(type="voice_start")
        error = await socket.frame()
    assert (error["type"], error["code"]) == ("voice_error", "VOICE_NOT_CONFIGURED")


async def test_the_oldest_of_too_many_sockets_is_closed(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    page = gateway.page(token)
    async with started(gateway, token) as oldest:
        others = [page.websocket(PATH, subprotocols=["sdk-auth", token]) for _ in range(limits.SOCKETS_PER_SESSION)]
        for other in others:
            await (await other.__aenter__()).frame()
        assert await oldest.close_code() == 4009
        for other in others:
            await other.__aexit__(None, None, None)


async def test_a_revoked_key_closes_its_sockets(gateway: Gateway) -> None:
    async with started(gateway) as socket:
        gateway.public_keys.keys.clear()
        gateway.clock.move(seconds=2)
        socket.say(type="ping")
        assert await socket.close_code() == 4010


async def test_an_idle_socket_is_closed(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SOCKET_IDLE_S", 0.01)
    async with started(gateway) as socket:
        assert await socket.close_code() == 4008


async def test_a_draining_gateway_sends_its_sockets_elsewhere(gateway: Gateway) -> None:
    async with started(gateway) as socket:
        draining = asyncio.create_task(drain(gateway.app, 5.0))
        frame = await socket.frame()
        assert (frame["type"], frame["reconnectAfterMs"]) == ("server_draining", 1000)
        assert await socket.close_code() == 1001
    await draining


async def test_a_socket_that_comes_during_the_way_out_is_sent_elsewhere(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    await drain(gateway.app, 5.0)
    async with opened(gateway, token) as socket:
        frames = await socket.until("server_draining")
        assert frames[-1]["reconnectAfterMs"] == 1000
        assert await socket.close_code() == 1001


async def test_messages_over_a_socket_count_against_the_session() -> None:
    gateway = a_gateway(rates=RateSettings(session_messages_per_minute=1))
    async with started(gateway) as socket:
        socket.say(type="chat_message", text="a", messageId="m1")
        await socket.until("response_end")
        socket.say(type="chat_message", text="b", messageId="m2")
        error = await socket.frame()
    assert (error["code"], error["messageId"]) == ("RATE_LIMIT_EXCEEDED", "m2")
    assert error["retryAfterMs"] > 0


async def test_a_cancelled_turn_keeps_what_it_said(gateway: Gateway) -> None:
    gateway.runtime.chunks, gateway.runtime.gate = ("never ", "said"), asyncio.Event()
    async with started(gateway) as socket:
        socket.say(type="chat_message", text="hello", messageId="m1")
        await socket.until("response_start")
        socket.say(type="cancel", messageId="m1")
        end = (await socket.until("response_end"))[-1]
        assert (end["fullText"], end["interrupted"]) == ("", True)
        socket.say(type="cancel")
        socket.say(type="ping")
        assert (await socket.frame())["type"] == "pong"


async def test_a_typed_interrupt_stops_what_is_said_and_is_then_a_message(gateway: Gateway) -> None:
    gateway.runtime.gate = asyncio.Event()
    async with started(gateway) as socket:
        socket.say(type="chat_message", text="hello")
        await socket.until("response_start")
        socket.say(type="typed_interrupt", text="stop", messageId="m2")
        assert (await socket.until("response_end"))[-1]["interrupted"] is True
        assert spoken(await socket.until("response_end")) == "you said: stop"


async def test_a_revoked_key_closes_its_sockets_also_when_nobody_speaks(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "SOCKET_CHECK_S", 0.01)
    async with started(gateway) as socket:
        gateway.public_keys.keys.clear()
        gateway.clock.move(seconds=2)
        assert await socket.close_code() == 4010


async def test_a_session_that_was_deleted_closes_its_sockets(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "SOCKET_FOLLOW_PAUSE_S", 0.0)

    async def follow(session: object, after: int) -> AsyncIterator[object]:
        raise NotFound("Session not found")
        yield

    gateway.runtime.follow = follow  # type: ignore[method-assign]
    async with started(gateway) as socket:
        assert await socket.close_code() == 4004


async def test_a_repeated_message_id_with_another_text_is_refused(gateway: Gateway) -> None:
    async with started(gateway) as socket:
        socket.say(type="chat_message", text="hello", messageId="m9")
        await socket.until("response_end")
        socket.say(type="chat_message", text="something else", messageId="m9")
        error = (await socket.until("error"))[-1]
    assert (error["code"], error["messageId"], error["fatal"]) == ("BAD_REQUEST", "m9", False)
    assert len(gateway.runtime.asked) == 1


async def test_a_session_that_ended_elsewhere_says_so_after_all_that_it_said(gateway: Gateway) -> None:
    async with started(gateway) as socket:
        socket.say(type="chat_message", text="hello")
        session_id = (await socket.until("response_end"))[-1]["sessionId"]
        reply = await gateway.client.post(f"/api/v1/sessions/{session_id}/end", {"reason": "user"})
        assert reply.status == 200
        assert (await socket.frame())["reason"] == "user"
        assert await socket.close_code() == 1000


async def test_what_clears_a_status_has_a_number_before_the_error_that_ends_its_turn(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway.runtime.trace = {"type": "tool_call", "data": {"toolCallId": "c1", "toolName": "find"}}
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key(show_activity_updates=True)
    emit = gateway.runtime._emit

    async def broken(session: Any, number: int, kind: Any, data: Any) -> None:
        if kind == "complete":
            kind, data = "error", {"error": "The turn has failed", "code": "SERVICE_UNAVAILABLE"}
        await emit(session, number, kind, data)

    monkeypatch.setattr(gateway.runtime, "_emit", broken)
    async with started(gateway) as socket:
        socket.say(type="chat_message", text="hello")
        frames = await socket.until("error")
    clear, error = frames[-2:]
    assert clear["type"] == "status_clear"
    assert clear["seq"] < error["seq"]  # cut between the two, `lastSeq` still asks for the error
