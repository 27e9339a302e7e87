"""Callbacks over real sockets: signed in either way, listed without secrets, and kept sealed. Spec: platform-api 3.3, 7.1."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.projects import TENANT_ID
from domain.webhooks import signed_headers
from storage.statements import Statement
from tests.flows.test_waiting import COURIER
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway, another_gateway
from tests.support.servers import Servers
from tests.support.stories import Workshop, a_workshop, eventually
from tests.support.strangers import a_key, a_stranger

pytestmark = pytest.mark.anyio
LOOPBACK = ("127.0.0.1/32",)
BODY = {"number": "P-1"}
RAW = json.dumps(BODY).encode()
SECRET = Statement("SELECT secret FROM callbacks WHERE tenant_id = :tenant_id AND callback_id = :callback_id")
PLAIN = Statement("""
    UPDATE callbacks SET secret = :secret WHERE tenant_id = :tenant_id AND callback_id = :callback_id
""")


@pytest.fixture
async def workshop() -> AsyncIterator[Workshop]:
    async with a_workshop() as found:
        yield found


@pytest.fixture
async def gateway(servers: Servers, workshop: Workshop) -> AsyncIterator[LiveGateway]:
    texts = {"c.abl": COURIER.format(url=workshop.url)}
    async with a_live_gateway(servers, "callbacks", texts, allowed_networks=LOOPBACK) as found:
        yield found


async def suspended(gateway: LiveGateway, workshop: Workshop) -> tuple[str, str, str]:
    """Return a session that waits, and id and secret of its callback."""
    body = {"projectId": gateway.project_id, "message": "wait"}
    answer = await gateway.call("POST", "/api/v1/chat/agent", body)
    head = workshop.headers[-1]
    return answer.json()["sessionId"], head["X-ABL-Callback-Id"], head["X-ABL-Callback-Secret"]


async def deliver(gateway: LiveGateway, callback_id: str, headers: dict[str, str], body: Any = None) -> Answer:
    path = f"/api/v1/callbacks/{callback_id}"
    return await gateway.call("POST", path, BODY if body is None else body, {"x-api-key": "", **headers})


def plainly(secret: str) -> dict[str, str]:
    return {"x-callback-signature": "sha256=" + hmac.new(secret.encode(), RAW, hashlib.sha256).hexdigest()}


def standard(secret: str, *, at: int | None = None) -> dict[str, str]:
    headers = signed_headers(secret, "msg_1", int(time.time()) if at is None else at, RAW)
    return {name: headers[name] for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}


async def goes_on(gateway: LiveGateway, session_id: str) -> None:
    path = f"/api/projects/{gateway.project_id}/sessions/{session_id}?include=messages"

    async def has() -> bool:
        return b"it has the number P-1" in (await gateway.call("GET", path)).body

    await eventually(has)


async def listed(gateway: LiveGateway, query: str = "", headers: dict[str, str] | None = None) -> Answer:
    return await gateway.call("GET", f"/api/projects/{gateway.project_id}/callbacks{query}", headers=headers)


async def test_a_callback_is_taken_when_it_is_signed_by_standard_webhooks(
    gateway: LiveGateway, workshop: Workshop
) -> None:
    session_id, callback_id, secret = await suspended(gateway, workshop)
    for wrong in (
        standard(secret, at=int(time.time()) - 600),
        {**standard(secret), "webhook-id": "msg_2"},
        {**standard(secret), "webhook-signature": "v1,AAAA"},
        {**standard(secret), "x-callback-signature": "sha256=00"},
        {},
    ):
        answer = await deliver(gateway, callback_id, wrong)
        assert (answer.status, answer.json()) == (401, {"ok": False, "error": "Invalid signature"})
    assert (await deliver(gateway, callback_id, standard(secret))).json() == {"ok": True}
    again = await deliver(gateway, callback_id, plainly(secret))
    assert again.json() == {"ok": True, "status": "already_processed"}
    await goes_on(gateway, session_id)


async def test_secrets_are_kept_sealed_and_older_ones_are_still_good(gateway: LiveGateway, workshop: Workshop) -> None:
    session_id, callback_id, secret = await suspended(gateway, workshop)
    database = gateway.running.database
    kept = await database.value(SECRET, tenant_id=TENANT_ID, callback_id=callback_id)
    assert secret.startswith("whsec_")
    assert kept.startswith("sealed:")
    assert secret not in kept
    await database.execute(PLAIN, tenant_id=TENANT_ID, callback_id=callback_id, secret="as it was before")
    assert (await deliver(gateway, callback_id, plainly(secret))).status == 401
    assert (await deliver(gateway, callback_id, plainly("as it was before"))).json() == {"ok": True}
    await goes_on(gateway, session_id)


async def test_without_a_master_key_callbacks_work_as_ever(servers: Servers, workshop: Workshop) -> None:
    texts = {"c.abl": COURIER.format(url=workshop.url)}
    async with a_live_gateway(
        servers, "callbacks-unsealed", texts, allowed_networks=LOOPBACK, master_keys=" "
    ) as gateway:
        session_id, callback_id, secret = await suspended(gateway, workshop)
        assert (await deliver(gateway, callback_id, plainly(secret))).json() == {"ok": True}
        await goes_on(gateway, session_id)


async def test_operators_see_what_is_waited_for(gateway: LiveGateway, workshop: Workshop) -> None:
    session_id, callback_id, secret = await suspended(gateway, workshop)
    page = (await listed(gateway)).json()
    (mine,) = [one for one in page["callbacks"] if one["id"] == callback_id]
    assert mine == {
        "id": callback_id, "sessionId": session_id, "agentName": "Courier", "toolName": "send", "status": "pending",
        "createdAt": mine["createdAt"], "expiresAt": mine["expiresAt"],
    }  # fmt: skip
    assert set(page["pagination"]) == {"total", "limit", "offset"}
    assert secret.encode() not in (await listed(gateway)).body
    await deliver(gateway, callback_id, plainly(secret))
    assert callback_id not in [one["id"] for one in (await listed(gateway)).json()["callbacks"]]
    done = (await listed(gateway, "?status=processed&limit=200")).json()["callbacks"]
    assert callback_id in [one["id"] for one in done]
    assert (await listed(gateway, "?status=open")).status == 400
    assert (await listed(gateway, headers=await a_key(gateway, "agent:read"))).status == 403
    _, stranger = await a_stranger(gateway, {"c.abl": COURIER.format(url=workshop.url)})
    assert (await listed(gateway, headers=stranger)).status == 404


async def test_of_a_hundred_deliveries_at_once_at_two_gateways_one_is_taken(
    gateway: LiveGateway, workshop: Workshop
) -> None:
    session_id, callback_id, secret = await suspended(gateway, workshop)
    async with another_gateway(gateway) as other:
        answers = await asyncio.gather(
            *(deliver((gateway, other)[at % 2], callback_id, plainly(secret)) for at in range(100))
        )
    assert {one.status for one in answers} == {200}
    accepted = [one for one in answers if one.json() == {"ok": True}]
    repeated = [one for one in answers if one.json() == {"ok": True, "status": "already_processed"}]
    assert (len(accepted), len(repeated)) == (1, 99)
    await goes_on(gateway, session_id)
