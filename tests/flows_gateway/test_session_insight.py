"""What sessions tell afterwards, over real sockets: children, metrics, analysis, generations, export. Spec: 5.7."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from domain.trace_export import COLUMNS
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
THINKER = """\
AGENT: Thinker
GOAL: "Think about it"
PERSONA: "Calm"

TOOLS:
  look_up(order: string) -> object
    description: "Looks an order up"
    type: http
    endpoint: "http://127.0.0.1:9/orders/{{order}}"
    method: GET
"""
CHAT = "/api/v1/chat/agent"
GENERATION = set(
    "id sessionId spanId turn agentName model provider operationType timestamp latencyMs timeToFirstTokenMs inputTokens "
    "outputTokens totalTokens estimatedCost finishReason success prompt".split()
)


@asynccontextmanager
async def a_gateway(servers: Servers, name: str, *behaviours: StubBehaviour) -> AsyncIterator[LiveGateway]:
    async with (
        StubModel(*behaviours) as model,
        a_live_gateway(servers, name, {"t.abl": THINKER}, model_url=model.base_url) as gateway,
    ):
        yield gateway


async def say(gateway: LiveGateway, message: str, session_id: str = "") -> str:
    body = {"projectId": gateway.project_id, "message": message, **({"sessionId": session_id} if session_id else {})}
    answer = await gateway.call("POST", CHAT, body)
    assert answer.status == 200, answer.body
    return str(answer.json()["sessionId"])


async def read(gateway: LiveGateway, path: str) -> dict[str, Any]:
    answer = await gateway.call("GET", f"/api/projects/{gateway.project_id}/sessions/{path}")
    assert answer.status == 200, answer.body
    return dict(answer.json())


async def test_metrics_count_what_the_traces_tell(servers: Servers) -> None:
    calls = StubBehaviour(tool_calls=(("look_up", {"order": "A-1"}),))
    async with a_gateway(servers, "insight-metrics", calls, StubBehaviour(text="Sorry")) as gateway:
        session_id = await say(gateway, "Where is A-1?")
        await say(gateway, "And now?", session_id)
        metrics = (await read(gateway, f"{session_id}/metrics"))["metrics"]
        assert (metrics["sessionId"], metrics["turnCount"], metrics["llmCallCount"]) == (session_id, 2, 3)
        assert metrics["tokenUsage"] == {"inputTokens": 63, "outputTokens": 48, "totalTokens": 111}
        assert metrics["estimatedCost"] is None
        tried = (await read(gateway, f"{session_id}/traces?eventType=tool_call"))["total"]  # a GET is tried again
        assert (metrics["toolCallCount"], metrics["toolSuccessCount"], metrics["toolSuccessRate"]) == (tried, 0, 0.0)
        assert (metrics["guardrailEvaluationCount"], metrics["guardrailBlockRate"]) == (0, None)
        assert metrics["errorCount"] >= 1
        assert [turn["llmCallCount"] for turn in metrics["turns"]] == [2, 1]
        assert metrics["totalLatencyMs"] == sum(turn["latencyMs"] for turn in metrics["turns"])
        assert metrics["p95TurnLatencyMs"] == max(turn["latencyMs"] for turn in metrics["turns"])
        assert [one["turn"] for one in metrics["llmCalls"]] == [1, 1, 2]
        traces = await read(gateway, f"{session_id}/traces?include=metrics")
        assert traces["metrics"] == metrics
        assert "metrics" not in await read(gateway, f"{session_id}/traces")
        listed = await gateway.call("GET", f"/api/projects/{gateway.project_id}/sessions?limit=1")
        item = listed.json()["sessions"][0]
        assert item["durationMs"] == metrics["totalLatencyMs"]


async def test_a_cost_is_null_where_no_price_is_known_and_zero_where_no_model_was_asked(servers: Servers) -> None:
    async with a_gateway(servers, "insight-costs") as gateway:
        path = f"/api/projects/{gateway.project_id}/sessions"
        silent = (await gateway.call("POST", path, {"agentId": "Thinker"})).json()["session"]["id"]
        asked = await say(gateway, "hello")
        await say(gateway, "and now?", asked)
        assert (await read(gateway, asked))["session"]["estimatedCost"] is None
        assert (await read(gateway, silent))["session"]["estimatedCost"] == 0.0
        listed = (await gateway.call("GET", path)).json()["sessions"]
        assert {one["id"]: one["estimatedCost"] for one in listed} == {asked: None, silent: 0.0}
        call = (await read(gateway, f"{asked}/traces?eventType=llm_call"))["traces"][0]["data"]
        assert (call["estimatedCost"], call["finishReason"]) == (None, "end_turn")
        generations = (await read(gateway, "generations"))["generations"]
        assert {(one["estimatedCost"], one["finishReason"]) for one in generations} == {(None, "end_turn")}


async def test_children_of_a_turn_come_in_time_order(servers: Servers) -> None:
    async with a_gateway(servers, "insight-children") as gateway:
        session_id = await say(gateway, "hello")
        traces = (await read(gateway, f"{session_id}/traces"))["traces"]
        found = await read(gateway, f"{session_id}/traces/turn-1/children")
        assert found["spanId"] == "turn-1"
        children = [{**child} for child in found["children"]]
        assert [child.pop("childCount") for child in children] == [0] * len(traces)
        assert children == traces
        leaf = await read(gateway, f"{session_id}/traces/{traces[0]['spanId']}/children")
        assert leaf["children"] == []
        path = f"/api/projects/{gateway.project_id}/sessions/{session_id}/traces/span_unknown/children"
        answer = await gateway.call("GET", path)
        assert (answer.status, answer.json()["error"]["message"]) == (404, "Span not found")


async def test_the_analysis_names_the_slow_and_the_failing_span(servers: Servers) -> None:
    slow = StubBehaviour(tool_calls=(("look_up", {"order": "A-1"}),), delay_ms=2_100)
    async with a_gateway(servers, "insight-analysis", slow, StubBehaviour(text="Sorry")) as gateway:
        session_id = await say(gateway, "Where is A-1?")
        traces = (await read(gateway, f"{session_id}/traces"))["traces"]
        slow_span = next(one["spanId"] for one in traces if one["type"] == "llm_call")
        tool_span = next(one["spanId"] for one in traces if one["type"] == "tool_result")
        found = (await read(gateway, f"{session_id}/analysis"))["analysis"]
        first = found["slowSpans"][0]
        assert (first["spanId"], first["type"], first["thresholdMs"]) == (slow_span, "llm_call", 2_000)
        assert first["durationMs"] > 2_000
        assert 0 < first["shareOfTurn"] <= 1
        pattern = found["errorPatterns"][0]
        assert (pattern["origin"], tool_span in pattern["spanIds"]) == ("tool", True)
        related = {span for one in found["suggestions"] for span in one["relatedSpanIds"]}
        assert {slow_span, tool_span} <= related
        assert any(slow_span in one["detail"] and "slow" in one["title"] for one in found["suggestions"])
        again = (await read(gateway, f"{session_id}/analysis"))["analysis"]
        assert {**again, "generatedAt": ""} == {**found, "generatedAt": ""}


async def test_generations_are_the_model_calls_of_the_projects_sessions(servers: Servers) -> None:
    async with a_gateway(servers, "insight-generations") as gateway:
        sessions = [await say(gateway, "hello") for _ in range(3)]
        page = await read(gateway, "generations?limit=2")
        assert (page["total"], page["limit"], page["offset"], len(page["generations"])) == (3, 2, 0, 2)
        one = page["generations"][0]
        assert set(one) == GENERATION
        assert (one["totalTokens"], one["estimatedCost"], one["provider"], one["success"]) == (37, None, "stub", True)
        assert one["prompt"]["messageCount"] >= 2
        assert one["prompt"]["characters"] > 0
        assert [row["timestamp"] for row in page["generations"]] == sorted(
            (row["timestamp"] for row in page["generations"]), reverse=True
        )
        of_one = await read(gateway, f"generations?sessionId={sessions[1]}")
        assert [row["sessionId"] for row in of_one["generations"]] == [sessions[1]]
        assert (await read(gateway, "generations?model=another"))["total"] == 0
        assert (await read(gateway, f"generations?agentName={one['agentName']}"))["total"] == 3
        assert (await read(gateway, "generations?to=2020-01-01"))["total"] == 0
        event = (await read(gateway, f"{sessions[1]}/traces?eventType=llm_call"))["traces"][0]
        assert (of_one["generations"][0]["id"], of_one["generations"][0]["spanId"]) == (event["id"], event["spanId"])
        path = f"/api/projects/{gateway.project_id}/sessions/{sessions[0]}"
        assert (await gateway.call("DELETE", path)).status == 200
        assert (await read(gateway, "generations"))["total"] == 2
        usage = await gateway.call("GET", f"/api/v1/chat/usage?projectId={gateway.project_id}")
        assert usage.json()["summary"]["requestCount"] == 3  # what was used stays used


async def test_traces_are_exported_as_csv_that_no_spreadsheet_runs(servers: Servers) -> None:
    calls = StubBehaviour(tool_calls=(("look_up", {"order": '=HYPERLINK("x")'}),))
    async with a_gateway(servers, "insight-export", calls, StubBehaviour(text='Say "hi",\nplease')) as gateway:
        session_id = await say(gateway, "Where is it?")
        await say(gateway, "hello")
        path = f"/api/projects/{gateway.project_id}/sessions/export"
        answer = await gateway.call("GET", f"{path}?format=csv")
        assert (answer.status, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8")
        assert answer.headers["content-disposition"].startswith('attachment; filename="traces-20')
        assert "chunked" in answer.headers["transfer-encoding"]
        text = answer.body.decode()
        assert not text.startswith("\ufeff")
        assert "\r\n" in text
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        assert tuple(rows[0]) == COLUMNS
        events = (await read(gateway, f"{session_id}/traces"))["traces"]
        mine = [row for row in rows if row["session_id"] == session_id]
        assert [row["event_id"] for row in mine] == [event["id"] for event in events]
        assert [json.loads(row["data_json"]) for row in mine] == [event["data"] for event in events]
        call = next(row for row in mine if row["type"] == "llm_call")
        assert (call["input_tokens"], call["output_tokens"], call["estimated_cost"]) == ("21", "16", "")
        result = next(row for row in mine if row["type"] == "tool_result")
        assert (result["tool_name"], result["success"], bool(result["error_code"])) == ("look_up", "false", True)
        assert not any(value.startswith(("=", "+", "-", "@")) for row in rows for value in row.values())
        some = await gateway.call("GET", f"{path}?format=csv&sessionId={session_id}&eventType=llm_call,response")
        kinds = [row["type"] for row in csv.DictReader(io.StringIO(some.body.decode(), newline=""))]
        assert set(kinds) == {"llm_call", "response"}
        for query, status in (("", 400), ("?format=xlsx", 400), ("?format=csv&eventType=dance", 400)):
            assert (await gateway.call("GET", path + query)).status == status
        none = await gateway.call("GET", f"{path}?format=csv&to=2020-01-01")
        assert none.body.decode().splitlines() == [",".join(COLUMNS)]
        ended = await gateway.call("GET", f"{path}?format=csv&status=ended")
        assert len(ended.body.decode().splitlines()) == 1


async def test_messages_are_paged_both_ways_by_cursor(servers: Servers) -> None:
    async with a_gateway(servers, "insight-messages") as gateway:
        session_id = await say(gateway, "one")
        for word in ("two", "three"):
            await say(gateway, word, session_id)
        lines = (await gateway.call("GET", f"/api/v1/sessions/{session_id}/transcripts")).json()["messages"]
        assert [line.pop("channel") for line in lines] == ["api"] * len(lines)  # of a transcript only
        for direction, wanted in (("asc", lines), ("desc", lines[::-1])):
            found: list[dict[str, Any]] = []
            cursor = ""
            for has_more in (True, True, False):
                page = await read(gateway, f"{session_id}/messages?limit=2&direction={direction}&cursor={cursor}")
                assert (page["hasMore"], page["nextCursor"] is not None) == (has_more, has_more)
                found += page["messages"]
                cursor = page["nextCursor"] or ""
            assert found == wanted
        path = f"/api/projects/{gateway.project_id}/sessions/{session_id}/messages"
        for query in ("?cursor=x", "?limit=201", "?direction=up"):
            assert (await gateway.call("GET", path + query)).status == 400
        page_headers = {"x-api-key": "", "x-sdk-token": await gateway.page_token()}
        assert (await gateway.call("GET", path, headers=page_headers)).status == 404
