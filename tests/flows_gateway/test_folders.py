"""A folder that is served again: what was done over the API since stays, what was saved in the folder is put.

Spec: platform-api 6.2; decision 0036.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from actors.projects import DEPLOYED, HELD, KEPT, MISSING, REPLACED, Seeded, put_project
from tests.flows_gateway.test_agents import agents, reason, save, say, speaker
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
WAITER, COOK = speaker("Waiter", "one"), speaker("Cook", "one")
FOLDER = {"waiter.agent.abl": WAITER, "cook.agent.abl": COOK}


async def served_again(gateway: LiveGateway, name: str, files: Mapping[str, str]) -> Seeded:
    """Do with the folder what a start does with it."""
    seeded = await put_project(gateway.running.database, name, files)
    assert seeded.project_id == gateway.project_id
    return seeded


async def drafts(gateway: LiveGateway) -> dict[str, str]:
    names = [one["name"] for one in (await agents(gateway)).json()["agents"]]
    return {name: (await agents(gateway, path=f"/{name}")).json()["agent"]["dslContent"] for name in names}


async def test_what_was_saved_renamed_or_removed_over_the_api_is_there_after_a_restart(servers: Servers) -> None:
    folder = {**FOLDER, "host.agent.abl": speaker("Host", "one")}
    async with a_live_gateway(servers, "folder-restart", folder) as gateway:
        saved = speaker("Waiter", "saved")
        await save(gateway, "Waiter", saved)
        assert (await agents(gateway, "PATCH", "/Waiter", {"domain": "room"})).status == 200
        assert (await agents(gateway, "DELETE", "/Cook")).status == 200
        assert (await agents(gateway, "PATCH", "/Host", {"name": "Greeter"})).status == 200
        await save(gateway, "Greeter", speaker("Greeter", "renamed"))
        before = await drafts(gateway)
    async with a_live_gateway(servers, "folder-restart", folder) as gateway:
        assert await drafts(gateway) == before == {"Waiter": saved, "Greeter": speaker("Greeter", "renamed")}
        assert (await agents(gateway, path="/Waiter")).json()["agent"]["agentPath"] == "room/Waiter"
        assert await say(gateway, agentId="Waiter") == "saved"
        assert await say(gateway, agentId="Greeter") == "renamed"
        seeded = await served_again(gateway, "folder-restart", folder)
        assert seeded.agents == ("Waiter", "Greeter")
        assert seeded.told == (HELD.format("Waiter"), MISSING.format("Cook"), MISSING.format("Host"))


async def test_what_changed_in_the_folder_is_put_and_a_draft_it_replaces_is_told(servers: Servers) -> None:
    async with a_live_gateway(servers, "folder-changed", FOLDER) as gateway:
        await save(gateway, "Waiter", speaker("Waiter", "saved"))
        assert (await agents(gateway, "DELETE", "/Cook")).status == 200
        newer = {name: text.replace("one", "two") for name, text in FOLDER.items()}
        seeded = await served_again(gateway, "folder-changed", newer)
        assert seeded.told == (REPLACED.format("Waiter"),)
        assert await drafts(gateway) == {"Waiter": speaker("Waiter", "two"), "Cook": speaker("Cook", "two")}
        assert await say(gateway, agentId="Waiter") == await say(gateway, agentId="Cook") == "two"
        assert (await served_again(gateway, "folder-changed", newer)).told == ()


async def test_a_renamed_agent_of_the_folder_does_not_keep_it_from_being_put_again(servers: Servers) -> None:
    async with a_live_gateway(servers, "folder-renamed", FOLDER) as gateway:
        assert (await agents(gateway, "PATCH", "/Waiter", {"name": "Waiter2"})).status == 200
        renamed = (await agents(gateway, path="/Waiter2")).json()["agent"]
        newer = {**FOLDER, "waiter.agent.abl": speaker("Waiter", "two")}
        for told in ((), ()):
            assert (await served_again(gateway, "folder-renamed", newer)).told == told
        assert set(await drafts(gateway)) == {"Waiter", "Waiter2", "Cook"}
        assert (await agents(gateway, path="/Waiter2")).json()["agent"] == renamed
        assert (await agents(gateway, path="/Waiter")).json()["agent"]["id"] != renamed["id"]


async def test_what_the_folder_has_no_more_goes_unless_it_was_saved_over_the_api_or_is_deployed(
    servers: Servers,
) -> None:
    folder = {**FOLDER, "host.agent.abl": speaker("Host", "one")}
    async with a_live_gateway(servers, "folder-gone", folder) as gateway:
        place = f"/api/projects/{gateway.project_id}"
        for name in ("Cook", "Host"):
            entry = await gateway.call("PATCH", place, {"entryAgentName": name})
            assert entry.status == 200, entry.body
        await save(gateway, "Cook", speaker("Cook", "saved"))
        left = {"waiter.agent.abl": WAITER}
        seeded = await served_again(gateway, "folder-gone", left)
        assert (seeded.agents, seeded.told) == (("Waiter", "Cook"), (KEPT.format("Cook"),))
        assert (await gateway.call("GET", place)).json()["project"]["entryAgentName"] is None, "it was Host"
        deployment = {"environment": "dev", "agentVersionManifest": {"Waiter": "auto"}, "entryAgentName": "Waiter"}
        assert (await gateway.call("POST", f"{place}/deployments", deployment)).status == 201
        seeded = await served_again(gateway, "folder-gone", {"host.agent.abl": speaker("Host", "one")})
        assert (seeded.agents, seeded.told) == (("Host", "Waiter", "Cook"), (DEPLOYED.format("Waiter"),))
        assert (await agents(gateway, path="/Waiter/versions/1")).status == 200
        assert (await served_again(gateway, "folder-gone", {"host.agent.abl": speaker("Host", "one")})).told == ()


async def test_an_agent_made_over_the_api_belongs_to_the_working_copy_after_a_restart(servers: Servers) -> None:
    async with a_live_gateway(servers, "folder-beside", FOLDER) as gateway:
        made: Any = {"name": "Host", "dslContent": speaker("Host", "made")}
        assert (await agents(gateway, "POST", body=made)).status == 201
        assert (await served_again(gateway, "folder-beside", FOLDER)).agents == ("Waiter", "Cook", "Host")
        assert await say(gateway, agentId="Host") == "made"


async def test_a_renamed_agent_does_not_run_under_its_old_name(servers: Servers) -> None:
    async with a_live_gateway(servers, "folder-old-name", {"one.abl": speaker("One", "hi One")}) as gateway:
        assert await say(gateway, agentId="One") == "hi One"
        assert (await agents(gateway, "PATCH", "/One", {"name": "Uno"})).status == 200
        for name in ("One", "Uno"):
            body = {"projectId": gateway.project_id, "message": "hello", "agentId": name}
            refused = await gateway.call("POST", "/api/v1/chat/agent", body)
            opened = await gateway.call("POST", f"/api/projects/{gateway.project_id}/sessions", {"agentId": name})
            for answer in (refused, opened):
                assert answer.status == 400, answer.body
                (found,) = answer.json()["error"]["details"]["diagnostics"]
                assert (found["code"], found["agent"]) == ("NAME_MISMATCH", "Uno")
                assert "The project has 1 error: " in reason(answer)[1]
        await save(gateway, "Uno", speaker("Uno", "hi Uno"))
        assert await say(gateway, agentId="Uno") == "hi Uno"
