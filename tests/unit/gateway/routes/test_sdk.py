from __future__ import annotations

import pytest

from domain.rates import RateSettings
from gateway.auth.public_keys import MAY_NAME_AGENTS
from tests.support.asgi import Client
from tests.support.gateway import KEY, PAGE, PROJECT, PUBLIC_KEY, SECOND_PROJECT, Gateway, a_gateway, a_public_key

pytestmark = pytest.mark.anyio
INIT = "/api/v1/sdk/init"


def page_with(gateway: Gateway, key: str = PUBLIC_KEY, origin: str | None = PAGE) -> Client:
    headers = {"x-public-key": key} | ({"origin": origin} if origin else {})
    return Client(gateway.app, headers)


async def test_a_public_key_becomes_a_token(gateway: Gateway) -> None:
    body = (await page_with(gateway).post(INIT, {"projectId": PROJECT})).json()
    assert body.pop("token").count(".") == 2
    assert body == {
        "success": True,
        "expiresIn": 900,
        "tenantId": "ten_one",
        "projectId": PROJECT,
        "channelId": None,
        "permissions": ["session:send_message"],
        "showActivityUpdates": False,
        "sessionId": None,
        "wsUrl": "ws://testserver/ws/sdk",
    }


async def test_a_page_names_the_agent_that_it_begins_with_where_its_key_may(gateway: Gateway) -> None:
    named = {"projectId": PROJECT, "agentId": "bank/Clerk"}
    refused = await page_with(gateway).post(INIT, named)
    assert (refused.status, refused.json()["error"]["details"]["permissions"]) == (403, [MAY_NAME_AGENTS])
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key(allow_agent_override=True)
    gateway.clock.move(seconds=60)
    token = (await page_with(gateway).post(INIT, named)).json()["token"]
    token = (await gateway.page(token).post("/api/v1/sdk/refresh")).json()["token"]
    chat = {"projectId": PROJECT, "message": "a"}
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key()
    gateway.clock.move(seconds=60)
    assert (await gateway.page(token).post("/api/v1/chat/agent", chat)).status == 403, "the key may no more"
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key(allow_agent_override=True)
    gateway.clock.move(seconds=60)
    assert (await gateway.page(token).post("/api/v1/chat/agent", chat)).status == 200
    opens = gateway.runtime.asked[-1].opens
    assert opens is not None
    assert opens.agent == "bank/Clerk"


async def test_the_public_address_gives_the_socket_address() -> None:
    gateway = a_gateway(public_url="https://agents.example.com/base/")
    body = (await page_with(gateway).post(INIT, {})).json()
    assert body["wsUrl"] == "wss://agents.example.com/base/ws/sdk"


async def test_a_host_header_says_nothing_of_the_socket_address(gateway: Gateway) -> None:
    body = (await page_with(gateway).post(INIT, {}, headers={"host": "evil.example"})).json()
    assert body["wsUrl"] == "ws://testserver/ws/sdk"


async def test_a_key_is_refused_elsewhere_and_for_other_projects(gateway: Gateway) -> None:
    assert (await page_with(gateway).post(INIT, {"projectId": SECOND_PROJECT})).status == 404
    assert (await page_with(gateway, "pk_other").post(INIT, {})).status == 401
    assert (await page_with(gateway, origin="https://evil.example.com").post(INIT, {})).status == 403
    assert (await page_with(gateway, origin=None).post(INIT, {})).status == 403
    assert (await Client(gateway.app, {"x-api-key": PUBLIC_KEY}).post(INIT, {})).status == 401
    as_key = Client(gateway.app, {"x-api-key": PUBLIC_KEY, "origin": PAGE})
    assert (await as_key.post("/api/v1/chat/agent", {"projectId": PROJECT, "message": "a"})).status == 401


async def test_a_key_of_native_clients_requires_no_origin(gateway: Gateway) -> None:
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key(require_origin=False)
    assert (await page_with(gateway, origin=None).post(INIT, {})).status == 200


async def test_a_page_of_the_gateway_itself_reads_its_configuration_without_an_origin(gateway: Gateway) -> None:
    headers = {"x-api-key": PUBLIC_KEY, "sec-fetch-site": "same-origin", "host": "agents.example.com"}
    page, path = Client(gateway.app, headers), f"/api/v1/sdk/config/{PROJECT}"
    assert (await page.get(path)).status == 403
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key(allowed_origins=("https://agents.example.com",))
    gateway.clock.move(seconds=60)
    assert (await page.get(path)).status == 404, "it is let in; nothing is kept for it here"
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key(allowed_origins=())
    gateway.clock.move(seconds=60)
    page = Client(gateway.app, {**headers, "origin": "https://agents.example.com"})
    assert (await page.get(path)).status == 403


async def test_a_token_lives_fifteen_minutes_and_is_refreshed_within_the_next_hour(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    gateway.clock.move(seconds=901)
    chat = {"projectId": PROJECT, "message": "a"}
    assert (await gateway.page(token).post("/api/v1/chat/agent", chat)).status == 401
    reply = await gateway.page(token).post("/api/v1/sdk/refresh")
    assert (reply.status, reply.json()["expiresIn"]) == (200, 900)
    assert (await gateway.page(reply.json()["token"]).post("/api/v1/chat/agent", chat)).status == 200
    gateway.clock.move(seconds=3_600)
    assert (await gateway.page(token).post("/api/v1/sdk/refresh")).status == 401


async def test_refreshed_tokens_share_one_session(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    refreshed = (await gateway.page(token).post("/api/v1/sdk/refresh")).json()["token"]
    chat = {"projectId": PROJECT, "message": "a"}
    sessions = {
        (await gateway.page(each).post("/api/v1/chat/agent", chat)).json()["sessionId"] for each in (token, refreshed)
    }
    assert len(sessions) == 1
    other = await gateway.sdk_token()
    assert (await gateway.page(other).post("/api/v1/chat/agent", chat)).json()["sessionId"] not in sessions


async def test_tokens_of_a_revoked_key_are_refused(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    gateway.public_keys.keys.clear()
    gateway.clock.move(seconds=2)
    assert (await gateway.page(token).post("/api/v1/sdk/refresh")).status == 401
    assert (await gateway.page(token).post("/api/v1/sdk/ws-ticket")).status == 401


async def test_tickets_and_bootstraps_are_limited() -> None:
    gateway = a_gateway(rates=RateSettings(tickets_per_minute=2, sdk_inits_per_minute=3))
    token = await gateway.sdk_token()
    statuses = [(await gateway.page(token).post("/api/v1/sdk/ws-ticket")).status for _ in range(3)]
    assert statuses == [200, 200, 429]
    statuses = [(await page_with(gateway).post(INIT, {})).status for _ in range(3)]
    assert statuses == [200, 200, 429]


async def test_a_resume_token_of_another_kind_is_refused(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    assert (await page_with(gateway).post(INIT, {"resumeToken": token})).status == 401
    assert (await Client(gateway.app, {"x-sdk-token": KEY}).post("/api/v1/sdk/refresh")).status == 401
