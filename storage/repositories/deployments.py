"""Deployments: which program an environment runs; one active one each. Spec: platform-api 3.2, 6.4."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct, field

from domain.errors import NotFound
from domain.json_values import JsonObject
from storage.database import Database, Row
from storage.statements import Statement

_COLUMNS = """
    project_id, deployment_id, environment, status, draining, label, description, endpoint_slug, entry_agent_name,
    program_id, agent_version_manifest, details, created_at, created_by, retired_at
"""

RETIRE_ACTIVE = Statement("""
    UPDATE deployments SET status = 'retired', draining = true, retired_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND environment = :environment AND status = 'active'
""")
CREATE = Statement("""
    INSERT INTO deployments (
        tenant_id, project_id, deployment_id, environment, label, description, endpoint_slug, entry_agent_name,
        program_id, agent_version_manifest, details, created_by
    ) VALUES (
        :tenant_id, :project_id, :deployment_id, :environment, :label, :description, :endpoint_slug,
        :entry_agent_name, :program_id, :agent_version_manifest, :details, :created_by
    )
""")
FIND = Statement(f"SELECT {_COLUMNS} FROM deployments WHERE tenant_id = :tenant_id AND deployment_id = :deployment_id")
ACTIVE = Statement(f"""
    SELECT {_COLUMNS} FROM deployments
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND environment = :environment AND status = 'active'
""")
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM deployments
    WHERE tenant_id = :tenant_id AND project_id = :project_id
      AND (:environment::text IS NULL OR environment = :environment) AND (:status::text IS NULL OR status = :status)
    ORDER BY created_at DESC, deployment_id
""")
RETIRE = Statement("""
    UPDATE deployments SET status = 'retired', draining = :draining,
        retired_at = coalesce(retired_at, clock_timestamp())
    WHERE tenant_id = :tenant_id AND deployment_id = :deployment_id
""")


class NewDeployment(Struct, frozen=True, kw_only=True):
    """A deployment to make active."""

    deployment_id: str
    project_id: str
    environment: str
    endpoint_slug: str
    entry_agent_name: str
    program_id: str
    agent_version_manifest: JsonObject
    label: str | None = None
    description: str | None = None
    details: JsonObject = field(default_factory=dict)
    created_by: str = ""


class DeploymentRecord(NewDeployment, frozen=True, kw_only=True):
    """A deployment as it stands."""

    status: str
    draining: bool
    created_at: datetime
    retired_at: datetime | None


class Deployments:
    """The deployments of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, tenant_id: str, deployment: NewDeployment) -> DeploymentRecord:
        """Make it the active one of its environment; the one before begins to drain. Raises Duplicate in a race."""
        values = {name: getattr(deployment, name) for name in deployment.__struct_fields__}
        async with self._database.transaction() as connection:
            await connection.execute(
                RETIRE_ACTIVE,
                tenant_id=tenant_id,
                project_id=deployment.project_id,
                environment=deployment.environment,
            )
            await connection.execute(CREATE, tenant_id=tenant_id, **values)
        return await self.get(tenant_id, deployment.deployment_id)

    async def get(self, tenant_id: str, deployment_id: str) -> DeploymentRecord:
        """Return a deployment. Raises NotFound."""
        row = await self._database.row(FIND, tenant_id=tenant_id, deployment_id=deployment_id)
        if row is None:
            raise NotFound("Deployment not found")
        return _record(row)

    async def active(self, tenant_id: str, project_id: str, environment: str) -> DeploymentRecord | None:
        """Return what an environment runs."""
        row = await self._database.row(ACTIVE, tenant_id=tenant_id, project_id=project_id, environment=environment)
        return _record(row) if row else None

    async def list(
        self, tenant_id: str, project_id: str, *, environment: str | None = None, status: str | None = None
    ) -> Sequence[DeploymentRecord]:
        """Return a project's deployments, the newest first."""
        rows = await self._database.rows(
            LIST, tenant_id=tenant_id, project_id=project_id, environment=environment, status=status
        )
        return [_record(row) for row in rows]

    async def retire(self, tenant_id: str, deployment_id: str, *, draining: bool) -> DeploymentRecord:
        """Take no new sessions; `draining` says whether old ones go on. Raises NotFound."""
        await self._database.execute(RETIRE, tenant_id=tenant_id, deployment_id=deployment_id, draining=draining)
        return await self.get(tenant_id, deployment_id)


def _record(row: Row) -> DeploymentRecord:
    return DeploymentRecord(**dict(row))
