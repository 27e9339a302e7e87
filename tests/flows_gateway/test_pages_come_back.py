"""A page whose session was not spoken in finds another one under its id, and hears all of it. Spec: platform-api 12.6."""

from __future__ import annotations

import json
from typing import Any

import pytest

from actors.projects import TENANT_ID
from actors.runtime import SessionRef
from tests.flows_gateway.test_contract import CLERK
from tests.flows_gateway.test_sockets import say, until
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stories import eventually

pytestmark = pytest.mark.anyio


async def left_unspoken(gateway: LiveGateway, token: str) -> dict[str, Any]:
    """Return how the session of a page began that said nothing in it and left; it is removed."""
    async with gateway.socket(token) as socket:
        start = dict(json.loads(await socket.recv()))
    session = SessionRef(TENANT_ID, gateway.project_id, start["sessionId"])

    async def is_gone() -> bool:
        path = f"/api/projects/{gateway.project_id}/sessions/{session.session_id}"
        return (await gateway.call("GET", path)).status == 404

    await eventually(is_gone)
    return start


async def test_numbers_of_a_session_that_is_made_again_are_above_those_that_were_told(servers: Servers) -> None:
    async with a_live_gateway(servers, "again", {"c.abl": CLERK}) as gateway:
        token = await gateway.page_token()
        first, second = await left_unspoken(gateway, token), await left_unspoken(gateway, token)
        assert second["sessionId"] == first["sessionId"]
        assert second["lastSeq"] > first["lastSeq"]
        async with gateway.socket(token, f"?lastSeq={second['lastSeq']}") as socket:
            assert json.loads(await socket.recv())["lastSeq"] > second["lastSeq"]
            await say(socket, type="chat_message", text="x", messageId="m1")
            await until(socket, "message_ack")
        async with gateway.socket(token, f"?lastSeq={second['lastSeq']}") as socket:
            heard = await until(socket, "response_end")
        assert heard[-1]["fullText"] == "heard 1: x"
        assert [one["type"] for one in heard] == ["session_start", "response_start", "response_chunk", "response_end"]
        numbers = [one["seq"] for one in heard[1:]]
        assert numbers == sorted(set(numbers))
        assert numbers[0] > second["lastSeq"]
