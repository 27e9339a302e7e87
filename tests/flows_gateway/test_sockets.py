"""What is said on sockets, with the real runtime behind them: cancelling, interrupting, buttons, the end.

Spec: platform-api 3.1, 12.4.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from tests.flows_gateway.test_contract import CLERK, chat
from tests.support.live_gateway import DEADLINE_S, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio

TALKER = 'AGENT: Talker\nGOAL: "Tell a long story"\nPERSONA: "A patient narrator"\n'
WORDS = 400


async def say(socket: ClientConnection, **frame: Any) -> None:
    await socket.send(json.dumps(frame))


async def until(socket: ClientConnection, kind: str) -> list[dict[str, Any]]:
    """Return the frames up to the first of this kind."""
    frames: list[dict[str, Any]] = []
    async with asyncio.timeout(DEADLINE_S):
        while not frames or frames[-1]["type"] != kind:
            frames.append(json.loads(await socket.recv()))
    return frames


def slow_story() -> StubBehaviour:
    return StubBehaviour(text=" ".join(["word"] * WORDS), deltas=WORDS, delta_delay_ms=10)


async def test_a_cancelled_turn_stops_the_model_and_keeps_what_was_said(servers: Servers) -> None:
    async with (
        StubModel(slow_story(), StubBehaviour(text="and on")) as model,
        a_live_gateway(servers, "cancel", {"t.abl": TALKER}, model_url=model.base_url) as gateway,
        gateway.socket(await gateway.page_token()) as socket,
    ):
        await say(socket, type="chat_message", text="Tell me", messageId="m1")
        await until(socket, "response_chunk")
        await say(socket, type="cancel", messageId="m1")
        frames = await until(socket, "response_end")
        end = frames[-1]
        assert end["interrupted"] is True
        assert 0 < len(end["fullText"]) < WORDS * 5
        await say(socket, type="chat_message", text="Go on", messageId="m2")
        assert (await until(socket, "response_end"))[-1]["fullText"] == "and on"


async def test_a_typed_interrupt_is_answered_after_what_it_stopped(servers: Servers) -> None:
    async with (
        StubModel(slow_story(), StubBehaviour(text="stopped")) as model,
        a_live_gateway(servers, "interrupt", {"t.abl": TALKER}, model_url=model.base_url) as gateway,
        gateway.socket(await gateway.page_token()) as socket,
    ):
        await say(socket, type="chat_message", text="Tell me", messageId="m1")
        await until(socket, "response_chunk")
        await say(socket, type="typed_interrupt", text="Stop", messageId="m2")
        assert (await until(socket, "response_end"))[-1]["interrupted"] is True
        assert (await until(socket, "response_end"))[-1]["fullText"] == "stopped"


async def test_a_repeated_message_is_acknowledged_and_not_run_again(servers: Servers) -> None:
    async with a_live_gateway(servers, "repeat", {"c.abl": CLERK}) as gateway:
        token = await gateway.page_token()
        async with gateway.socket(token) as socket:
            for _ in range(3):
                await say(socket, type="chat_message", text="hello", messageId="m1")
            await until(socket, "response_end")
        async with gateway.socket(token) as socket:
            await say(socket, type="chat_message", text="hello", messageId="m1")
            await until(socket, "message_ack")
            await say(socket, type="chat_message", text="again", messageId="m2")
            assert (await until(socket, "response_end"))[-1]["fullText"] == "heard 2: again"


async def test_five_sockets_that_speak_at_once_all_hear_one_order(servers: Servers) -> None:
    async with a_live_gateway(servers, "crowd", {"c.abl": CLERK}) as gateway, AsyncExitStack() as stack:
        token = await gateway.page_token()
        sockets = [await stack.enter_async_context(gateway.socket(token)) for _ in range(5)]
        for socket in sockets:
            await until(socket, "session_start")
        for number, socket in enumerate(sockets):
            for turn in range(2):
                await say(socket, type="chat_message", text=f"{number}-{turn}", messageId=f"{number}-{turn}")

        async def heard(socket: ClientConnection) -> list[str]:
            return [(await until(socket, "response_end"))[-1]["fullText"] for _ in range(10)]

        told = await asyncio.gather(*(heard(socket) for socket in sockets))
        assert [one.partition(":")[0] for one in told[0]] == [f"heard {number}" for number in range(1, 11)]
        assert told[1:] == [told[0]] * 4


async def test_a_page_that_was_away_for_three_turns_hears_all_of_them(servers: Servers) -> None:
    async with a_live_gateway(servers, "away", {"c.abl": CLERK}) as gateway:
        token = await gateway.page_token()
        async with gateway.socket(token) as socket:
            session_id = (await until(socket, "session_start"))[-1]["sessionId"]
            await say(socket, type="chat_message", text="zero", messageId="m0")
            last = (await until(socket, "response_end"))[-1]["seq"]
        for word in ("one", "two", "three"):
            assert (await chat(gateway, sessionId=session_id, message=word)).status == 200
        async with gateway.socket(token, f"?lastSeq={last}") as socket:
            told = [frame for _ in range(3) for frame in await until(socket, "response_end")]
        assert "resume_gap" not in {frame["type"] for frame in told}
        texts = [frame["fullText"] for frame in told if frame["type"] == "response_end"]
        assert [text.partition(": ")[2] for text in texts] == ["one", "two", "three"]


async def test_a_session_that_ended_elsewhere_says_so_on_its_sockets(servers: Servers) -> None:
    async with a_live_gateway(servers, "ended", {"c.abl": CLERK}) as gateway:
        token = await gateway.page_token()
        async with gateway.socket(token) as socket:
            session_id = (await until(socket, "session_start"))[-1]["sessionId"]
            answer = await gateway.call("POST", f"/api/v1/sessions/{session_id}/end", {"reason": "user"})
            assert answer.status == 200
            assert (await until(socket, "session_end"))[-1]["reason"] == "user"
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1000


async def test_a_session_that_is_deleted_ends_on_its_sockets_and_closes_them(servers: Servers) -> None:
    async with (
        a_live_gateway(servers, "deleted", {"c.abl": CLERK}) as gateway,
        gateway.socket(await gateway.page_token()) as socket,
    ):
        session_id = (await until(socket, "session_start"))[-1]["sessionId"]
        await say(socket, type="chat_message", text="hello", messageId="m1")
        await until(socket, "response_end")
        path = f"/api/projects/{gateway.project_id}/sessions/{session_id}"
        assert (await gateway.call("DELETE", path)).status == 200
        await until(socket, "session_end")
        with pytest.raises(ConnectionClosed):
            async with asyncio.timeout(DEADLINE_S):
                await socket.recv()
