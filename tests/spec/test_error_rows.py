"""Every row of the error tables of chat and sessions: status, code, body, headers. Spec: platform-api 4.1, 5.1 to 5.7."""

from __future__ import annotations

import pytest

from domain.errors import Gone, InvalidInput, NotFound, QueueFull, Unavailable
from domain.rates import RateSettings
from domain.traces import TraceType
from tests.support.errors import CHAT, MESSAGE, SESSIONS, check, check_lacking, check_limited, refused_turn
from tests.support.gateway import (
    FOREIGN_PROJECT,
    PROJECT,
    Gateway,
    a_caller,
    a_gateway,
)

pytestmark = pytest.mark.anyio


# --- 4.1: chat/agent -------------------------------------------------------------------------------------------------


async def test_4_1_400_invalid_request(gateway: Gateway) -> None:
    reply = await gateway.client.post(CHAT, {"projectId": PROJECT, "message": ""})
    fields = [{"path": "/message", "message": "String should have at least 1 character"}]
    check(reply, 400, "VALIDATION_ERROR", "Invalid request", fields=fields)


async def test_4_1_400_invalid_message_metadata(gateway: Gateway) -> None:
    reply = await gateway.client.post(CHAT, {**MESSAGE, "metadata": {"constructor": 1}})
    fields = [{"path": "/metadata/constructor", "message": "is a refused key"}]
    check(reply, 400, "VALIDATION_ERROR", "Invalid message metadata", fields=fields)


async def test_4_1_400_a_test_context_for_a_released_target(gateway: Gateway) -> None:
    reply = await gateway.client.post(CHAT, {**MESSAGE, "testContext": {}, "environment": "production"})
    check(reply, 400, "VALIDATION_ERROR", "testContext is for development only")


async def test_4_1_400_an_unknown_step_to_start_at(gateway: Gateway) -> None:
    fields = [{"path": "/testContext/startAtStep", "message": "no such step"}]
    error = InvalidInput("Unknown step in testContext.startAtStep", details={"fields": fields})
    check(await refused_turn(gateway, error), 400, "VALIDATION_ERROR", error.message, fields=fields)


async def test_4_1_403_a_test_context_without_agent_write(gateway: Gateway) -> None:
    gateway.runtime.callers["abl_chat"] = a_caller("ten_one", "session:execute")
    reply = await gateway.as_("abl_chat").post(CHAT, {**MESSAGE, "testContext": {}})
    check_lacking(reply, "agent:write")


async def test_4_1_403_a_page_may_not_bring_a_test_context_or_choose_the_agent(gateway: Gateway) -> None:
    page = gateway.page(await gateway.sdk_token())
    rows = (({"testContext": {}}, "agent:write"), ({"agentId": "desk"}, "allowAgentOverride of the public key"))
    for more, lacking in rows:
        check_lacking(await page.post(CHAT, {**MESSAGE, **more}), lacking)


async def test_4_1_404_project_not_found_or_has_no_agents(gateway: Gateway) -> None:
    reply = await gateway.client.post(CHAT, {**MESSAGE, "projectId": FOREIGN_PROJECT})
    check(reply, 404, "NOT_FOUND", "Project not found or has no agents")


async def test_4_1_404_session_not_found(gateway: Gateway) -> None:
    reply = await gateway.client.post(CHAT, {**MESSAGE, "sessionId": "sess_of_nobody"})
    check(reply, 404, "NOT_FOUND", "Session not found")


async def test_4_1_404_deployment_not_found(gateway: Gateway) -> None:
    check(await refused_turn(gateway, NotFound("Deployment not found")), 404, "NOT_FOUND", "Deployment not found")


async def test_4_1_404_no_active_deployment(gateway: Gateway) -> None:
    message = "No active deployment for environment"
    check(await refused_turn(gateway, NotFound(message)), 404, "NOT_FOUND", message)


async def test_4_1_409_session_has_ended(gateway: Gateway) -> None:
    session_id = (await gateway.client.post(CHAT, MESSAGE)).json()["sessionId"]
    await gateway.client.post(f"/api/v1/sessions/{session_id}/end", {})
    reply = await gateway.client.post(CHAT, {**MESSAGE, "sessionId": session_id})
    check(reply, 409, "CONFLICT", "Session has ended", reason="SESSION_ENDED")


async def test_4_1_410_deployment_is_retired(gateway: Gateway) -> None:
    check(await refused_turn(gateway, Gone("Deployment is retired")), 410, "GONE", "Deployment is retired")


