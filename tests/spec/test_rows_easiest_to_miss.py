"""The 35 rows that are easiest to miss: one test each, here or where `ELSEWHERE` says. Spec: platform-api 17."""

from __future__ import annotations

import asyncio

import pytest

import tests.spec.test_rows_easiest_to_miss as this
from abl.parser.detect import detect
from actors.runtime import Caller
from domain import limits
from domain.clock import FixedClock
from domain.errors import Overloaded, QueueFull
from gateway.counters import LocalCounters
from gateway.settings import RateSettings, rates_within
from gateway.throttle import Throttle
from tests.spec.test_seed_tables import answer, at, described
from tests.support.asgi import Client, sse_events
from tests.support.errors import CHAT, MESSAGE, SESSIONS, check, check_limited, refused_turn
from tests.support.fake_runtime import FakeCallback, FakeSession
from tests.support.gateway import (
    FOREIGN_KEY,
    FOREIGN_PROJECT,
    PAGE,
    PROJECT,
    PUBLIC_KEY,
    TENANT,
    Gateway,
    a_gateway,
    sandbox_token,
)
from tests.support.pages import opened, started
from tools.generate_spec_map import test_place as place_of_test

pytestmark = pytest.mark.anyio
ROWS = 35
AGENTS, CONTACTS = f"/api/projects/{PROJECT}/agents", "/api/contacts"
INIT, CONFIG = "/api/v1/sdk/init", f"/api/v1/sdk/config/{PROJECT}"
CALLBACK, MEMORY = "/api/v1/callbacks/cb_1", "/api/v1/memory"
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


@pytest.mark.parametrize("number", range(1, ROWS + 1))
def test_each_row_has_its_test_or_belongs_to_later_work(number: int) -> None:
    here = [name for name in dir(this) if name.startswith(f"test_17_{number:02}_")]
    elsewhere = ELSEWHERE.get(number, ())
    assert [bool(here), bool(elsewhere), number in LATER].count(True) == 1
    assert all(place_of_test(name) is not None for name in elsewhere)


async def test_17_01_success_is_in_every_body_and_only_ok_in_that_of_a_callback(gateway: Gateway) -> None:
    assert (await gateway.client.post(CHAT, MESSAGE)).json()["success"] is True
    gateway.runtime.callbacks_by_id["cb_1"] = FakeCallback(TENANT, PROJECT)
    assert (await gateway.nobody().post(CALLBACK, {})).json() == {"ok": True}
    for operation, method in described()["operations"].items():
        own_form = operation.partition(" ")[2].startswith(("/v1/", "/mcp", "/api/v1/callbacks"))
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


async def test_17_03_what_is_of_another_tenant_is_not_found_also_in_chat_and_over_a_socket(gateway: Gateway) -> None:
    session = (await gateway.client.post(CHAT, MESSAGE)).json()["sessionId"]
    foreign = gateway.as_(FOREIGN_KEY)
    check(await foreign.get(SESSIONS), 404, "NOT_FOUND", "Project not found")
    asked = {"projectId": FOREIGN_PROJECT, "message": "a", "sessionId": session}
    check(await foreign.post(CHAT, asked), 404, "NOT_FOUND", "Session not found")
    theirs = (await foreign.post(CHAT, {"projectId": FOREIGN_PROJECT, "message": "a"})).json()["sessionId"]
    before = len(gateway.runtime.asked)
    told = []
    async with started(gateway) as socket:
        for other in (theirs, "sess_" + "0" * 20):
            socket.say(type="chat_message", messageId="m1", text="hello", sessionId=other)
            error = (await socket.until("error"))[-1]
            told.append((error["code"], error["message"]))
    assert told == [told[0]] * 2
    assert told[0][0] == "SESSION_MISMATCH"
    assert gateway.runtime.asked[before:] == []


def test_17_04_totals_stand_in_five_places() -> None:
    for place in ("total", "limit", "offset"):
        assert at(answer("GET PP/sessions"), place)
    assert at(answer("GET /api/contacts"), "total")
    assert not at(answer("GET /api/contacts"), "limit")
    for place in ("total", "page", "limit"):
        assert at(answer("GET /api/tool-secrets"), place)
    assert not at(answer("GET /api/tool-secrets"), "offset")
    for place in ("total", "limit", "offset"):
        assert at(answer("GET PP/human-tasks"), f"pagination.{place}")
    assert at(answer("GET PP/analytics/events"), "data.total")
    assert at(answer("GET /api/agents"), "total")


