"""A session that is not there yet counts against those that a tenant may have at once, whichever way it is opened."""

from __future__ import annotations

import pytest

from domain.rates import RateSettings
from tests.support.asgi import Reply
from tests.support.gateway import PROJECT, TENANT, Gateway, a_gateway
from tests.support.pages import PATH, opened

pytestmark = pytest.mark.anyio
CHAT = "/api/v1/chat/agent"
MESSAGE = {"projectId": PROJECT, "message": "hello"}
LIMIT = 3


@pytest.fixture
def full() -> Gateway:
    """A gateway whose tenant has as many sessions as it may."""
    gateway = a_gateway(rates=RateSettings(concurrent_sessions=LIMIT))
    gateway.active_sessions[TENANT] = LIMIT
    return gateway


def check_refused(reply: Reply) -> None:
    assert (reply.status, reply.json()["error"]) == (429, "Concurrent session limit exceeded")


@pytest.mark.parametrize("path", [CHAT, "/api/v1/chat/send"])
async def test_the_first_message_of_a_page_opens_no_session_too_many(full: Gateway, path: str) -> None:
    page = full.page(await full.sdk_token())
    check_refused(await page.post(path, MESSAGE))
    assert full.runtime.wanted == []
    full.active_sessions[TENANT] = LIMIT - 1
    full.clock.move(seconds=2)
    assert (await page.post(path, MESSAGE)).status == 200


async def test_looking_at_a_session_opens_none(full: Gateway) -> None:
    page = full.page(await full.sdk_token())
    assert (await page.get("/api/v1/sessions/sess_1/transcripts")).status == 404
    resumed = await page.post(CHAT, MESSAGE, headers={"last-event-id": "sess_1:1", "accept": "text/event-stream"})
    assert resumed.status == 404
    assert full.runtime.sessions_by_id == {}


async def test_a_page_goes_on_in_its_session_when_there_are_as_many_as_may_be(full: Gateway) -> None:
    full.active_sessions[TENANT] = 0
    token = await full.sdk_token()
    first = await full.page(token).post(CHAT, MESSAGE)
    full.active_sessions[TENANT] = LIMIT
    full.clock.move(seconds=2)
    second = await full.page(token).post(CHAT, MESSAGE)
    assert (second.status, second.json()["sessionId"]) == (200, first.json()["sessionId"])
    async with opened(full, token) as socket:  # its token does not name the session
        assert (await socket.frame())["sessionId"] == first.json()["sessionId"]


async def test_a_socket_opens_no_session_too_many(full: Gateway) -> None:
    token = await full.sdk_token()
    async with full.page(token).websocket(PATH, subprotocols=["sdk-auth", token]) as socket:
        assert (await socket.frame())["message"] == "Concurrent session limit exceeded"
        assert await socket.close_code() == 4029
    assert full.runtime.wanted == []