async def test_4_1_429_session_message_rate_limit() -> None:
    gateway = a_gateway(rates=RateSettings(session_messages_per_minute=1))
    session_id = (await gateway.client.post(CHAT, MESSAGE)).json()["sessionId"]
    replies = [await gateway.client.post(CHAT, {**MESSAGE, "sessionId": session_id}) for _ in range(2)]
    check_limited(replies[1], "RATE_LIMIT_EXCEEDED", "Session message rate limit exceeded")
    assert replies[1].headers["x-ratelimit-limit"] == "1"


async def test_4_1_429_concurrent_session_limit() -> None:
    gateway = a_gateway(rates=RateSettings(concurrent_sessions=2))
    gateway.active_sessions["ten_one"] = 2
    check_limited(await gateway.client.post(CHAT, MESSAGE), "RATE_LIMIT_EXCEEDED", "Concurrent session limit exceeded")


async def test_4_1_429_execution_queue_full(gateway: Gateway) -> None:
    reply = await refused_turn(gateway, QueueFull("Execution queue full", retry_after_ms=1200))
    check_limited(reply, "QUEUE_FULL", "Execution queue full")


async def test_4_1_503_runtime_not_configured(gateway: Gateway) -> None:
    message = "Runtime not configured"
    check(await refused_turn(gateway, Unavailable(message)), 503, "SERVICE_UNAVAILABLE", message)


async def test_4_1_503_turn_timed_out(gateway: Gateway) -> None:
    check(await refused_turn(gateway, Unavailable("Turn timed out")), 503, "SERVICE_UNAVAILABLE", "Turn timed out")


# --- 5: sessions -----------------------------------------------------------------------------------------------------


async def test_5_1_404_agent_not_found(gateway: Gateway) -> None:
    gateway.runtime.refuse = NotFound("Agent not found")
    check(await gateway.client.post(SESSIONS, {"agentId": "nobody"}), 404, "NOT_FOUND", "Agent not found")


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "offset=-1", "limit=x", "status=gone", "range=1w"])
async def test_5_2_400_a_query_out_of_range_is_not_clamped(gateway: Gateway, query: str) -> None:
    reply = await gateway.client.get(f"{SESSIONS}?{query}")
    assert (reply.status, reply.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
    assert reply.json()["error"]["details"]["fields"][0]["path"] == "/" + query.partition("=")[0]


async def test_5_3_404_session_not_found(gateway: Gateway) -> None:
    check(await gateway.client.get(f"{SESSIONS}/sess_nobody"), 404, "NOT_FOUND", "Session not found")


async def test_5_4_404_on_the_second_deletion(gateway: Gateway) -> None:
    session_id = (await gateway.client.post(CHAT, MESSAGE)).json()["sessionId"]
    first = await gateway.client.delete(f"{SESSIONS}/{session_id}")
    assert (first.status, first.json()) == (200, {"success": True, "deleted": True, "id": session_id})
    check(await gateway.client.delete(f"{SESSIONS}/{session_id}"), 404, "NOT_FOUND", "Session not found")


async def test_5_4_404_a_page_may_delete_its_own_session_only(gateway: Gateway) -> None:
    session_id = (await gateway.client.post(CHAT, MESSAGE)).json()["sessionId"]
    page = gateway.page(await gateway.sdk_token())
    check(await page.delete(f"{SESSIONS}/{session_id}"), 404, "NOT_FOUND", "Session not found")
    own = (await page.post(CHAT, MESSAGE)).json()["sessionId"]
    assert (await page.delete(f"{SESSIONS}/{own}")).json() == {"success": True, "deleted": True, "id": own}


async def test_5_4_any_credential_that_may_see_a_session_may_delete_it(gateway: Gateway) -> None:
    gateway.runtime.callers["abl_sees"] = a_caller("ten_one", "session:read")
    gateway.runtime.callers["abl_blind"] = a_caller("ten_one", "agent:read")
    place = f"{SESSIONS}/{(await gateway.client.post(CHAT, MESSAGE)).json()['sessionId']}"
    check_lacking(await gateway.as_("abl_blind").delete(place), "session:read")
    assert (await gateway.as_("abl_sees").delete(place)).status == 200
    check(await gateway.client.delete(place), 404, "NOT_FOUND", "Session not found")


async def test_5_7_400_an_unknown_event_type(gateway: Gateway) -> None:
    session_id = (await gateway.client.post(CHAT, MESSAGE)).json()["sessionId"]
    reply = await gateway.client.get(f"{SESSIONS}/{session_id}/traces?eventType=llm_call,dance")
    known = "dance is none of " + ", ".join(TraceType)
    fields = [{"path": "/eventType", "message": known}]
    check(reply, 400, "VALIDATION_ERROR", "Unknown eventType: dance", fields=fields)
