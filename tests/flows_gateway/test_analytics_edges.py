"""Analytics of nothing, of others, of what cannot be asked, and of voice. Spec: platform-api 8."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest

from actors.projects import TENANT_ID, put_project
from domain.clock import iso_ms
from storage.repositories.api_keys import ApiKeys, NewKey
from storage.repositories.voice_calls import VoiceCall, VoiceCalls
from tests.support.analytics import (
    CLERK,
    a_gateway,
    a_range,
    ask,
    counted,
    data,
    polled,
    say,
    types,
)
from tests.support.servers import Servers
from tests.support.strangers import a_stranger

pytestmark = pytest.mark.anyio
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


async def test_another_tenant_sees_nothing_of_it(servers: Servers) -> None:
    async with a_gateway(servers, "analytics-tenant") as gateway:
        session_id = (await say(gateway, "ask the clerk"))["sessionId"]
        await counted(gateway)
        elsewhere, stranger = await a_stranger(gateway, {"clerk.abl": CLERK})
        for word in ("metrics", "events", "agents/Clerk", "cost-breakdown", "session-metrics"):
            theirs = await ask(gateway, word, headers=stranger)
            nobodys = await gateway.call("GET", f"/api/projects/c{'0' * 24}/analytics/{word}", None, stranger)
            assert (theirs.status, theirs.body) == (404, nobodys.body)
        for word, body in (("query", {"timeRange": a_range(), "sessionId": session_id}),):
            assert (await ask(gateway, word, body, headers=stranger)).status == 404
            found = await gateway.call("POST", f"/api/projects/{elsewhere}/analytics/{word}", body, stranger)
            assert found.json()["data"]["total"] == 0
        for word in ("hourly", "summary"):
            assert (await ask(gateway, word, base="voice-analytics", headers=stranger)).status == 404


async def test_a_socket_counts_when_it_opens_and_when_it_closes(servers: Servers) -> None:
    async with a_gateway(servers, "analytics-socket") as gateway:
        async with gateway.socket(await gateway.page_token()) as socket:
            await socket.recv()
        found: dict[str, int] = {}
        deadline = datetime.now(UTC) + timedelta(seconds=15)
        while "ws_disconnected" not in found and datetime.now(UTC) < deadline:
            await counted(gateway)
            found = await types(gateway, category="channel")
        assert found == {"ws_connected": 1, "ws_disconnected": 1}
        (closed,) = (await data(gateway, "events?eventTypes=ws_disconnected"))["events"]
        assert (closed["duration_ms"] >= 0, bool(closed["session_id"])) == (True, True)


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
