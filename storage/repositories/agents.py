"""The documents of a project, their frozen versions, the programs made of them. Spec: platform-api 6.2, 6.3."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from domain.errors import NotFound
from storage.database import Database, Row
from storage.statements import Statement

_COLUMNS = """
    project_id, agent_id, name, kind, path, domain, description, dsl, source_hash, created_at, updated_at,
    (SELECT count(*) FROM agent_versions v WHERE v.tenant_id = a.tenant_id AND v.agent_id = a.agent_id) AS version_count
"""
_VERSION_COLUMNS = "agent_id, version, dsl, source_hash, label, changelog, created_at, created_by"

SAVE = Statement("""
    INSERT INTO agents (tenant_id, project_id, agent_id, name, kind, path, domain, description, dsl, source_hash)
    VALUES (
        :tenant_id, :project_id, :agent_id, :name, :kind, :path, :domain, :description, :dsl, :source_hash
    )
    ON CONFLICT (tenant_id, project_id, name) DO UPDATE SET
        kind = excluded.kind, path = excluded.path, domain = excluded.domain, dsl = excluded.dsl,
        description = coalesce(excluded.description, agents.description),
        source_hash = excluded.source_hash, updated_at = clock_timestamp()
""")
WRITE_DRAFT = Statement("""
    UPDATE agents SET dsl = :dsl, source_hash = :source_hash, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND name = :name
""")
FIND = Statement(f"""
    SELECT {_COLUMNS} FROM agents a WHERE tenant_id = :tenant_id AND project_id = :project_id AND name = :name
""")
NAME_OF = Statement("""
    SELECT name FROM agents WHERE tenant_id = :tenant_id AND project_id = :project_id AND agent_id = :agent_id
""")
ID_OF = Statement("""
    SELECT agent_id FROM agents WHERE tenant_id = :tenant_id AND project_id = :project_id AND name = :name
""")
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM agents a
    WHERE tenant_id = :tenant_id AND (:project_id::text IS NULL OR project_id = :project_id)
    ORDER BY created_at, name
""")
DELETE = Statement("DELETE FROM agents WHERE tenant_id = :tenant_id AND project_id = :project_id AND name = :name")
FREEZE = Statement("""
    INSERT INTO agent_versions (tenant_id, agent_id, version, dsl, source_hash, label, changelog, created_by)
    SELECT tenant_id, agent_id, :version, dsl, source_hash, :label, :changelog, :created_by FROM agents
    WHERE tenant_id = :tenant_id AND agent_id = :agent_id
""")
VERSIONS = Statement(f"""
    SELECT {_VERSION_COLUMNS} FROM agent_versions WHERE tenant_id = :tenant_id AND agent_id = :agent_id
    ORDER BY created_at DESC, version DESC
""")
VERSION = Statement(f"""
    SELECT {_VERSION_COLUMNS} FROM agent_versions
    WHERE tenant_id = :tenant_id AND agent_id = :agent_id AND version = :version
""")
KEEP_PROGRAM = Statement("""
    INSERT INTO programs (tenant_id, program_id, project_id, ir) VALUES (:tenant_id, :program_id, :project_id, :ir)
    ON CONFLICT DO NOTHING
""")
PROGRAM = Statement("SELECT ir FROM programs WHERE tenant_id = :tenant_id AND program_id = :program_id")


class AgentRecord(Struct, frozen=True, kw_only=True):
    """One document of a project with its draft; `kind` is agent, supervisor, tools, profile and the like."""

    project_id: str
    agent_id: str
    name: str
    kind: str
    path: str
    domain: str
    description: str | None
    dsl: str
    source_hash: str
    created_at: datetime
    updated_at: datetime
    version_count: int


class VersionRecord(Struct, frozen=True, kw_only=True):
    """A draft as it was frozen."""

    agent_id: str
    version: str
    dsl: str
    source_hash: str
    label: str | None
    changelog: str | None
    created_at: datetime
    created_by: str


