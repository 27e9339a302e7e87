"""Deployments: which program an environment runs; one active one each. Spec: platform-api 3.2, 6.4."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from msgspec import Struct, field
from msgspec.structs import asdict

from domain.errors import NotFound
from domain.json_values import JsonObject
from domain.limits import DRAIN_S
from storage.database import Connection, Database, Row
from storage.statements import Statement

NO_DEPLOYMENT: Final = "Deployment not found"
MOST_USING: Final = 20
"""How many deployments are told that use an agent."""

_COLUMNS = """
    project_id, deployment_id, environment, status, draining, label, description, endpoint_slug, entry_agent_name,
    program_id, agent_version_manifest, details, created_at, created_by, retired_at, drain_until
"""

RETIRE_ACTIVE = Statement("""
    UPDATE deployments SET status = 'retired', draining = true, retired_at = clock_timestamp(),
        drain_until = clock_timestamp() + make_interval(secs => :drain_s)
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND environment = :environment AND status = 'active'
    RETURNING deployment_id
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
NAMED = Statement(f"""
    SELECT {_COLUMNS} FROM deployments
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND (deployment_id = :name OR endpoint_slug = :name)
    ORDER BY deployment_id <> :name LIMIT 1
""")
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
        retired_at = coalesce(retired_at, clock_timestamp()),
        drain_until = clock_timestamp() + make_interval(secs => :drain_s)
    WHERE tenant_id = :tenant_id AND deployment_id = :deployment_id
""")
ACTIVATE = Statement("""
    UPDATE deployments SET status = 'active', draining = false, retired_at = NULL, drain_until = NULL
    WHERE tenant_id = :tenant_id AND deployment_id = :deployment_id
""")
PREDECESSOR = Statement(f"""
    SELECT {_COLUMNS} FROM deployments
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND environment = :environment
      AND status = 'retired' AND deployment_id <> :deployment_id
    ORDER BY retired_at DESC, created_at DESC LIMIT 1
""")
DRAINED = Statement("""
    UPDATE deployments d SET draining = false
    WHERE tenant_id = :tenant_id AND deployment_id = :deployment_id AND draining AND NOT EXISTS (
        SELECT FROM sessions s
        WHERE s.tenant_id = d.tenant_id AND s.deployment_id = d.deployment_id AND s.status = 'active')
""")
DRAINING = Statement("""
    SELECT tenant_id, project_id, deployment_id, drain_until <= clock_timestamp() AS is_over
    FROM deployments WHERE draining ORDER BY drain_until LIMIT :limit
""")
SESSIONS = Statement("""
    SELECT session_id FROM sessions
    WHERE tenant_id = :tenant_id AND deployment_id = :deployment_id AND deployment_id <> '' AND status = 'active'
    ORDER BY session_id LIMIT :limit
""")
COUNT_SESSIONS = Statement("""
    SELECT count(*) FROM sessions
    WHERE tenant_id = :tenant_id AND deployment_id = :deployment_id AND deployment_id <> '' AND status = 'active'
""")
USING = Statement("""
    SELECT deployment_id FROM deployments
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND (:with_retired OR status = 'active')
      AND jsonb_exists(agent_version_manifest, :agent_name) ORDER BY status, environment, created_at DESC LIMIT :limit
""")
KEEP_SETTINGS = Statement("""
    INSERT INTO settings_versions (tenant_id, settings_version_id, project_id, settings)
    VALUES (:tenant_id, :settings_version_id, :project_id, :settings)
""")
SETTINGS = Statement("""
    SELECT settings FROM settings_versions
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND settings_version_id = :settings_version_id
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
    drain_until: datetime | None = None


class DrainingDeployment(NamedTuple):
    """A deployment whose sessions go on; `is_over` once its time is up."""

    tenant_id: str
    project_id: str
    deployment_id: str
    is_over: bool


