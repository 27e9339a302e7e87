"""Every error code and every rule of credentials: status, code, body, headers. Spec: platform-api 1.3, 2.1."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import Conflict, Gone, QueueFull, Unavailable
from domain.rates import RateSettings
from tests.support.asgi import sse_events
from tests.support.errors import CHAT, MESSAGE, SESSIONS, check, check_lacking, check_limited, refused_turn
from tests.support.gateway import (
    FOREIGN_PROJECT,
    KEY,
    PROJECT,
    PUBLIC_KEY,
    READER_KEY,
    SECOND_PROJECT,
    Gateway,
    a_gateway,
)

pytestmark = pytest.mark.anyio


# --- 1.3: every code -------------------------------------------------------------------------------------------------


async def test_1_3_400_bad_request_for_malformed_json(gateway: Gateway) -> None:
    reply = await gateway.client.post(CHAT, raw=b'{"a', headers={"content-type": "application/json"})
    check(reply, 400, "BAD_REQUEST", "Invalid JSON body")


async def test_1_3_400_bad_request_for_a_missing_parameter(gateway: Gateway) -> None:
    fields = [{"path": "/message", "message": "message is required"}]
    check(await gateway.client.post(CHAT, {"projectId": PROJECT}), 400, "BAD_REQUEST", "Invalid request", fields=fields)


async def test_1_3_400_validation_error_names_the_field_by_json_pointer(gateway: Gateway) -> None:
    reply = await gateway.client.post(CHAT, {**MESSAGE, "testContext": {"toolMocks": [{"toolName": "a", "times": 0}]}})
    fields = [{"path": "/testContext/toolMocks/0/times", "message": "Input should be greater than or equal to 1"}]
    check(reply, 400, "VALIDATION_ERROR", "Invalid request", fields=fields)


async def test_1_3_401_unauthorized_without_credentials(gateway: Gateway) -> None:
    check(await gateway.nobody().post(CHAT, MESSAGE), 401, "UNAUTHORIZED", "Missing credentials")


async def test_1_3_401_unauthorized_for_an_unknown_key(gateway: Gateway) -> None:
    check(await gateway.as_("abl_nobody").post(CHAT, MESSAGE), 401, "UNAUTHORIZED", "Invalid API key")


async def test_1_3_401_unauthorized_for_an_expired_token(gateway: Gateway) -> None:
    page = gateway.page(await gateway.sdk_token())
    gateway.clock.move(seconds=901)
    check(await page.post(CHAT, MESSAGE), 401, "UNAUTHORIZED", "The token has expired")


async def test_1_3_403_forbidden_without_the_permission(gateway: Gateway) -> None:
    reply = await gateway.as_(READER_KEY).post(SESSIONS, {"agentId": "desk"})
    check_lacking(reply, "session:execute")


async def test_1_3_404_not_found_across_tenants(gateway: Gateway) -> None:
    reply = await gateway.client.get(f"/api/projects/{FOREIGN_PROJECT}/sessions")
    check(reply, 404, "NOT_FOUND", "Project not found")


async def test_1_3_405_method_not_allowed_names_the_methods(gateway: Gateway) -> None:
    reply = await gateway.client.request("PUT", CHAT)
    check(reply, 405, "METHOD_NOT_ALLOWED", "Method not allowed")
    assert reply.headers["allow"] == "POST"


async def test_1_3_409_conflict_names_its_reason(gateway: Gateway) -> None:
    reply = await refused_turn(gateway, Conflict("Session has ended", details={"reason": "SESSION_ENDED"}))
    check(reply, 409, "CONFLICT", "Session has ended", reason="SESSION_ENDED")


async def test_1_3_410_gone(gateway: Gateway) -> None:
    check(await refused_turn(gateway, Gone("Deployment is retired")), 410, "GONE", "Deployment is retired")


async def test_1_3_413_payload_too_large(gateway: Gateway) -> None:
    reply = await gateway.client.post(CHAT, {**MESSAGE, "message": "x" * 2**20})
    check(reply, 413, "PAYLOAD_TOO_LARGE", "Request body exceeds 1048576 bytes")


async def test_1_3_415_unsupported_media_type(gateway: Gateway) -> None:
    reply = await gateway.client.post(CHAT, raw=b"hello", headers={"content-type": "text/plain"})
    check(reply, 415, "UNSUPPORTED_MEDIA_TYPE", "Content-Type must be application/json")


async def test_1_3_429_has_a_text_and_the_wait() -> None:
    gateway = a_gateway(rates=RateSettings(requests_per_second=1, requests_burst=1))
    await gateway.client.get(SESSIONS)
    reply = await gateway.client.get(SESSIONS)
    check_limited(reply, "RATE_LIMIT_EXCEEDED", "Request rate limit exceeded")
    assert reply.headers["x-ratelimit-remaining"] == "0"


async def test_1_3_500_says_nothing_of_what_happened(gateway: Gateway) -> None:
    gateway.runtime.crash = RuntimeError("the password is hunter2")
    reply = await gateway.client.post(CHAT, MESSAGE, headers={"x-request-id": "asked-7"})
    check(reply, 500, "INTERNAL_ERROR", "Something went wrong on our side", requestId="asked-7")


async def test_1_3_503_tells_the_wait_where_it_is_known(gateway: Gateway) -> None:
    reply = await refused_turn(gateway, Unavailable("The store does not answer.", details={"retryAfterMs": 1500}))
    check(reply, 503, "SERVICE_UNAVAILABLE", "The store does not answer.", retryAfterMs=1500)
    assert reply.headers["retry-after"] == "2"


async def test_1_3_an_error_after_the_stream_began_is_its_last_event(gateway: Gateway) -> None:
    async def failing(turn: object) -> Any:
        async for event in type(gateway.runtime).stream(gateway.runtime, turn):
            yield event
            if event.kind == "response_start":
                raise QueueFull("Execution queue full", retry_after_ms=900)

    gateway.runtime.stream = failing  # type: ignore[method-assign]
    headers = {"accept": "text/event-stream"}
    async with gateway.client.stream("POST", CHAT, body=MESSAGE, headers=headers) as (reply, pieces):
        assert reply.status == 200
        last = [event async for event in sse_events(pieces)][-1]
    assert last.name == "error"
    assert last.data == {"error": "Execution queue full", "code": "QUEUE_FULL", "retryAfterMs": 900}


# --- 2.1: rules of credentials ---------------------------------------------------------------------------------------


async def test_2_1_a_credential_of_the_wrong_kind_is_401(gateway: Gateway) -> None:
    reply = await gateway.nobody().post(CHAT, MESSAGE, headers={"x-api-key": PUBLIC_KEY})
    check(reply, 401, "UNAUTHORIZED", "This credential is not accepted here")


async def test_2_1_a_present_but_invalid_winner_does_not_fall_through(gateway: Gateway) -> None:
    reply = await gateway.nobody().post(CHAT, MESSAGE, headers={"authorization": "Bearer abl_no", "x-api-key": KEY})
    check(reply, 401, "UNAUTHORIZED", "Invalid API key")


async def test_2_1_another_project_under_a_bound_key_is_404(gateway: Gateway) -> None:
    reply = await gateway.as_("abl_bound").get(f"/api/projects/{SECOND_PROJECT}/sessions")
    check(reply, 404, "NOT_FOUND", "Project not found")
