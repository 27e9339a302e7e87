"""SDK channels over real sockets, and how deployments count them. Spec: platform-api 6.4, 6.6."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.projects import TENANT_ID
from storage.repositories.api_keys import ApiKeys
from storage.repositories.projects import Projects
from storage.repositories.sdk_channels import ChannelFields, SdkChannels
from storage.statements import Statement
from tests.flows_gateway.test_agents import speaker
from tests.flows_gateway.test_deployments import deploy
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers, until
from tests.support.strangers import a_key

pytestmark = pytest.mark.anyio
WAITING = Statement("SELECT count(*) FROM pg_locks WHERE NOT granted")


@pytest.fixture
async def gateway(servers: Servers, request: pytest.FixtureRequest) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, request.node.name, {"e.abl": speaker("Echo", "one")}) as found:
        yield found


async def public_key(gateway: LiveGateway) -> str:
    keys = await ApiKeys(gateway.running.database).list(TENANT_ID, gateway.project_id)
    return next(key.key_id for key in keys if key.kind == "public")


async def ask(gateway: LiveGateway, method: str = "GET", path: str = "", body: Any = None) -> Answer:
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/sdk-channels{path}", body)


async def waits_for_a_lock(gateway: LiveGateway) -> bool:
    return bool(await gateway.running.database.value(WAITING))


async def make(gateway: LiveGateway, name: str, **more: Any) -> dict[str, Any]:
    body = {"name": name, "channelType": "web", "publicApiKeyId": await public_key(gateway), **more}
    answer = await ask(gateway, "POST", body=body)
    assert answer.status == 201, answer.body
    channel: dict[str, Any] = answer.json()["channel"]
    return channel


async def test_a_channel_is_made_seen_changed_and_deleted(gateway: LiveGateway) -> None:
    made = await make(gateway, "Shop", config={"mode": "chat", "theme": {"primaryColor": "#fff"}}, environment="dev")
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


async def test_changes_at_the_same_time_lose_nothing_of_each_other(gateway: LiveGateway) -> None:
    made = await make(gateway, "Shop")
    database, project_id = gateway.running.database, gateway.project_id
    channels = SdkChannels(database)
    async with database.transaction() as connection:
        await Projects(database).lock(connection, TENANT_ID, project_id)
        before = await channels.get(TENANT_ID, project_id, made["id"])
        fields = {name: getattr(before, name) for name in ChannelFields.__struct_fields__}
        change = asyncio.create_task(ask(gateway, "PATCH", f"/{made['id']}", {"isActive": False}))
        await until(lambda: waits_for_a_lock(gateway))
        other = ChannelFields(**{**fields, "name": "Store"})
        await channels.change(connection, TENANT_ID, project_id, made["id"], other)
    changed = (await change).json()["channel"]
    assert (changed["name"], changed["isActive"]) == ("Store", False)


async def test_a_channel_names_what_is_there(gateway: LiveGateway) -> None:
    await make(gateway, "Shop")
    body = {"name": "Other", "channelType": "web", "publicApiKeyId": await public_key(gateway)}
    for change, status in (
        ({"name": "Shop"}, 409),
        ({"channelType": "fax"}, 400),
        ({"publicApiKeyId": "key_unknown"}, 404),
        ({"deploymentId": "dep_unknown"}, 404),
        ({"environment": "moon"}, 400),
        ({"config": {"mode": "loud"}}, 400),
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


async def test_a_page_gets_the_widget_of_its_channel(gateway: LiveGateway) -> None:
    place = f"/api/v1/sdk/config/{gateway.project_id}"
    page = {"x-api-key": gateway.public_key}
    plain = await gateway.call("GET", place, headers=page)
    assert plain.headers["cache-control"] == "private, max-age=60"
    assert plain.json()["permissions"] == {"chat": True, "voice": False}
    shown = plain.json()["config"]
    assert (shown["mode"], shown["position"], shown["chatEnabled"], shown["voiceEnabled"]) == (
        *("chat", "bottom-right", True, False),
    )
    look = {"position": "top-left", "theme": {"primaryColor": "#fff", "borderRadius": 8}, "welcomeMessage": "Hello"}
    await make(gateway, "Shop", config={**look, "mode": "unified", "voiceEnabled": True})
    shown = (await gateway.call("GET", place, headers=page)).json()["config"]
    assert (shown["position"], shown["welcomeMessage"], shown["mode"]) == ("top-left", "Hello", "unified")
    assert (shown["theme"]["primaryColor"], shown["theme"]["borderRadius"], shown["voiceEnabled"]) == ("#fff", 8, False)
    other = (await gateway.call("POST", "/api/projects", {"name": f"Not of {gateway.project_id}"})).json()["project"]
    assert (await gateway.call("GET", f"/api/v1/sdk/config/{other['id']}", headers=page)).status == 404
    assert (await gateway.call("GET", place)).status == 401


async def test_a_page_reaches_what_its_channel_is_bound_to(gateway: LiveGateway) -> None:
    bound = await deploy(gateway, "staging", "staged")
    await deploy(gateway, "production", "real")
    channel = await make(gateway, "Shop", deploymentId=bound["id"])

    async def said() -> tuple[str, str]:
        headers = {"x-api-key": "", "x-public-key": gateway.public_key}
        begun = (await gateway.call("POST", "/api/v1/sdk/init", {"channelName": "Shop"}, headers)).json()
        page = {"x-api-key": "", "x-sdk-token": begun["token"]}
        body = {"projectId": gateway.project_id, "message": "hello"}
        answer = await gateway.call("POST", "/api/v1/chat/agent", body, page)
        return begun["channelId"], answer.json()["response"]

    assert await said() == (channel["id"], "staged")
    change = {"deploymentId": None, "environment": "production"}
    await ask(gateway, "PATCH", f"/{channel['id']}", change)

    async def follows() -> bool:
        return await said() == (channel["id"], "real")

    await until(follows)


async def test_a_key_for_some_environments_makes_channels_to_these_only(gateway: LiveGateway) -> None:
    key = await a_key(gateway, "*", environments=("staging",))
    staged, real = await deploy(gateway, "staging"), await deploy(gateway, "production")
    whole = await make(gateway, "Of production", environment="production")
    place = f"/api/projects/{gateway.project_id}/sdk-channels"
    body = {"name": "Shop", "channelType": "web", "publicApiKeyId": await public_key(gateway)}

    async def refused(method: str, path: str = "", given: Any = None) -> None:
        answer = await gateway.call(method, place + path, given, key)
        assert (answer.status, answer.json()["error"]["code"]) == (403, "FORBIDDEN"), (method, path, given)

    for target in (
        {},
        {"environment": "production"},
        {"deploymentId": real["id"]},
        {"deploymentId": real["endpointSlug"]},
    ):
        await refused("POST", given={**body, **target})
    await refused("PATCH", f"/{whole['id']}", {"environment": "staging"})
    await refused("PATCH", f"/{whole['id']}", {"name": "Mine"})
    await refused("DELETE", f"/{whole['id']}")
    made = await gateway.call("POST", place, {**body, "deploymentId": staged["endpointSlug"]}, key)
    assert (made.status, made.json()["channel"]["deploymentId"]) == (201, staged["id"])
    own = f"/{made.json()['channel']['id']}"
    for change in (
        {"environment": "production", "deploymentId": None},
        {"deploymentId": real["id"]},
        {"deploymentId": None},
    ):
        await refused("PATCH", own, change)
    assert (await gateway.call("PATCH", place + own, {"name": "Store"}, key)).status == 200
    assert (
        await gateway.call("PATCH", place + own, {"deploymentId": None, "environment": "staging"}, key)
    ).status == 200
    assert (await gateway.call("DELETE", place + own, None, key)).status == 200
    names = [one["name"] for one in (await ask(gateway)).json()["channels"]]
    assert names == ["Of production"]


async def test_a_channel_and_its_public_key_name_the_same_agents(gateway: LiveGateway) -> None:
    staged, real = await deploy(gateway, "staging", "staged"), await deploy(gateway, "production", "real")
    keys = f"/api/projects/{gateway.project_id}/public-keys"

    async def bound(**to: str) -> dict[str, Any]:
        return dict(
            (
                await gateway.call(
                    "POST", keys, {"name": "page", "allowedOrigins": ["*"], "requireOrigin": False, **to}
                )
            ).json()
        )

    by_slug = await bound(deploymentId=staged["endpointSlug"])
    assert by_slug["key"]["deploymentId"] == staged["id"]
    moved = await gateway.call("PATCH", f"{keys}/{by_slug['key']['id']}", {"deploymentId": staged["endpointSlug"]})
    assert moved.json()["key"]["deploymentId"] == staged["id"]
    for key in (await bound(environment="staging"), await bound(deploymentId=staged["id"]), by_slug):
        body = {"name": "Shop", "channelType": "web", "publicApiKeyId": key["key"]["id"]}
        for target, field in (
            ({"environment": "production"}, "/environment"),
            ({"deploymentId": real["id"]}, "/deploymentId"),
        ):
            answer = await ask(gateway, "POST", body={**body, **target})
            assert answer.status == 400, answer.body
            assert answer.json()["error"]["details"]["fields"][0]["path"] == field
        made = await ask(gateway, "POST", body={**body, "deploymentId": staged["id"]})
        assert made.status == 201, made.body
        place = f"/{made.json()['channel']['id']}"
        assert (await ask(gateway, "PATCH", place, {"deploymentId": real["id"]})).status == 400
        begun = await gateway.call("POST", "/api/v1/sdk/init", {}, {"x-api-key": "", "x-public-key": key["secret"]})
        page = {"x-api-key": "", "x-sdk-token": begun.json()["token"]}
        said = {"projectId": gateway.project_id, "message": "hello"}
        assert (await gateway.call("POST", "/api/v1/chat/agent", said, page)).json()["response"] == "staged"
        assert (await ask(gateway, "DELETE", place)).status == 200
