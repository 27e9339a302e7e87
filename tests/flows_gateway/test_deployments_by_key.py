"""Deployments as a key sees them that is bound to some environments. Spec: platform-api 6.4, 14.4."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.flows_gateway.test_agents import speaker
from tests.flows_gateway.test_deployments import ask, deploy, refusal, stands
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.strangers import a_key

pytestmark = pytest.mark.anyio


@pytest.fixture
async def gateway(servers: Servers, request: pytest.FixtureRequest) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, request.node.name, {"e.abl": speaker("Echo", "one")}) as found:
        yield found


async def test_a_key_for_some_environments_changes_deployments_of_these_only(gateway: LiveGateway) -> None:
    key = await a_key(gateway, "*", environments=("dev", "staging"))
    place = f"/api/projects/{gateway.project_id}/deployments"
    production, staging = await deploy(gateway), await deploy(gateway, "staging")
    wanted = {"environment": "production", "agentVersionManifest": {"Echo": "auto"}, "entryAgentName": "Echo"}
    for path, body in (
        ("", wanted),
        (f"/{production['id']}/retire", {}),
        (f"/{production['endpointSlug']}/retire", {"force": True}),
        (f"/{production['id']}/rollback", {}),
        (f"/{staging['id']}/promote", {"targetEnvironment": "production"}),
        (f"/{staging['id']}/promote?dryRun=true", {"targetEnvironment": "production"}),
        (f"/{production['id']}/promote", {"targetEnvironment": "dev"}),
    ):
        assert refusal(await gateway.call("POST", place + path, body, key)) == (403, "Insufficient permissions")
    assert len((await ask(gateway)).json()["deployments"]) == 2
    assert (await stands(gateway, production["id"]))[0] == "active"
    assert refusal(await gateway.call("POST", f"{place}/dep_unknown/retire", {}, key)) == (404, "Deployment not found")
    for path, body, status in (
        ("", {**wanted, "environment": "dev"}, 201),
        (f"/{staging['id']}/promote?dryRun=true", {"targetEnvironment": "dev"}, 200),
        (f"/{staging['id']}/promote", {"targetEnvironment": "dev"}, 201),
        (f"/{staging['id']}/retire", {}, 200),
        (f"/{staging['id']}/rollback", {}, 200),
    ):
        assert (await gateway.call("POST", place + path, body, key)).status == status
