"""What a page may do with its own session, and with no other. Spec: platform-api 2.4, 5.4, 5.5."""

from __future__ import annotations

from typing import Any

import pytest

from tests.flows_gateway.test_contract import CHAT, CLERK
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio


def as_page(token: str) -> dict[str, str]:
    return {"x-api-key": "", "x-sdk-token": token}


async def said(gateway: LiveGateway, token: str) -> Any:
    body = {"projectId": gateway.project_id, "message": "hello"}
    return (await gateway.call("POST", CHAT, body, as_page(token))).json()


async def act(gateway: LiveGateway, how: str, session_id: str, token: str) -> Answer:
    path = f"/api/projects/{gateway.project_id}/sessions/{session_id}"
    if how == "reset":
        return await gateway.call("POST", f"{path}/reset", headers=as_page(token))
    return await gateway.call("DELETE", path, headers=as_page(token))


@pytest.mark.parametrize("how", ["reset", "delete"])
async def test_a_page_resets_and_deletes_its_own_session_and_finds_no_other(servers: Servers, how: str) -> None:
    async with a_live_gateway(servers, f"own-{how}", {"c.abl": CLERK}) as gateway:
        token, other = await gateway.page_token(), await gateway.page_token()
        own = (await said(gateway, token))["sessionId"]
        theirs = (await said(gateway, other))["sessionId"]
        assert own != theirs
        assert (await act(gateway, how, theirs, token)).status == 404
        assert (await said(gateway, other))["response"] == "heard 2: hello", "nothing was done to it"
        assert (await act(gateway, how, own, token)).status == 200
        if how == "reset":
            again = await said(gateway, token)
            assert (again["sessionId"], again["response"]) == (own, "heard 1: hello")
        else:
            assert (await act(gateway, how, own, token)).status == 404


INSIDE = (
    'ESCALATE:\n  triggers:\n    - WHEN: input contains "lawyer"\n      REASON: "internal: fraud score 97"\n\nFLOW:'
)


async def test_a_page_is_not_told_why_a_person_was_asked_and_a_key_is(servers: Servers) -> None:
    async with a_live_gateway(servers, "own-reason", {"c.abl": CLERK.replace("FLOW:", INSIDE)}) as gateway:
        body = {"projectId": gateway.project_id, "message": "a lawyer please"}
        told = (await gateway.call("POST", CHAT, body)).json()["action"]
        assert (told["type"], told["reason"]) == ("escalate", "internal: fraud score 97")
        assert told["taskId"]
        page = as_page(await gateway.page_token())
        shown = (await gateway.call("POST", CHAT, body, page)).json()["action"]
        assert shown["type"] == "escalate"
        assert not {"reason", "priority", "taskId", "callbackId", "suspensionId"} & set(shown)
        streamed = await gateway.call(
            "POST", CHAT, body, {**as_page(await gateway.page_token()), "accept": "text/event-stream"}
        )
        assert b'"type":"escalate"' in streamed.body
        assert b"fraud" not in streamed.body
        assert b"taskId" not in streamed.body
