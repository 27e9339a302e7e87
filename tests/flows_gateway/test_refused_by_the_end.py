"""What was acknowledged is answered or refused, also when its session ends before its turn. Decision: 0046.

Spec: platform-api 3.1, 12.4, 12.7.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from tests.flows_gateway.test_sockets import TALKER, say, until
from tests.support.live_gateway import DEADLINE_S, LiveGateway, a_live_gateway, another_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio

HELD = StubBehaviour(text="a long story that is told", deltas=4, holds_after=1)


@asynccontextmanager
async def a_talker(servers: Servers, name: str, *behaviours: StubBehaviour) -> AsyncIterator[tuple[LiveGateway, str]]:
    """Yield a gateway whose agent is held in the middle of its first answer, and the token of a page."""
    async with (
        StubModel(HELD, *behaviours) as model,
        a_live_gateway(servers, name, {"t.abl": TALKER}, model_url=model.base_url) as gateway,
    ):
        yield gateway, await gateway.page_token()
        model.may_go_on.set()


async def in_line(socket: ClientConnection, *message_ids: str) -> list[dict[str, Any]]:
    """Have a turn run and other messages wait behind it; return what was heard, to the last acknowledgement."""
    await say(socket, type="chat_message", text="Tell me", messageId="m1")
    heard = await until(socket, "response_chunk")
    for message_id in message_ids:
        await say(socket, type="chat_message", text=f"say {message_id}", messageId=message_id)
        heard += await until(socket, "message_ack")
    return heard


async def rest_of(socket: ClientConnection) -> tuple[list[dict[str, Any]], int]:
    """Return what a socket hears until it is closed, and the code of that."""
    frames: list[dict[str, Any]] = []

    async def hear() -> None:
        while True:
            frames.append(json.loads(await socket.recv()))

    async with asyncio.timeout(DEADLINE_S):
        with pytest.raises(ConnectionClosed):
            await hear()
    assert socket.close_code is not None
    return frames, socket.close_code


def refusals_of(frames: list[dict[str, Any]], *message_ids: str) -> list[tuple[str, str]]:
    """Return which of these messages were refused, and how."""
    errors = [frame for frame in frames if frame["type"] == "error"]
    return [(one["messageId"], one["code"]) for one in errors if one.get("messageId") in message_ids]


async def test_what_waits_when_its_page_ends_the_session_is_refused_before_the_end_is_told(servers: Servers) -> None:
    async with a_talker(servers, "ended-by-page") as (gateway, token), gateway.socket(token) as socket:
        heard = await in_line(socket, "m2", "m3")
        answer_id = next(frame["messageId"] for frame in heard if frame["type"] == "response_start")
        assert heard[-1]["queued"] > 0
        await say(socket, type="end_session")
        frames, code = await rest_of(socket)
        assert sorted(refusals_of(frames, "m2", "m3")) == [("m2", "SESSION_ENDED"), ("m3", "SESSION_ENDED")], frames
        assert refusals_of(frames, answer_id) == [(answer_id, "SESSION_ENDED")], "what ran says how it has ended"
        assert [frame["type"] for frame in frames].count("session_end") == 1
        assert (frames[-1]["type"], frames[-1]["reason"], code) == ("session_end", "user", 1000)


async def test_a_page_that_was_cut_off_hears_what_the_end_of_its_session_refused(servers: Servers) -> None:
    async with a_talker(servers, "ended-while-away") as (gateway, token):
        async with gateway.socket(token) as socket:
            session_id = (await in_line(socket, "m2"))[0]["sessionId"]
        answer = await gateway.call("POST", f"/api/v1/sessions/{session_id}/end", {"reason": "user"})
        assert answer.status == 200
        async with gateway.socket(token) as socket:
            frames, code = await rest_of(socket)
        assert refusals_of(frames, "m2") == [("m2", "SESSION_ENDED")], frames
        assert (frames[-1]["code"], frames[-1]["fatal"], code) == ("SESSION_ENDED", True, 4004)
        async with gateway.socket(token) as socket:
            frames, code = await rest_of(socket)
        assert refusals_of(frames, "m2") == [], "it was told"
        assert (len(frames), code) == (1, 4004)


@pytest.mark.parametrize("is_elsewhere", [False, True])
async def test_a_page_that_has_come_back_hears_what_its_end_refuses(servers: Servers, is_elsewhere: bool) -> None:
    async with (
        a_talker(servers, "ended-after-return") as (gateway, token),
        another_gateway(gateway) as other,
    ):
        async with gateway.socket(token) as socket:
            await in_line(socket, "m2")
        async with (other if is_elsewhere else gateway).socket(token) as socket:
            await until(socket, "session_start")
            await say(socket, type="end_session")
            frames, code = await rest_of(socket)
        assert refusals_of(frames, "m2") == [("m2", "SESSION_ENDED")], frames
        assert (frames[-1]["type"], code) == ("session_end", 1000)