class Agents:
    """The documents of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(
        self,
        tenant_id: str,
        project_id: str,
        agent_id: str,
        *,
        name: str,
        dsl: str,
        kind: str = "agent",
        path: str = "",
        domain: str = "",
        description: str | None = None,
    ) -> AgentRecord:
        """Make a document, or write another draft of the one that has this name; that one keeps its id."""
        await self._database.execute(
            SAVE,
            tenant_id=tenant_id,
            project_id=project_id,
            agent_id=agent_id,
            name=name,
            kind=kind,
            path=path,
            domain=domain,
            description=description,
            dsl=dsl,
            source_hash=source_hash(dsl),
        )
        return await self.get(tenant_id, project_id, name)

    async def write_draft(self, tenant_id: str, project_id: str, name: str, dsl: str) -> None:
        """Replace the draft. Raises NotFound."""
        if not await self._database.execute(
            WRITE_DRAFT,
            tenant_id=tenant_id,
            project_id=project_id,
            name=name,
            dsl=dsl,
            source_hash=source_hash(dsl),
        ):
            raise NotFound("Agent not found")

    async def find(self, tenant_id: str, project_id: str, name: str) -> AgentRecord | None:
        """Return a document by its name."""
        row = await self._database.row(FIND, tenant_id=tenant_id, project_id=project_id, name=name)
        return _agent(row) if row else None

    async def name_of(self, tenant_id: str, project_id: str, agent_id: str) -> str | None:
        """Return the name of the document with this id."""
        found: str | None = await self._database.value(
            NAME_OF, tenant_id=tenant_id, project_id=project_id, agent_id=agent_id
        )
        return found

    async def id_of(self, tenant_id: str, project_id: str, name: str) -> str | None:
        """Return the id of the document with this name."""
        found: str | None = await self._database.value(ID_OF, tenant_id=tenant_id, project_id=project_id, name=name)
        return found

    async def get(self, tenant_id: str, project_id: str, name: str) -> AgentRecord:
        """Return a document by its name. Raises NotFound."""
        found = await self.find(tenant_id, project_id, name)
        if found is None:
            raise NotFound("Agent not found")
        return found

    async def list(self, tenant_id: str, project_id: str | None = None) -> Sequence[AgentRecord]:
        """Return the documents of a project, or of all the tenant's projects, the oldest first."""
        return [_agent(row) for row in await self._database.rows(LIST, tenant_id=tenant_id, project_id=project_id)]

    async def delete(self, tenant_id: str, project_id: str, name: str) -> bool:
        """Remove a document and its versions; return False when there is none."""
        return bool(await self._database.execute(DELETE, tenant_id=tenant_id, project_id=project_id, name=name))

    async def freeze(
        self,
        tenant_id: str,
        agent_id: str,
        version: str,
        *,
        label: str | None = None,
        changelog: str | None = None,
        created_by: str = "",
    ) -> VersionRecord:
        """Keep the present draft as a version. Raises Duplicate, NotFound."""
        await self._database.execute(
            FREEZE,
            tenant_id=tenant_id,
            agent_id=agent_id,
            version=version,
            label=label,
            changelog=changelog,
            created_by=created_by,
        )
        return await self.version(tenant_id, agent_id, version)

    async def versions(self, tenant_id: str, agent_id: str) -> Sequence[VersionRecord]:
        """Return all versions, the newest first."""
        return [_version(row) for row in await self._database.rows(VERSIONS, tenant_id=tenant_id, agent_id=agent_id)]

    async def version(self, tenant_id: str, agent_id: str, version: str) -> VersionRecord:
        """Return one version. Raises NotFound."""
        row = await self._database.row(VERSION, tenant_id=tenant_id, agent_id=agent_id, version=version)
        if row is None:
            raise NotFound("Version not found")
        return _version(row)

    async def keep_program(self, tenant_id: str, program_id: str, project_id: str, ir: bytes) -> None:
        """Keep a compiled program under the hash of its content."""
        await self._database.execute(
            KEEP_PROGRAM, tenant_id=tenant_id, program_id=program_id, project_id=project_id, ir=ir
        )

    async def program(self, tenant_id: str, program_id: str) -> bytes | None:
        """Return a compiled program."""
        found: bytes | None = await self._database.value(PROGRAM, tenant_id=tenant_id, program_id=program_id)
        return found


def source_hash(dsl: str) -> str:
    """Return the hash of a draft as the API shows it: `sha256:<hex>`."""
    return f"sha256:{hashlib.sha256(dsl.encode()).hexdigest()}"


def _agent(row: Row) -> AgentRecord:
    return AgentRecord(**dict(row))


def _version(row: Row) -> VersionRecord:
    return VersionRecord(**dict(row))
