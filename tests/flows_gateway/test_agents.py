"""Agents and their versions over real sockets. Spec: platform-api 6.2, 6.3."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.projects import TENANT_ID
from domain.limits import BODY_MAX_BYTES
from storage.repositories.versions import Versions
from tests.flows_gateway.test_auth import bearer, log_in, somebody
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio


def speaker(name: str, text: str) -> str:
    return (
        f'AGENT: {name}\nGOAL: "Speak"\nFLOW:\n  entry_point: a\n\n  a:\n    REASONING: false\n'
        f'    ON_INPUT:\n      - ELSE:\n        RESPOND: "{text}"\n        THEN: a\n'
    )


ECHO = speaker("Echo", "one")
BROKEN = "AGENT: Echo\nGOAL: x\nHANDOFF:\n  - TO: Nobody\n    WHEN: true\n"


@pytest.fixture
async def gateway(servers: Servers, request: pytest.FixtureRequest) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, request.node.name, {"e.abl": ECHO}) as found:
        yield found


async def agents(gateway: LiveGateway, method: str = "GET", path: str = "", body: Any = None) -> Answer:
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/agents{path}", body)


async def say(gateway: LiveGateway, **more: Any) -> str:
    body = {"projectId": gateway.project_id, "message": "hello", **more}
    answer = await gateway.call("POST", "/api/v1/chat/agent", body)
    assert answer.status == 200, answer.body
    return str(answer.json()["response"])


async def save(gateway: LiveGateway, name: str, dsl: str) -> None:
    answer = await agents(gateway, "PUT", f"/{name}/dsl", {"dslContent": dsl})
    assert answer.status == 200, answer.body


def reason(answer: Answer) -> tuple[int, str]:
    error = answer.json()["error"]
    return answer.status, (error.get("details") or {}).get("reason") or error["message"]


async def test_an_agent_is_made_seen_changed_and_removed(gateway: LiveGateway) -> None:
    made = (await agents(gateway, "POST", body={"name": "Clerk", "dslContent": speaker("Clerk", "hi")})).json()
    agent = made["agent"]
    assert (made["diagnostics"], agent["type"]) == ([], "agent")
    project = (await gateway.call("GET", f"/api/projects/{gateway.project_id}")).json()["project"]
    assert agent["agentPath"] == f"{project['slug']}/Clerk"
    assert (agent["versionCount"], agent["activeVersions"], agent["description"]) == (0, {}, None)
    assert agent["sourceHash"].startswith("sha256:")
    assert (await agents(gateway, path="/Clerk")).json()["agent"] == agent
    listed = (await agents(gateway)).json()["agents"]
    assert [one["name"] for one in listed] == ["Echo", "Clerk"]
    assert "dslContent" not in listed[0]
    change = {"name": "Teller", "domain": "bank", "description": "Counts"}
    changed = (await agents(gateway, "PATCH", "/Clerk", change)).json()["agent"]
    assert (changed["agentPath"], changed["description"], changed["id"]) == ("bank/Teller", "Counts", agent["id"])
    assert (await agents(gateway, "DELETE", "/Teller")).json() == {"success": True, "deleted": True}
    for method, path, body in (
        ("GET", "/Teller", None),
        ("PATCH", "/Teller", {}),
        ("PUT", "/Teller/dsl", {"dslContent": "AGENT: Teller"}),
        ("DELETE", "/Teller", None),
        ("POST", "/Teller/validate", {}),
        ("GET", "/Teller/versions", None),
        ("POST", "/Teller/versions", {}),
    ):
        assert reason(await agents(gateway, method, path, body)) == (404, "Agent not found")


async def test_the_entry_agent_stays_it_under_another_name_and_none_is_left_without_it(gateway: LiveGateway) -> None:
    place = f"/api/projects/{gateway.project_id}"
    await agents(gateway, "POST", body={"name": "Clerk", "dslContent": speaker("Clerk", "clerk")})
    await gateway.call("PATCH", place, {"entryAgentName": "Clerk"})
    assert await say(gateway) == "clerk"
    await agents(gateway, "PATCH", "/Clerk", {"name": "Teller"})
    await save(gateway, "Teller", speaker("Teller", "teller"))
    assert (await gateway.call("GET", place)).json()["project"]["entryAgentName"] == "Teller"
    assert await say(gateway) == "teller"
    await agents(gateway, "PATCH", "/Echo", {"name": "Echoes"})
    assert (await gateway.call("GET", place)).json()["project"]["entryAgentName"] == "Teller"
    await agents(gateway, "DELETE", "/Teller")
    assert (await gateway.call("GET", place)).json()["project"]["entryAgentName"] is None


async def test_names_are_taken_once_and_have_a_form(gateway: LiveGateway) -> None:
    assert reason(await agents(gateway, "POST", body={"name": "Echo"})) == (409, "DUPLICATE_NAME")
    await agents(gateway, "POST", body={"name": "Clerk"})
    assert reason(await agents(gateway, "PATCH", "/Clerk", {"name": "Echo"})) == (409, "DUPLICATE_NAME")
    for name in ("", "1st", "a b", "x" * 129, "a/b"):
        assert (await agents(gateway, "POST", body={"name": name})).status == 400


async def test_a_draft_is_saved_as_it_is_and_used_by_the_next_session(gateway: LiveGateway) -> None:
    assert await say(gateway) == "one"
    await save(gateway, "Echo", speaker("Echo", "two"))
    assert await say(gateway) == "two"
    await save(gateway, "Echo", BROKEN)
    assert (await agents(gateway, path="/Echo")).json()["agent"]["dslContent"] == BROKEN
    for text in ("", "  \n"):
        refused = await agents(gateway, "PUT", "/Echo/dsl", {"dslContent": text})
        assert refused.json()["error"]["details"]["fields"][0]["path"] == "/dslContent"
    assert (await agents(gateway, "PUT", "/Echo/dsl", {})).status == 400
    too_large = await agents(gateway, "PUT", "/Echo/dsl", {"dslContent": "x" * BODY_MAX_BYTES})
    assert too_large.status == 413


async def test_a_working_copy_that_does_not_compile_says_what_is_wrong(gateway: LiveGateway) -> None:
    await save(gateway, "Echo", "AGENT: Echo\nFLOW:\n  entry_point: nowhere\n  a:\n    THEN: b\n\tx: (\n")
    body = {"projectId": gateway.project_id, "message": "hello"}
    answer = await gateway.call("POST", "/api/v1/chat/agent", body)
    assert (answer.status, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
    assert answer.json()["error"]["details"]["diagnostics"][0]["severity"] == "error"


async def test_a_text_is_checked_without_being_saved(gateway: LiveGateway) -> None:
    assert (await agents(gateway, "POST", "/Echo/validate", {})).json() == {
        "success": True, "valid": True, "diagnostics": [],
    }  # fmt: skip
    assert (await agents(gateway, "POST", "/Echo/validate", None)).json()["valid"] is True
    found = (await agents(gateway, "POST", "/Echo/validate", {"dslContent": BROKEN})).json()
    assert found["valid"] is False
    assert ("INVALID_HANDOFF_TARGET", "error", 4) in [
        (one["code"], one["severity"], one["line"]) for one in found["diagnostics"]
    ]
    other = (await agents(gateway, "POST", "/Echo/validate", {"dslContent": speaker("Other", "x")})).json()
    assert [one["code"] for one in other["diagnostics"]] == ["NAME_MISMATCH"]
    assert (await agents(gateway, path="/Echo")).json()["agent"]["dslContent"] == ECHO


async def test_other_drafts_of_the_project_are_known_to_a_check(gateway: LiveGateway) -> None:
    await agents(gateway, "POST", body={"name": "Nobody"})
    assert (await agents(gateway, "POST", "/Echo/validate", {"dslContent": BROKEN})).json()["valid"] is True


async def test_a_version_is_frozen_and_never_changes(gateway: LiveGateway) -> None:
    hash_of_draft = (await agents(gateway, path="/Echo")).json()["agent"]["sourceHash"]
    wanted = {"label": "first", "changelog": "It speaks", "expectedDraftSourceHash": hash_of_draft}
    first = (await agents(gateway, "POST", "/Echo/versions", wanted)).json()["version"]
    assert (first["version"], first["label"], first["sourceHash"]) == ("1", "first", hash_of_draft)
    assert (first["changelog"], first["dslContent"]) == ("It speaks", ECHO)
    await save(gateway, "Echo", speaker("Echo", "two"))
    stale = await agents(gateway, "POST", "/Echo/versions", {"expectedDraftSourceHash": hash_of_draft})
    assert reason(stale) == (409, "DRAFT_CHANGED")
    named = (await agents(gateway, "POST", "/Echo/versions", {"version": "v1.0-rc"})).json()["version"]
    assert named["version"] == "v1.0-rc"
    assert reason(await agents(gateway, "POST", "/Echo/versions", {"version": "1"})) == (409, "DUPLICATE_VERSION")
    assert (await agents(gateway, "POST", "/Echo/versions", None)).json()["version"]["version"] == "2"
    listed = (await agents(gateway, path="/Echo/versions")).json()["versions"]
    assert [one["version"] for one in listed] == ["2", "v1.0-rc", "1"]
    assert "dslContent" not in listed[0]
    assert (await agents(gateway, path="/Echo/versions/1")).json()["version"] == first
    assert (await agents(gateway, path="/Echo")).json()["agent"]["versionCount"] == 3
    diff = (await agents(gateway, path="/Echo/versions/1/diff/2")).json()["diff"]
    assert diff.startswith("--- Echo@1\n+++ Echo@2\n")
    assert '-        RESPOND: "one"\n' in diff
    assert '+        RESPOND: "two"\n' in diff
    assert (await agents(gateway, path="/Echo/versions/2/diff/v1.0-rc")).json()["diff"] == ""
    for path in ("/Echo/versions/9", "/Echo/versions/1/diff/9"):
        assert reason(await agents(gateway, path=path)) == (404, "Version not found")
    for version in ("", "a b", "x" * 65, "auto"):
        assert (await agents(gateway, "POST", "/Echo/versions", {"version": version})).status == 400
    agent_id = (await agents(gateway, path="/Echo")).json()["agent"]["id"]
    ir = await Versions(gateway.running.database).ir(TENANT_ID, agent_id, "1")
    assert ir is not None
    assert b'"Echo"' in ir


async def test_a_draft_that_does_not_compile_is_not_frozen(gateway: LiveGateway) -> None:
    await save(gateway, "Echo", BROKEN)
    refused = await agents(gateway, "POST", "/Echo/versions", {})
    assert refused.status == 400
    assert "INVALID_HANDOFF_TARGET" in [one["code"] for one in refused.json()["error"]["details"]["diagnostics"]]
    await agents(gateway, "POST", body={"name": "Empty"})
    assert reason(await agents(gateway, "POST", "/Empty/versions", {})) == (400, "The agent has no text yet")
    assert (await agents(gateway, path="/Echo/versions")).json()["versions"] == []


async def test_an_agent_of_the_tenant_is_that_of_the_oldest_project_and_may_be_kept(gateway: LiveGateway) -> None:
    answer = await gateway.call("POST", "/api/projects", {"name": "Newer"})
    newer = answer.json()["project"]["id"]
    body = {"name": "Only_Here", "dslContent": "AGENT: Only_Here\nGOAL: x\n"}
    await gateway.call("POST", f"/api/projects/{newer}/agents", {"name": "Echo"})
    await gateway.call("POST", f"/api/projects/{newer}/agents", body)
    found = await gateway.call("GET", "/api/agents/Only_Here")
    assert found.json()["agent"]["dslContent"] == body["dslContent"]
    assert found.headers["cache-control"] == "private, max-age=300"
    listed = (await gateway.call("GET", "/api/agents?limit=200")).json()
    assert set(listed) == {"success", "total", "agents"}
    assert min(listed["total"], 200) == len(listed["agents"])  # others may have made more
    assert {"id", "name"} == set(listed["agents"][0])
    other = await gateway.call("GET", f"/api/agents/Echo?projectId={newer}")
    assert other.json()["agent"]["projectId"] == newer
    assert reason(await gateway.call("GET", "/api/agents/Unheard_Of")) == (404, "Agent not found")
    missing = await gateway.call("GET", "/api/agents/Echo?projectId=c" + "0" * 24)
    assert reason(missing) == (404, "Project not found")
    assert "cache-control" not in (await agents(gateway, path="/Echo")).headers
    member = bearer((await log_in(gateway, await somebody(gateway, "member"))).json()["accessToken"])
    assert (await gateway.call("GET", "/api/agents", headers=member)).json()["agents"] == []
    assert (await gateway.call("GET", "/api/agents/Only_Here", headers=member)).status == 404


SEARCHER = """AGENT: Searcher
GOAL: Help
TOOLS:
  find_help(question: string) -> object
    description: "Searches the help pages"
    type: searchai
    index_id: "help"
