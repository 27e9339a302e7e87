"""The platform as an MCP server: the protocol by hand. The official client is tried in tests/flows_gateway."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.mcp import VERSIONS
from tests.support.asgi import Client, Reply
from tests.support.gateway import BOUND_KEY, FOREIGN_KEY, PROJECT, PUBLIC_KEY, READER_KEY, Gateway

pytestmark = pytest.mark.anyio
PATH = f"/mcp/{PROJECT}"


async def say(gateway: Gateway, method: str, params: Any = None, *, request_id: Any = 1, path: str = PATH) -> Any:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, **({"params": params} if params else {})}
    reply = await gateway.client.post(path, message)
    assert reply.status == 200, reply.body
    answer = reply.json()
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", request_id)
    return answer.get("result", answer.get("error"))


async def call(gateway: Gateway, name: str, **arguments: Any) -> Any:
    return await say(gateway, "tools/call", {"name": name, "arguments": arguments})


@pytest.mark.parametrize("wanted", [*VERSIONS, "1999-01-01", None])
async def test_a_client_and_the_server_agree_on_a_version(gateway: Gateway, wanted: str | None) -> None:
    result = await say(gateway, "initialize", {"protocolVersion": wanted, "capabilities": {}})
    assert result["protocolVersion"] == (wanted if wanted in VERSIONS else VERSIONS[0])
    assert result["serverInfo"]["version"] == "1.2.3"
    assert (await gateway.client.post(PATH, {"jsonrpc": "2.0", "method": "notifications/initialized"})).status == 202
    assert await say(gateway, "ping") == {}


async def test_every_agent_is_a_tool(gateway: Gateway) -> None:
    tools = (await say(gateway, "tools/list"))["tools"]
    assert [(tool["name"], tool["title"], tool["description"]) for tool in tools] == [
        ("Front_Desk", "Front_Desk", "Greets"),
        ("bank_Clerk", "bank/Clerk", "Counts"),
    ]
    assert tools[0]["inputSchema"]["required"] == ["message"]


async def test_an_agent_answers_and_its_session_goes_on(gateway: Gateway) -> None:
    first = await call(gateway, "bank_Clerk", message="hello")
    told = first["structuredContent"]
    assert [one["text"] for one in first["content"]] == [told["reply"], f"sessionId: {told['sessionId']}"]
    again = await call(gateway, "Front_Desk", message="more", sessionId=told["sessionId"])
    assert again["structuredContent"]["sessionId"] == told["sessionId"]
    assert gateway.runtime.sessions_by_id[told["sessionId"]].agent == "bank/Clerk"


async def test_a_call_under_a_request_id_is_carried_out_once(gateway: Gateway) -> None:
    answers = [await call(gateway, "Front_Desk", message="hello", requestId="r1") for _ in range(2)]
    assert answers[0] == answers[1]
    assert len(gateway.runtime.sessions_by_id) == 1
    other = await call(gateway, "Front_Desk", message="something else", requestId="r1")
    assert other["isError"]
    assert other["_meta"]["abl.runtime/error"]["code"] == "CONFLICT"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "1 to 1048576 characters"),
        ({"message": ""}, "1 to 1048576 characters"),
        ({"message": 3}, "are texts"),
        ({"message": "hi", "sessionId": "sess_nowhere"}, "not found"),
        ({"message": "hi", "metadata": [1]}, "metadata"),
    ],
)
async def test_a_call_that_is_refused_says_why_to_the_model(gateway: Gateway, arguments: Any, sentence: str) -> None:
    result = await call(gateway, "Front_Desk", **arguments)
    assert result["isError"]
    assert sentence in result["content"][0]["text"]


async def test_what_is_not_there_is_an_error_of_the_protocol(gateway: Gateway) -> None:
    assert (await call(gateway, "Nobody", message="hi"))["code"] == -32_602
    assert (await say(gateway, "resources/list"))["code"] == -32_601


@pytest.mark.parametrize(("raw", "code"), [(b"{", -32_700), (b"[]", -32_600), (b'{"id": 1}', -32_600)])
async def test_what_is_no_message_is_refused(gateway: Gateway, raw: bytes, code: int) -> None:
    reply = await gateway.client.post(PATH, raw=raw, headers={"content-type": "application/json"})
    assert (reply.status, reply.json()["error"]["code"]) == (400, code)


async def ping(client: Client, path: str = PATH) -> Reply:
    return await client.post(path, {"jsonrpc": "2.0", "id": 1, "method": "ping"})


async def test_a_key_of_one_project_needs_no_name_for_it(gateway: Gateway) -> None:
    assert (await ping(gateway.as_(BOUND_KEY), "/mcp")).status == 200
    unbound = await ping(gateway.client, "/mcp")
    assert (unbound.status, "/mcp/<projectId>" in unbound.json()["error"]["message"]) == (400, True)


async def test_only_keys_that_may_talk_in_their_own_project_come_in(gateway: Gateway) -> None:
    assert (await ping(gateway.nobody())).status == 401
    assert (await ping(gateway.as_(PUBLIC_KEY))).status == 401
    assert (await ping(gateway.as_(READER_KEY))).status == 403
    assert (await ping(gateway.as_(FOREIGN_KEY))).status == 404
    for path in (PATH, "/mcp"):
        assert (await gateway.client.get(path)).status == 405
