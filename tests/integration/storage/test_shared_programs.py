"""A database in which projects share a program (before migration 24) is opened: each has the program itself."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from storage.database import Database
from storage.migrate import known_migrations, migrate
from storage.repositories.agents import Agents
from storage.repositories.projects import Projects
from storage.statements import Statement
from tests.support.servers import Servers, an_empty_database

pytestmark = pytest.mark.anyio

BEFORE = 23
TENANT, PROGRAM = "ten", "sha"
KEEP = Statement("""
    INSERT INTO programs (tenant_id, program_id, project_id, ir) VALUES (:tenant_id, 'sha', 'first', :ir)
""")
DEPLOY = Statement("""
    INSERT INTO deployments (
        tenant_id, project_id, deployment_id, environment, endpoint_slug, entry_agent_name, program_id,
        agent_version_manifest
    ) VALUES (:tenant_id, 'deployed', 'dep', 'dev', 'slug', 'Desk', 'sha', '{}')
""")
OPEN = Statement("""
    INSERT INTO sessions (tenant_id, session_id, project_id, runtime_session_id, pin)
    VALUES (:tenant_id, 'sess', 'talked', 'r', '{"program_id": "sha"}')
""")
NOTE = Statement("""
    UPDATE projects SET program_id = 'sha' WHERE tenant_id = :tenant_id AND project_id IN ('first', 'drafted')
""")
KEPT_FOR = Statement("SELECT project_id FROM programs WHERE tenant_id = :tenant_id ORDER BY project_id")


@pytest.fixture
async def old(servers: Servers) -> AsyncIterator[Database]:
    async with an_empty_database(servers, "shared_programs") as database:
        yield database


async def test_each_project_that_uses_a_program_has_it_afterwards(old: Database) -> None:
    await migrate(old, known_migrations()[:BEFORE])
    projects, agents = Projects(old), Agents(old)
    for tenant_id in (TENANT, "other"):
        await projects.ensure_tenant(tenant_id, tenant_id)
        await old.execute(KEEP, tenant_id=tenant_id, ir=tenant_id.encode())
    for project_id in ("first", "deployed", "talked", "drafted", "unused"):
        await projects.create(TENANT, project_id, name=project_id, slug=project_id)
    for statement in (DEPLOY, OPEN, NOTE):
        await old.execute(statement, tenant_id=TENANT)
    await migrate(old)
    found = [row["project_id"] for row in await old.rows(KEPT_FOR, tenant_id=TENANT)]
    assert found == ["deployed", "drafted", "first", "talked"]
    for project_id in found:
        assert await agents.program(TENANT, project_id, PROGRAM) == TENANT.encode()
    assert [row["project_id"] for row in await old.rows(KEPT_FOR, tenant_id="other")] == ["first"]
