"""Calls of models that fail, or are refused before they are made, as every figure tells of them. Spec: 4.5, 5.7, 8."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.analytics import a_gateway, ask, counted, data, say
from tests.support.live_gateway import LiveGateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour

pytestmark = pytest.mark.anyio
REFUSING = StubBehaviour(fault="status", status=400)
COMPLETE = "/api/v1/chat/complete"


async def completed(gateway: LiveGateway) -> int:
    body = {"projectId": gateway.project_id, "messages": [{"role": "user", "content": "Where?"}], "maxTokens": 100}
    return (await gateway.call("POST", COMPLETE, body)).status


async def model_events(gateway: LiveGateway) -> list[dict[str, Any]]:
    await counted(gateway)
    return [one for one in (await data(gateway, "events"))["events"] if one["event_type"] == "llm_call"]


async def by_model(gateway: LiveGateway) -> list[tuple[str, str, int]]:
    used = (await gateway.call("GET", f"/api/v1/chat/usage?projectId={gateway.project_id}&groupBy=model")).json()
    return [(one["provider"], one["modelId"], one["requestCount"]) for one in used["byModel"]]


async def test_a_call_that_fails_keeps_its_model_in_every_figure(servers: Servers) -> None:
    async with a_gateway(servers, "failed-call", REFUSING) as gateway:
        session_id = (await say(gateway, "ask the clerk"))["sessionId"]
        (event,) = await model_events(gateway)
        assert (event["error"], event["metadata"]["status"]) == ("llm_api_error", "error")
        assert (event["metadata"]["model"], event["metadata"]["provider"]) == ("talker", "stub")
        costs = (await data(gateway, "cost-breakdown"))["by_model"]
        assert [(one["model"], one["provider"], one["call_count"]) for one in costs] == [("talker", "stub", 1)]
        assert await by_model(gateway) == [("stub", "talker", 1)]
        for name in ("talker", "stub/talker"):
            page = (await ask(gateway, f"generations?model={name}", base="sessions")).json()
            assert [(one["model"], one["provider"], one["success"]) for one in page["generations"]] == [
                ("talker", "stub", False)
            ]
        assert (await ask(gateway, "generations?model=other/talker", base="sessions")).json()["total"] == 0
        metrics = (await ask(gateway, f"{session_id}/metrics", base="sessions")).json()["metrics"]
        assert [one["model"] for one in metrics["llmCalls"]] == ["talker"]


async def test_a_completion_that_fails_is_told_with_the_code_of_what_went_wrong(servers: Servers) -> None:
    async with a_gateway(servers, "failed-completion", REFUSING) as gateway:
        assert await completed(gateway) == 503
        (event,) = await model_events(gateway)
        assert (event["error"], event["metadata"]["status"]) == ("llm_api_error", "error")
        assert (event["metadata"]["model"], event["metadata"]["provider"]) == ("talker", "stub")


async def test_a_call_that_a_budget_refuses_is_no_call(servers: Servers) -> None:
    async with a_gateway(servers, "refused-call") as gateway:
        spent = {"scope": "project", "maxTokens": 1}
        assert (await gateway.call("POST", f"/api/projects/{gateway.project_id}/budgets", spent)).status == 201
        body = {"projectId": gateway.project_id, "message": "ask the clerk"}
        assert (await gateway.call("POST", "/api/v1/chat/agent", body)).status == 409
        assert await completed(gateway) == 409
        assert await model_events(gateway) == []
        assert await by_model(gateway) == []
        project = f"/api/projects/{gateway.project_id}"
        assert (await gateway.call("GET", f"{project}/sessions")).json()["sessions"] == []
        agent = (await gateway.call("GET", f"{project}/agents")).json()["agents"][0]["id"]
        session = (await gateway.call("POST", f"{project}/sessions", {"agentId": agent})).json()["session"]
        body["sessionId"] = session["id"]
        assert (await gateway.call("POST", "/api/v1/chat/agent", body)).status == 409
        traces = (await ask(gateway, f"{session['id']}/traces?eventType=llm_call,error", base="sessions")).json()
        (error,) = traces["traces"]
        told = {name: error["data"][name] for name in ("code", "handled", "retryable")}
        assert told == {"code": "budget_exceeded", "handled": False, "retryable": False}


async def test_every_rejected_answer_is_an_event_of_its_field(servers: Servers) -> None:
    async with a_gateway(servers, "rejected-answers", StubBehaviour(text="{}")) as gateway:
        session_id = (await say(gateway, "hello"))["sessionId"]
        for text in ("blue", "green"):
            await say(gateway, text, session_id)
        await say(gateway, "12", session_id)
        await counted(gateway)
        events = (await data(gateway, "events?category=gather"))["events"]
        assert [(one["event_type"], one["metadata"].get("field")) for one in reversed(events)][:3] == [
            ("field_rejected", "amount"), ("field_rejected", "amount"), ("field_collected", "amount"),
        ]  # fmt: skip


async def test_the_opening_belongs_to_the_first_turn_and_its_response_names_its_message(servers: Servers) -> None:
    async with a_gateway(servers, "opening-traces") as gateway:
        first = await say(gateway, "hello")
        place = f"{first['sessionId']}/traces"
        traces = (await ask(gateway, place, base="sessions")).json()["traces"]
        assert {one["turn"] for one in traces} == {1}
        responses = [one["data"] for one in traces if one["type"] == "response"]
        assert {one["messageId"] for one in responses} == {first["messageId"]}
        children = (await ask(gateway, f"{place}/turn-1/children", base="sessions")).json()["children"]
        assert [one["id"] for one in children] == [one["id"] for one in traces]
