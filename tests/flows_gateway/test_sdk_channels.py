"""SDK channels over real sockets, and how deployments count them. Spec: platform-api 6.4, 6.6."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.projects import TENANT_ID
from storage.repositories.api_keys import ApiKeys
from tests.flows_gateway.test_agents import speaker
from tests.flows_gateway.test_deployments import deploy
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio


@pytest.fixture
async def gateway(servers: Servers, request: pytest.FixtureRequest) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, request.node.name, {"e.abl": speaker("Echo", "one")}) as found:
        yield found


async def public_key(gateway: LiveGateway) -> str:
    keys = await ApiKeys(gateway.running.database).list(TENANT_ID, gateway.project_id)
    return next(key.key_id for key in keys if key.kind == "public")


async def ask(gateway: LiveGateway, method: str = "GET", path: str = "", body: Any = None) -> Answer:
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/sdk-channels{path}", body)


async def make(gateway: LiveGateway, name: str, **more: Any) -> dict[str, Any]:
    body = {"name": name, "channelType": "web", "publicApiKeyId": await public_key(gateway), **more}
    answer = await ask(gateway, "POST", body=body)
    assert answer.status == 201, answer.body
    channel: dict[str, Any] = answer.json()["channel"]
    return channel


async def test_a_channel_is_made_seen_changed_and_deleted(gateway: LiveGateway) -> None:
    made = await make(gateway, "Shop", config={"mode": "chat", "theme": {"primary": "#fff"}}, environment="dev")
    assert set(made) == {
        "id", "tenantId", "projectId", "name", "channelType", "deploymentId", "publicApiKeyId", "config", "isActive",
        "environment", "followEnvironment", "createdAt", "updatedAt",
    }  # fmt: skip
    assert (made["followEnvironment"], made["isActive"], made["deploymentId"]) == (True, True, None)
    assert (await ask(gateway, path=f"/{made['id']}")).json()["channel"] == made
    change = {"name": "Store", "isActive": False, "environment": None}
    changed = (await ask(gateway, "PATCH", f"/{made['id']}", change)).json()["channel"]
    assert (changed["name"], changed["isActive"], changed["environment"]) == ("Store", False, None)
    assert changed["config"] == made["config"]
    listed = (await ask(gateway)).json()
    assert (listed["channels"], listed["pagination"]) == ([changed], {"total": 1, "limit": 50, "offset": 0})
    assert (await ask(gateway, "DELETE", f"/{made['id']}")).json() == {"success": True, "deleted": True}
    for method, body in (("GET", None), ("PATCH", {}), ("DELETE", None)):
        gone = await ask(gateway, method, f"/{made['id']}", body)
        assert (gone.status, gone.json()["error"]["message"]) == (404, "Channel not found")


async def test_a_channel_names_what_is_there(gateway: LiveGateway) -> None:
    await make(gateway, "Shop")
    body = {"name": "Other", "channelType": "web", "publicApiKeyId": await public_key(gateway)}
    for change, status in (
        ({"name": "Shop"}, 409),
        ({"channelType": "fax"}, 400),
        ({"publicApiKeyId": "key_unknown"}, 404),
        ({"deploymentId": "dep_unknown"}, 404),
        ({"environment": "moon"}, 400),
        ({"config": {"x": "y" * 5_000}}, 400),
    ):
        assert (await ask(gateway, "POST", body={**body, **change})).status == status


async def test_a_deployment_counts_the_channels_that_reach_it(gateway: LiveGateway) -> None:
    first = await deploy(gateway, "production")
    await make(gateway, "follows", environment="production")
    await make(gateway, "bound", deploymentId=first["endpointSlug"])
    await make(gateway, "off", environment="production", isActive=False)
    await make(gateway, "elsewhere", environment="dev")
    await make(gateway, "stays", environment="production", followEnvironment=False)
    deployments = f"/api/projects/{gateway.project_id}/deployments"

    async def count(deployment_id: str) -> int:
        answer = await gateway.call("GET", f"{deployments}/{deployment_id}")
        return int(answer.json()["deployment"]["channelCount"])

    assert await count(first["id"]) == 2
    second = await deploy(gateway, "production")
    assert (await count(first["id"]), await count(second["id"])) == (1, 1)
