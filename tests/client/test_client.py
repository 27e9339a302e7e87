"""The generated client against a running server: what it types is what comes, and errors are what the API says."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

from abl_client import ApiError, Client, ServerAway
from benchmarks.ports import free_port
from gateway.app import document
from tests.support.echo import an_echo
from tests.support.live_gateway import a_live_gateway
from tests.support.servers import Servers
from tools import generate_client

pytestmark = pytest.mark.anyio
ECHO = an_echo("heard")


def walk(client: Client) -> dict[str, Any]:
    project = client.projects.create_project({"name": "Client"}, idempotency_key="one")["project"]
    again = client.projects.create_project({"name": "Client"}, idempotency_key="one")["project"]
    assert again["id"] == project["id"]
    agent = client.agents.create_agent(project["id"], {"name": "Echo", "dslContent": ECHO})["agent"]
    client.versions.create_version(project["id"], agent["name"], {"version": "1"})
    deployment = client.deployments.create_deployment(
        project["id"],
        {"environment": "dev", "agentVersionManifest": {"Echo": "1"}, "entryAgentName": "Echo"},
    )["deployment"]
    reply = client.chat.chat_with_agent({"projectId": project["id"], "message": "hello", "environment": "dev"})
    assert reply["response"] == "heard hello"
    sessions = client.sessions.list_sessions(project["id"], limit=5, status="active")
    assert [one["id"] for one in sessions["sessions"]] == [reply["sessionId"]]
    found = client.deployments.list_deployments(project["id"], environment="dev")["deployments"]
    assert [one["id"] for one in found] == [deployment["id"]]
    assert b"abl_" in client.health.show_metrics()
    exported = client.project_io.export_project(project["id"])
    assert "agents/Echo.abl" in exported["files"]
    return dict(project)


async def test_a_project_is_made_deployed_and_talked_to_with_it(servers: Servers) -> None:
    async with a_live_gateway(servers, "client", {"echo.abl": ECHO}) as gateway:
        url = f"http://127.0.0.1:{gateway.port}"
        project = await asyncio.to_thread(walk, Client(url, gateway.key))
        with pytest.raises(ApiError) as refused:
            await asyncio.to_thread(Client(url, gateway.key).projects.create_project, {"name": project["name"]})
        assert (refused.value.status, refused.value.code) == (409, "CONFLICT")
        with pytest.raises(ApiError) as refused:
            await asyncio.to_thread(Client(url, "abl_wrong").projects.list_projects)
        assert (refused.value.status, refused.value.code) == (401, "UNAUTHORIZED")


def test_a_server_that_is_not_there_is_told_apart_from_a_refusal() -> None:
    with pytest.raises(ServerAway):
        Client(f"http://127.0.0.1:{free_port()}", "key").health.show_health()


def test_every_operation_but_uploads_is_a_method() -> None:
    client = Client("http://127.0.0.1", "key")
    methods = sum(
        len([name for name, _ in inspect.getmembers(part, inspect.ismethod) if not name.startswith("_")])
        for part in vars(client).values()
        if part is not client.streams
    )
    whole = document("0")["paths"].values()
    uploads = [one for each in whole for one in each.values() if "multipart/form-data" in str(one.get("requestBody"))]
    assert methods == sum(map(len, whole)) - len(uploads)
    assert len(uploads) == 1


def test_the_client_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["generate_client", "--check"])
    assert generate_client.main() == 0
