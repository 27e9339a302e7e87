"""The documents of a project with their drafts, and the programs made of them. Spec: platform-api 6.2."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from domain.errors import NotFound
from domain.transfer import source_hash
from storage.database import Connection, Database, Row
from storage.statements import Statement

NO_AGENT: Final = "Agent not found"

_LISTED = """
    project_id, agent_id, name, kind, path, domain, description, source_hash, created_at, updated_at,
    (SELECT count(*) FROM agent_versions v WHERE v.tenant_id = a.tenant_id AND v.agent_id = a.agent_id) AS version_count
"""
_COLUMNS = f"dsl, {_LISTED}"

SAVE = Statement("""
    INSERT INTO agents (tenant_id, project_id, agent_id, name, kind, path, domain, description, dsl, source_hash)
    VALUES (
        :tenant_id, :project_id, :agent_id, :name, :kind, :path, :domain, :description, :dsl, :source_hash
    )
    ON CONFLICT (tenant_id, project_id, name) DO UPDATE SET
        kind = excluded.kind, path = excluded.path, dsl = excluded.dsl,
        domain = coalesce(nullif(excluded.domain, ''), agents.domain),
        description = coalesce(excluded.description, agents.description),
        source_hash = excluded.source_hash, updated_at = clock_timestamp()
""")
WRITE_DRAFT = Statement("""
    UPDATE agents SET dsl = :dsl, source_hash = :source_hash, kind = :kind, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND name = :name
    RETURNING agent_id, updated_at
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
LIST_WITHOUT_TEXTS = Statement(f"""
    SELECT '' AS dsl, {_LISTED} FROM agents a WHERE tenant_id = :tenant_id AND project_id = :project_id
    ORDER BY created_at, name
""")
CREATE = Statement("""
    INSERT INTO agents (tenant_id, project_id, agent_id, name, kind, domain, description, dsl, source_hash)
    VALUES (:tenant_id, :project_id, :agent_id, :name, :kind, :domain, :description, :dsl, :source_hash)
""")
CHANGE = Statement("""
    UPDATE agents SET name = :new_name, domain = :domain, description = :description, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND name = :name
""")
_SPOKEN_TO = """
    tenant_id = :tenant_id AND kind IN ('agent', 'supervisor')
    AND (:project_ids::text[] IS NULL OR project_id = ANY(:project_ids::text[]))
    AND EXISTS (SELECT FROM projects p
        WHERE p.tenant_id = a.tenant_id AND p.project_id = a.project_id AND p.deleted_at IS NULL)
"""
VISIBLE = Statement(f"""
    SELECT agent_id, name FROM agents a WHERE {_SPOKEN_TO} ORDER BY created_at, agent_id LIMIT :limit OFFSET :offset
""")
COUNT_VISIBLE = Statement(f"SELECT count(*) FROM agents a WHERE {_SPOKEN_TO}")
OLDEST = Statement(f"""
    SELECT {_COLUMNS} FROM agents a WHERE {_SPOKEN_TO} AND name = :name
    ORDER BY (SELECT p.created_at FROM projects p WHERE p.tenant_id = a.tenant_id AND p.project_id = a.project_id),
        created_at LIMIT 1
""")
MOVE = Statement("""
    UPDATE agents SET path = :path WHERE tenant_id = :tenant_id AND project_id = :project_id AND name = :name
""")
DELETE = Statement("DELETE FROM agents WHERE tenant_id = :tenant_id AND project_id = :project_id AND name = :name")
KEEP_PROGRAM = Statement("""
    INSERT INTO programs (tenant_id, program_id, project_id, ir) VALUES (:tenant_id, :program_id, :project_id, :ir)
    ON CONFLICT DO NOTHING
""")
PROGRAM = Statement("""
    SELECT ir FROM programs WHERE tenant_id = :tenant_id AND project_id = :project_id AND program_id = :program_id
""")
HAS_PROGRAM = Statement("""
    SELECT EXISTS (
        SELECT FROM programs WHERE tenant_id = :tenant_id AND project_id = :project_id AND program_id = :program_id)
""")


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


class NewAgent(Struct, frozen=True, kw_only=True):
    """A document to keep."""

    project_id: str
    agent_id: str
    name: str
    kind: str = "agent"
    domain: str = ""
    description: str | None = None
    dsl: str = ""


class AgentName(NamedTuple):
    """An agent as lists of a tenant show it."""

    agent_id: str
    name: str


