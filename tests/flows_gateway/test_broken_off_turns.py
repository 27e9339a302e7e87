"""A turn whose session is reset, ended or deleted under it: its caller and the sockets hear so, and what may be done.

Spec: platform-api 3.1, 5.4, 5.5, 12.4.
"""

from __future__ import annotations

import asyncio

import pytest

from tests.flows.test_urgent import WARNING, at_work
from tests.flows_gateway.test_contract import chat
from tests.flows_gateway.test_refused_by_the_end import refusals_of, rest_of
from tests.flows_gateway.test_sockets import say, until
from tests.support.live_gateway import DEADLINE_S, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stories import Workshop, a_workshop

pytestmark = pytest.mark.anyio

SAID = f"One moment.\n\n{WARNING}"
LONG_S = 30.0


async def broken_off(gateway: LiveGateway, workshop: Workshop, session_id: str, how: str) -> None:
    """Reset or delete a session once the tool of its turn is called."""
    async with asyncio.timeout(DEADLINE_S):
        await workshop.began.wait()
    place = f"/api/projects/{gateway.project_id}/sessions/{session_id}"
    method, path = ("POST", f"{place}/reset") if how == "reset" else ("DELETE", place)
    assert (await gateway.call(method, path)).status == 200


@pytest.mark.parametrize(("how", "reason"), [("reset", "SESSION_RESET"), ("delete", "SESSION_ENDED")])
async def test_the_caller_of_a_turn_whose_session_goes_hears_so_and_what_may_have_been_done(
    servers: Servers, how: str, reason: str
) -> None:
    async with (
        a_workshop(takes_s=LONG_S) as workshop,
        a_live_gateway(servers, f"goes-{how}", at_work(workshop), allowed_networks=("127.0.0.1/32",)) as gateway,
    ):
        session_id = (await chat(gateway, message="hello")).json()["sessionId"]
        asked = asyncio.create_task(chat(gateway, sessionId=session_id, message="work"))
        await broken_off(gateway, workshop, session_id, how)
        answer = await asked
        assert answer.status == 409
        error = answer.json()["error"]
        assert (error["code"], error["details"]) == ("CONFLICT", {"reason": reason, "begun": True, "response": SAID})


@pytest.mark.parametrize(("how", "code"), [("reset", "BAD_REQUEST"), ("delete", "SESSION_ENDED")])
async def test_a_socket_hears_what_may_have_been_done_and_that_its_answer_has_ended(
    servers: Servers, how: str, code: str
) -> None:
    async with (
        a_workshop(takes_s=LONG_S) as workshop,
        a_live_gateway(servers, f"socket-{how}", at_work(workshop), allowed_networks=("127.0.0.1/32",)) as gateway,
        gateway.socket(await gateway.page_token()) as socket,
    ):
        await say(socket, type="chat_message", text="hello", messageId="m0")
        await until(socket, "response_end")
        await say(socket, type="chat_message", text="work", messageId="m1")
        begun = (await until(socket, "response_start"))[-1]
        session_id, answer_id = begun["sessionId"], begun["messageId"]
        await broken_off(gateway, workshop, session_id, how)
        if how == "reset":
            frames = await until(socket, "error")
        else:
            frames, closed = await rest_of(socket)
            assert (frames[-1]["type"], frames[-1]["reason"], closed) == ("session_end", "api", 1000)
        assert "".join(frame["chunk"] for frame in frames if frame["type"] == "response_chunk").endswith(WARNING)
        assert refusals_of(frames, answer_id) == [(answer_id, code)]
