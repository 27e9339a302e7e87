from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from actors.desks import UsageFigures
from actors.runtime import Caller
from domain.errors import Overloaded, Unavailable
from domain.rates import RateSettings
from tests.support.asgi import sse_events
from tests.support.gateway import DEVELOPER, FOREIGN_PROJECT, KEY, PROJECT, SECOND_PROJECT, TENANT, Gateway, a_gateway

pytestmark = pytest.mark.anyio
STREAM, COMPLETE, USAGE = "/api/v1/chat/stream", "/api/v1/chat/complete", "/api/v1/chat/usage"
BODY: dict[str, Any] = {"projectId": PROJECT, "messages": [{"role": "user", "content": "hello"}]}


async def test_events_come_as_they_come_and_errors_are_the_last_one(gateway: Gateway) -> None:
    gateway.desks.completions.fail = Overloaded("Too many requests", retry_after_ms=1_500)
    async with gateway.client.stream("POST", STREAM, body=BODY) as (reply, pieces):
        events = [event async for event in sse_events(pieces)]
    assert reply.status == 200
    assert [event.name for event in events] == ["metadata", "text_delta", "text_delta", "error"]
    assert events[-1].data == {"error": "Too many requests", "code": "RATE_LIMIT_EXCEEDED", "retryAfterMs": 1500}


async def test_what_goes_wrong_before_the_first_byte_is_an_ordinary_error(gateway: Gateway) -> None:
    gateway.desks.completions.refuse = Unavailable("Runtime not configured")
    reply = await gateway.client.post(STREAM, BODY)
    assert (reply.status, reply.json()["error"]["message"]) == (503, "Runtime not configured")


async def test_the_session_of_a_completion_only_selects_the_bucket() -> None:
    gateway = a_gateway(rates=RateSettings(session_messages_per_minute=2))
    body = {**BODY, "sessionId": "sess_that_is_nowhere"}
    statuses = [(await gateway.client.post(COMPLETE, body)).status for _ in range(3)]
    assert statuses == [200, 200, 429]
    assert (await gateway.client.post(COMPLETE, {**body, "sessionId": "sess_other"})).status == 200
    assert (await gateway.client.post(COMPLETE, BODY)).status == 200


async def test_a_text_file_is_a_part_of_a_prompt(gateway: Gateway) -> None:
    gateway.desks.files.readable = {"att_text": "order A-17", "att_image": ""}

    def asked(attachment_id: str) -> dict[str, Any]:
        parts = [{"type": "text", "text": "Read"}, {"type": "file", "attachmentId": attachment_id}]
        return {**BODY, "messages": [{"role": "user", "content": parts}]}

    assert (await gateway.client.post(COMPLETE, asked("att_text"))).status == 200
    assert gateway.desks.completions.asked[0].messages[0].content == "Read\norder A-17"
    refused = await gateway.client.post(COMPLETE, asked("att_image"))
    assert (refused.status, refused.json()["error"]["details"]["fields"][0]["path"]) == (400, "/messages/0/content/1")
    assert (await gateway.client.post(COMPLETE, asked("att_unknown"))).status == 404


async def test_usage_is_told_to_those_who_may_read_it_or_the_project(gateway: Gateway) -> None:
    for permissions, status in (({"usage:read"}, 200), ({"project:read"}, 200), ({"session:read"}, 403)):
        gateway.runtime.callers[KEY] = Caller(TENANT, "key_1", frozenset(permissions))
        gateway.clock.move(seconds=2)
        assert (await gateway.client.get(f"{USAGE}?projectId={PROJECT}")).status == status
    user = await gateway.user(DEVELOPER)
    assert (await user.get(f"{USAGE}?projectId={PROJECT}")).status == 200
    assert (await user.get(f"{USAGE}?projectId={SECOND_PROJECT}")).status == 404
    assert (await gateway.client.get(f"{USAGE}?projectId={FOREIGN_PROJECT}")).status == 404
    missing = await gateway.client.get(USAGE)
    assert (missing.status, missing.json()["error"]["code"]) == (400, "BAD_REQUEST")


async def test_usage_is_of_the_last_30_days_unless_times_are_given(gateway: Gateway) -> None:
    used = UsageFigures(
        total_tokens=9, total_cost=None, request_count=2, avg_latency_ms=1.5, model_id="m", provider="p"
    )
    gateway.desks.insight.used, gateway.desks.insight.models = used, (used,)
    reply = (await gateway.client.get(f"{USAGE}?projectId={PROJECT}&groupBy=model")).json()
    assert reply == {
        "success": True,
        "summary": {"totalTokens": 9, "totalCost": None, "requestCount": 2, "avgLatency": 1.5},
        "byModel": [{"modelId": "m", "provider": "p", "totalTokens": 9, "totalCost": None, "requestCount": 2}],
    }
    since, until = gateway.desks.insight.wanted[-1]
    assert (until, until - since) == (gateway.clock.now(), timedelta(days=30))
    for query in ("startDate=2026-02-01&endDate=2026-01-01", "startDate=yesterday", "groupBy=agent"):
        assert (await gateway.client.get(f"{USAGE}?projectId={PROJECT}&{query}")).status == 400


async def test_a_user_asks_models_only_in_projects_of_a_fitting_role(gateway: Gateway) -> None:
    user = await gateway.user(DEVELOPER)
    assert (await user.post(COMPLETE, BODY)).status == 200
    assert (await user.post(COMPLETE, {**BODY, "projectId": SECOND_PROJECT})).status == 404
    gateway.desks.users.give_role(DEVELOPER, "viewer", **{PROJECT: "viewer"})
    gateway.clock.move(seconds=2)
    assert (await user.post(COMPLETE, BODY)).status == 403
