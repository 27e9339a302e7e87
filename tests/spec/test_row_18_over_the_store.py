"""Row 18 of those that are easiest to miss: a callback over the real store, delivered to two gateways.

Spec: platform-api 7.1, 17.18.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from actors.projects import TENANT_ID
from storage.statements import Statement
from tests.flows.test_waiting import COURIER
from tests.support.live_gateway import LiveGateway, a_live_gateway, another_gateway
from tests.support.servers import Servers
from tests.support.stories import a_workshop, eventually

pytestmark = pytest.mark.anyio
OUT_OF_ROOM = """
    CREATE OR REPLACE FUNCTION refuse_a_job() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no room for the job' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER refuse_a_job BEFORE INSERT ON jobs FOR EACH ROW WHEN (NEW.name = '{callback_id}')
    EXECUTE FUNCTION refuse_a_job();
"""
ROOM_AGAIN = "DROP TRIGGER IF EXISTS refuse_a_job ON jobs; DROP FUNCTION IF EXISTS refuse_a_job()"
STATUS = Statement("SELECT status FROM callbacks WHERE tenant_id = :tenant_id AND callback_id = :callback_id")


@asynccontextmanager
async def no_room_for(gateway: LiveGateway, callback_id: str) -> AsyncIterator[None]:
    """Have the store refuse the job of a callback, as a full disk does."""
    database = gateway.running.database
    async with database.connection() as connection:
        await connection.script(OUT_OF_ROOM.format(callback_id=callback_id))
    try:
        yield
    finally:
        async with database.connection() as connection:
            await connection.script(ROOM_AGAIN)


async def test_17_18_a_callback_is_taken_once_and_stays_open_when_its_job_could_not_be_kept(
    servers: Servers,
) -> None:
    async with (
        a_workshop() as workshop,
        a_live_gateway(
            servers,
            "easy-to-miss-18",
            {"courier.abl": COURIER.format(url=workshop.url)},
            allowed_networks=("127.0.0.1/32",),
        ) as gateway,
    ):
        body = {"projectId": gateway.project_id, "message": "wait", "agentId": "Courier"}
        session = (await gateway.call("POST", "/api/v1/chat/agent", body)).json()["sessionId"]
        headers = workshop.headers[-1]
        await check_deliveries(gateway, session, headers["X-ABL-Callback-Id"], headers["X-ABL-Callback-Secret"])


async def check_deliveries(gateway: LiveGateway, session: str, callback_id: str, secret: str) -> None:
    delivered = {"number": "P-1"}

    async def deliver(of: LiveGateway, raw: bytes | None = None) -> tuple[int, dict[str, Any]]:
        signed = json.dumps(delivered).encode() if raw is None else raw
        signature = "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        headers = {"x-api-key": "", "x-callback-signature": signature}
        answer = await of.call("POST", f"/api/v1/callbacks/{callback_id}", delivered, headers)
        return answer.status, answer.json()

    async with another_gateway(gateway) as other:
        same_value = json.dumps(delivered, separators=(",", ":")).encode()
        assert await deliver(other, same_value) == (401, {"ok": False, "error": "Invalid signature"})
        async with no_room_for(gateway, callback_id):
            for one in (gateway, other):
                assert await deliver(one) == (503, {"ok": False, "error": "Service temporarily unavailable"})
            status = await gateway.running.database.value(STATUS, tenant_id=TENANT_ID, callback_id=callback_id)
            assert status == "pending"
        answers = await asyncio.gather(*(deliver((gateway, other)[at % 2]) for at in range(20)))
    assert {status for status, _ in answers} == {200}
    assert sorted(len(body) for _, body in answers) == [1] + [2] * 19
    assert {body.get("status") for _, body in answers} == {None, "already_processed"}

    async def said() -> list[str]:
        transcript = await gateway.call("GET", f"/api/v1/sessions/{session}/transcripts")
        return [one["content"] for one in transcript.json()["messages"] if "it has the number P-1" in one["content"]]

    async def goes_on() -> bool:
        return bool(await said())

    await eventually(goes_on)
    assert len(await said()) == 1
