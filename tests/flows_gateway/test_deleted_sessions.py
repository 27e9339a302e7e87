"""A session that was deleted stays so, whatever comes late: a request that was under way, a page that connects again.

Spec: platform-api 5.4, 12.1, 12.8. Decision: 0069.
"""

from __future__ import annotations

import json

import msgspec
import pytest

from actors.messages import RunTurn, encode
from actors.projects import TENANT_ID
from actors.runtime import ChatTurn
from actors.turn_keys import key_of, request_hash
from storage.repositories.accepted import AcceptedMessages
from storage.repositories.sessions import Sessions
from storage.statements import Statement
from tests.flows_gateway.test_contract import CHAT, CLERK
from tests.prove.counting_server import CountingServer
from tests.prove.project import LEDGER
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stories import eventually

pytestmark = pytest.mark.anyio
ORDER = "keyed-7-16"
LEFT = Statement("SELECT count(*) FROM accepted_messages WHERE tenant_id = :tenant_id AND session_id = :session_id")


async def sessions(gateway: LiveGateway) -> list[str]:
    told = await gateway.call("GET", f"/api/projects/{gateway.project_id}/sessions")
    return [one["id"] for one in told.json()["sessions"]]


async def deleted(gateway: LiveGateway, session_id: str) -> None:
    path = f"/api/projects/{gateway.project_id}/sessions/{session_id}"
    assert (await gateway.call("DELETE", path)).status == 200


def is_gone(answer: Answer) -> bool:
    return (answer.status, answer.json()["error"]["message"]) == (404, "Session not found")


async def said_by_page(gateway: LiveGateway, token: str) -> Answer:
    body = {"projectId": gateway.project_id, "message": "hello"}
    return await gateway.call("POST", CHAT, body, {"x-api-key": "", "x-sdk-token": token})


async def test_a_late_repetition_of_a_first_message_runs_nothing_in_a_deleted_session(servers: Servers) -> None:
    async with CountingServer() as world:
        texts = {"ledger.agent.abl": LEDGER.replace("PORT", str(world.port))}
        allowed = (f"127.0.0.1:{world.port}",)
        async with a_live_gateway(servers, "late", texts, allowed_networks=allowed) as gateway:
            body = {"projectId": gateway.project_id, "message": ORDER}
            named = {"idempotency-key": f"key-{ORDER}"}
            first = (await gateway.call("POST", CHAT, body, named)).json()
            assert first["response"] == f"noted {ORDER}"
            await deleted(gateway, first["sessionId"])
            late = await gateway.call("POST", CHAT, body, named)
            events = await gateway.call("POST", CHAT, body, {**named, "accept": "text/event-stream"})
            assert (world.done_twice(), len(world.applied[ORDER])) == ([], 1)
            assert is_gone(late)
            assert events.status == 404
            assert await sessions(gateway) == []


async def test_a_page_that_comes_late_finds_its_deleted_session_gone(servers: Servers) -> None:
    async with a_live_gateway(servers, "late-page", {"c.abl": CLERK}) as gateway:
        token = await gateway.page_token()
        async with gateway.socket(token) as socket:
            session_id = json.loads(await socket.recv())["sessionId"]
        assert (await said_by_page(gateway, token)).json()["sessionId"] == session_id
        await deleted(gateway, session_id)
        async with gateway.socket(token, "?lastSeq=3") as socket:
            told = json.loads(await socket.recv())
            await socket.wait_closed()
        assert (told["type"], told["code"], told["fatal"], socket.close_code) == ("error", "NOT_FOUND", True, 4004)
        assert is_gone(await said_by_page(gateway, token))
        headers = {"x-api-key": "", "x-sdk-token": token}
        again = (await gateway.call("POST", "/api/v1/sdk/refresh", {}, headers)).json()["token"]
        assert is_gone(await said_by_page(gateway, again))
        assert await sessions(gateway) == []
        anew = await said_by_page(gateway, await gateway.page_token())
        assert (anew.status, anew.json()["response"]) == (200, "heard 1: hello")


async def test_what_was_accepted_for_a_deleted_session_is_neither_run_nor_kept(servers: Servers) -> None:
    async with a_live_gateway(servers, "late-frame", {"c.abl": CLERK}) as gateway:
        token, database = await gateway.page_token(), gateway.running.database
        session_id = (await said_by_page(gateway, token)).json()["sessionId"]
        await deleted(gateway, session_id)
        turn = ChatTurn(
            tenant_id=TENANT_ID,
            project_id=gateway.project_id,
            session_id=session_id,
            message="late",
            idempotency_key="socket:m1",
            user_kind="sdk",
        )
        late = msgspec.structs.replace(turn, idempotency_key=key_of(turn), request_hash=request_hash(turn))
        message = encode(RunTurn(turn=late, follow=True))
        accepted = AcceptedMessages(database)
        await accepted.put(TENANT_ID, gateway.project_id, session_id, late.idempotency_key, message, hold_s=0.0)

        async def is_left() -> bool:
            return await database.value(LEFT, tenant_id=TENANT_ID, session_id=session_id) == 0

        await eventually(is_left)
        assert await sessions(gateway) == []


async def test_a_user_that_a_client_names_begins_anew_when_its_session_was_deleted(servers: Servers) -> None:
    async with a_live_gateway(servers, "late-user", {"c.abl": CLERK}) as gateway:
        headers = {"x-api-key": "", "authorization": f"Bearer {gateway.key}", "openai-project": gateway.project_id}
        asked = {"model": "Clerk", "user": "ben", "messages": [{"role": "user", "content": "x"}]}
        for _ in range(2):
            told = (await gateway.call("POST", "/v1/chat/completions", asked, headers)).json()
            assert told["choices"][0]["message"]["content"] == "heard 1: x"
            await deleted(gateway, told["session_id"])


async def test_in_time_it_is_forgotten_that_a_session_was_deleted(servers: Servers) -> None:
    async with a_live_gateway(servers, "forgotten", {"c.abl": CLERK}) as gateway:
        token = await gateway.page_token()
        session_id = (await said_by_page(gateway, token)).json()["sessionId"]
        await deleted(gateway, session_id)
        known = Sessions(gateway.running.database)
        await known.forget_deleted(1, 100_000)
        assert is_gone(await said_by_page(gateway, token))
        while await known.forget_deleted(0, 100_000):
            pass
        assert (await said_by_page(gateway, token)).json()["sessionId"] == session_id
