from __future__ import annotations

import pytest

from actors.runtime import Caller
from tests.support.gateway import PROJECT, Gateway

pytestmark = pytest.mark.anyio
CHAT = "/api/v1/chat/agent"


async def a_conversation(gateway: Gateway) -> str:
    reply = await gateway.client.post(CHAT, {"projectId": PROJECT, "message": "hello"})
    return str(reply.json()["sessionId"])


async def test_a_transcript_is_paged(gateway: Gateway) -> None:
    session_id = await a_conversation(gateway)
    body = (await gateway.client.get(f"/api/v1/sessions/{session_id}/transcripts?limit=1&offset=1")).json()
    assert [(line["role"], line["content"]) for line in body["messages"]] == [("assistant", "you said: hello")]
    assert body["pagination"] == {"total": 2, "limit": 1, "offset": 1}


async def test_a_page_reads_its_own_session_only(gateway: Gateway) -> None:
    other = await a_conversation(gateway)
    page = gateway.page(await gateway.sdk_token())
    own = (await page.post(CHAT, {"projectId": PROJECT, "message": "hi"})).json()["sessionId"]
    assert (await page.get(f"/api/v1/sessions/{own}/transcripts")).status == 200
    assert (await page.get(f"/api/v1/sessions/{other}/transcripts")).status == 404
    assert (await page.post(f"/api/v1/sessions/{other}/end")).status == 404


async def test_a_session_ends_once_and_keeps_its_reason(gateway: Gateway) -> None:
    session_id = await a_conversation(gateway)
    first = (await gateway.client.post(f"/api/v1/sessions/{session_id}/end", {"reason": "user"})).json()
    second = (await gateway.client.post(f"/api/v1/sessions/{session_id}/end")).json()
    assert first == second
    assert first["session"]["status"] == "ended"
    assert first["session"]["endReason"] == "user"


async def test_ending_needs_its_own_permission(gateway: Gateway) -> None:
    session_id = await a_conversation(gateway)
    gateway.runtime.callers["abl_talker"] = Caller("ten_one", "key", frozenset({"session:execute", "session:read"}))
    talker = gateway.as_("abl_talker")
    assert (await talker.post(f"/api/v1/sessions/{session_id}/end")).status == 403
    assert (await talker.get(f"/api/v1/sessions/{session_id}/transcripts")).status == 200
