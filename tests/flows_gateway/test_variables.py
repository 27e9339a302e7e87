"""Variables over real sockets, from the route to the agent and the wire behind its tools. Spec: platform-api 6.5."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.compiling import UnreadableProject
from actors.folder_variables import SET_OTHERWISE
from actors.projects import TENANT_ID, put_project
from storage.journal import Journal
from tests.flows_gateway.test_agents import speaker
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.strangers import a_key
from tests.support.stub_endpoint import Answer as Reply
from tests.support.stub_endpoint import Asked, StubEndpoint

pytestmark = pytest.mark.anyio
LOOPBACK = ("127.0.0.1/32",)
CANARY = "canary-of-a-variable-1f3d"
ECHO = speaker("Echo", "env {{env.REGION}}, secret [{{env.TOKEN}}]")
SHOP = speaker("Echo", "env {{env.REGION}}, config {{config.SHOP_NAME}}")
CALLER = """\
AGENT: Caller
GOAL: "Call"

TOOLS:
  send(what: string) -> {echo: string}
    description: "Sends"
    type: http
    endpoint: "{{env.API_URL}}/send"
    method: POST
    headers:
      X-Token: "{{env.TOKEN}}"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: send
  send:
    REASONING: false
    CALL: send("tea")
      AS: sent
    ON_SUCCESS:
      RESPOND: "sent {{sent.echo}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "not sent"
      THEN: listen
