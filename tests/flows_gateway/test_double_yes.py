"""Two taps on "yes" agree to one call, over a socket and over HTTP: the second was sent before its question was there."""

from __future__ import annotations

import asyncio

import pytest

from tests.flows_gateway.test_sockets import say, until
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stories import a_workshop

pytestmark = pytest.mark.anyio
LOOPBACK = ("127.0.0.1/32",)

AGENT = """AGENT: Desk
GOAL: "Book and charge"
TOOLS:
  book(room: string) -> {{done: boolean}}
    description: "Books a room"
    type: http
    endpoint: "{url}"
    method: POST
    confirm: always
  charge(card: string) -> {{done: boolean}}
    description: "Charges a card"
    type: http
    endpoint: "{url}"
    method: POST
    confirm: always
FLOW:
  entry_point: book
  book:
    REASONING: false
    CALL: book("12")
    ON_SUCCESS:
      RESPOND: "Booked."
      THEN: charge
  charge:
    REASONING: false
    CALL: charge("4711")
    ON_SUCCESS:
      RESPOND: "Charged."
      THEN: COMPLETE
"""


async def test_two_yeses_at_once_on_a_socket_agree_to_one_call(servers: Servers) -> None:
    async with (
        a_workshop() as workshop,
        a_live_gateway(
            servers, "double-yes", {"d.abl": AGENT.format(url=workshop.url)}, allowed_networks=LOOPBACK
        ) as gateway,
        gateway.socket(await gateway.page_token()) as socket,
    ):
        await say(socket, type="chat_message", text="hello", messageId="m0")
        await until(socket, "response_end")
        for number in (1, 2):
            await say(socket, type="chat_message", text="yes", messageId=f"m{number}")
        first, second = [(await until(socket, "response_end"))[-1]["fullText"] for _ in range(2)]
        assert "Booked." in first
        assert "Charge (card: 4711). Shall I go ahead?" in second
        assert [one["room"] for one in workshop.bodies] == ["12"]
        await say(socket, type="chat_message", text="yes", messageId="m3")
        assert "Charged." in (await until(socket, "response_end"))[-1]["fullText"]


async def test_two_yeses_at_once_over_http_agree_to_one_call(servers: Servers) -> None:
    async with (
        a_workshop(takes_s=0.2) as workshop,
        a_live_gateway(
            servers, "double-yes-http", {"d.abl": AGENT.format(url=workshop.url)}, allowed_networks=LOOPBACK
        ) as gateway,
    ):
        session_id = str((await posted(gateway, "hello"))["sessionId"])
        first = asyncio.create_task(posted(gateway, "yes", session_id))
        await workshop.began.wait()
        second = await posted(gateway, "yes", session_id)
        assert "Booked." in str((await first)["response"])
        assert "Charge (card: 4711). Shall I go ahead?" in str(second["response"])
        assert len(workshop.bodies) == 1


async def posted(gateway: LiveGateway, message: str, session_id: str = "") -> dict[str, object]:
    body = {"projectId": gateway.project_id, "message": message}
    answer = await gateway.call("POST", "/api/v1/chat/agent", body | ({"sessionId": session_id} if session_id else {}))
    assert answer.status == 200, answer.body
    return dict(answer.json())
