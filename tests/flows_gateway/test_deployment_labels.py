"""How a deployment is called that was given no label. Spec: platform-api 6.4; decision 0040."""

from __future__ import annotations

import json

import pytest

from tests.flows_gateway.test_deployments import ask, deploy, speaker
from tests.support.live_gateway import a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio


async def test_a_deployment_without_a_label_is_called_as_its_endpoint(servers: Servers) -> None:
    async with a_live_gateway(servers, "labels", {"echo.abl": speaker("Echo", "hello")}) as gateway:
        made = await deploy(gateway, "staging")
        other = await deploy(gateway, "dev", label=None)
        for one in (made, other):
            assert one["label"] == one["endpointSlug"]
            assert (await ask(gateway, path=f"/{one['id']}")).json()["deployment"]["label"] == one["label"]
        assert {one["id"]: one["label"] for one in (await ask(gateway)).json()["deployments"]} == {
            one["id"]: one["endpointSlug"] for one in (made, other)
        }
        answer = await ask(gateway, "POST", f"/{made['id']}/promote", {"targetEnvironment": "production"})
        promoted = answer.json()["deployment"]
        assert promoted["label"] == promoted["endpointSlug"] != made["label"], "the label of its own endpoint"
        place = f"/api/projects/{gateway.project_id}/project-io/export?include_deployments=true"
        told = json.loads((await gateway.call("GET", place)).json()["files"]["deployments.json"])
        assert all(one["label"] == one["endpointSlug"] for one in told)