async def test_17_05_a_session_names_its_agent_by_path_and_a_path_parameter_does_not(gateway: Gateway) -> None:
    assert (await gateway.client.post(SESSIONS, {"agentId": "travel/desk"})).status == 201
    assert gateway.runtime.wanted[-1].agent == "travel/desk"
    for name in ("travel%2Fdesk", "travel/desk"):
        assert (await gateway.client.get(f"{AGENTS}/{name}")).status == 404


async def test_17_06_words_in_the_place_of_an_id_are_routes_of_their_own(gateway: Gateway) -> None:
    for path, sentence in ((f"{SESSIONS}/generations", "Session"), (f"{SESSIONS}/export?format=csv", "Session")):
        reply = await gateway.client.get(path)
        assert f"{sentence} not found".encode() not in reply.body
    missing = await gateway.client.get(f"{CONTACTS}/lookup")
    assert [one["path"] for one in missing.json()["error"]["details"]["fields"]] == ["/identity"]
    paths = [path for path in described()["paths"] if path.startswith(CONTACTS)]
    assert paths.index(f"{CONTACTS}/lookup") < paths.index(f"{CONTACTS}/{{contact_id}}")


async def test_17_10_a_test_context_needs_write_permission_and_has_its_fields(gateway: Gateway) -> None:
    context = {"skipOnStart": True, "startAtStep": "pay", "toolMocks": [{"toolName": "a", "response": 1}] * 50}
    assert (await gateway.client.post(CHAT, {**MESSAGE, "testContext": context})).status == 200
    told = gateway.runtime.asked[-1].test_context
    assert told is not None
    assert (told["skipOnStart"], told["startAtStep"], len(told["toolMocks"])) == (True, "pay", limits.TOOL_MOCKS_MAX)
    more = {"toolMocks": context["toolMocks"] + [{"toolName": "b", "response": 1}]}  # type: ignore[operator]
    refused = await gateway.client.post(CHAT, {**MESSAGE, "testContext": more})
    assert refused.json()["error"]["details"]["fields"][0]["path"] == "/testContext/toolMocks"
    gateway.runtime.callers["abl_chat"] = Caller(TENANT, "key", frozenset({"session:execute"}))
    check(
        await gateway.as_("abl_chat").post(CHAT, {**MESSAGE, "testContext": context}),
        403, "FORBIDDEN", "Insufficient permissions",
    )  # fmt: skip


async def test_17_11_metadata_has_a_400_of_its_own_and_is_told_with_its_turn_only(gateway: Gateway) -> None:
    refused = await gateway.client.post(CHAT, {**MESSAGE, "metadata": {"k": "x" * 4_097}})
    assert (refused.status, refused.json()["error"]["message"]) == (400, "Invalid message metadata")
    first = (await gateway.client.post(CHAT, {**MESSAGE, "metadata": {"vip": True}})).json()["sessionId"]
    await gateway.client.post(CHAT, {**MESSAGE, "sessionId": first})
    assert [turn.metadata for turn in gateway.runtime.asked] == [{"vip": True}, {}]


