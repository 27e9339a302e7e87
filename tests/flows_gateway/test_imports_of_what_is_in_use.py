"""Imports that would delete what an active deployment uses. Spec: platform-api 9."""

from __future__ import annotations

import pytest

from tests.flows_gateway.test_deployments import ask, deploy, speaker
from tests.support.live_gateway import a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio


async def test_an_agent_in_use_is_deleted_neither_by_an_import_nor_in_its_preview(servers: Servers) -> None:
    async with a_live_gateway(servers, "io-in-use", {"echo.abl": speaker("Echo", "hello")}) as gateway:
        made = await deploy(gateway)
        transfer = f"/api/projects/{gateway.project_id}/project-io/import"
        body = {"files": {"agents/Other.abl": speaker("Other", "other")}, "mode": "replace"}
        error = {
            "code": "CONFLICT",
            "message": "An active deployment uses Echo",
            "details": {"reason": "AGENT_IN_USE", "names": ["Echo"]},
        }
        preview = await gateway.call("POST", f"{transfer}/preview", body)
        assert (preview.status, preview.json()) == (409, {"success": False, "preview": None, "error": error})
        refused = await gateway.call("POST", transfer, body)
        assert (refused.status, refused.json()["error"]["message"]) == (409, error["message"])
        merged = await gateway.call("POST", f"{transfer}/preview", {**body, "mode": "merge"})
        assert (merged.status, merged.json()["error"]) == (200, None)
        await ask(gateway, "POST", f"/{made['id']}/retire")
        allowed = (await gateway.call("POST", f"{transfer}/preview", body)).json()
        assert allowed["preview"]["summary"] == {"create": 1, "update": 0, "delete": 1}
