"""Turns as spans: what they say, and what they must not."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from domain.otel_spans import CLIENT, FAILED, SCHEMA_URL, export_request, spans_of_turn
from domain.turn_events import EndedTurn
from storage.turn_end import TraceRow

AT = datetime(2026, 3, 2, 9, 0, 0, 500_000, tzinfo=UTC)
SECRET = "my card is 4111"


def a_trace(kind: str, seq: int, span: str = "", **data: Any) -> TraceRow:
    at = "2026-03-02T09:00:00.400Z"
    return TraceRow(seq=seq, turn=1, type=kind, at=at, agent_name="Desk", span_id=span or f"1.{seq}", data=data)


def a_turn(*traces: TraceRow, **fields: Any) -> EndedTurn:
    given: dict[str, Any] = {
        "project_id": "c1", "session_id": "sess_1", "channel": "api", "environment": "production", "is_first": True,
        "is_child": False, "spoke_at": AT - timedelta(seconds=1), "answered_at": AT, "answered_by": "Desk",
        "traces": traces,
    }  # fmt: skip
    return EndedTurn(**{**given, **fields})


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


def test_a_turn_is_a_trace_with_its_calls_below_it() -> None:
    usage = {"inputTokens": 21, "outputTokens": 16}
    call = a_trace("llm_call", 1, model="m-1", provider="openai", usage=usage, latencyMs=300, finishReason="stop")
    tool = a_trace("tool_result", 2, toolName="look_up", toolCallId="c", success=False, error={"code": "timeout"})
    root, chat, tooled = spans_of_turn("ten_1", "name.1", a_turn(call, tool, a_trace("response", 3, text=SECRET)))
    assert (root["name"], chat["name"], tooled["name"]) == ("invoke_agent Desk", "chat m-1", "execute_tool look_up")
    assert {one["traceId"] for one in (root, chat, tooled)} == {root["traceId"]}
    assert (len(root["traceId"]), len(root["spanId"])) == (32, 16)
    assert chat["parentSpanId"] == tooled["parentSpanId"] == root["spanId"]
    assert "parentSpanId" not in root
    assert int(chat["endTimeUnixNano"]) - int(chat["startTimeUnixNano"]) == 300_000_000
    assert int(root["endTimeUnixNano"]) - int(root["startTimeUnixNano"]) == 1_000_000_000
    assert chat["kind"] == CLIENT
    assert attributes(chat) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": "sess_1",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m-1",
        "gen_ai.usage.input_tokens": "21",
        "gen_ai.usage.output_tokens": "16",
        "gen_ai.response.finish_reasons": {"values": [{"stringValue": "stop"}]},
        "gen_ai.agent.name": "Desk",
    }
    assert attributes(tooled)["error.type"] == "timeout"
    assert tooled["status"] == {"code": FAILED, "message": "timeout"}
    assert "status" not in chat


def test_no_text_of_anybody_is_sent() -> None:
    told = [
        a_trace("llm_call", 1, model="m", prompt=[{"role": "user", "content": SECRET}], response=SECRET),
        a_trace("tool_call", 2, toolName="pay", parameters={"card": SECRET}),
        a_trace("tool_result", 3, "1.2", toolName="pay", success=True, result=SECRET),
        a_trace("delegate", 4, toAgent="Clerk", task=SECRET, success=True, result=SECRET, duration_ms=5),
        a_trace("state_change", 5, key="card", newValue=SECRET),
        a_trace("handoff", 6, fromAgent="Desk", toAgent="Clerk", reason=SECRET, context={"card": SECRET}),
        a_trace("guardrail_eval", 7, guardrail="no_cards", stage="input", result="block", reason=SECRET),
        a_trace("error", 8, code="tool_error", message=SECRET, origin="tool", handled=False),
        a_trace("response", 9, text=SECRET),
    ]
    spans = spans_of_turn("ten_1", "name.1", a_turn(*told))
    assert SECRET not in json.dumps(spans)
    assert [one["name"] for one in spans[0]["events"]] == ["abl.handoff", "abl.guardrail_block", "abl.error"]
    assert spans[0]["status"]["message"] == "tool_error"
    assert [one["name"] for one in spans[1:]] == ["chat m", "execute_tool pay", "invoke_agent Clerk"]


def test_a_turn_that_is_sent_twice_is_the_same_one_and_others_are_not() -> None:
    turn = a_turn(a_trace("response", 1, text="x"))
    assert spans_of_turn("ten_1", "a.1", turn) == spans_of_turn("ten_1", "a.1", turn)
    assert spans_of_turn("ten_1", "a.1", turn)[0]["traceId"] != spans_of_turn("ten_1", "a.2", turn)[0]["traceId"]
    assert spans_of_turn("ten_1", "a.1", a_turn()) == []


def test_the_conventions_are_named_with_what_is_sent() -> None:
    body = export_request("abl-runtime", "1", [])
    (resource,) = body["resourceSpans"]
    assert resource["schemaUrl"] == resource["scopeSpans"][0]["schemaUrl"] == SCHEMA_URL
    assert attributes(resource["resource"]) == {"service.name": "abl-runtime", "service.version": "1"}
