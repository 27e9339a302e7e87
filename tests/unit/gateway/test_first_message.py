"""The message that opens a session is the first of those that it may have in a minute, whichever way it comes.

Of OpenAI's form: tests/flows_gateway/test_openai.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from domain.rates import RateSettings
from tests.support.asgi import Client, Reply
from tests.support.gateway import KEY, PROJECT, Gateway, a_gateway
from tests.support.pages import started

pytestmark = pytest.mark.anyio
CHAT = "/api/v1/chat/agent"
LIMIT = 3
Opening = Callable[[Client], Awaitable[Reply]]


def by_chat(path: str = CHAT, **headers: str) -> Opening:
    """Return what opens a session with a message."""

    async def open_with_message(client: Client) -> Reply:
        return await client.post(path, {"projectId": PROJECT, "message": "hello"}, headers=headers)

    return open_with_message


async def by_mcp(client: Client) -> Reply:
    asked = {"name": "Front_Desk", "arguments": {"message": "hello"}}
    return await client.post(f"/mcp/{PROJECT}", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked})


WAYS: dict[str, Opening] = {
    "json": by_chat(),
    "json under a key": by_chat(**{"idempotency-key": "k1"}),
    "events": by_chat(accept="text/event-stream"),
    "events under a key": by_chat(accept="text/event-stream", **{"idempotency-key": "k1"}),
    "send": by_chat("/api/v1/chat/send"),
    "mcp": by_mcp,
}


async def more(gateway: Gateway, client: Client, count: int) -> list[int]:
    """Return what comes of `count` messages more to the only session there is."""
    (session_id,) = gateway.runtime.sessions_by_id
    asked = {"projectId": PROJECT, "message": "more", "sessionId": session_id}
    return [(await client.post(CHAT, asked)).status for _ in range(count)]


@pytest.mark.parametrize("way", WAYS)
async def test_it_counts(way: str) -> None:
    gateway = a_gateway(rates=RateSettings(session_messages_per_minute=LIMIT))
    client = gateway.as_(KEY)
    assert (await WAYS[way](client)).status == 200
    assert await more(gateway, client, LIMIT) == [200] * (LIMIT - 1) + [429]


@pytest.mark.parametrize("path", [CHAT, "/api/v1/chat/send"])
async def test_it_counts_of_a_page(path: str) -> None:
    gateway = a_gateway(rates=RateSettings(session_messages_per_minute=LIMIT))
    page = gateway.page(await gateway.sdk_token())
    assert (await by_chat(path)(page)).status == 200
    assert await more(gateway, page, LIMIT) == [200] * (LIMIT - 1) + [429]


async def test_it_counts_over_a_socket_and_over_http_alike() -> None:
    gateway = a_gateway(rates=RateSettings(session_messages_per_minute=LIMIT))
    async with started(gateway) as socket:
        socket.say(type="chat_message", text="hello", messageId="m1")
        await socket.until("response_end")
        assert await more(gateway, gateway.client, LIMIT - 1) == [200] * (LIMIT - 1)
        socket.say(type="chat_message", text="more", messageId="m2")
        refused = (await socket.until("error"))[-1]
    assert (refused["code"], refused["messageId"]) == ("RATE_LIMIT_EXCEEDED", "m2")


async def test_the_headers_of_the_opening_tell_of_the_session_where_that_is_tighter() -> None:
    gateway = a_gateway(rates=RateSettings(session_messages_per_minute=LIMIT))
    opened = await by_chat()(gateway.client)
    assert (opened.headers["x-ratelimit-limit"], opened.headers["x-ratelimit-remaining"]) == ("3", "2")


async def test_under_one_key_each_try_is_a_message_of_one_session() -> None:
    gateway = a_gateway(rates=RateSettings(session_messages_per_minute=LIMIT))
    tries = [await by_chat(**{"idempotency-key": "k1"})(gateway.client) for _ in range(LIMIT + 1)]
    assert [one.status for one in tries] == [200] * LIMIT + [429]
    assert (await by_chat(**{"idempotency-key": "k2"})(gateway.client)).status == 200


@pytest.mark.parametrize("path", [CHAT, "/api/v1/chat/send"])
async def test_a_first_message_of_a_page_that_breaks_a_rule_leaves_no_session(path: str) -> None:
    gateway = a_gateway()
    page = gateway.page(await gateway.sdk_token())
    refused = await page.post(path, {"projectId": PROJECT, "message": "hello", "metadata": {"__proto__": 1}})
    assert (refused.status, refused.json()["error"]["message"]) == (400, "Invalid message metadata")
    headers = {"idempotency-key": "x" * 256}
    assert (await page.post(path, {"projectId": PROJECT, "message": "hello"}, headers=headers)).status == 400
    assert gateway.runtime.sessions_by_id == {}
    assert (await page.post(path, {"projectId": PROJECT, "message": "hello"})).status == 200