FLOW:
  ask:
    REASONING: false
    GATHER:
      - question: required
        PROMPT: "What?"
    CALL: find_help(question)
      AS: found
    RESPOND: "{{found.text}}"
    THEN: COMPLETE
"""


async def test_a_draft_with_a_tool_that_cannot_run_is_saved_told_and_never_silent(servers: Servers) -> None:
    async with a_live_gateway(servers, "searcher", {"searcher.agent.abl": SEARCHER}) as gateway:
        saved = await agents(gateway, "PUT", "/Searcher/dsl", {"dslContent": SEARCHER.replace("What?", "What now?")})
        assert saved.status == 200
        checked = (await agents(gateway, "POST", "/Searcher/validate", {})).json()
        assert "TOOL_CANNOT_RUN" in [one["code"] for one in checked["diagnostics"]]
        assert await say(gateway, agentId="Searcher") == "What now?"
        body = {"projectId": gateway.project_id, "agentId": "Searcher", "message": "hi"}
        mocked = {"toolMocks": [{"toolName": "find_help", "response": {"text": "Press the button."}}]}
        for context, told in (({}, "The system I need reports a problem."), (mocked, "Press the button.")):
            begun = await gateway.call("POST", "/api/v1/chat/agent", {**body, "testContext": context})
            more = {**body, "message": "how do I start it", "sessionId": begun.json()["sessionId"]}
            answer = await gateway.call("POST", "/api/v1/chat/agent", more)
            assert told in answer.json()["response"]
        version = await agents(gateway, "POST", "/Searcher/versions", {})
        assert (version.status, "cannot run here" in version.body.decode()) == (400, True)
