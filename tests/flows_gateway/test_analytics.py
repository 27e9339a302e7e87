"""Analytics over real sockets: what turns have done, counted once and told by every route. Spec: platform-api 8."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest

from actors.projects import TENANT_ID, put_project
from domain.analytics import EventCategory, NewEvent
from domain.clock import iso_ms
from storage.repositories.analytics_counting import Counting
from storage.repositories.api_keys import ApiKeys, NewKey
from storage.repositories.events import Events
from storage.repositories.voice_calls import VoiceCall, VoiceCalls
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
DESK = """\
SUPERVISOR: Desk
GOAL: "Send people where they belong"
PERSONA: "Brief"

HANDOFF:
  - TO: Clerk
    WHEN: input contains "clerk"
    RETURN: true

FLOW:
  entry_point: ask

  ask:
    REASONING: false
    GATHER:
      - amount:
          type: number
          required: true
          prompt: "How much?"
    RESPOND: "Noted"
    THEN: COMPLETE
"""
CLERK = """\
AGENT: Clerk
GOAL: "Look orders up"
PERSONA: "Exact"

TOOLS:
  look_up(order: string) -> object
    description: "Looks an order up"
    type: http
    endpoint: "http://127.0.0.1:9/orders/{{order}}"
    method: GET
"""
EVENT = "id category event_type agent_name session_id timestamp duration_ms error metadata channel".split()
AGENT = (
    "agent_name from to session_count message_count turn_count avg_turn_ms p95_turn_ms llm_call_count tool_call_count "
    "tool_success_rate guardrail_block_count handoff_in_count handoff_out_count delegation_count escalation_count "
    "error_count error_rate sum_tokens sum_cost feedback"
).split()
SESSIONS = (
    "from to total_sessions active_sessions ended_sessions avg_duration_ms p95_duration_ms avg_messages_per_session "
    "avg_turn_ms p95_turn_ms avg_tokens_per_session total_cost error_session_rate handoff_rate escalation_rate "
    "by_channel by_end_reason"
).split()
VOICE_HOUR = (
    "hour session_count error_count avg_call_duration_ms avg_inbound_mos avg_outbound_mos avg_inbound_jitter_ms "
    "avg_outbound_jitter_ms avg_e2e_latency_ms avg_barge_in_rate avg_dtmf_fallback_rate avg_asr_score "
    "avg_tts_proxy_mos avg_silence_percent total_turns total_barge_in_count total_dtmf_turn_count"
).split()
VOICE_SUMMARY = (
    "total_calls total_errors avg_call_duration_ms overall_avg_inbound_mos overall_avg_outbound_mos "
    "overall_avg_latency_ms overall_barge_in_rate overall_dtmf_fallback_rate overall_asr_score total_turns "
    "total_barge_in_count total_dtmf_turn_count"
).split()
TOKENS = 37
"""What the stub says that each answer used."""


@asynccontextmanager
async def a_gateway(servers: Servers, name: str, *behaviours: StubBehaviour) -> AsyncIterator[LiveGateway]:
    texts = {"desk.abl": DESK, "clerk.abl": CLERK}
    async with (
        StubModel(*behaviours) as model,
        a_live_gateway(servers, name, texts, model_url=model.base_url) as gateway,
    ):
        yield gateway


async def say(gateway: LiveGateway, message: str, session_id: str = "") -> dict[str, Any]:
    body = {"projectId": gateway.project_id, "message": message, **({"sessionId": session_id} if session_id else {})}
    answer = await gateway.call("POST", "/api/v1/chat/agent", body)
    assert answer.status == 200, answer.body
    return dict(answer.json())


async def counted(gateway: LiveGateway) -> None:
    """Count what has happened, beside the job that does."""
    counting = Counting(gateway.running.database)
    while await counting.go_on(datetime.now(UTC)):
        pass


async def ask(gateway: LiveGateway, path: str, body: Any = None, base: str = "analytics", **more: Any) -> Answer:
    method = "GET" if body is None else "POST"
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/{base}/{path}", body, **more)


async def data(gateway: LiveGateway, path: str, body: Any = None, base: str = "analytics") -> Any:
    answer = await ask(gateway, path, body, base)
    assert answer.status == 200, answer.body
    assert answer.json()["success"] is True
    return answer.json()["data"]


def a_range() -> dict[str, str]:
    now = datetime.now(UTC)
    return {"from": iso_ms(now - timedelta(hours=2)), "to": iso_ms(now + timedelta(hours=2))}


async def types(gateway: LiveGateway, **filters: Any) -> dict[str, int]:
    """Return type of event -> how many there are."""
    wanted = {"timeRange": a_range(), "groupBy": ["event_type"], "metrics": ["count"], "filters": filters}
    buckets = (await data(gateway, "aggregate", wanted))["buckets"]
    return {one["event_type"]: one["count"] for one in buckets}


async def test_what_turns_did_is_counted_once_by_every_route(servers: Servers) -> None:
    look = StubBehaviour(tool_calls=(("look_up", {"order": "A-1"}),))
    async with a_gateway(servers, "analytics-turns", look, StubBehaviour(text="Sorry")) as gateway:
        session_id = (await say(gateway, "ask the clerk"))["sessionId"]
        await counted(gateway)
        await counted(gateway)
        found = await types(gateway)
        assert (found["session_started"], found["message_received"], found["message_sent"]) == (1, 1, 1)
        assert (found["llm_call"], found["tool_call"], found["handoff"]) == (2, 2, 1)  # a GET is tried again
        assert found["agent_entered"] == 2
        events = (await data(gateway, "events"))["events"]
        assert [list(one) for one in events] == [EVENT] * len(events)
        call = next(one for one in events if one["event_type"] == "llm_call")
        assert call["metadata"] == {
            "model": "talker", "provider": "stub", "tokens_in": 21, "tokens_out": 16, "status": "stop",
        }  # fmt: skip
        assert (call["agent_name"], call["session_id"], call["channel"]) == ("Clerk", session_id, "api")
        tool = next(one for one in events if one["event_type"] == "tool_call")
        assert (tool["metadata"], bool(tool["error"])) == ({"tool": "look_up", "status": "failed"}, True)
        assert [one["timestamp"] for one in events] == sorted((one["timestamp"] for one in events), reverse=True)
        metrics = await data(gateway, "metrics?groupBy=category&metrics=count,sum_tokens,error_rate,avg_duration")
        tools = next(one for one in metrics["buckets"] if one["category"] == "tool")
        assert (tools["count"], tools["sum_tokens"], tools["error_rate"]) == (2, 0, 1.0)
        llm = next(one for one in metrics["buckets"] if one["category"] == "llm")
        assert list(llm) == ["category", "count", "sum_tokens", "error_rate", "avg_duration"]
        assert (llm["count"], llm["sum_tokens"]) == (2, 2 * TOKENS)
        clerk = await data(gateway, "agents/Clerk")
        assert list(clerk) == AGENT
        assert (clerk["session_count"], clerk["llm_call_count"], clerk["tool_call_count"]) == (1, 2, 2)
        assert (clerk["handoff_in_count"], clerk["handoff_out_count"], clerk["tool_success_rate"]) == (1, 0, 0.0)
        assert (clerk["turn_count"], clerk["sum_tokens"], clerk["guardrail_block_count"]) == (1, 2 * TOKENS, 0)
        assert clerk["p95_turn_ms"] == clerk["avg_turn_ms"]
        desk = await data(gateway, "agents/Desk")
        assert (desk["handoff_in_count"], desk["handoff_out_count"], desk["llm_call_count"]) == (0, 1, 0)
        assert (desk["avg_turn_ms"], desk["p95_turn_ms"], desk["tool_success_rate"]) == (None, None, None)
        sessions = await data(gateway, "session-metrics")
        assert list(sessions) == SESSIONS
        assert (sessions["total_sessions"], sessions["active_sessions"], sessions["ended_sessions"]) == (1, 1, 0)
        assert (sessions["avg_messages_per_session"], sessions["avg_tokens_per_session"]) == (2.0, 2.0 * TOKENS)
        assert (sessions["handoff_rate"], sessions["escalation_rate"], sessions["avg_duration_ms"]) == (1.0, 0.0, None)
        assert (sessions["by_channel"], sessions["by_end_reason"]) == ([{"channel": "api", "count": 1}], [])


async def test_the_life_of_a_session_and_feedback_on_it_are_events(servers: Servers) -> None:
    async with a_gateway(servers, "analytics-life") as gateway:
        said = await say(gateway, "to the clerk, please")
        session_id = said["sessionId"]
        rated = {"sessionId": session_id, "messageId": said["messageId"]}
        for rating in ("negative", 5):  # the second word of the same author takes the place of the first
            answer = await gateway.call("POST", "/api/v1/feedback", {**rated, "rating": rating})
            assert answer.status in (200, 201)
        place = f"/api/projects/{gateway.project_id}/sessions/{session_id}"
        assert (await gateway.call("POST", f"{place}/reset")).status == 200
        assert (await gateway.call("POST", f"/api/v1/sessions/{session_id}/end", {})).status == 200
        await counted(gateway)
        sessions = await data(gateway, "session-metrics")
        assert (sessions["total_sessions"], sessions["ended_sessions"]) == (1, 1)
        assert sessions["by_end_reason"] == [{"end_reason": "api", "count": 1}]
        assert sessions["avg_duration_ms"] == sessions["p95_duration_ms"]
        assert (await data(gateway, "agents/Clerk"))["feedback"] == {"positive": 1, "negative": 0, "neutral": 0}
        assert (await gateway.call("DELETE", place)).status == 200
        await counted(gateway)
        found = await types(gateway, category="session")
        assert found == {"session_started": 1, "session_reset": 1, "session_ended": 1, "session_deleted": 1}
        listed = await data(gateway, "events?sessionId=" + session_id)
        assert listed["total"] == sum((await types(gateway, sessionId=session_id)).values())


async def test_a_flow_tells_of_its_steps_and_fields(servers: Servers) -> None:
    async with a_gateway(servers, "analytics-flow") as gateway:
        session_id = (await say(gateway, "hello"))["sessionId"]
        await say(gateway, "42", session_id)
        await counted(gateway)
        found = await types(gateway, agentName="Desk")
        assert (found["step_entered"], found["field_collected"], found["flow_completed"]) == (1, 1, 1)
        assert (found["agent_completed"], found["message_received"]) == (1, 2)
        field = (await data(gateway, "events?eventTypes=field_collected"))["events"]
        assert [one["metadata"] for one in field] == [{"field": "amount"}]


async def test_a_completion_costs_without_an_agent(servers: Servers) -> None:
    async with a_gateway(servers, "analytics-cost") as gateway:
        nothing = await data(gateway, "cost-breakdown")
        assert (nothing["total_cost"], nothing["total_tokens"], nothing["by_model"]) == (0.0, 0, [])
        body = {"projectId": gateway.project_id, "messages": [{"role": "user", "content": "hello"}]}
        assert (await gateway.call("POST", "/api/v1/chat/complete", body)).status == 200
        await counted(gateway)
        costs = await data(gateway, "cost-breakdown")
        assert list(costs) == ["currency", "from", "to", "total_cost", "total_tokens", "by_model", "by_provider"]
        assert costs["by_model"] == [
            {
                "model": "talker", "provider": "stub", "call_count": 1, "tokens_in": 21, "tokens_out": 16,
                "total_tokens": TOKENS, "cost": 0.0, "share": None,
            }
        ]  # fmt: skip
        assert costs["by_provider"] == [
            {"provider": "stub", "call_count": 1, "total_tokens": TOKENS, "cost": 0.0, "share": None}
        ]
        (event,) = (await data(gateway, "events?category=llm"))["events"]
        assert (event["agent_name"], event["session_id"], event["error"]) == (None, None, None)


async def test_errors_are_told_apart_and_pages_say_whether_there_is_more(servers: Servers) -> None:
    look = StubBehaviour(tool_calls=(("look_up", {"order": "A-1"}),))
    async with a_gateway(servers, "analytics-errors", look, StubBehaviour(text="Sorry")) as gateway:
        await say(gateway, "ask the clerk")
        await counted(gateway)
        every = await data(gateway, "events")
        failed = await data(gateway, "events?hasError=true")
        fine = await data(gateway, "query", {"timeRange": a_range(), "hasError": False})
        assert failed["total"] + fine["total"] == every["total"]
        assert {one["event_type"] for one in failed["events"]} == {"tool_call"}
        assert all(one["error"] is None for one in fine["events"])
        first = await data(gateway, "query", {"timeRange": a_range(), "limit": 2})
        assert (len(first["events"]), first["hasMore"], first["total"]) == (2, True, every["total"])
        last = await data(gateway, f"events?limit=2&offset={every['total'] - 1}")
        assert (len(last["events"]), last["hasMore"]) == (1, False)
        assert first["events"] == every["events"][:2]


async def test_17_19_fields_are_snake_case_and_defaults_and_limits_are_those_of_the_specification(
    servers: Servers,
) -> None:
    async with a_gateway(servers, "analytics-17-19") as gateway:
        await say(gateway, "ask the clerk")
        await counted(gateway)
        database, now = gateway.running.database, datetime.now(UTC)
        many = [
            NewEvent(
                category=EventCategory.SEARCH, event_type="search_query", project_id=gateway.project_id,
                at=now - timedelta(milliseconds=n + 1), channel="api", error="gone" if n == 0 else None,
            )
            for n in range(130)
        ]  # fmt: skip
        async with database.transaction() as connection:
            await Events(database).append_many(connection, TENANT_ID, many)
        await counted(gateway)
        buckets = (await data(gateway, "metrics"))["buckets"]
        assert [list(one) for one in buckets] == [["category", "count", "error_rate"]] * len(buckets)
        assert (buckets[0]["category"], buckets[0]["count"]) == ("search", 130)  # the largest first
        default = await data(gateway, "events")
        assert (len(default["events"]), default["hasMore"]) == (100, True)
        assert len((await data(gateway, "events?limit=10000"))["events"]) == default["total"]
        wrong = await data(gateway, "events?hasError=true&eventTypes=search_query,llm_call")
        assert [one["error"] for one in wrong["events"]] == ["gone"]
        right = await data(gateway, "query", {"timeRange": a_range(), "hasError": False, "category": "search"})
        assert right["total"] == 129
        by_time = (await data(gateway, "metrics?groupBy=day,hour,channel&category=search"))["buckets"]
        assert by_time[-1]["day"] == by_time[-1]["hour"][:10]
        assert by_time[-1]["hour"].endswith(":00:00.000Z")
        assert [one["hour"] for one in by_time] == sorted(one["hour"] for one in by_time)


async def test_what_waits_for_a_person_is_suspended_and_escalated(servers: Servers) -> None:
    text = DESK.replace(
        "FLOW:", 'ESCALATE:\n  triggers:\n    - WHEN: input contains "lawyer"\n      REASON: "A lawyer"\n\nFLOW:'
    )
    async with (
        StubModel() as model,
        a_live_gateway(
            servers, "analytics-task", {"desk.abl": text, "clerk.abl": CLERK}, model_url=model.base_url
        ) as gateway,
    ):
        await say(gateway, "I want my lawyer")
        await counted(gateway)
        found = await types(gateway, agentName="Desk")
        assert (found["session_suspended"], found["escalation"]) == (1, 1)
        assert (await data(gateway, "agents/Desk"))["escalation_count"] == 1
        assert (await data(gateway, "session-metrics"))["escalation_rate"] == 1.0


async def test_nothing_gives_zero_for_sums_and_null_for_averages(servers: Servers) -> None:
    async with a_gateway(servers, "analytics-empty") as gateway:
        every = ["count", "avg_duration", "error_rate", "p95_duration", "sum_tokens", "sum_cost"]
        empty = {"timeRange": {"from": "2026-01-01", "to": "2026-01-02"}, "groupBy": [], "metrics": every}
        assert (await data(gateway, "aggregate", empty))["buckets"] == [
            {
                "count": 0, "avg_duration": None, "error_rate": None, "p95_duration": None, "sum_tokens": 0,
                "sum_cost": 0.0,
            }
        ]  # fmt: skip
        assert (await data(gateway, "metrics?from=2026-01-01&to=2026-01-02")) == {"buckets": []}
        assert await data(gateway, "events?from=2026-01-01&to=2026-01-02") == {
            "events": [], "total": 0, "hasMore": False,
        }  # fmt: skip
        assert (await ask(gateway, "agents/Nobody")).status == 404


REFUSED: list[tuple[str, Any]] = [
    ("metrics?groupBy=color", None),
    ("metrics?metrics=count,median", None),
    ("metrics?category=colors", None),
    ("metrics?from=2026-03-02&to=2026-03-02", None),
    ("metrics?from=2026-03-03&to=2026-03-02", None),
    ("metrics?from=yesterday", None),
    ("events?limit=0", None),
    ("events?limit=10001", None),
    ("events?offset=-1", None),
    ("events?hasError=yes", None),
    ("agents/Clerk?from=2026-03-03&to=2026-03-02", None),
    ("cost-breakdown?from=2026-03-03&to=2026-03-02", None),
    ("session-metrics?from=2026-03-03&to=2026-03-02", None),
    ("query", {"timeRange": {"from": "2026-03-02", "to": "2026-03-01"}}),
    ("query", {"timeRange": {"from": "2026-03-01", "to": "2026-03-02"}, "limit": 10_001}),
    ("query", {"timeRange": {"from": "2026-03-01", "to": "2026-03-02"}, "hasError": "true"}),
    ("query", {"timeRange": {"from": "2026-03-01", "to": "2026-03-02"}, "category": "colors"}),
    ("aggregate", {"timeRange": {"from": "2026-03-01", "to": "2026-03-02"}, "groupBy": [], "metrics": []}),
    (
        "aggregate",
        {"timeRange": {"from": "2026-03-01", "to": "2026-03-02"}, "groupBy": ["color"], "metrics": ["count"]},
    ),
    ("aggregate", {"timeRange": {"from": "2026-03-01", "to": "2026-03-02"}, "groupBy": [], "metrics": ["median"]}),
]
LACKING: list[tuple[str, Any]] = [
    ("query", {}),
    ("query", {"timeRange": {"from": "2026-03-01"}}),
    ("aggregate", {"timeRange": {"from": "2026-03-01", "to": "2026-03-02"}, "metrics": ["count"]}),
    ("aggregate", {"timeRange": {"from": "2026-03-01", "to": "2026-03-02"}, "groupBy": []}),
    ("aggregate", {"groupBy": [], "metrics": ["count"]}),
]


async def test_what_cannot_be_asked_is_refused(servers: Servers) -> None:
    async with a_gateway(servers, "analytics-refused") as gateway:
        for path, body in REFUSED:
            answer = await ask(gateway, path, body)
            assert (answer.status, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR"), (path, body)
        for path, body in LACKING:
            answer = await ask(gateway, path, body)
            assert (answer.status, answer.json()["error"]["code"]) == (400, "BAD_REQUEST"), (path, body)
        for path in ("hourly?hours=0", "hourly?hours=2161", "summary?hours=x"):
            assert (await ask(gateway, path, base="voice-analytics")).status == 400, path


async def test_another_project_is_404_and_a_key_without_the_permission_403(servers: Servers) -> None:
    async with a_gateway(servers, "analytics-access") as gateway:
        session_id = (await say(gateway, "ask the clerk"))["sessionId"]
        await counted(gateway)
        database = gateway.running.database
        other = await put_project(database, "analytics-elsewhere", {"clerk.abl": CLERK})
        path = f"/api/projects/{other.project_id}/analytics"
        assert (await gateway.call("GET", f"{path}/events?sessionId={session_id}")).json()["data"]["total"] == 0
        assert (await gateway.call("GET", f"{path}/agents/Clerk")).status == 404
        keys = ApiKeys(database)
        bound = NewKey(
            key_id="key_bound", plaintext="abl_bound_analytics", project_id=other.project_id, scopes=("*",),
        )  # fmt: skip
        reader = NewKey(key_id="key_reads", plaintext="abl_reads_analytics", scopes=("project:read",))
        for key in (bound, reader):
            await keys.create(TENANT_ID, key)
        for word in ("metrics", "events", "agents/Clerk", "cost-breakdown", "session-metrics"):
            assert (await ask(gateway, word, headers={"x-api-key": "abl_bound_analytics"})).status == 404
            assert (await ask(gateway, word, headers={"x-api-key": "abl_reads_analytics"})).status == 403


async def test_17_20_voice_calls_are_told_by_the_hour_and_together_with_jitter_both_ways(servers: Servers) -> None:
    async with a_gateway(servers, "analytics-voice") as gateway:
        nothing = await data(gateway, "summary", base="voice-analytics")
        assert list(nothing) == VOICE_SUMMARY
        assert nothing == dict.fromkeys(VOICE_SUMMARY) | {
            "total_calls": 0, "total_errors": 0, "total_turns": 0, "total_barge_in_count": 0,
            "total_dtmf_turn_count": 0,
        }  # fmt: skip
        assert await data(gateway, "hourly", base="voice-analytics") == []
        hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        figures = ((hour - timedelta(hours=3), 4.0, 4, 2, False), (hour - timedelta(hours=3), None, 6, 0, True),
                   (hour - timedelta(hours=200), 1.0, 0, 0, False))  # fmt: skip
        calls = VoiceCalls(gateway.running.database)
        async with gateway.running.database.transaction() as connection:
            for place, (at, mos, turns, barge_ins, failed) in enumerate(figures):
                call = VoiceCall(
                    project_id=gateway.project_id, call_id=f"{gateway.project_id}_{place}", session_id=f"sess_{place}",
                    started_at=at, duration_ms=60_000, inbound_mos=mos, turns=turns, barge_ins=barge_ins, failed=failed,
                )  # fmt: skip
                await calls.add(connection, TENANT_ID, call)
                await calls.add(connection, TENANT_ID, call)
        (row,) = await data(gateway, "hourly", base="voice-analytics")
        assert list(row) == VOICE_HOUR
        assert (row["hour"], row["session_count"], row["error_count"]) == (iso_ms(hour - timedelta(hours=3)), 2, 1)
        assert (row["avg_inbound_mos"], row["avg_outbound_mos"], row["avg_barge_in_rate"]) == (4.0, None, 0.25)
        assert (row["avg_dtmf_fallback_rate"], row["total_turns"], row["total_barge_in_count"]) == (0.0, 10, 2)
        assert len(await data(gateway, "hourly?hours=300", base="voice-analytics")) == 2
        summary = await data(gateway, "summary?hours=300", base="voice-analytics")
        assert (summary["total_calls"], summary["overall_barge_in_rate"]) == (3, 0.2)
        assert summary["overall_avg_inbound_mos"] == 2.5


async def test_the_job_counts_by_itself_and_audit_records_are_events(servers: Servers) -> None:
    async with a_gateway(servers, "analytics-job") as gateway:
        place = f"/api/projects/{gateway.project_id}/budgets"
        assert (await gateway.call("POST", place, {"maxTokens": 9_000})).status == 201
        async for found in polled(gateway, "events?category=audit"):
            if found["total"]:
                break
        (event,) = found["events"]
        assert event["event_type"] == "budget.create"
        assert event["metadata"] == {
            "category": "workspace_governance", "resource": "budget", "status": "success",
        }  # fmt: skip
        assert json.dumps(found).count("9000") == 0
        name = quote("ä b/c?", safe="")
        assert (await ask(gateway, f"events?agentName={name}")).status == 200


async def polled(gateway: LiveGateway, path: str) -> AsyncIterator[Any]:
    """Yield what a route says, again and again until a deadline."""
    deadline = datetime.now(UTC) + timedelta(seconds=15)
    while datetime.now(UTC) < deadline:
        yield await data(gateway, path)
    raise AssertionError(f"{path} has not changed")