async def test_17_13_each_route_has_its_header_for_public_keys_and_looks_at_the_origin(gateway: Gateway) -> None:
    right, wrong = {"x-public-key": PUBLIC_KEY}, {"x-api-key": PUBLIC_KEY}
    assert (await Client(gateway.app, {**right, "origin": PAGE}).post(INIT, {})).status == 200
    assert (await Client(gateway.app, {**wrong, "origin": PAGE}).post(INIT, {})).status == 401
    assert (await Client(gateway.app, {**wrong, "origin": PAGE}).get(CONFIG)).status != 401
    assert (await Client(gateway.app, {**right, "origin": PAGE}).get(CONFIG)).status == 401
    evil = "https://evil.example.com"
    token = await gateway.sdk_token()
    stolen = Client(gateway.app, {"x-sdk-token": token, "origin": evil})
    refused = [
        await Client(gateway.app, {**right, "origin": evil}).post(INIT, {}),
        await Client(gateway.app, {**wrong, "origin": evil}).get(CONFIG),
        await stolen.post(CHAT, MESSAGE),
        await stolen.post("/api/v1/sdk/refresh"),
        await stolen.post("/api/v1/sdk/ws-ticket"),
    ]
    assert [reply.status for reply in refused] == [403] * len(refused)
    page = gateway.nobody().with_headers(origin=PAGE)
    async with page.websocket("/ws/sdk", subprotocols=["sdk-auth", PUBLIC_KEY]) as socket:
        assert (await socket.frame())["fatal"] is True
        assert await socket.close_code() == 4001


async def test_17_14_the_sub_protocol_that_is_chosen_is_the_word(gateway: Gateway) -> None:
    token = await gateway.sdk_token()
    async with opened(gateway, token) as socket:
        assert (await socket.frame())["type"] == "session_start"
    assert socket.subprotocol == "sdk-auth"
    ticket = (await gateway.page(token).post("/api/v1/sdk/ws-ticket")).json()["ticket"]
    async with gateway.page(token).websocket("/ws/sdk", subprotocols=["sdk-ticket", ticket]) as socket:
        assert (await socket.frame())["type"] == "session_start"
    assert socket.subprotocol == "sdk-ticket"


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


async def test_17_17_memory_tells_a_closed_session_a_missing_secret_and_a_bare_token_apart(gateway: Gateway) -> None:
    gateway.runtime.sessions_by_id["sess_1"] = FakeSession("sess_1", TENANT, PROJECT, "Desk", status="ended")
    wanted = {"action": "get", "memoryStoreName": "a"}

    async def statuses(of: Gateway, session: str) -> int:
        bearer = {"authorization": f"Bearer {sandbox_token(gateway, session)}"}
        return (await Client(of.app, bearer).post(MEMORY, wanted)).status

    assert await statuses(gateway, "sess_1") == 404
    assert await statuses(gateway, "") == 400
    assert await statuses(a_gateway(sandbox=False), "sess_1") == 503


async def test_17_18_a_callback_is_taken_once_and_stays_open_when_its_job_could_not_be_kept(gateway: Gateway) -> None:
    callback = gateway.runtime.callbacks_by_id["cb_1"] = FakeCallback(TENANT, PROJECT, enqueue_fails=True)
    assert (await gateway.nobody().post(CALLBACK, {"n": 1})).status == 503
    assert (callback.status, callback.body) == ("pending", None)
    callback.enqueue_fails = False
    replies = await asyncio.gather(*(gateway.nobody().post(CALLBACK, {"n": 1}) for _ in range(20)))
    assert [reply.status for reply in replies] == [200] * 20
    assert sum("status" not in reply.json() for reply in replies) == 1
    callback.status, callback.secret = "pending", "s3cret"
    assert (await gateway.nobody().post(CALLBACK, {"n": 1})).status == 401


async def test_17_23_handoffs_are_counted_in_sessions_and_stand_in_the_traces_of_chat(gateway: Gateway) -> None:
    gateway.runtime.trace = {"type": "handoff", "data": {"fromAgent": "A", "toAgent": "B"}}
    told = (await gateway.client.post(CHAT, MESSAGE)).json()["traceEvents"]
    assert [(one["type"], one["data"]["toAgent"]) for one in told] == [("handoff", "B")]
    for place in ("sessions.*.handoffCount", "session.handoffCount"):
        operation = "GET PP/sessions" if place.startswith("sessions") else "GET PP/sessions/:"
        assert {kind["type"] for kind in at(answer(operation), place)} == {"integer"}


async def test_17_25_the_list_of_sessions_has_its_five_figures(gateway: Gateway) -> None:
    await gateway.client.post(CHAT, MESSAGE)
    (item,) = (await gateway.client.get(SESSIONS)).json()["sessions"]
    assert {"traceEventCount", "tokenCount", "estimatedCost", "errorCount", "durationMs"} <= set(item)


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
