"""Projects with the same texts, and so with the same program: what happens to one leaves the other as it is."""

from __future__ import annotations

import pytest

from actors.programs import WORKING_COPY
from actors.projects import TENANT_ID
from storage.repositories.agents import Agents
from storage.repositories.projects import Projects
from storage.statements import Statement
from tests.flows_gateway.test_transfer import BILLING, FILES, a_gateway, a_project, export, imported
from tests.support.live_gateway import LiveGateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
GREETING = "At your service."
LOSE_PROGRAMS = Statement("DELETE FROM programs WHERE tenant_id = :tenant_id AND project_id = :project_id")


async def says(gateway: LiveGateway, project_id: str, environment: str) -> str:
    body = {"projectId": project_id, "message": "hello", "environment": environment}
    answer = await gateway.call("POST", "/api/v1/chat/agent", body)
    assert answer.status == 200, answer.body
    return str(answer.json()["response"])


async def test_a_copy_answers_after_its_original_was_deleted(servers: Servers) -> None:
    manifest = {"Desk": "auto", "Billing": "auto"}
    wanted = {"environment": "production", "agentVersionManifest": manifest, "entryAgentName": "Desk"}
    async with a_gateway(servers, "io-original") as gateway:
        first, second = await a_project(gateway, "io-first"), await a_project(gateway, "io-second")
        await imported(gateway, FILES, first)
        assert await says(gateway, first, WORKING_COPY) == GREETING
        await imported(gateway, (await export(gateway, first))["files"], second)
        assert await says(gateway, second, WORKING_COPY) == GREETING
        for project_id in (first, second):
            made = await gateway.call("POST", f"/api/projects/{project_id}/deployments", wanted)
            assert made.status == 201, made.body
            assert await says(gateway, project_id, "production") == GREETING
        kept = [await Projects(gateway.running.database).get(TENANT_ID, one) for one in (first, second)]
        assert kept[0].program_id == kept[1].program_id, "the same texts are the same program"
        assert (await gateway.call("DELETE", f"/api/projects/{first}")).status == 200
    async with a_gateway(servers, "io-afterwards", {"billing.abl": BILLING}) as fresh:
        assert await says(fresh, second, WORKING_COPY) == GREETING
        assert await says(fresh, second, "production") == GREETING


async def test_drafts_whose_program_is_lost_are_compiled_again(servers: Servers) -> None:
    async with a_gateway(servers, "io-lost") as gateway:
        database, project_id = gateway.running.database, gateway.project_id
        await database.execute(LOSE_PROGRAMS, tenant_id=TENANT_ID, project_id=project_id)
        assert await says(gateway, project_id, WORKING_COPY) == GREETING
        program_id = (await Projects(database).get(TENANT_ID, project_id)).program_id
        assert await Agents(database).has_program(TENANT_ID, project_id, program_id)