class WrittenDraft(NamedTuple):
    """What was written to, and when."""

    agent_id: str
    updated_at: datetime


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
        connection: Connection | None = None,
    ) -> AgentRecord:
        """Make a document, or write another draft of the one that has this name; that one keeps its id."""
        await (connection or self._database).execute(
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
        return _found(
            await (connection or self._database).row(FIND, tenant_id=tenant_id, project_id=project_id, name=name)
        )

    async def create(self, connection: Connection, tenant_id: str, agent: NewAgent) -> None:
        """Keep a new document. Raises Duplicate."""
        given = asdict(agent)
        await connection.execute(CREATE, tenant_id=tenant_id, source_hash=source_hash(agent.dsl), **given)

    async def write_draft(
        self, connection: Connection, tenant_id: str, project_id: str, name: str, dsl: str, kind: str
    ) -> WrittenDraft:
        """Replace the draft. Raises NotFound."""
        row = await connection.row(
            WRITE_DRAFT,
            tenant_id=tenant_id,
            project_id=project_id,
            name=name,
            dsl=dsl,
            kind=kind,
            source_hash=source_hash(dsl),
        )
        if row is None:
            raise NotFound(NO_AGENT)
        return WrittenDraft(row["agent_id"], row["updated_at"])

    async def change(self, connection: Connection, tenant_id: str, agent: AgentRecord, new_name: str) -> None:
        """Write name, domain and description. Raises NotFound, Duplicate."""
        if not await connection.execute(
            CHANGE,
            tenant_id=tenant_id,
            project_id=agent.project_id,
            name=agent.name,
            new_name=new_name,
            domain=agent.domain,
            description=agent.description,
        ):
            raise NotFound(NO_AGENT)

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
            raise NotFound(NO_AGENT)
        return found

    async def list(self, tenant_id: str, project_id: str | None = None) -> Sequence[AgentRecord]:
        """Return the documents of a project, or of all the tenant's projects, the oldest first."""
        return [_agent(row) for row in await self._database.rows(LIST, tenant_id=tenant_id, project_id=project_id)]

    async def list_without_texts(
        self, tenant_id: str, project_id: str, connection: Connection | None = None
    ) -> Sequence[AgentRecord]:
        """Return the documents of a project with an empty `dsl`, the oldest first."""
        rows = await (connection or self._database).rows(LIST_WITHOUT_TEXTS, tenant_id=tenant_id, project_id=project_id)
        return [_agent(row) for row in rows]

    async def delete(self, tenant_id: str, project_id: str, name: str) -> bool:
        """Remove a document and its versions; return False when there is none."""
        return bool(await self._database.execute(DELETE, tenant_id=tenant_id, project_id=project_id, name=name))

    async def remove(self, connection: Connection, tenant_id: str, project_id: str, name: str) -> None:
        """Remove a document and its versions. Raises NotFound."""
        if not await connection.execute(DELETE, tenant_id=tenant_id, project_id=project_id, name=name):
            raise NotFound(NO_AGENT)

    async def within(self, connection: Connection, tenant_id: str, project_id: str, name: str) -> AgentRecord:
        """Return a document as a transaction sees it. Raises NotFound."""
        return _found(await connection.row(FIND, tenant_id=tenant_id, project_id=project_id, name=name))

    async def move(self, connection: Connection, tenant_id: str, project_id: str, name: str, path: str) -> None:
        """Note in which file of its folder a document stands now."""
        await connection.execute(MOVE, tenant_id=tenant_id, project_id=project_id, name=name, path=path)

    async def visible(
        self, tenant_id: str, project_ids: Sequence[str] | None, *, limit: int, offset: int
    ) -> tuple[Sequence[AgentName], int]:
        """Return agents and supervisors of the tenant's projects, or of `project_ids`, and how many there are."""
        given = {"tenant_id": tenant_id, "project_ids": None if project_ids is None else list(project_ids)}
        rows = await self._database.rows(VISIBLE, limit=limit, offset=offset, **given)
        total = await self._database.value(COUNT_VISIBLE, **given)
        return [AgentName(row["agent_id"], row["name"]) for row in rows], int(total)

    async def oldest(self, tenant_id: str, project_ids: Sequence[str] | None, name: str) -> AgentRecord:
        """Return the agent of this name in the oldest of the projects that has one. Raises NotFound."""
        visible = None if project_ids is None else list(project_ids)
        row = await self._database.row(OLDEST, tenant_id=tenant_id, project_ids=visible, name=name)
        if row is None:
            raise NotFound(NO_AGENT)
        return _agent(row)

    async def keep_program(self, tenant_id: str, program_id: str, project_id: str, ir: bytes) -> None:
        """Keep a compiled program of a project under the hash of its content."""
        await self._database.execute(
            KEEP_PROGRAM, tenant_id=tenant_id, program_id=program_id, project_id=project_id, ir=ir
        )

    async def program(self, tenant_id: str, project_id: str, program_id: str) -> bytes | None:
        """Return a compiled program of a project."""
        found: bytes | None = await self._database.value(
            PROGRAM, tenant_id=tenant_id, project_id=project_id, program_id=program_id
        )
        return found

    async def has_program(self, tenant_id: str, project_id: str, program_id: str) -> bool:
        """Return whether a compiled program of a project is kept."""
        return bool(
            await self._database.value(HAS_PROGRAM, tenant_id=tenant_id, project_id=project_id, program_id=program_id)
        )


def _found(row: Row | None) -> AgentRecord:
    if row is None:
        raise NotFound(NO_AGENT)
    return _agent(row)


def _agent(row: Row) -> AgentRecord:
    return AgentRecord(**dict(row))
