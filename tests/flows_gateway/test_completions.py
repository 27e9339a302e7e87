"""Completions and usage over real sockets, with a model server behind them. Spec: platform-api 4.3, 4.4, 4.5."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

import pytest

from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.served import until
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
THINKER = 'AGENT: Thinker\nGOAL: "Think about it"\nPERSONA: "Calm"\n'
STREAM, COMPLETE = "/api/v1/chat/stream", "/api/v1/chat/complete"
LEAVES = 20
TOOL = {"name": "look_up", "description": "Looks up", "parameters": {"type": "object", "properties": {}}}


@asynccontextmanager
async def a_gateway(servers: Servers, name: str, **behaviour: Any) -> AsyncIterator[tuple[LiveGateway, StubModel]]:
    async with (
        StubModel(StubBehaviour(**behaviour)) as model,
        a_live_gateway(
            servers, name, {"t.abl": THINKER}, model_url=model.base_url, allowed_networks=("127.0.0.0/8",)
        ) as gateway,
    ):
        yield gateway, model


def asked(gateway: LiveGateway, **more: Any) -> dict[str, Any]:
    return {"projectId": gateway.project_id, "messages": [{"role": "user", "content": "Where is it?"}], **more}


def events_of(answer: Answer) -> list[tuple[str, dict[str, Any]]]:
    blocks = [block for block in answer.body.decode().split("\n\n") if block and not block.startswith(":")]
    fields = [dict(line.split(": ", 1) for line in block.splitlines()) for block in blocks]
    return [(one["event"], json.loads(one["data"])) for one in fields]


async def usage(gateway: LiveGateway, query: str = "") -> dict[str, Any]:
    answer = await gateway.call("GET", f"/api/v1/chat/usage?projectId={gateway.project_id}{query}")
    assert answer.status == 200, answer.body
    return dict(answer.json())


async def test_a_stream_begins_with_metadata_and_ends_with_complete(servers: Servers) -> None:
    async with a_gateway(servers, "completion-stream", text="It is here") as (gateway, _):
        answer = await gateway.call("POST", STREAM, asked(gateway))
        assert (answer.status, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert (answer.headers["cache-control"], answer.headers["x-accel-buffering"]) == ("no-cache", "no")
        events = events_of(answer)
        assert events[0] == ("metadata", {"modelId": "stub/talker", "provider": "stub", "source": "tenant"})
        assert "".join(data["delta"] for name, data in events if name == "text_delta") == "It is here"
        assert events[-2] == ("usage", {"inputTokens": 21, "outputTokens": 16})
        name, complete = events[-1]
        assert name == "complete"
        assert set(complete) == {
            "inputTokens", "outputTokens", "totalTokens", "estimatedCost", "latencyMs", "finishReason",
        }  # fmt: skip
        assert (complete["totalTokens"], complete["estimatedCost"], complete["finishReason"]) == (37, None, "end_turn")


async def test_tool_calls_are_started_filled_and_ended(servers: Servers) -> None:
    calls = (("look_up", {"order": "A-1"}), ("look_up", {"order": "A-2"}))
    async with a_gateway(servers, "completion-tools", tool_calls=calls) as (gateway, model):
        events = events_of(await gateway.call("POST", STREAM, asked(gateway, tools=[TOOL])))
        started = [data for name, data in events if name == "tool_call_start"]
        ended = [data for name, data in events if name == "tool_call_end"]
        assert [one["name"] for one in started] == ["look_up", "look_up"]
        assert [json.loads(one["arguments"]) for one in ended] == [{"order": "A-1"}, {"order": "A-2"}]
        for one in ended:
            pieces = [
                data["arguments"] for name, data in events if name == "tool_call_delta" and data["id"] == one["id"]
            ]
            assert "".join(pieces) == one["arguments"]
        assert events[-1][1]["finishReason"] == "tool_use"
        whole = (await gateway.call("POST", COMPLETE, asked(gateway, tools=[TOOL]))).json()
        assert [(one["name"], json.loads(one["arguments"])) for one in whole["toolCalls"]] == list(calls)
        assert whole["finishReason"] == "tool_use"
        assert len(model.requests) == 2


async def test_a_call_keeps_to_what_its_provider_says_of_the_model(servers: Servers) -> None:
    async with a_gateway(servers, "completion-row", text="Here") as (gateway, model):
        rows = [{"id": "small", "maxOutputTokens": 40, "supportsTools": False}, {"id": "free"}]
        provider = {"name": "own", "kind": "openai_compatible", "baseUrl": model.base_url, "models": rows}
        made = (await gateway.call("POST", "/api/model-providers", provider)).json()["provider"]
        try:
            for path in (STREAM, COMPLETE):
                refused = await gateway.call("POST", path, asked(gateway, modelId="own/small", tools=[TOOL]))
                assert refused.status == 400
                assert refused.json()["error"]["details"]["fields"] == [
                    {"path": "/tools", "message": "own/small takes no tools"}
                ]
            assert model.requests == []
            given = (("own/small", 50), ("own/small", 30), ("own/small", None), ("own/free", 50), ("stub/talker", 50))
            for name, most in given:
                more = {"maxTokens": most} if most else {}
                assert (await gateway.call("POST", COMPLETE, asked(gateway, modelId=name, **more))).status == 200
            sent = [one.body.get("max_tokens") for one in model.requests]
            assert sent == [40, 30, None, 50, 50]
            taken = asked(gateway, modelId="own/free", tools=[TOOL])
            assert (await gateway.call("POST", COMPLETE, taken)).status == 200
        finally:
            await gateway.call("DELETE", f"/api/model-providers/{made['id']}")


async def test_a_whole_answer_says_what_it_cost_and_took(servers: Servers) -> None:
    async with a_gateway(servers, "completion-whole", text="Here") as (gateway, model):
        messages = [
            {"role": "system", "content": "Be brief"},
            {"role": "user", "content": [{"type": "text", "text": "Where"}, {"type": "text", "text": "is it?"}]},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "look_up", "arguments": "{}"}]},
            {"role": "tool", "content": "in the shed", "tool_call_id": "c1", "name": "look_up"},
        ]
        body = asked(gateway, messages=messages, temperature=0.5, maxTokens=50, tools=[TOOL])
        answer = await gateway.call("POST", COMPLETE, body)
        reply = answer.json()
        assert reply.pop("latencyMs") >= 0
        assert reply == {
            "success": True,
            "content": "Here",
            "toolCalls": [],
            "model": "stub/talker",
            "finishReason": "end_turn",
            "usage": {"inputTokens": 21, "outputTokens": 16, "totalTokens": 37, "estimatedCost": None},
        }
        sent = model.requests[0].body
        assert [one["role"] for one in sent["messages"]] == ["system", "user", "assistant", "tool"]
        assert sent["messages"][1]["content"] == "Where\nis it?"
        assert (sent["temperature"], sent["messages"][3]["tool_call_id"]) == (0.5, "c1")


async def test_a_repeated_request_under_a_key_asks_the_model_once(servers: Servers) -> None:
    async with a_gateway(servers, "completion-key") as (gateway, model):
        headers = {"idempotency-key": "again"}
        first, again = [await gateway.call("POST", COMPLETE, asked(gateway), headers) for _ in range(2)]
        assert first.json() == again.json()
        assert len(model.requests) == 1


async def test_what_is_used_is_counted_for_completions_and_agents(servers: Servers) -> None:
    async with a_gateway(servers, "completion-usage") as (gateway, _):
        assert (await usage(gateway)) == {
            "success": True,
            "summary": {"totalTokens": 0, "totalCost": 0.0, "requestCount": 0, "avgLatency": None},
            "byModel": [],
        }
        await gateway.call("POST", COMPLETE, asked(gateway))
        await gateway.call("POST", STREAM, asked(gateway))
        chat = {"projectId": gateway.project_id, "message": "hello"}
        assert (await gateway.call("POST", "/api/v1/chat/agent", chat)).status == 200
        await until(lambda: counted(gateway, 3), "three calls are counted")
        used = await usage(gateway, "&groupBy=model")
        assert used["summary"]["totalTokens"] == 3 * 37
        assert used["summary"]["avgLatency"] >= 0
        assert sum(one["requestCount"] for one in used["byModel"]) == 3
        assert {one["provider"] for one in used["byModel"]} == {"stub"}
        assert (await usage(gateway))["byModel"] == []
        past = await usage(gateway, "&startDate=2020-01-01&endDate=2020-02-01T00:00:00Z")
        assert past["summary"]["requestCount"] == 0


async def counted(gateway: LiveGateway, calls: int) -> bool:
    return bool((await usage(gateway))["summary"]["requestCount"] >= calls)


async def test_a_client_that_leaves_ends_the_call_within_a_second_and_it_is_counted(servers: Servers) -> None:
    async with a_gateway(servers, "completion-left", text="word " * 200, delta_delay_ms=50) as (gateway, model):
        took_s = []
        while min(took_s, default=1.0) >= 1.0:
            assert len(took_s) < LEAVES, f"seconds until the model was left, on a machine that may be busy: {took_s}"
            async with gateway.request("POST", STREAM, asked(gateway)) as answer:
                pieces = answer.pieces()
                while b"text_delta" not in await anext(pieces):
                    pass
            left_s = monotonic()
            await until(lambda: not model.open_connections, "the model is left")
            took_s.append(monotonic() - left_s)
        await until(lambda: counted(gateway, 1), "the call is counted")
        assert (await usage(gateway))["summary"]["totalTokens"] > 0


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        ({"messages": []}, 400, "/messages"),
        ({"temperature": 2.1}, 400, "/temperature"),
        ({"maxTokens": 200_001}, 400, "/maxTokens"),
        ({"maxTokens": 0}, 400, "/maxTokens"),
        ({"tier": "best"}, 400, "/tier"),
        ({"tools": [{"name": "a", "description": "b"}]}, 400, "/tools/0/parameters"),
        ({"tools": [TOOL] * 129}, 400, "/tools"),
        ({"modelId": "nobody/knows"}, 400, "nobody/knows"),
        ({"projectId": "shop"}, 400, "/projectId"),
        ({"projectId": "c" + "0" * 24}, 404, "Project not found"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url", "url": "https://a.b/c"}]}]}, 400, "images"),
        ({"messages": [{"role": "user", "content": [{"type": "file", "attachmentId": "att_x"}]}]}, 404, "Attachment"),
        ({"messages": [{"role": "judge", "content": "x"}]}, 400, "/messages/0/role"),
    ],
)
async def test_what_breaks_a_rule_is_refused_before_the_stream_begins(
    refusing: LiveGateway, more: dict[str, Any], status: int, words: str
) -> None:
    for path in (STREAM, COMPLETE):
        answer = await refusing.call("POST", path, asked(refusing, **more))
        assert (answer.status, answer.headers["content-type"]) == (status, "application/json")
        assert words in json.dumps(answer.json()["error"])


@pytest.fixture
async def refusing(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with a_gateway(servers, "completion-refused") as (gateway, _):
        yield gateway


async def test_a_model_that_fails_is_the_last_event_or_a_503(servers: Servers) -> None:
    async with a_gateway(servers, "completion-fails", fault="status", status=400) as (gateway, _):
        events = events_of(await gateway.call("POST", STREAM, asked(gateway)))
        assert [name for name, _ in events] == ["metadata", "error"]
        assert events[1][1]["code"] == "SERVICE_UNAVAILABLE"
        assert (await gateway.call("POST", COMPLETE, asked(gateway))).status == 503


async def test_without_any_model_the_runtime_is_not_configured(servers: Servers) -> None:
    async with a_live_gateway(servers, "completion-none", {"t.abl": THINKER}) as gateway:
        answer = await gateway.call("POST", STREAM, asked(gateway))
        assert answer.status == 503
        assert answer.json()["error"]["message"] == "Runtime not configured"
        details = answer.json()["error"]["details"]
        assert (details["reason"], "OPENAI_API_KEY" in details["hint"]) == ("MODEL_NOT_CONFIGURED", True)


async def test_a_model_that_is_named_is_asked_and_a_tier_is_not_looked_at(servers: Servers) -> None:
    async with a_gateway(servers, "completion-named") as (gateway, _):
        for more, source in (
            ({"modelId": "stub/talker"}, "request"),
            ({"modelId": "talker", "tier": "fast"}, "request"),
            ({"tier": "fast"}, "tenant"),
        ):
            events = events_of(await gateway.call("POST", STREAM, asked(gateway, **more)))
            assert events[0] == ("metadata", {"modelId": "stub/talker", "provider": "stub", "source": source})


async def test_a_model_is_taken_by_the_name_that_usage_and_traces_report(servers: Servers) -> None:
    async with a_gateway(servers, "completion-reported", text="Here") as (gateway, model):
        provider = {"name": "free", "kind": "openai_compatible", "baseUrl": model.base_url}
        made = (await gateway.call("POST", "/api/model-providers", provider)).json()["provider"]
        usage, put = f"/api/v1/chat/usage?projectId={gateway.project_id}&groupBy=model", "/models"
        try:
            for name in ("stub/talker", "free/maker/model-x"):
                assert (await gateway.call("POST", COMPLETE, asked(gateway, modelId=name))).status == 200
            reported = [one["modelId"] for one in (await gateway.call("GET", usage)).json()["byModel"]]
            assert sorted(reported) == ["maker/model-x", "talker"], "not as the vendor calls them"
            for name, full in zip(sorted(reported), ("free/maker/model-x", "stub/talker"), strict=True):
                for path in (STREAM, COMPLETE):
                    answer = await gateway.call("POST", path, asked(gateway, modelId=name))
                    assert (answer.status, full in answer.body.decode()) == (200, True), answer.body
            project = f"/api/projects/{gateway.project_id}"
            kept = await gateway.call("PUT", project + put, {"defaultModelId": "maker/model-x"})
            assert kept.json()["models"]["defaultModelId"] == "free/maker/model-x"
            assert (await gateway.call("POST", COMPLETE, asked(gateway, modelId="maker/other"))).status == 400
        finally:
            await gateway.call("DELETE", f"/api/model-providers/{made['id']}")
