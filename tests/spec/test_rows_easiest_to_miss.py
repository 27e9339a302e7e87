"""The 35 rows that are easiest to miss: a test each, here where the row is about the gateway alone, over the real store in
`test_rows_over_the_store` and `test_row_18_over_the_store`, or where `ELSEWHERE` says. Spec: platform-api 17.
"""

from __future__ import annotations

import asyncio

import pytest

import tests.spec.test_row_18_over_the_store as row_18
import tests.spec.test_rows_easiest_to_miss as this
import tests.spec.test_rows_over_the_store as over_the_store
from abl.parser.detect import detect
from actors.counters import LocalCounters
from domain.clock import FixedClock
from domain.errors import Overloaded, QueueFull
from domain.rates import RateSettings, rates_within
from gateway.throttle import Throttle
from tests.spec.test_seed_tables import at, described
from tests.support.asgi import sse_events
from tests.support.cells import over
from tests.support.errors import CHAT, MESSAGE, SESSIONS, check_limited, refused_turn
from tests.support.fake_runtime import FakeCallback
from tests.support.gateway import (
    PROJECT,
    TENANT,
    Gateway,
    a_gateway,
)
from tools.generate_spec_map import test_place as place_of_test

pytestmark = pytest.mark.anyio
ROWS = 35
CALLBACK = "/api/v1/callbacks/cb_1"
ELSEWHERE = {
    7: ("test_a_draft_is_saved_as_it_is_and_used_by_the_next_session",),
    8: ("test_a_deployment_freezes_drafts_and_says_so",),
    9: ("test_an_agent_of_the_tenant_is_that_of_the_oldest_project_and_may_be_kept",),
    12: ("test_the_next_deployment_lets_the_one_before_drain",),
    16: (
        "test_a_secret_is_created_listed_rotated_and_deleted_and_never_shown",
        "test_a_tool_has_a_secret_once_in_an_environment",
        "test_a_tool_uses_a_secret_until_it_expires",
        "test_no_secret_is_found_anywhere",
    ),
    19: ("test_17_19_fields_are_snake_case_and_defaults_and_limits_are_those_of_the_specification",),
    20: ("test_17_20_voice_calls_are_told_by_the_hour_and_together_with_jitter_both_ways",),
    21: (
        "test_an_export_holds_manifest_lockfile_and_files",
        "test_the_preview_of_an_export_has_the_graph_with_what_is_missing",
        "test_refused_files_are_refused_alike_by_import_and_preview",
        "test_a_lock_that_was_left_behind_holds_until_its_time_is_over",
    ),
    22: ("test_what_reaches_a_limit_is_taken", "test_a_deleted_contact_is_not_found_and_its_row_stays"),
    24: ("test_four_children_work_at_the_same_time_each_in_a_session_with_a_journal",),
    26: ("test_what_is_used_is_counted_for_completions_and_agents",),
    35: ("test_an_svg_with_a_script_is_saved_and_not_run", "test_25_mb_are_taken_and_a_byte_more_is_not"),
}
"""Rows that other tests assert, over the real store."""
LATER = {
    27: "evaluations",
    28: "evaluations",
    29: "evaluations",
    30: "evaluations",
    31: "the web packages",
    32: "the voice pipeline",
}
"""Rows of what is not built yet, and to which work they belong."""


@over("number", range(1, ROWS + 1))
def test_each_row_has_its_test_or_belongs_to_later_work(number: int) -> None:
    names = {*dir(this), *dir(over_the_store), *dir(row_18)}
    here = [name for name in names if name.startswith(f"test_17_{number:02}_")]
    elsewhere = ELSEWHERE.get(number, ())
    assert [bool(here), bool(elsewhere), number in LATER].count(True) == 1
    assert all(place_of_test(name) is not None for name in elsewhere)


async def test_17_01_success_is_in_every_body_and_only_ok_in_that_of_a_callback(gateway: Gateway) -> None:
    assert (await gateway.client.post(CHAT, MESSAGE)).json()["success"] is True
    gateway.runtime.callbacks_by_id["cb_1"] = FakeCallback(TENANT, PROJECT)
    assert (await gateway.nobody().post(CALLBACK, {})).json() == {"ok": True}
    for operation, method in described()["operations"].items():
        own_form = operation.partition(" ")[2].startswith(
            ("/v1/", "/mcp", "/a2a", "/ag-ui", "/.well-known/agent-card.json", "/api/v1/callbacks")
        )
        for status, reply in method["responses"].items():
            content = reply.get("content", {}).get("application/json")
            if status.startswith("2") and content is not None and not own_form:
                assert at(content["schema"], "success"), operation


async def test_17_02_the_error_of_a_429_is_a_text_and_every_answer_says_what_is_left() -> None:
    gateway = a_gateway(rates=RateSettings(requests_per_second=1, requests_burst=2))
    gateway.clock.move(seconds=10)
    for _ in range(2):
        reply = await gateway.client.get(SESSIONS)
        assert {"x-ratelimit-remaining", "x-ratelimit-reset"} <= set(reply.headers)
        assert "retry-after" not in reply.headers
    check_limited(await gateway.client.get(SESSIONS), "RATE_LIMIT_EXCEEDED", "Request rate limit exceeded")
    full = await refused_turn(a_gateway(), QueueFull("Execution queue full", retry_after_ms=1_500))
    check_limited(full, "QUEUE_FULL", "Execution queue full")


async def test_17_15_the_end_of_a_stream_has_its_sums_and_a_heartbeat_is_a_comment() -> None:
    gateway = a_gateway(sse_heartbeat_s=0.01)
    wanted = {"projectId": PROJECT, "messages": [{"role": "user", "content": "hello"}]}
    async with gateway.client.stream("POST", "/api/v1/chat/stream", body=wanted) as (_, pieces):
        events = [event async for event in sse_events(pieces)]
    assert events[-1].name == "complete"
    assert {"inputTokens", "outputTokens", "totalTokens", "estimatedCost", "latencyMs"} <= set(events[-1].data)
    gateway.runtime.gate = asyncio.Event()
    async with gateway.client.stream("POST", CHAT, body=MESSAGE, headers={"accept": "text/event-stream"}) as (_, sent):
        async for piece in sent:
            if b": heartbeat\n\n" in piece:
                gateway.runtime.gate.set()
    assert gateway.runtime.gate.is_set()


@pytest.mark.parametrize(
    "text", ["SUPERVISOR: A\nMODE: reasoning\n", "AGENT: A\nGOAL: b\nMODE: scripted\n", "BEHAVIOR_PROFILE: a\n"]
)
def test_17_33_a_mode_anywhere_or_a_profile_makes_a_text_agent_based(text: str) -> None:
    assert detect(text) == "agent-based"


async def test_17_34_voice_rooms_are_counted_for_all_tenants_together() -> None:
    clock, of_instance = FixedClock(), RateSettings(concurrent_voice_rooms=2)

    async def rates(_tenant: str) -> RateSettings:
        return rates_within({"rates": {"concurrentVoiceRooms": 9}}, of_instance)

    async def none(_tenant: str) -> int | None:
        return None

    throttle = Throttle(LocalCounters(clock), rates, clock, none)
    await throttle.new_voice_room("ten_one", 1)
    with pytest.raises(Overloaded, match="Maximum concurrent voice sessions reached"):
        await throttle.new_voice_room("ten_two", 2)