"""


@pytest.fixture
async def gateway(servers: Servers, request: pytest.FixtureRequest) -> AsyncIterator[LiveGateway]:
    files = {"e.abl": ECHO, "c.abl": CALLER}
    async with a_live_gateway(servers, request.node.name, files, allowed_networks=LOOPBACK) as found:
        yield found


async def ask(gateway: LiveGateway, method: str = "GET", path: str = "", body: Any = None) -> Answer:
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/variables{path}", body)


async def put(gateway: LiveGateway, key: str, value: str, **more: Any) -> dict[str, Any]:
    answer = await ask(gateway, "PUT", body={"kind": "env", "key": key, "value": value, **more})
    assert answer.status == 200, answer.body
    variable: dict[str, Any] = answer.json()["variable"]
    return variable


async def say(gateway: LiveGateway, **more: Any) -> dict[str, Any]:
    body = {"projectId": gateway.project_id, "message": "hello", "agentId": "Echo", **more}
    answer = await gateway.call("POST", "/api/v1/chat/agent", body)
    assert answer.status == 200, answer.body
    reply: dict[str, Any] = answer.json()
    return reply


async def test_variables_are_written_seen_and_deleted(gateway: LiveGateway) -> None:
    first = await put(gateway, "REGION", "EU", description="Where")
    assert (first["environment"], first["value"], first["secret"], first["description"]) == (
        "base",
        "EU",
        False,
        "Where",
    )
    again = await put(gateway, "REGION", "US")
    assert (again["id"], again["value"], again["description"]) == (first["id"], "US", "Where")
    assert (await put(gateway, "REGION", "US", description=None))["description"] is None
    secret = await put(gateway, "TOKEN", CANARY, environment="dev", secret=True)
    assert (secret["value"], secret["secret"]) == (None, True)
    kept = await put(gateway, "TOKEN", "another", environment="dev")
    assert (kept["id"], kept["value"], kept["secret"]) == (secret["id"], None, True), "it stays what it was"
    plain = await put(gateway, "TOKEN", "plain", environment="dev", secret=False)
    assert (plain["value"], plain["secret"]) == ("plain", False), "only who says so makes it readable"
    await put(gateway, "TOKEN", CANARY, environment="dev", secret=True)
    await put(gateway, "SHOP_NAME", "Tea", kind="config")
    listed = (await ask(gateway)).json()["variables"]
    assert [(one["kind"], one["key"], one["environment"]) for one in listed] == [
        ("config", "SHOP_NAME", "base"), ("env", "REGION", "base"), ("env", "TOKEN", "dev"),
    ]  # fmt: skip
    assert CANARY not in str(listed)
    assert len((await ask(gateway, path="?kind=env&environment=dev")).json()["variables"]) == 1
    assert (await ask(gateway, "DELETE", f"/{first['id']}")).json() == {"success": True, "deleted": True}
    gone = await ask(gateway, "DELETE", f"/{first['id']}")
    assert (gone.status, gone.json()["error"]["message"]) == (404, "Variable not found")


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "other"},
        {"key": "lower"},
        {"key": "X" * 101},
        {"value": "x" * 16_385},
        {"environment": "moon"},
        {"kind": "config", "environment": "dev"},
        {"kind": "config", "secret": True},
        {"kind": "config", "value": "x" * 4_097},
    ],
)
async def test_what_is_no_variable_is_refused(gateway: LiveGateway, change: Any) -> None:
    body = {"kind": "env", "key": "REGION", "value": "EU", **change}
    assert (await ask(gateway, "PUT", body=body)).status == 400
    assert (await ask(gateway)).json()["variables"] == []


async def test_a_project_has_at_most_200_config_variables(gateway: LiveGateway) -> None:
    for number in range(200):
        await put(gateway, f"K{number}", "v", kind="config")
    refused = await ask(gateway, "PUT", body={"kind": "config", "key": "ONE_MORE", "value": "v"})
    assert (refused.status, "at most 200" in refused.json()["error"]["message"]) == (400, True)
    await put(gateway, "K7", "another", kind="config")


async def test_env_values_are_fixed_when_a_session_begins_and_config_when_agents_are_compiled(
    gateway: LiveGateway,
) -> None:
    await put(gateway, "REGION", "EU")
    await put(gateway, "SHOP_NAME", "Tea", kind="config")
    await gateway.call("PUT", f"/api/projects/{gateway.project_id}/agents/Echo/dsl", {"dslContent": SHOP})
    first = await say(gateway)
    assert first["response"] == "env EU, config Tea"
    await put(gateway, "REGION", "US", environment="dev")
    await put(gateway, "SHOP_NAME", "Coffee", kind="config")
    assert (await say(gateway, sessionId=first["sessionId"]))["response"] == "env EU, config Tea"
    assert (await say(gateway))["response"] == "env US, config Coffee"
    wanted = {"environment": "production", "agentVersionManifest": {"Echo": "auto"}, "entryAgentName": "Echo"}
    deployed = await gateway.call("POST", f"/api/projects/{gateway.project_id}/deployments", wanted)
    assert deployed.json()["deployment"]["warnings"] == []
    await put(gateway, "SHOP_NAME", "Cocoa", kind="config")
    assert (await say(gateway))["response"] == "env EU, config Coffee"


async def test_an_env_value_that_nobody_has_set_is_a_warning_and_no_error(gateway: LiveGateway) -> None:
    wanted = {"environment": "staging", "agentVersionManifest": {"Echo": "auto"}, "entryAgentName": "Echo"}
    made = (await gateway.call("POST", f"/api/projects/{gateway.project_id}/deployments", wanted)).json()["deployment"]
    assert [(one["code"], one["key"]) for one in made["warnings"]] == [
        ("MISSING_ENV", "REGION"), ("MISSING_ENV", "TOKEN"),
    ]  # fmt: skip
    await put(gateway, "REGION", "EU", environment="production")
    place = f"/api/projects/{gateway.project_id}/deployments/{made['id']}/promote"
    promoted = (await gateway.call("POST", place, {"targetEnvironment": "production"})).json()["deployment"]
    assert [one["key"] for one in promoted["warnings"]] == ["TOKEN"]


async def test_a_secret_reaches_tools_and_nothing_else(gateway: LiveGateway) -> None:
    def echo(asked: Asked) -> Reply:
        return Reply(body=b'{"echo": "' + asked.headers["x-token"].encode() + b'"}')

    async with StubEndpoint(echo) as endpoint:
        await put(gateway, "API_URL", endpoint.url)
        await put(gateway, "TOKEN", "wrong", secret=True)
        await put(gateway, "TOKEN", CANARY, environment="dev", secret=True)
        reply = await say(gateway, agentId="Caller")
        assert endpoint.asked[-1].headers["x-token"] == CANARY
        assert reply["response"] == "sent [secret]"
        assert CANARY not in str(reply)
        assert (await say(gateway))["response"].startswith("env , secret []")
        traces = f"/api/projects/{gateway.project_id}/sessions/{reply['sessionId']}/traces"
        assert CANARY.encode() not in (await gateway.call("GET", traces)).body
        journal = await Journal(gateway.running.database).read(TENANT_ID, reply["sessionId"])
        assert len(journal) == 3
        assert not any(CANARY.encode() in record for _, record in journal)


async def test_a_config_value_that_nobody_has_set_is_an_error_of_the_agent(gateway: LiveGateway) -> None:
    await gateway.call("PUT", f"/api/projects/{gateway.project_id}/agents/Echo/dsl", {"dslContent": SHOP})
    wanted = {"environment": "staging", "agentVersionManifest": {"Echo": "auto"}, "entryAgentName": "Echo"}
    refused = await gateway.call("POST", f"/api/projects/{gateway.project_id}/deployments", wanted)
    assert refused.status == 400
    assert "SHOP_NAME" in refused.json()["error"]["details"]["diagnostics"][0]["message"]


async def test_a_key_for_some_environments_changes_variables_of_these_only(gateway: LiveGateway) -> None:
    key = await a_key(gateway, "*", environments=("dev",))
    place = f"/api/projects/{gateway.project_id}/variables"
    kept = [
        await put(gateway, "REGION", "EU", environment="production"),
        await put(gateway, "REGION", "EU"),
        await put(gateway, "SHOP_NAME", "Tea", kind="config"),
    ]
    for one in kept:
        body = {"kind": one["kind"], "key": one["key"], "environment": one["environment"], "value": "other"}
        assert (await gateway.call("PUT", place, body, key)).status == 403
        assert (await gateway.call("DELETE", f"{place}/{one['id']}", None, key)).status == 403
    assert {one["value"] for one in (await ask(gateway)).json()["variables"]} == {"EU", "Tea"}
    assert (await gateway.call("DELETE", f"{place}/var_unknown", None, key)).status == 404
    body = {"kind": "env", "key": "REGION", "environment": "dev", "value": "US"}
    own = await gateway.call("PUT", place, body, key)
    assert own.status == 200
    assert (await gateway.call("DELETE", f"{place}/{own.json()['variable']['id']}", None, key)).status == 200


DESK = 'AGENT: Desk\nGOAL: Help\nFLOW:\n  say:\n    REASONING: false\n    RESPOND: "{{config.SHOP}}, {{config.CITY}}"\n'
FILE = "config:\n  SHOP: Tea\n  CITY: Rome\n"


async def test_config_of_a_folder_becomes_the_projects_and_what_the_api_has_set_stays(servers: Servers) -> None:
    folder = {"desk.abl": DESK, "variables.yaml": FILE}
    async with a_live_gateway(servers, "folder-variables", folder) as gateway:
        database = gateway.running.database
        assert (await say(gateway, agentId="Desk"))["response"].partition("\n")[0] == "Tea, Rome"
        await put_project(database, "folder-variables", folder, config={"CITY": "Oslo"})
        assert (await say(gateway, agentId="Desk"))["response"].partition("\n")[0] == "Tea, Oslo"
        await gateway.call(
            "PUT", f"/api/projects/{gateway.project_id}/agents/Desk/dsl", {"dslContent": DESK + "    # again\n"}
        )
        assert (await say(gateway, agentId="Desk"))["response"].partition("\n")[0] == "Tea, Oslo", (
            "texts saved over the API have the values too"
        )
        await put(gateway, "SHOP", "Coffee", kind="config")
        seeded = await put_project(database, "folder-variables", folder)
        assert seeded.told[-1] == SET_OTHERWISE.format("SHOP")
        assert (await say(gateway, agentId="Desk"))["response"].partition("\n")[0] == "Coffee, Rome"
        with pytest.raises(UnreadableProject, match=r"desk.abl:6: The config variable CITY in Desk has no value"):
            await put_project(database, "folder-variables", {"desk.abl": DESK})
        less = {**folder, "desk.abl": DESK.replace(", {{config.CITY}}", ""), "variables.yaml": ""}
        await put_project(database, "folder-variables", less)
        known = (await gateway.call("GET", f"/api/projects/{gateway.project_id}/variables")).json()["variables"]
        assert [(one["key"], one["value"]) for one in known] == [("SHOP", "Coffee")]