class Deployments:
    """The deployments of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, tenant_id: str, deployment: NewDeployment) -> DeploymentRecord:
        """Make it the active one of its environment; the one before begins to drain. Raises Duplicate in a race."""
        async with self._database.transaction() as connection:
            await self.add(connection, tenant_id, deployment)
        return await self.get(tenant_id, deployment.deployment_id)

    async def add(
        self, connection: Connection, tenant_id: str, deployment: NewDeployment, *, drain_s: float = DRAIN_S
    ) -> str | None:
        """Do the same within a transaction; return the id of the one that was replaced."""
        values = asdict(deployment)
        replaced = await self.replace_active(
            connection, tenant_id, deployment.project_id, deployment.environment, drain_s=drain_s
        )
        await connection.execute(CREATE, tenant_id=tenant_id, **values)
        return replaced

    async def replace_active(
        self, connection: Connection, tenant_id: str, project_id: str, environment: str, *, drain_s: float
    ) -> str | None:
        """Let what is active in an environment drain for `drain_s` seconds; return its id."""
        replaced: str | None = await connection.value(
            RETIRE_ACTIVE,
            tenant_id=tenant_id,
            project_id=project_id,
            environment=environment,
            drain_s=float(drain_s),
        )
        return replaced

    async def get(self, tenant_id: str, deployment_id: str) -> DeploymentRecord:
        """Return a deployment. Raises NotFound."""
        row = await self._database.row(FIND, tenant_id=tenant_id, deployment_id=deployment_id)
        if row is None:
            raise NotFound(NO_DEPLOYMENT)
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

    async def named(
        self, tenant_id: str, project_id: str, name: str, connection: Connection | None = None
    ) -> DeploymentRecord:
        """Return the deployment of a project with this id or endpoint slug. Raises NotFound."""
        row = await (connection or self._database).row(NAMED, tenant_id=tenant_id, project_id=project_id, name=name)
        if row is None:
            raise NotFound(NO_DEPLOYMENT)
        return _record(row)

    async def within(
        self, connection: Connection, tenant_id: str, project_id: str, deployment_id: str
    ) -> DeploymentRecord:
        """Return a deployment as a transaction sees it. Raises NotFound."""
        row = await connection.row(FIND, tenant_id=tenant_id, deployment_id=deployment_id)
        if row is None or row["project_id"] != project_id:
            raise NotFound(NO_DEPLOYMENT)
        return _record(row)

    async def predecessor(
        self, connection: Connection, tenant_id: str, of: DeploymentRecord
    ) -> DeploymentRecord | None:
        """Return the deployment of the same environment that was retired last."""
        row = await connection.row(
            PREDECESSOR,
            tenant_id=tenant_id,
            project_id=of.project_id,
            environment=of.environment,
            deployment_id=of.deployment_id,
        )
        return _record(row) if row else None

    async def using(
        self, connection: Connection, tenant_id: str, project_id: str, agent_name: str, *, with_retired: bool = False
    ) -> Sequence[str]:
        """Return ids of active deployments in whose manifest an agent stands, and of retired ones if asked for."""
        rows = await connection.rows(
            USING,
            tenant_id=tenant_id,
            project_id=project_id,
            agent_name=agent_name,
            with_retired=with_retired,
            limit=MOST_USING,
        )
        return [row["deployment_id"] for row in rows]

    async def retire(self, tenant_id: str, deployment_id: str, *, draining: bool) -> DeploymentRecord:
        """Take no new sessions; `draining` says whether old ones go on. Raises NotFound."""
        async with self._database.transaction() as connection:
            await self.stop(connection, tenant_id, deployment_id, draining=draining)
        return await self.get(tenant_id, deployment_id)

    async def stop(
        self, connection: Connection, tenant_id: str, deployment_id: str, *, draining: bool, drain_s: float = DRAIN_S
    ) -> None:
        """Do the same within a transaction; those that go on are ended after `drain_s` seconds."""
        await connection.execute(
            RETIRE, tenant_id=tenant_id, deployment_id=deployment_id, draining=draining, drain_s=float(drain_s)
        )

    async def activate(self, connection: Connection, tenant_id: str, deployment_id: str) -> None:
        """Let a retired deployment take sessions again. Raises Duplicate: its environment has an active one."""
        await connection.execute(ACTIVATE, tenant_id=tenant_id, deployment_id=deployment_id)

    async def draining(self, limit: int) -> Sequence[DrainingDeployment]:
        """Return deployments that drain, those first whose time is up."""
        rows = await self._database.rows(DRAINING, limit=limit)
        return [DrainingDeployment(**dict(row)) for row in rows]

    async def note_drained(self, tenant_id: str, deployment_id: str) -> bool:
        """End the drain of a deployment that has no session any more; return whether it has ended."""
        return bool(await self._database.execute(DRAINED, tenant_id=tenant_id, deployment_id=deployment_id))

    async def sessions(self, tenant_id: str, deployment_id: str, limit: int) -> Sequence[str]:
        """Return ids of active sessions of a deployment."""
        rows = await self._database.rows(SESSIONS, tenant_id=tenant_id, deployment_id=deployment_id, limit=limit)
        return [row["session_id"] for row in rows]

    async def count_sessions(self, tenant_id: str, deployment_id: str) -> int:
        """Return how many sessions of a deployment are active."""
        return int(await self._database.value(COUNT_SESSIONS, tenant_id=tenant_id, deployment_id=deployment_id))

    async def keep_settings(
        self, connection: Connection, tenant_id: str, project_id: str, settings_version_id: str, settings: JsonObject
    ) -> None:
        """Keep what a project's settings are now."""
        await connection.execute(
            KEEP_SETTINGS,
            tenant_id=tenant_id,
            project_id=project_id,
            settings_version_id=settings_version_id,
            settings=settings,
        )

    async def settings(self, tenant_id: str, project_id: str, settings_version_id: str) -> JsonObject | None:
        """Return the settings that were kept under an id."""
        found: JsonObject | None = await self._database.value(
            SETTINGS, tenant_id=tenant_id, project_id=project_id, settings_version_id=settings_version_id
        )
        return found


def _record(row: Row) -> DeploymentRecord:
    return DeploymentRecord(**dict(row))
