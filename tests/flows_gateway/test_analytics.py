"""Analytics over real sockets: what turns have done, counted once and told by every route. Spec: platform-api 8."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from time import monotonic

import pytest

from actors.projects import TENANT_ID
from domain.analytics import EventCategory, NewEvent
from domain.rates import RateSettings
from storage.repositories.events import Events
from storage.statements import Statement
from tests.flows_gateway.test_approvals import approval, approver
from tests.flows_gateway.test_human_tasks import act, tasks
from tests.support.analytics import (
    CLERK,
    DESK,
    a_gateway,
    a_range,
    counted,
    data,
    say,
    types,
)
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stories import eventually
from tests.support.stub_model import StubBehaviour, StubModel
from tests.support.until import PATIENCE_S

pytestmark = pytest.mark.anyio
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
MADE_UP = "c" + "made" * 6
OF_PROJECT = Statement("""
    SELECT (SELECT count(*) FROM analytics_inbox WHERE tenant_id = :tenant_id AND project_id = :project_id)
        + (SELECT count(*) FROM analytics_told WHERE tenant_id = :tenant_id AND project_id = :project_id)
""")
TOKENS = 37
"""What the stub says that each answer used."""


async def test_what_turns_did_is_counted_once_by_every_route(servers: Servers) -> None:
    look = StubBehaviour(tool_calls=(("look_up", {"order": "A-1"}),))
    async with a_gateway(servers, "analytics-turns", look, StubBehaviour(text="Sorry")) as gateway:
        session_id = (await say(gateway, "ask the clerk"))["sessionId"]
        await counted(gateway)
        await counted(gateway)
        found = await types(gateway)
        assert (found["session_started"], found["message_received"], found["message_sent"]) == (1, 1, 1)
        assert (found["llm_call"], found["tool_call"], found["handoff"]) == (
            2,
            1,
            1,
        )  # what no try would change is made once
        assert found["agent_entered"] == 2
        events = (await data(gateway, "events"))["events"]
        assert [list(one) for one in events] == [EVENT] * len(events)
        call = next(one for one in events if one["event_type"] == "llm_call")
        assert call["metadata"] == {
            "model": "talker", "provider": "stub", "tokens_in": 21, "tokens_out": 16, "status": "end_turn",
        }  # fmt: skip
        assert (call["agent_name"], call["session_id"], call["channel"]) == ("Clerk", session_id, "api")
        tool = next(one for one in events if one["event_type"] == "tool_call")
        assert (tool["metadata"], bool(tool["error"])) == ({"tool": "look_up", "status": "failed"}, True)
        assert [one["timestamp"] for one in events] == sorted((one["timestamp"] for one in events), reverse=True)
        metrics = await data(gateway, "metrics?groupBy=category&metrics=count,sum_tokens,error_rate,avg_duration")
        tools = next(one for one in metrics["buckets"] if one["category"] == "tool")
        assert (tools["count"], tools["sum_tokens"], tools["error_rate"]) == (1, 0, 1.0)
        llm = next(one for one in metrics["buckets"] if one["category"] == "llm")
        assert list(llm) == ["category", "count", "sum_tokens", "error_rate", "avg_duration"]
        assert (llm["count"], llm["sum_tokens"]) == (2, 2 * TOKENS)
        clerk = await data(gateway, "agents/Clerk")
        assert list(clerk) == AGENT
        assert (clerk["session_count"], clerk["llm_call_count"], clerk["tool_call_count"]) == (1, 2, 1)
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
        give_up_s = monotonic() + PATIENCE_S
        costs = nothing
        while not costs["by_model"] and monotonic() < give_up_s:  # what a completion cost is noted beside its answer
            await counted(gateway)
            costs = await data(gateway, "cost-breakdown")
        assert list(costs) == ["currency", "from", "to", "total_cost", "total_tokens", "by_model", "by_provider"]
        assert costs["by_model"] == [
            {
                "model": "talker", "provider": "stub", "call_count": 1, "tokens_in": 21, "tokens_out": 16,
                "total_tokens": TOKENS, "cost": None, "share": None,
            }
        ]  # fmt: skip
        assert costs["by_provider"] == [
            {"provider": "stub", "call_count": 1, "total_tokens": TOKENS, "cost": None, "share": None}
        ]
        assert costs["total_cost"] is None
        (event,) = (await data(gateway, "events?category=llm"))["events"]
        assert event["metadata"]["status"] == "end_turn"
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


async def test_a_session_that_waits_again_in_the_turn_that_goes_on_tells_both(servers: Servers) -> None:
    async with a_live_gateway(servers, "analytics-again", {"a.abl": approver("somebody")}) as gateway:
        task = await approval(gateway, "Approver")
        await counted(gateway)
        assert await life(gateway) == ["session_started", "session_suspended"]
        answer = await act(gateway, task, "resolve", {"decision": "approved"})
        assert answer.status == 200, answer.body

        async def waits_again() -> bool:
            path = f"?sessionId={task['source']['sessionId']}&status=pending,assigned"
            return bool((await tasks(gateway, path=path)).json()["tasks"])

        await eventually(waits_again)
        await say(gateway, "are you there?", task["source"]["sessionId"])  # answered beside what it waits for
        await counted(gateway)
        assert await life(gateway) == [
            "session_started", "session_suspended", "session_resumed", "session_suspended",
        ]  # fmt: skip


async def life(gateway: LiveGateway) -> list[str]:
    """Return what is told of sessions, the first first."""
    return [one["event_type"] for one in (await data(gateway, "events?category=session"))["events"]][::-1]


async def test_what_happens_to_the_runtime_itself_is_told_to_the_projects_it_concerns(servers: Servers) -> None:
    rates = RateSettings(session_messages_per_minute=2)
    async with a_live_gateway(servers, "analytics-system", {"d.abl": DESK, "c.abl": CLERK}, rates=rates) as gateway:
        body = {"projectId": gateway.project_id, "message": "hello"}
        session_id = (await gateway.call("POST", "/api/v1/chat/agent", body)).json()["sessionId"]
        answers = [
            (await gateway.call("POST", "/api/v1/chat/agent", {**body, "sessionId": session_id})).status
            for _ in range(3)
        ]
        assert answers == [200, 429, 429]
        gateway.running.system.limited(TENANT_ID, MADE_UP, "requests")
        await gateway.running.system.flush()
        await counted(gateway)
        (told,) = (await data(gateway, "events?category=system&eventTypes=rate_limited"))["events"]
        assert told["metadata"] == {"host": "gateway", "count": 2, "limit": "sessionMessages"}
        assert told["error"] is None
        left = await gateway.running.database.value(OF_PROJECT, tenant_id=TENANT_ID, project_id=MADE_UP)
        assert left == 0, "nothing is written for a project that is not there"
