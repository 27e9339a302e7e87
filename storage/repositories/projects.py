"""Tenants and their projects. Spec: platform-api 6.1."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from domain.errors import NotFound
from domain.json_values import JsonObject
from storage.database import Database, Row
from storage.statements import Statement

_COLUMNS = """
    project_id, name, slug, description, entry_agent_name, settings, created_at, updated_at,
    (SELECT count(*) FROM agents a WHERE a.tenant_id = p.tenant_id AND a.project_id = p.project_id
        AND kind IN ('agent', 'supervisor')) AS agent_count
"""

ENSURE_TENANT = Statement("""
    INSERT INTO tenants (tenant_id, name) VALUES (:tenant_id, :name) ON CONFLICT (tenant_id) DO NOTHING
""")
TENANTS = Statement("SELECT tenant_id FROM tenants ORDER BY created_at, tenant_id")
TENANT_SETTINGS = Statement("SELECT settings FROM tenants WHERE tenant_id = :tenant_id")
CREATE = Statement("""
    INSERT INTO projects (tenant_id, project_id, name, slug, description, entry_agent_name, settings)
    VALUES (:tenant_id, :project_id, :name, :slug, :description, :entry_agent_name, :settings)
""")
FIND = Statement(f"SELECT {_COLUMNS} FROM projects p WHERE tenant_id = :tenant_id AND project_id = :project_id")
FIND_BY_SLUG = Statement(f"SELECT {_COLUMNS} FROM projects p WHERE tenant_id = :tenant_id AND slug = :slug")
LIST = Statement(f"SELECT {_COLUMNS} FROM projects p WHERE tenant_id = :tenant_id ORDER BY created_at, project_id")
UPDATE = Statement("""
    UPDATE projects SET name = :name, slug = :slug, description = :description, entry_agent_name = :entry_agent_name,
        settings = :settings, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id
""")
DELETE = Statement("DELETE FROM projects WHERE tenant_id = :tenant_id AND project_id = :project_id")


class ProjectRecord(Struct, frozen=True, kw_only=True):
    """A project."""

    project_id: str
    name: str
    slug: str
    description: str
    entry_agent_name: str | None
    settings: JsonObject
    created_at: datetime
    updated_at: datetime
    agent_count: int


class Projects:
    """The projects of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ensure_tenant(self, tenant_id: str, name: str) -> None:
        """Make the tenant if it is not there."""
        await self._database.execute(ENSURE_TENANT, tenant_id=tenant_id, name=name)

    async def tenant_settings(self, tenant_id: str) -> JsonObject:
        """Return what is set for a tenant, `{}` when there is no such tenant."""
        settings: JsonObject | None = await self._database.value(TENANT_SETTINGS, tenant_id=tenant_id)
        return settings or {}

    async def tenants(self) -> Sequence[str]:
        """Return the ids of all tenants, the oldest first: for work that is done for each of them."""
        return [row["tenant_id"] for row in await self._database.rows(TENANTS)]

    async def create(
        self,
        tenant_id: str,
        project_id: str,
        *,
        name: str,
        slug: str,
        description: str = "",
        entry_agent_name: str | None = None,
        settings: JsonObject | None = None,
    ) -> ProjectRecord:
        """Make a project. Raises Duplicate for a name or slug that is taken."""
        await self._database.execute(
            CREATE,
            tenant_id=tenant_id,
            project_id=project_id,
            name=name,
            slug=slug,
            description=description,
            entry_agent_name=entry_agent_name,
            settings=settings or {},
        )
        return await self.get(tenant_id, project_id)

    async def find(self, tenant_id: str, project_id: str) -> ProjectRecord | None:
        """Return a project."""
        row = await self._database.row(FIND, tenant_id=tenant_id, project_id=project_id)
        return _record(row) if row else None

    async def find_by_slug(self, tenant_id: str, slug: str) -> ProjectRecord | None:
        """Return the project with this slug."""
        row = await self._database.row(FIND_BY_SLUG, tenant_id=tenant_id, slug=slug)
        return _record(row) if row else None

    async def get(self, tenant_id: str, project_id: str) -> ProjectRecord:
        """Return a project. Raises NotFound."""
        found = await self.find(tenant_id, project_id)
        if found is None:
            raise NotFound("Project not found")
        return found

    async def list(self, tenant_id: str) -> Sequence[ProjectRecord]:
        """Return the tenant's projects, the oldest first."""
        return [_record(row) for row in await self._database.rows(LIST, tenant_id=tenant_id)]

    async def update(self, tenant_id: str, project: ProjectRecord) -> ProjectRecord:
        """Write name, slug, description, entry agent and settings. Raises NotFound, Duplicate."""
        await self._database.execute(
            UPDATE,
            tenant_id=tenant_id,
            project_id=project.project_id,
            name=project.name,
            slug=project.slug,
            description=project.description,
            entry_agent_name=project.entry_agent_name,
            settings=project.settings,
        )
        return await self.get(tenant_id, project.project_id)

    async def delete(self, tenant_id: str, project_id: str) -> bool:
        """Remove a project with its agents, deployments and credentials; return False when there is none."""
        return bool(await self._database.execute(DELETE, tenant_id=tenant_id, project_id=project_id))


def _record(row: Row) -> ProjectRecord:
    return ProjectRecord(**dict(row))
