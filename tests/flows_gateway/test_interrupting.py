"""What a `typed_interrupt` stops: what runs when it is first taken, and nothing when it is sent again or refused.

Spec: platform-api 3.1, 12.4. Decision: 0046.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from actors.projects import TENANT_ID
from storage.statements import Statement
from tests.flows_gateway.test_refused_by_the_end import HELD
from tests.flows_gateway.test_sockets import TALKER, say, slow_story, until
from tests.support.live_gateway import NO_RATES, a_live_gateway, another_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio

FORGET_REPLIES = Statement("DELETE FROM turns WHERE session_key = session_key(:tenant_id, :session_id)")
STOP = {"type": "typed_interrupt", "text": "Stop", "messageId": "m2"}


@pytest.mark.parametrize("is_elsewhere", [False, True])
async def test_an_interrupt_that_is_sent_again_does_not_stop_its_own_answer(
    servers: Servers, is_elsewhere: bool
) -> None:
    async with (
        StubModel(slow_story(), HELD, StubBehaviour(text="and on")) as model,
        a_live_gateway(servers, "interrupt-twice", {"t.abl": TALKER}, model_url=model.base_url) as gateway,
        another_gateway(gateway) as other,
    ):
        token = await gateway.page_token()
        async with gateway.socket(token) as socket:
            await say(socket, type="chat_message", text="Tell me", messageId="m1")
            await until(socket, "response_chunk")
            await say(socket, **STOP)
            stopped = (await until(socket, "response_end"))[-1]
            assert stopped["interrupted"] is True
            seq = (await until(socket, "response_chunk"))[-1]["seq"]
        async with (other if is_elsewhere else gateway).socket(token, f"?lastSeq={seq}") as socket:
            await until(socket, "session_start")
            await say(socket, **STOP)
            assert (await until(socket, "message_ack"))[-1]["messageId"] == "m2"
            model.may_go_on.set()
            end = (await until(socket, "response_end"))[-1]
            assert (end["fullText"], end.get("interrupted", False)) == (HELD.text, False)
        assert model.count == 2


@pytest.mark.parametrize("is_expired", [False, True])
async def test_an_interrupt_that_was_answered_stops_nothing_when_it_is_sent_again(
    servers: Servers, is_expired: bool
) -> None:
    """Also after the 24 hours of its reply, when the id is refused."""
    async with (
        StubModel(StubBehaviour(text="stopped"), HELD) as model,
        a_live_gateway(servers, "interrupt-late", {"t.abl": TALKER}, model_url=model.base_url) as gateway,
        gateway.socket(await gateway.page_token()) as socket,
    ):
        await say(socket, **STOP)
        told = (await until(socket, "response_end"))[-1]
        assert told["fullText"] == "stopped"
        if is_expired:
            named = {"tenant_id": TENANT_ID, "session_id": told["sessionId"]}
            assert await gateway.running.database.execute(FORGET_REPLIES, **named) == 1
        await say(socket, type="chat_message", text="Tell me", messageId="m3")
        await until(socket, "response_chunk")
        await say(socket, **STOP)
        assert (await until(socket, "message_ack"))[-1]["messageId"] == "m2"
        model.may_go_on.set()
        end = (await until(socket, "response_end"))[-1]
        assert (end["fullText"], end.get("interrupted", False)) == (HELD.text, False)


async def test_an_interrupt_that_is_refused_leaves_what_runs_alone(servers: Servers) -> None:
    rates = replace(NO_RATES, session_messages_per_minute=1)
    async with (
        StubModel(HELD) as model,
        a_live_gateway(servers, "interrupt-rate", {"t.abl": TALKER}, model_url=model.base_url, rates=rates) as gateway,
        gateway.socket(await gateway.page_token()) as socket,
    ):
        await say(socket, type="chat_message", text="Tell me", messageId="m1")
        await until(socket, "response_chunk")
        await say(socket, **STOP)
        error = (await until(socket, "error"))[-1]
        assert (error["code"], error["messageId"]) == ("RATE_LIMIT_EXCEEDED", "m2")
        model.may_go_on.set()
        end = (await until(socket, "response_end"))[-1]
        assert (end["fullText"], end.get("interrupted", False)) == (HELD.text, False)
