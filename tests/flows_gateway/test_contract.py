"""What a client is promised, over real sockets and with the real runtime and store behind the gateway.

Spec: platform-api 3.1, 4.1, 5; house 5.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from actors.programs import compile_texts
from actors.projects import TENANT_ID
from gateway.app import drain
from storage.repositories.agents import Agents
from storage.repositories.deployments import Deployments, NewDeployment
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio

CLERK = """\
AGENT: Clerk
GOAL: "Write down what is said"

MEMORY:
  session:
    - NAME: heard
      TYPE: number
      INITIAL: 0

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        SET: heard = heard + 1
        RESPOND: "heard {{heard}}: {{input}}"
        THEN: listen
"""
THINKER = 'AGENT: Thinker\nGOAL: "Think about it"\nPERSONA: "Calm"\n'
CHAT = "/api/v1/chat/agent"


LIST_ITEM = set(
    "id runtimeSessionId agentName status channel messageCount traceEventCount tokenCount estimatedCost errorCount "
    "durationMs handoffCount createdAt lastActivityAt environment deploymentId endedAt transport source".split()
)
DETAIL = set(
    "projectId agentId agentVersion entryAgentName executionState agentStack currentStep variables gather memoryStores "
    "contactId userId suspension delegateCount tokenUsage endReason lastError".split()
)
MESSAGE = {"id", "role", "content", "timestamp"}
TRACE = set("id sessionId type data timestamp agentName spanId turn seq".split())


async def chat(gateway: LiveGateway, key: str = "", **more: Any) -> Answer:
    body = {"projectId": gateway.project_id, "message": "hello", **more}
    return await gateway.call("POST", CHAT, body, {"idempotency-key": key})


def outcome(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.json()["error"]["message"]


async def test_one_key_is_one_turn_however_many_ask_and_another_body_is_a_conflict(servers: Servers) -> None:
    async with a_live_gateway(servers, "keys", {"c.abl": CLERK}) as gateway:
        answers = await asyncio.gather(*(chat(gateway, "first") for _ in range(20)))
        bodies = {json.dumps({**one.json(), "traceEvents": None}, sort_keys=True) for one in answers}
        assert {one.status for one in answers} == {200}
        assert len(bodies) == 1
        session_id = answers[0].json()["sessionId"]
        again = await asyncio.gather(*(chat(gateway, "second", sessionId=session_id) for _ in range(20)))
        assert {one.json()["response"] for one in again} == {"heard 2: hello"}
        for key, more in (("first", {"message": "other"}), ("second", {"message": "other", "sessionId": session_id})):
            other = await chat(gateway, key, **more)
            assert other.status == 409, other.body
            assert other.json()["error"]["details"]["reason"] == "IDEMPOTENCY_KEY_REUSED"


async def test_sessions_are_opened_reset_and_ended_once_under_a_key(servers: Servers) -> None:
    async with a_live_gateway(servers, "moves", {"c.abl": CLERK}) as gateway:
        sessions = f"/api/projects/{gateway.project_id}/sessions"

        async def ten(path: str, key: str, body: Any = None) -> list[Any]:
            asked = (gateway.call("POST", path, body, {"idempotency-key": key}) for _ in range(10))
            answers = await asyncio.gather(*asked)
            assert len({one.body for one in answers}) == 1, Counter(one.body for one in answers)
            assert sum("idempotent-replay" in one.headers for one in answers) == 9
            return [one.json() for one in answers]

        opened = (await ten(sessions, "open", {"agentId": "Clerk"}))[0]["session"]
        listed = (await gateway.call("GET", sessions)).json()
        assert listed["total"] == 1
        reset = (await ten(f"{sessions}/{opened['id']}/reset", "reset"))[0]["session"]
        assert reset["runtimeSessionId"] != opened["runtimeSessionId"]
        detail = (await gateway.call("GET", f"{sessions}/{opened['id']}")).json()["session"]
        assert detail["runtimeSessionId"] == reset["runtimeSessionId"]
        ended = (await ten(f"/api/v1/sessions/{opened['id']}/end", "end", {"reason": "user"}))[0]["session"]
        assert (ended["status"], ended["endReason"]) == ("ended", "user")
        conflict = await gateway.call("POST", sessions, {"agentId": "Other"}, {"idempotency-key": "open"})
        assert conflict.json()["error"]["details"]["reason"] == "IDEMPOTENCY_KEY_REUSED"


async def test_the_runtime_refuses_with_the_documented_sentences(servers: Servers) -> None:
    async with a_live_gateway(servers, "refusals", {"c.abl": CLERK}) as gateway:
        known = (await chat(gateway, agentId="Clerk")).json()["sessionId"]
        await gateway.call("POST", f"/api/v1/sessions/{known}/end", {})
        assert outcome(await chat(gateway, projectId="c" + "x" * 24)) == (404, "Project not found or has no agents")
        assert outcome(await chat(gateway, sessionId="sess_cnobody")) == (404, "Session not found")
        assert outcome(await chat(gateway, sessionId=known)) == (409, "Session has ended")
        assert outcome(await chat(gateway, deploymentId="dep_cnone")) == (404, "Deployment not found")
        assert outcome(await chat(gateway, environment="staging")) == (404, "No active deployment for environment")
        sessions = f"/api/projects/{gateway.project_id}/sessions"
        assert outcome(await gateway.call("POST", sessions, {"agentId": "Nobody"})) == (404, "Agent not found")
        assert outcome(await gateway.call("GET", f"{sessions}/sess_cnobody")) == (404, "Session not found")


async def test_an_agent_that_needs_a_model_says_that_there_is_none(servers: Servers) -> None:
    async with a_live_gateway(servers, "no-model", {"t.abl": THINKER}) as gateway:
        refused = await chat(gateway)
        assert outcome(refused) == (503, "Runtime not configured")
        hint = refused.json()["error"]["details"]
        assert hint["reason"] == "MODEL_NOT_CONFIGURED"
        assert all(name in hint["hint"] for name in ("ABL_MODEL_URL", "OPENAI_API_KEY"))
        assert outcome(await chat(gateway, "key")) == (503, "Runtime not configured")
        assert outcome(await chat(gateway, "key")) == (503, "Runtime not configured")


async def test_an_unknown_step_to_start_at_is_refused(servers: Servers) -> None:
    async with a_live_gateway(servers, "steps", {"c.abl": CLERK}) as gateway:
        answer = await chat(gateway, testContext={"startAtStep": "nowhere"})
        assert answer.status == 400
        assert answer.json()["error"]["details"]["fields"][0]["path"] == "/testContext/startAtStep"


async def test_a_session_is_read_listed_and_deleted(servers: Servers) -> None:
    async with a_live_gateway(servers, "reading", {"c.abl": CLERK}) as gateway:
        session_id = (await chat(gateway)).json()["sessionId"]
        sessions = f"/api/projects/{gateway.project_id}/sessions"
        detail = (await gateway.call("GET", f"{sessions}/{session_id}?include=messages")).json()["session"]
        assert (detail["status"], detail["executionState"], detail["channel"]) == ("active", "idle", "api")
        assert detail["lastSeq"] > 0
        assert set(detail) >= LIST_ITEM | DETAIL
        listed = (await gateway.call("GET", sessions)).json()
        assert set(listed["sessions"][0]) == LIST_ITEM
        assert (listed["sessions"][0]["messageCount"], listed["sessions"][0]["traceEventCount"] > 0) == (2, True)
        assert [line["role"] for line in detail["messages"]] == ["user", "assistant"]
        by_runtime_id = await gateway.call("GET", f"{sessions}/{detail['runtimeSessionId']}")
        assert by_runtime_id.json()["session"]["id"] == session_id
        traces = (await gateway.call("GET", f"{sessions}/{session_id}/traces?limit=1")).json()
        assert set(traces["traces"][0]) >= TRACE
        assert (len(traces["traces"]), traces["limit"], traces["_meta"]["is_truncated"]) == (1, 1, True)
        transcript = (await gateway.call("GET", f"/api/v1/sessions/{session_id}/transcripts")).json()
        assert [line["content"] for line in transcript["messages"]] == ["hello", "heard 1: hello"]
        assert all(set(line) >= MESSAGE for line in transcript["messages"])
        assert [line["channel"] for line in transcript["messages"]] == ["api", "api"]
        assert (await gateway.call("DELETE", f"{sessions}/{session_id}")).status == 200
        assert (await gateway.call("DELETE", f"{sessions}/{session_id}")).status == 404


async def test_the_socket_of_a_page_shares_its_session_with_http(servers: Servers) -> None:
    async with a_live_gateway(servers, "page", {"c.abl": CLERK}) as gateway:
        token = await gateway.page_token()
        async with gateway.socket(token) as socket:
            start = json.loads(await socket.recv())
            body = {"projectId": gateway.project_id, "message": "over http"}
            spoken = await gateway.call("POST", CHAT, body, {"x-api-key": "", "x-sdk-token": token})
            assert spoken.json()["sessionId"] == start["sessionId"]
            assert "traceEvents" not in spoken.json()
            async with asyncio.timeout(60):
                while (frame := json.loads(await socket.recv()))["type"] != "response_end":
                    pass
            assert frame["fullText"] == "heard 1: over http"
            assert frame["action"] == spoken.json()["action"]
        async with gateway.socket(token) as socket:
            again = json.loads(await socket.recv())
        assert (again["resumed"], again["sessionId"]) == (True, start["sessionId"])
        assert again["lastSeq"] >= frame["seq"]


async def test_metrics_health_and_readiness_tell_of_the_parts(servers: Servers) -> None:
    async with a_live_gateway(servers, "health", {"c.abl": CLERK}) as gateway:
        await chat(gateway)
        ready = (await gateway.call("GET", "/ready", headers={"x-api-key": ""})).json()
        assert {check["name"]: check["status"] for check in ready["checks"]} == {
            "store": "ok",
            "coordination": "ok",
            "cluster": "ok",
            "queue": "ok",
            "model": "degraded",  # none is set
            "analytics": "ok",
        }
        text = (await gateway.call("GET", "/metrics", headers={"x-api-key": ""})).body.decode()
        for name in (
            "abl_http_requests_total",
            "abl_http_request_seconds_bucket",
            "abl_sockets",
            "abl_rate_store_up 1.0",
        ):
            assert name in text


async def deployed(gateway: LiveGateway, environment: str, deployment_id: str, texts: dict[str, str]) -> None:
    """Make a deployment of other texts than the drafts."""
    program_id, ir = compile_texts(texts)
    database = gateway.running.database
    await Agents(database).keep_program(TENANT_ID, program_id, gateway.project_id, ir)
    wanted = NewDeployment(
        deployment_id=deployment_id,
        project_id=gateway.project_id,
        environment=environment,
        endpoint_slug=deployment_id,
        entry_agent_name="Clerk",
        program_id=program_id,
        agent_version_manifest={"Clerk": "7"},
    )
    await Deployments(database).create(TENANT_ID, wanted)


async def test_an_agent_is_named_by_its_id_and_shown_with_it(servers: Servers) -> None:
    async with a_live_gateway(servers, "ids", {"c.abl": CLERK, "t.abl": THINKER}) as gateway:
        sessions = f"/api/projects/{gateway.project_id}/sessions"
        agents = await Agents(gateway.running.database).list(TENANT_ID, gateway.project_id)
        clerk = next(one.agent_id for one in agents if one.name == "Clerk")
        for name in ("Clerk", clerk, "desk/clerk"):
            opened = (await gateway.call("POST", sessions, {"agentId": name})).json()["session"]
            assert (opened["agentId"], opened["agentName"]) == (clerk, "Clerk")
            detail = (await gateway.call("GET", f"{sessions}/{opened['id']}")).json()["session"]
            assert (detail["agentId"], detail["agentVersion"]) == (clerk, None)
        assert (await chat(gateway, agentId=clerk)).json()["agentName"] == "Clerk"
        assert outcome(await chat(gateway, agentId="ag_cnobody")) == (404, "Agent not found")
        assert outcome(await gateway.call("POST", sessions, {"agentId": "ag_cnobody"})) == (404, "Agent not found")


async def test_what_a_page_says_of_its_user_is_read_by_its_agent(servers: Servers) -> None:
    greeter = CLERK.replace("heard {{heard}}: {{input}}", "{{caller.displayName}} {{caller.tier}} {{caller.userId}}")
    async with a_live_gateway(servers, "user", {"c.abl": greeter}) as gateway:
        user = {"id": "u1", "displayName": "Ada", "attributes": {"tier": "gold", "userId": "root"}}
        headers = {"x-api-key": "", "x-public-key": gateway.public_key}
        answer = await gateway.call("POST", "/api/v1/sdk/init", {"user": user}, headers)
        page = {"x-api-key": "", "x-sdk-token": answer.json()["token"]}
        token = (await gateway.call("POST", "/api/v1/sdk/refresh", {}, page)).json()["token"]
        body = {"projectId": gateway.project_id, "message": "hello"}
        said = await gateway.call("POST", CHAT, body, {**page, "x-sdk-token": token})
        assert said.json()["response"] == "Ada gold u1"
        for wrong in ({"attributes": {"a": "x" * 5_000}}, {"displayName": "x" * 201}, {"attributes": {"__proto__": 1}}):
            refused = await gateway.call("POST", "/api/v1/sdk/init", {"user": wrong}, headers)
            assert refused.status == 400
            assert refused.json()["error"]["details"]["fields"][0]["path"].startswith("/user/")


async def test_a_new_session_runs_what_is_deployed_and_keeps_to_it(servers: Servers) -> None:
    async with a_live_gateway(servers, "deployed", {"c.abl": CLERK}) as gateway:
        for environment in ("dev", "staging", "production"):
            await deployed(gateway, environment, f"dep_c{environment}", {"c.abl": CLERK.replace("heard", environment)})
        assert (await chat(gateway)).json()["response"] == "production 1: hello"
        assert (await chat(gateway, environment="dev")).json()["response"] == "dev 1: hello"
        assert (await chat(gateway, environment="working-copy")).json()["response"] == "heard 1: hello"
        first = (await chat(gateway, deploymentId="dep_cstaging")).json()
        assert first["response"] == "staging 1: hello"
        sessions = f"/api/projects/{gateway.project_id}/sessions"
        detail = (await gateway.call("GET", f"{sessions}/{first['sessionId']}")).json()["session"]
        assert (detail["agentName"], detail["agentVersion"]) == ("Clerk", "7")
        await Deployments(gateway.running.database).retire(TENANT_ID, "dep_cstaging", draining=True)
        assert outcome(await chat(gateway, deploymentId="dep_cstaging")) == (410, "Deployment is retired")
        again = await chat(gateway, sessionId=first["sessionId"])
        assert again.json()["response"] == "staging 2: hello"
        refused = await chat(gateway, testContext={"skipOnStart": True})
        assert outcome(refused) == (400, "testContext is for development only")


async def test_a_gateway_that_ends_sends_its_sockets_elsewhere_and_their_turns_go_on(servers: Servers) -> None:
    async with a_live_gateway(servers, "ending", {"c.abl": CLERK}) as gateway:
        token = await gateway.page_token()
        async with gateway.socket(token) as socket:
            start = json.loads(await socket.recv())
            draining = asyncio.create_task(drain(gateway.app, 5.0))
            assert json.loads(await socket.recv())["type"] == "server_draining"
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1001
            await draining
        async with gateway.socket(token) as again:
            assert json.loads(await again.recv())["sessionId"] == start["sessionId"]


async def test_a_session_is_created_at_one_moment_whoever_tells_of_it(servers: Servers) -> None:
    async with a_live_gateway(servers, "created-at", {"c.abl": CLERK}) as gateway:
        sessions = f"/api/projects/{gateway.project_id}/sessions"
        made = [(await gateway.call("POST", sessions, {"agentId": "Clerk"})).json()["session"] for _ in range(20)]
        told = {one["id"]: one["createdAt"] for one in made}
        listed = (await gateway.call("GET", f"{sessions}?limit=200")).json()["sessions"]
        assert {one["id"]: one["createdAt"] for one in listed} == told
        for session_id, created_at in list(told.items())[:3]:
            assert (await chat(gateway, sessionId=session_id)).status == 200
            session = (await gateway.call("GET", f"{sessions}/{session_id}")).json()["session"]
            assert session["createdAt"] == created_at


async def test_a_reset_session_begins_again_and_keeps_what_was_said(servers: Servers) -> None:
    async with a_live_gateway(servers, "reset", {"c.abl": CLERK}) as gateway:
        session_id = (await chat(gateway)).json()["sessionId"]
        assert (await chat(gateway, sessionId=session_id)).json()["response"] == "heard 2: hello"
        session = f"/api/projects/{gateway.project_id}/sessions/{session_id}"
        reset = (await gateway.call("POST", f"{session}/reset")).json()["session"]
        assert set(reset) == {"id", "runtimeSessionId", "status", "resetAt"}
        assert (reset["id"], reset["status"]) == (session_id, "active")
        assert (await chat(gateway, sessionId=session_id)).json()["response"] == "heard 1: hello"
        traces = (await gateway.call("GET", f"{session}/traces?eventType=state_change&limit=200")).json()["traces"]
        assert "session.reset" in [trace["data"]["key"] for trace in traces]
        transcript = (await gateway.call("GET", f"/api/v1/sessions/{session_id}/transcripts")).json()
        assert len(transcript["messages"]) == 6
