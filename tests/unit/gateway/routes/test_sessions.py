from __future__ import annotations

import pytest

from domain.traces import DECISION_KINDS, TraceType
from gateway.bodies.sessions import SessionItem
from tests.support.gateway import PROJECT, Gateway

pytestmark = pytest.mark.anyio
PATH = f"/api/projects/{PROJECT}/sessions"


async def a_session(gateway: Gateway, **body: object) -> str:
    reply = await gateway.client.post(PATH, {"agentId": "desk", **body})
    assert reply.status == 201, reply.body
    return str(reply.json()["session"]["id"])


async def test_a_session_is_opened_on_the_working_copy_unless_a_target_is_given(gateway: Gateway) -> None:
    reply = await gateway.client.post(PATH, {"agentId": "travel/desk", "variables": {"a": 1}})
    session = reply.json()["session"]
    assert reply.status == 201
    assert set(session) == {"id", "agentId", "agentName", "createdAt", "runtimeSessionId"}
    wanted = gateway.runtime.wanted[0]
    assert (wanted.agent, wanted.environment, wanted.channel) == ("travel/desk", "working-copy", "web_debug")
    await gateway.client.post(PATH, {"agentId": "desk", "deploymentId": "dep_1", "channel": "api"})
    assert (gateway.runtime.wanted[1].environment, gateway.runtime.wanted[1].deployment_id) == ("", "dep_1")


async def test_the_same_key_opens_one_session(gateway: Gateway) -> None:
    replies = [await gateway.client.post(PATH, {"agentId": "desk"}, headers={"idempotency-key": "k"}) for _ in range(2)]
    assert replies[0].json() == replies[1].json()
    assert len(gateway.runtime.sessions_by_id) == 1


async def test_a_list_says_its_totals_at_top_level_and_all_fields_of_its_items(gateway: Gateway) -> None:
    for _ in range(3):
        await a_session(gateway)
    body = (await gateway.client.get(f"{PATH}?limit=2&offset=1&range=24h&status=active")).json()
    assert (body["success"], body["total"], body["limit"], body["offset"]) == (True, 3, 2, 1)
    assert len(body["sessions"]) == 2
    aliases = {str(field.alias) for field in SessionItem.model_fields.values()}
    assert set(body["sessions"][0]) == aliases
    assert body["sessions"][0]["endedAt"] is None


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "offset=-1", "limit=x", "status=odd", "channel=odd", "range=1y", "from=soon", "q=%00"],
)
async def test_a_query_out_of_range_is_refused_not_clamped(gateway: Gateway, query: str) -> None:
    reply = await gateway.client.get(f"{PATH}?{query}")
    assert (reply.status, reply.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


async def test_a_session_is_shown_with_its_detail(gateway: Gateway) -> None:
    session_id = await a_session(gateway)
    body = (await gateway.client.get(f"{PATH}/{session_id}")).json()
    assert body["session"]["id"] == session_id
    assert body["session"]["executionState"] == "idle"
    assert body["session"]["suspension"] is None
    assert "messages" not in body["session"]
    with_messages = (await gateway.client.get(f"{PATH}/{session_id}?include=messages")).json()
    assert with_messages["session"]["messages"] == []


async def test_a_deleted_session_is_gone(gateway: Gateway) -> None:
    session_id = await a_session(gateway)
    reply = await gateway.client.delete(f"{PATH}/{session_id}")
    assert (reply.status, reply.json()) == (200, {"success": True, "deleted": True, "id": session_id})
    assert (await gateway.client.delete(f"{PATH}/{session_id}")).status == 404


async def test_a_reset_keeps_the_id_and_changes_the_runtime_id(gateway: Gateway) -> None:
    session_id = await a_session(gateway)
    before = gateway.runtime.sessions_by_id[session_id].runtime_id
    reply = await gateway.client.post(f"{PATH}/{session_id}/reset")
    session = reply.json()["session"]
    assert (reply.status, session["id"], session["status"]) == (200, session_id, "active")
    assert session["runtimeSessionId"] != before
    assert session["resetAt"]


async def test_a_reset_is_done_once_for_one_key(gateway: Gateway) -> None:
    session_id = await a_session(gateway)
    path, headers = f"{PATH}/{session_id}/reset", {"idempotency-key": "k"}
    first, second = [await gateway.client.post(path, headers=headers) for _ in range(2)]
    assert first.json() == second.json()
    assert second.headers["idempotent-replay"] == "true"
    other = await a_session(gateway)
    assert (await gateway.client.post(f"{PATH}/{other}/reset", headers=headers)).status == 409


async def test_traces_are_filtered_and_say_their_totals(gateway: Gateway) -> None:
    session_id = await a_session(gateway)
    for text in ("a", "b"):
        await gateway.client.post(
            "/api/v1/chat/agent", {"projectId": PROJECT, "message": text, "sessionId": session_id}
        )
    body = (await gateway.client.get(f"{PATH}/{session_id}/traces?limit=1&eventType=llm_call,tool_call")).json()
    assert (body["total"], body["limit"], body["offset"], len(body["traces"])) == (2, 1, 0, 1)
    assert body["_meta"] == {
        "source": "journal",
        "event_count": 1,
        "is_truncated": True,
        "source_chain": ["journal"],
    }
    assert (await gateway.client.get(f"{PATH}/{session_id}/traces?eventType=decision")).json()["traces"] == []
    for name in ("eventType", "eventTypes"):
        reply = await gateway.client.get(f"{PATH}/{session_id}/traces?{name}=decision,dream")
        field = reply.json()["error"]["details"]["fields"][0]
        assert (reply.status, field["path"]) == (400, f"/{name}")
        assert field["message"] == f"dream is none of {', '.join(TraceType)}"
    assert (await gateway.client.get(f"{PATH}/{session_id}/traces?eventTypes=decision")).json()["traces"] == []
    for kind in DECISION_KINDS:
        assert (await gateway.client.get(f"{PATH}/{session_id}/traces?decisionKind={kind}")).status == 200
    for kind in ("foo", "Routing", "routing,stop", "llm_call"):
        reply = await gateway.client.get(f"{PATH}/{session_id}/traces?decisionKind={kind}")
        assert (reply.status, reply.json()["error"]["code"]) == (400, "VALIDATION_ERROR"), kind
        assert reply.json()["error"]["details"]["fields"][0]["path"] == "/decisionKind"
    assert (await gateway.client.get(f"{PATH}/{session_id}/traces?limit=1001")).status == 400
