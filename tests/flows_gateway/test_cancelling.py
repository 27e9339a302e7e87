"""Which turn a `cancel` means: the one it names, waiting or running, and without a name the one that runs.

Spec: platform-api 12.4. Decision: 0046.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection

from actors.projects import TENANT_ID
from storage.statements import Statement
from tests.flows_gateway.test_refused_by_the_end import HELD, in_line, refusals_of
from tests.flows_gateway.test_sockets import TALKER, say, until
from tests.support.live_gateway import LiveGateway, a_live_gateway, another_gateway
from tests.support.servers import Servers
from tests.support.stories import eventually
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio

STANDING = Statement("SELECT count(*) FROM accepted_messages WHERE tenant_id = :tenant_id AND session_id = :session_id")
WHOLE = HELD.text
NEXT = "the next one"


@asynccontextmanager
async def a_talker(servers: Servers, name: str) -> AsyncIterator[tuple[LiveGateway, StubModel]]:
    """Yield a gateway and its model, which is held in its first answer until it may go on."""
    async with (
        StubModel(HELD, StubBehaviour(text=NEXT)) as model,
        a_live_gateway(servers, name, {"t.abl": TALKER}, model_url=model.base_url) as gateway,
    ):
        yield gateway, model
        model.may_go_on.set()


async def ends(socket: ClientConnection, many: int) -> list[dict[str, Any]]:
    """Return the next answers that end on a socket."""
    return [(await until(socket, "response_end"))[-1] for _ in range(many)]


async def said_by_user(gateway: LiveGateway, session_id: str) -> list[str]:
    path = f"/api/v1/sessions/{session_id}/transcripts?projectId={gateway.project_id}"
    lines = (await gateway.call("GET", path)).json()["messages"]
    return [line["content"] for line in lines if line["role"] == "user"]


async def standing(gateway: LiveGateway, session_id: str) -> int:
    return int(await gateway.running.database.value(STANDING, tenant_id=TENANT_ID, session_id=session_id))


async def test_a_message_that_waits_is_taken_back_and_what_runs_goes_on(servers: Servers) -> None:
    async with (
        a_talker(servers, "taken-back") as (gateway, model),
        gateway.socket(await gateway.page_token()) as socket,
    ):
        session_id = (await in_line(socket, "m2", "m3"))[0]["sessionId"]
        await say(socket, type="cancel", messageId="m2")
        error = (await until(socket, "error"))[-1]
        assert (error["messageId"], error["code"], error["fatal"]) == ("m2", "TURN_CANCELLED", False)
        model.may_go_on.set()
        first, second = await ends(socket, 2)
        assert (first["fullText"], first.get("interrupted", False)) == (WHOLE, False)
        assert second["fullText"] == NEXT
        assert await said_by_user(gateway, session_id) == ["Tell me", "say m3"]
        assert model.count == 2

        async def is_settled() -> bool:
            return await standing(gateway, session_id) == 0

        await eventually(is_settled)


async def test_a_message_is_taken_back_in_the_moment_it_is_sent(servers: Servers) -> None:
    async with (
        a_talker(servers, "taken-back-at-once") as (gateway, model),
        gateway.socket(await gateway.page_token()) as socket,
    ):
        session_id = (await in_line(socket))[0]["sessionId"]
        for _ in range(2):
            await say(socket, type="chat_message", text="say m2", messageId="m2")
        await say(socket, type="cancel", messageId="m2")
        assert refusals_of(await until(socket, "error"), "m2") == [("m2", "TURN_CANCELLED")]
        await say(socket, type="chat_message", text="say m3", messageId="m3")
        await until(socket, "message_ack")
        model.may_go_on.set()
        assert [end["fullText"] for end in await ends(socket, 2)] == [WHOLE, NEXT]
        assert await said_by_user(gateway, session_id) == ["Tell me", "say m3"]


@pytest.mark.parametrize("is_elsewhere", [False, True])
async def test_a_page_that_has_come_back_takes_a_message_back(servers: Servers, is_elsewhere: bool) -> None:
    async with a_talker(servers, "taken-back-later") as (gateway, model), another_gateway(gateway) as other:
        token = await gateway.page_token()
        async with gateway.socket(token) as socket:
            session_id = (await in_line(socket, "m2"))[0]["sessionId"]
        async with (other if is_elsewhere else gateway).socket(token) as socket:
            await until(socket, "response_chunk")
            await say(socket, type="cancel", messageId="m2")
            assert refusals_of(await until(socket, "error"), "m2") == [("m2", "TURN_CANCELLED")]
            model.may_go_on.set()
            assert [end["fullText"] for end in await ends(socket, 1)] == [WHOLE]
            await say(socket, type="chat_message", text="say m3", messageId="m3")
            assert [end["fullText"] for end in await ends(socket, 1)] == [NEXT]
        assert await said_by_user(gateway, session_id) == ["Tell me", "say m3"]


@pytest.mark.parametrize("named", ["message", "answer", "nothing"])
async def test_the_turn_that_runs_is_interrupted_by_its_message_its_answer_or_no_name(
    servers: Servers, named: str
) -> None:
    async with (
        a_talker(servers, f"interrupted-{named}") as (gateway, _),
        gateway.socket(await gateway.page_token()) as socket,
    ):
        heard = await in_line(socket, "m2")
        answer_id = next(frame["messageId"] for frame in heard if frame["type"] == "response_start")
        name = {"message": {"messageId": "m1"}, "answer": {"messageId": answer_id}, "nothing": {}}[named]
        await say(socket, type="cancel", **name)
        first, second = await ends(socket, 2)
        assert (first["messageId"], first["interrupted"]) == (answer_id, True)
        assert second["fullText"] == NEXT


async def test_a_message_that_is_unknown_or_has_ended_cancels_nothing(servers: Servers) -> None:
    async with (
        StubModel(StubBehaviour(text="before"), HELD) as model,
        a_live_gateway(servers, "cancels-nothing", {"t.abl": TALKER}, model_url=model.base_url) as gateway,
        gateway.socket(await gateway.page_token()) as socket,
    ):
        await say(socket, type="chat_message", text="first", messageId="m0")
        ended = (await until(socket, "response_end"))[-1]["messageId"]
        await in_line(socket)
        for name in ("m0", ended, "m9", "msg_nobody"):
            await say(socket, type="cancel", messageId=name)
        await say(socket, type="ping")
        frames = await until(socket, "pong")
        assert {frame["type"] for frame in frames} == {"pong"}
        model.may_go_on.set()
        (end,) = await ends(socket, 1)
        assert (end["fullText"], end.get("interrupted", False)) == (WHOLE, False)
