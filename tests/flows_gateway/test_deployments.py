"""Deployments over real sockets: the table of platform-api 3.2 as callers meet it. Spec: platform-api 3.2, 4.1, 6.4."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.projects import TENANT_ID
from gateway.idempotency import REPLAYED
from storage.repositories.api_keys import ApiKeys
from storage.repositories.sessions import Sessions
from storage.statements import Statement
from tests.flows_gateway.test_agents import BROKEN, speaker
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers, until

pytestmark = pytest.mark.anyio
ACTIONS = Statement("""
    SELECT action FROM audit_log
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND action LIKE 'deployment.%' ORDER BY number
""")
EVENTS = Statement("""
    SELECT event_type FROM analytics_inbox
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND category = 'deployment'
    UNION ALL
    SELECT event_type FROM analytics_told
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND category = 'deployment'
""")  # noted, and counted a moment later
TIME_IS_UP = Statement("""
    UPDATE deployments SET drain_until = clock_timestamp()
    WHERE tenant_id = :tenant_id AND deployment_id = :deployment_id
""")


@pytest.fixture
async def gateway(servers: Servers, request: pytest.FixtureRequest) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, request.node.name, {"e.abl": speaker("Echo", "one")}) as found:
        yield found


async def ask(gateway: LiveGateway, method: str = "GET", path: str = "", body: Any = None) -> Answer:
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/deployments{path}", body)


async def deploy(gateway: LiveGateway, environment: str = "production", text: str = "", **more: Any) -> dict[str, Any]:
    """Save a draft that says `text`, and deploy it."""
    if text:
        body = {"dslContent": speaker("Echo", text)}
        await gateway.call("PUT", f"/api/projects/{gateway.project_id}/agents/Echo/dsl", body)
    wanted = {"environment": environment, "agentVersionManifest": {"Echo": "auto"}, "entryAgentName": "Echo", **more}
    answer = await ask(gateway, "POST", body=wanted)
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json()["deployment"]
    return made


async def chat(gateway: LiveGateway, **more: Any) -> Answer:
    body = {"projectId": gateway.project_id, "message": "hello", **more}
    return await gateway.call("POST", "/api/v1/chat/agent", body)


async def said(gateway: LiveGateway, **more: Any) -> str:
    answer = await chat(gateway, **more)
    assert answer.status == 200, answer.body
    return str(answer.json()["response"])


async def stands(gateway: LiveGateway, deployment_id: str) -> tuple[str, bool, int]:
    one = (await ask(gateway, path=f"/{deployment_id}")).json()["deployment"]
    return one["status"], one["draining"], one["activeSessionCount"]


async def status_of(gateway: LiveGateway, session_id: str) -> tuple[str, str]:
    answer = await gateway.call("GET", f"/api/projects/{gateway.project_id}/sessions/{session_id}")
    session = answer.json()["session"]
    return session["status"], session["endReason"]


def refusal(answer: Answer) -> tuple[int, str]:
    error = answer.json()["error"]
    return answer.status, (error.get("details") or {}).get("reason") or error["message"]


async def test_a_deployment_freezes_drafts_and_says_so(gateway: LiveGateway) -> None:
    made = await deploy(gateway, label="first", description="The first one", modelOverrides={"Echo": {"maxTokens": 9}})
    assert made["agentVersionManifest"] == {"Echo": "1"}
    assert (made["status"], made["draining"], made["activeSessionCount"]) == ("active", False, 0)
    assert made["modelOverrides"] == {"Echo": {"model": None, "temperature": None, "maxTokens": 9}}
    assert (made["label"], made["retiredAt"], made["promotedFrom"]) == ("first", None, None)
    slug = (await gateway.call("GET", f"/api/projects/{gateway.project_id}")).json()["project"]["slug"]
    assert re.fullmatch(re.escape(slug) + r"-production-[a-z0-9]{4}-[0-9a-f]{6}", made["endpointSlug"])
    seen = (await ask(gateway, path=f"/{made['endpointSlug']}")).json()["deployment"]
    assert seen == {**made, "channelCount": 0}, "only what is looked at by itself counts its channels"
    listed = (await ask(gateway)).json()["deployments"]
    assert [set(one) for one in listed] == [
        {"id", "projectId", "environment", "status", "label", "endpointSlug", "createdAt"}
    ]
    agent = (await gateway.call("GET", f"/api/projects/{gateway.project_id}/agents/Echo")).json()["agent"]
    assert (agent["activeVersions"], agent["versionCount"]) == ({"production": "1"}, 1)
    pinned = await deploy(gateway, "dev", settingsVersionId=made["settingsVersionId"])
    assert pinned["settingsVersionId"] == made["settingsVersionId"]
    by_version = {"Echo": {"version": "1"}}
    again = await deploy(gateway, "staging", agentVersionManifest=by_version, workflowVersionManifest={"pay": "3"})
    assert (again["agentVersionManifest"], again["workflowVersionManifest"]) == ({"Echo": "1"}, {"pay": "3"})
    for query, count in (("?environment=dev", 1), ("?status=active", 3), ("?status=retired", 0)):
        assert len((await ask(gateway, path=query)).json()["deployments"]) == count


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"environment": "moon"}, 400, "Invalid request"),
        ({"agentVersionManifest": {}}, 400, "Invalid request"),
        ({"entryAgentName": "Other"}, 400, "Invalid request"),
        ({"modelOverrides": {"Other": {}}}, 400, "Invalid request"),
        ({"modelOverrides": {"Echo": {"temperature": 3}}}, 400, "Invalid request"),
        ({"label": "x" * 201}, 400, "Invalid request"),
        ({"description": "x" * 2_001}, 400, "Invalid request"),
        ({"agentVersionManifest": {"Echo": "9"}}, 404, "Version not found"),
        ({"agentVersionManifest": {"Nobody": "auto"}, "entryAgentName": "Nobody"}, 404, "Agent not found"),
        ({"settingsVersionId": "setv_unknown"}, 404, "Settings version not found"),
    ],
)
async def test_what_is_no_deployment_is_refused(gateway: LiveGateway, change: Any, status: int, said: str) -> None:
    wanted = {"environment": "dev", "agentVersionManifest": {"Echo": "auto"}, "entryAgentName": "Echo", **change}
    assert refusal(await ask(gateway, "POST", body=wanted)) == (status, said)
    assert (await ask(gateway)).json()["deployments"] == []
    versions = await gateway.call("GET", f"/api/projects/{gateway.project_id}/agents/Echo/versions")
    assert versions.json()["versions"] == []


async def test_agents_have_to_fit_together(gateway: LiveGateway) -> None:
    agents = f"/api/projects/{gateway.project_id}/agents"
    await gateway.call("POST", agents, {"name": "Nobody", "dslContent": speaker("Nobody", "x")})
    await gateway.call("PUT", f"{agents}/Echo/dsl", {"dslContent": BROKEN})
    wanted = {"environment": "dev", "agentVersionManifest": {"Echo": "auto"}, "entryAgentName": "Echo"}
    refused = await ask(gateway, "POST", body=wanted)
    assert refused.status == 400
    codes = [one["code"] for one in refused.json()["error"]["details"]["diagnostics"]]
    assert "INVALID_HANDOFF_TARGET" in codes
    assert "HANDOFF goes to Nobody, which is missing from agentVersionManifest." in refused.json()["error"]["message"]
    await gateway.call("PUT", f"{agents}/Echo/dsl", {"dslContent": BROKEN.replace("Nobody", "Somebody")})
    unknown = (await ask(gateway, "POST", body=wanted)).json()["error"]["message"]
    assert "HANDOFF goes to Somebody, which is no agent of this project." in unknown
    await gateway.call("PUT", f"{agents}/Echo/dsl", {"dslContent": BROKEN})
    both = {"Echo": "auto", "Nobody": "auto"}
    assert (await ask(gateway, "POST", body={**wanted, "agentVersionManifest": both})).status == 201


async def test_chat_reaches_an_environment_a_deployment_or_a_slug(gateway: LiveGateway) -> None:
    first = await deploy(gateway, "staging", "staged")
    second = await deploy(gateway, "dev", "tried")
    await deploy(gateway, "production", "real")
    assert await said(gateway) == "real"
    assert await said(gateway, environment="staging") == "staged"
    assert await said(gateway, deploymentId=second["id"]) == "tried"
    assert await said(gateway, deploymentId=first["endpointSlug"]) == "staged"
    assert await said(gateway, environment="working-copy") == "real"
    assert refusal(await chat(gateway, deploymentId="dep_unknown")) == (404, "Deployment not found")


async def test_the_next_deployment_lets_the_one_before_drain(gateway: LiveGateway) -> None:
    first = await deploy(gateway, text="one")
    session = (await chat(gateway)).json()["sessionId"]
    second = await deploy(gateway, text="two")
    assert await stands(gateway, first["id"]) == ("retired", True, 1)
    assert await said(gateway) == "two"
    assert await said(gateway, sessionId=session) == "one"
    assert refusal(await chat(gateway, deploymentId=first["id"])) == (410, "Deployment is retired")
    assert (await stands(gateway, second["id"]))[0] == "active"
    await gateway.call("POST", f"/api/projects/{gateway.project_id}/sessions/{session}/reset")
    assert await said(gateway, sessionId=session) == "one"


async def test_a_drain_is_over_when_its_last_session_is(gateway: LiveGateway) -> None:
    first = await deploy(gateway, text="one")
    session = (await chat(gateway)).json()["sessionId"]
    retired = (await ask(gateway, "POST", f"/{first['id']}/retire")).json()["deployment"]
    assert (retired["status"], retired["draining"], retired["activeSessionCount"]) == ("retired", True, 1)
    assert retired["retiredAt"]
    assert refusal(await ask(gateway, "POST", f"/{first['id']}/retire", {})) == (409, "ALREADY_RETIRED")
    await gateway.call("DELETE", f"/api/projects/{gateway.project_id}/sessions/{session}")
    assert await stands(gateway, first["id"]) == ("retired", False, 0)
    assert refusal(await chat(gateway, environment="production")) == (404, "No active deployment for environment")


async def test_sessions_left_over_at_the_end_of_a_drain_are_ended(gateway: LiveGateway) -> None:
    first = await deploy(gateway, text="one")
    sessions = [(await chat(gateway)).json()["sessionId"] for _ in range(3)]
    await ask(gateway, "POST", f"/{first['id']}/retire")
    assert await status_of(gateway, sessions[0]) == ("active", None)
    database = gateway.running.database
    await database.execute(TIME_IS_UP, tenant_id=TENANT_ID, deployment_id=first["id"])

    async def over() -> bool:
        return await stands(gateway, first["id"]) == ("retired", False, 0)

    await until(over, within_s=20)
    for session in sessions:
        assert await status_of(gateway, session) == ("ended", "deployment_retired")
    assert refusal(await chat(gateway, sessionId=sessions[0])) == (409, "SESSION_ENDED")


async def test_force_ends_the_sessions_at_once_also_of_a_drain(gateway: LiveGateway) -> None:
    first = await deploy(gateway, text="one")
    sessions = [(await chat(gateway)).json()["sessionId"] for _ in range(3)]
    await ask(gateway, "POST", f"/{first['id']}/retire")
    forced = (await ask(gateway, "POST", f"/{first['id']}/retire", {"force": True})).json()["deployment"]
    assert (forced["status"], forced["draining"], forced["activeSessionCount"]) == ("retired", False, 0)
    assert await status_of(gateway, sessions[2]) == ("ended", "deployment_retired")
    refused = await ask(gateway, "POST", f"/{first['id']}/retire", {"force": True})
    assert refusal(refused) == (409, "ALREADY_RETIRED")
    second = await deploy(gateway, text="two")
    session = (await chat(gateway)).json()["sessionId"]
    forced = (await ask(gateway, "POST", f"/{second['id']}/retire", {"force": True})).json()["deployment"]
    assert (forced["draining"], await status_of(gateway, session)) == (False, ("ended", "deployment_retired"))


async def test_an_ended_session_of_a_retired_deployment_is_not_revived(gateway: LiveGateway) -> None:
    made = await deploy(gateway)
    ended, kept = [(await chat(gateway)).json()["sessionId"] for _ in range(2)]
    sessions = f"/api/projects/{gateway.project_id}/sessions"
    assert (await gateway.call("POST", f"/api/v1/sessions/{ended}/end", {})).status == 200
    revived = await gateway.call("POST", f"{sessions}/{ended}/reset")
    assert (revived.status, revived.json()["session"]["status"]) == (200, "active")
    assert (await gateway.call("POST", f"/api/v1/sessions/{ended}/end", {})).status == 200
    await ask(gateway, "POST", f"/{made['id']}/retire")
    refused = await gateway.call("POST", f"{sessions}/{ended}/reset")
    assert (*refusal(refused), refused.json()["error"]["code"]) == (410, "Deployment is retired", "GONE")
    assert await status_of(gateway, ended) == ("ended", "api")
    assert (await gateway.call("POST", f"{sessions}/{kept}/reset")).status == 200, "it goes on while it drains"
    assert (await chat(gateway, sessionId=kept)).status == 200


async def test_rolling_back_goes_both_ways(gateway: LiveGateway) -> None:
    first = await deploy(gateway, text="one")
    refused = await ask(gateway, "POST", f"/{first['id']}/rollback")
    assert refusal(refused) == (409, "NO_PREVIOUS_DEPLOYMENT")
    second = await deploy(gateway, text="two")
    back = (await ask(gateway, "POST", f"/{first['id']}/rollback", {})).json()
    assert (back["deployment"]["id"], back["deployment"]["status"]) == (first["id"], "active")
    assert back["deployment"]["retiredAt"] is None
    assert set(back["previousDeployment"]) == {"id", "status", "retiredAt"}
    assert (back["previousDeployment"]["id"], back["previousDeployment"]["status"]) == (second["id"], "retired")
    assert await said(gateway) == "one"
    forth = (await ask(gateway, "POST", f"/{first['id']}/rollback")).json()
    assert (forth["deployment"]["id"], forth["previousDeployment"]["id"]) == (second["id"], first["id"])
    assert await said(gateway) == "two"
    await ask(gateway, "POST", f"/{second['id']}/retire")
    alone = (await ask(gateway, "POST", f"/{second['id']}/rollback")).json()
    assert (alone["deployment"]["id"], alone["previousDeployment"]) == (second["id"], None)


async def test_promoting_makes_the_same_active_elsewhere(gateway: LiveGateway) -> None:
    tested = await deploy(gateway, "staging", "tested", modelOverrides={"Echo": {"maxTokens": 9}}, label="v1")
    await deploy(gateway, "dev", "newer")
    answer = await ask(gateway, "POST", f"/{tested['id']}/promote", {"targetEnvironment": "production"})
    made = answer.json()["deployment"]
    assert (answer.status, answer.json()["sourceDeploymentId"]) == (201, tested["id"])
    assert (made["promotedFrom"], made["environment"], made["label"]) == (tested["id"], "production", "v1")
    same = ("agentVersionManifest", "modelOverrides", "settingsVersionId", "entryAgentName")
    assert [made[name] for name in same] == [tested[name] for name in same]
    assert await said(gateway) == "tested"
    assert (await stands(gateway, tested["id"]))[0] == "active"
    refused = await ask(gateway, "POST", f"/{tested['id']}/promote", {"targetEnvironment": "staging"})
    assert refusal(refused) == (400, "A deployment is not promoted to its own environment")
    assert (await ask(gateway, "POST", f"/{tested['id']}/promote", {})).status == 400
    changed = {"targetEnvironment": "dev", "label": "v2", "modelOverrides": {}}
    other = (await ask(gateway, "POST", f"/{tested['id']}/promote", changed)).json()["deployment"]
    assert (other["label"], other["modelOverrides"]) == ("v2", {})
    bad = {"targetEnvironment": "dev", "modelOverrides": {"Nobody": {"maxTokens": 5}}}
    assert (await ask(gateway, "POST", f"/{tested['id']}/promote", bad)).status == 400


async def test_what_happens_to_deployments_is_audited_and_counted(gateway: LiveGateway) -> None:
    first = await deploy(gateway, text="one")
    await deploy(gateway, text="two")
    await ask(gateway, "POST", f"/{first['id']}/rollback")
    await ask(gateway, "POST", f"/{first['id']}/promote", {"targetEnvironment": "dev"})
    await ask(gateway, "POST", f"/{first['id']}/retire", {"force": True})
    database = gateway.running.database
    rows = await database.rows(ACTIONS, tenant_id=TENANT_ID, project_id=gateway.project_id)
    assert [row["action"] for row in rows] == [
        f"deployment.{verb}" for verb in ("create", "create", "rollback", "promote", "retire")
    ]
    rows = await database.rows(EVENTS, tenant_id=TENANT_ID, project_id=gateway.project_id)
    assert Counter(row["event_type"] for row in rows) == {
        "deployment_created": 3,
        "deployment_retired": 3,
        "deployment_rolled_back": 1,
        "deployment_promoted": 1,
    }


async def test_an_agent_in_use_stays(gateway: LiveGateway) -> None:
    made = await deploy(gateway)
    agent = f"/api/projects/{gateway.project_id}/agents/Echo"
    assert refusal(await gateway.call("DELETE", agent)) == (409, "AGENT_IN_USE")
    assert refusal(await gateway.call("PATCH", agent, {"name": "Other"})) == (409, "AGENT_IN_USE")
    assert (await gateway.call("PATCH", agent, {"name": "Echo", "description": "Speaks"})).status == 200
    await ask(gateway, "POST", f"/{made['id']}/retire")
    retired = await gateway.call("PATCH", agent, {"name": "Other"})
    assert refusal(retired) == (409, "AGENT_IN_USE"), "it could be rolled back to, and knows the agent by this name"
    assert retired.json()["error"]["details"]["deployments"] == [made["id"]]
    assert (await gateway.call("DELETE", agent)).status == 200


async def test_unknown_deployments_and_those_of_other_projects_are_not_found(gateway: LiveGateway) -> None:
    made = await deploy(gateway)
    other = (await gateway.call("POST", "/api/projects", {"name": f"Other of {gateway.project_id}"})).json()["project"]
    for place in (f"/api/projects/{gateway.project_id}/deployments/dep_unknown",
                  f"/api/projects/{other['id']}/deployments/{made['id']}"):  # fmt: skip
        for method, path, body in (
            ("GET", "", None),
            ("POST", "/retire", {}),
            ("POST", "/rollback", {}),
            ("POST", "/promote", {"targetEnvironment": "dev"}),
            ("POST", "/promote?dryRun=true", {"targetEnvironment": "dev"}),
        ):
            assert refusal(await gateway.call(method, place + path, body)) == (404, "Deployment not found")
    elsewhere = {"projectId": other["id"], "message": "hello", "deploymentId": made["id"]}
    assert (await gateway.call("POST", "/api/v1/chat/agent", elsewhere)).status == 404


async def test_a_session_lives_by_the_times_of_its_project(gateway: LiveGateway) -> None:
    place = f"/api/projects/{gateway.project_id}"
    times = {"sessionIdleTimeoutSec": 600, "turnTimeoutSec": 30, "callbackTtlSec": 120}
    await gateway.call("PATCH", place, {"settings": times})
    made = await deploy(gateway)
    await gateway.call("PATCH", place, {"settings": {"sessionIdleTimeoutSec": 900}})

    async def pinned(**more: Any) -> tuple[float, float, float]:
        session_id = (await chat(gateway, **more)).json()["sessionId"]
        pin = (await Sessions(gateway.running.database).get(TENANT_ID, session_id)).pin
        return pin["idle_s"], pin["turn_s"], pin["callback_s"]

    assert await pinned() == (600, 30, 120)
    assert await pinned(environment="working-copy") == (900, 30, 120)
    again = await deploy(gateway, "dev", settingsVersionId=made["settingsVersionId"])
    assert await pinned(deploymentId=again["id"]) == (600, 30, 120)


async def test_what_is_made_under_a_key_is_made_once(gateway: LiveGateway) -> None:
    deployed = {"environment": "dev", "agentVersionManifest": {"Echo": "auto"}, "entryAgentName": "Echo"}
    place = f"/api/projects/{gateway.project_id}"
    key = (await ApiKeys(gateway.running.database).list(TENANT_ID, gateway.project_id))[0].key_id
    channel = {"name": "Shop", "channelType": "web", "publicApiKeyId": key}
    for path, body, other in (
        ("/api/projects", {"name": f"Once {gateway.project_id}"}, {"name": "Another"}),
        (f"{place}/agents", {"name": "Once"}, {"name": "Another"}),
        (f"{place}/agents/Echo/versions", {"label": "once"}, {"label": "another"}),
        (f"{place}/agents/Echo/validate", {}, {"dslContent": "AGENT: Echo"}),
        (f"{place}/deployments", deployed, {**deployed, "label": "another"}),
        (f"{place}/sdk-channels", channel, {**channel, "name": "Another"}),
    ):
        headers = {"idempotency-key": f"once-{gateway.project_id}-{path}"}
        first = await gateway.call("POST", path, body, headers)
        again = await gateway.call("POST", path, body, headers)
        assert first.status in (200, 201)
        assert (again.status, again.body) == (first.status, first.body)
        assert again.headers[REPLAYED.lower()] == "true"
        assert refusal(await gateway.call("POST", path, other, headers))[0] == 409
    assert len((await ask(gateway)).json()["deployments"]) == 1
    made = (await ask(gateway)).json()["deployments"][0]["id"]
    headers = {"idempotency-key": f"retire-{made}"}
    answers = [await gateway.call("POST", f"{place}/deployments/{made}/retire", {}, headers) for _ in range(2)]
    assert [answer.status for answer in answers] == [200, 200]


async def test_ids_of_another_project_in_a_body_are_not_found(gateway: LiveGateway) -> None:
    made = await deploy(gateway)
    key = (await ApiKeys(gateway.running.database).list(TENANT_ID, gateway.project_id))[0].key_id
    other = (await gateway.call("POST", "/api/projects", {"name": f"Foreign to {gateway.project_id}"})).json()[
        "project"
    ]
    place = f"/api/projects/{other['id']}"
    await gateway.call("POST", f"{place}/agents", {"name": "Echo", "dslContent": speaker("Echo", "other")})
    wanted = {"environment": "dev", "agentVersionManifest": {"Echo": "auto"}, "entryAgentName": "Echo"}
    pinned = {**wanted, "settingsVersionId": made["settingsVersionId"]}
    assert refusal(await gateway.call("POST", f"{place}/deployments", pinned)) == (404, "Settings version not found")
    channel = {"name": "Shop", "channelType": "web", "publicApiKeyId": key}
    assert refusal(await gateway.call("POST", f"{place}/sdk-channels", channel)) == (404, "Public key not found")
    versioned = {**wanted, "agentVersionManifest": {"Echo": "1"}}
    assert refusal(await gateway.call("POST", f"{place}/deployments", versioned)) == (404, "Version not found")
