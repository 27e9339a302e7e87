"""A first message that is refused leaves no session, whichever way it came and however late. Decision: 0060."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.flows_gateway.test_sockets import say as tell
from tests.flows_gateway.test_sockets import until
from tests.support.echo import an_echo
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stories import eventually
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
THINKER = 'AGENT: Thinker\nGOAL: "Think about it"\nPERSONA: "Calm"\n'
CHAT, SEND = "/api/v1/chat/agent", "/api/v1/chat/send"
EVENTS = {"accept": "text/event-stream"}


async def post(gateway: LiveGateway, path: str, body: dict[str, Any], **headers: str) -> int:
    """Return the status of a refusal, that of its event where a stream had begun."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = await gateway.call("POST", path, {"projectId": gateway.project_id, "message": "hello", **body}, sent)
    told = answer.body.decode()
    return 409 if answer.status == 200 and ("event: error" in told or "Budget exceeded" in told) else answer.status


async def of_page(gateway: LiveGateway) -> dict[str, str]:
    return {"x_sdk_token": await gateway.page_token(), "x_api_key": ""}


async def by_socket(gateway: LiveGateway) -> int:
    async with gateway.socket(await gateway.page_token()) as socket:
        await until(socket, "session_start")
        assert len(await listed(gateway)) == 1, "a page that is there has a session"
        await tell(socket, type="chat_message", text="hello")
        await until(socket, "error")
    return 409


async def by_a2a(gateway: LiveGateway) -> int:
    said = {"kind": "message", "role": "user", "messageId": "m1", "parts": [{"kind": "text", "text": "hello"}]}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": said}}
    answer = await gateway.call("POST", f"/a2a/{gateway.project_id}/agents/Thinker", asked)
    return 409 if "Budget exceeded" in answer.json()["error"]["message"] else answer.status


def by_openai(**more: Any) -> Callable[[LiveGateway], Awaitable[int]]:
    async def ask(gateway: LiveGateway) -> int:
        body = {"model": "Thinker", "messages": [{"role": "user", "content": "hello"}], **more}
        return await post(gateway, "/v1/chat/completions", body, openai_project=gateway.project_id)

    return ask


async def by_response(gateway: LiveGateway) -> int:
    return await post(
        gateway, "/v1/responses", {"model": "Thinker", "input": "hello"}, openai_project=gateway.project_id
    )


SPENT: dict[str, Callable[[LiveGateway], Awaitable[int]]] = {
    "json": lambda gateway: post(gateway, CHAT, {}),
    "events": lambda gateway: post(gateway, CHAT, {}, **EVENTS),
    "under a key": lambda gateway: post(gateway, CHAT, {}, idempotency_key="k1"),
    "socket": by_socket,
    "a2a": by_a2a,
    "openai": by_openai(),
    "openai stream": by_openai(stream=True),
    "openai user": by_openai(user="ada"),
    "responses": by_response,
}


async def listed(gateway: LiveGateway) -> list[str]:
    answer = await gateway.call("GET", f"/api/projects/{gateway.project_id}/sessions")
    return [one["id"] for one in answer.json()["sessions"]]


async def check_gone(gateway: LiveGateway) -> None:
    async def is_gone() -> bool:
        return await listed(gateway) == []

    await eventually(is_gone)


async def test_a_first_message_that_no_budget_covers_leaves_no_session(servers: Servers) -> None:
    async with (
        StubModel(StubBehaviour(text="Done")) as model,
        a_live_gateway(servers, "refused-budget", {"t.abl": THINKER}, model_url=model.base_url) as gateway,
    ):
        path = f"/api/projects/{gateway.project_id}/budgets"
        made = (await gateway.call("POST", path, {"maxTokens": 1})).json()["budget"]
        page = await of_page(gateway)
        ways = {**SPENT, "page": lambda gateway: post(gateway, CHAT, {}, **page)}
        for name, way in ways.items():
            assert await way(gateway) == 409, name
            await check_gone(gateway)
        await gateway.call("DELETE", f"{path}/{made['id']}")
        assert await post(gateway, CHAT, {}, **page) == 200, "the same page is answered once there is room"
        assert await post(gateway, CHAT, {}, idempotency_key="k1") == 200
        assert len(await listed(gateway)) == 2


async def test_a_first_message_that_breaks_a_rule_leaves_no_session(servers: Servers) -> None:
    async with a_live_gateway(servers, "refused-rule", {"t.abl": THINKER}) as gateway:
        page = await of_page(gateway)
        for path in (CHAT, SEND):
            assert await post(gateway, path, {"attachmentIds": ["att_none"]}, **page) == 404
        assert await post(gateway, CHAT, {"testContext": {"startAtStep": "nowhere"}}) == 400
        assert await post(gateway, CHAT, {}) == 503, "there is no model"
        assert await listed(gateway) == []


async def test_a_socket_that_was_never_spoken_to_leaves_no_session(servers: Servers) -> None:
    async with (
        StubModel(StubBehaviour(text="Done")) as model,
        a_live_gateway(servers, "unspoken", {"t.abl": THINKER}, model_url=model.base_url) as gateway,
    ):
        token = await gateway.page_token()
        async with gateway.socket(token) as first, gateway.socket(token) as second:
            (started,) = await until(first, "session_start")
            await until(second, "session_start")
            await first.close()
            await tell(second, type="ping", id="1")
            await until(second, "pong")
            assert await listed(gateway) == [started["sessionId"]], "another socket of the page is open"
        await check_gone(gateway)
        resume = {"projectId": gateway.project_id, "resumeToken": started["resumeToken"]}
        headers = {"x-api-key": "", "x-public-key": gateway.public_key}
        init = await gateway.call("POST", "/api/v1/sdk/init", resume, headers)
        assert (init.status, init.json()["sessionId"]) == (200, None)
        async with gateway.socket(token, "?lastSeq=7") as socket:
            (again,) = await until(socket, "session_start")
            assert again["sessionId"] == started["sessionId"]
            await tell(socket, type="chat_message", text="hello")
            assert (await until(socket, "response_end"))[-1]["fullText"] == "Done"
        assert await listed(gateway) == [started["sessionId"]]


async def test_a_project_may_bound_its_messages(servers: Servers) -> None:
    async with a_live_gateway(servers, "bounded", {"e.abl": an_echo("heard")}) as gateway:
        project = f"/api/projects/{gateway.project_id}"
        before = await gateway.call("POST", CHAT, {"projectId": gateway.project_id, "message": "longer"})
        changed = await gateway.call("PATCH", project, {"settings": {"maxMessageChars": 5}})
        assert changed.json()["project"]["settings"]["maxMessageChars"] == 5
        refused = await gateway.call("POST", CHAT, {"projectId": gateway.project_id, "message": "longer"})
        error = refused.json()["error"]
        assert (refused.status, error["code"], error["details"]["fields"][0]["path"]) == (
            400,
            "VALIDATION_ERROR",
            "/message",
        )
        assert "5 characters" in error["details"]["fields"][0]["message"]
        assert await listed(gateway) == [before.json()["sessionId"]]
        assert await post(gateway, CHAT, {"message": "short"}) == 200
        again = {"message": "longer", "sessionId": before.json()["sessionId"]}
        assert await post(gateway, CHAT, again) == 200, "a session keeps what was set when it began"
