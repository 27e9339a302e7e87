"""Documents of a project as an export reads and an import writes them: all at once, one import at a time.

Spec: platform-api 9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from domain.json_values import JsonObject
from domain.limits import IMPORT_LOCK_S
from domain.project_file import Details
from storage.database import Connection, Database
from storage.statements import Statement

DOCUMENTS = Statement("""
    SELECT name, kind, dsl, source_hash, domain, description FROM agents
    WHERE tenant_id = :tenant_id AND project_id = :project_id ORDER BY created_at, name
""")
HOLD_DOCUMENTS = Statement("""
    SELECT name, kind, source_hash, domain, description FROM agents
    WHERE tenant_id = :tenant_id AND project_id = :project_id ORDER BY created_at, name FOR UPDATE
""")
TEXTS = Statement("""
    SELECT name, dsl FROM agents WHERE tenant_id = :tenant_id AND project_id = :project_id AND name = ANY(:names)
""")
CREATE_MANY = Statement("""
    INSERT INTO agents (tenant_id, project_id, agent_id, name, kind, dsl, source_hash, created_at, updated_at)
    SELECT :tenant_id, :project_id, agent_id, name, kind, dsl, source_hash,
        now() + n * interval '1 microsecond', now()
    FROM unnest(:agent_ids::text[], :names::text[], :kinds::text[], :texts::text[], :hashes::text[])
        WITH ORDINALITY AS given (agent_id, name, kind, dsl, source_hash, n)
    ORDER BY n
""")
UPDATE_MANY = Statement("""
    UPDATE agents a SET dsl = g.dsl, kind = g.kind, source_hash = g.source_hash, updated_at = clock_timestamp()
    FROM unnest(:names::text[], :kinds::text[], :texts::text[], :hashes::text[]) AS g (name, kind, dsl, source_hash)
    WHERE a.tenant_id = :tenant_id AND a.project_id = :project_id AND a.name = g.name
""")
DESCRIBE_MANY = Statement("""
    UPDATE agents a SET domain = g.domain, description = g.description, updated_at = clock_timestamp()
    FROM unnest(:names::text[], :domains::text[], :descriptions::text[]) AS g (name, domain, description)
    WHERE a.tenant_id = :tenant_id AND a.project_id = :project_id AND a.name = g.name
""")
DELETE_MANY = Statement("""
    DELETE FROM agents WHERE tenant_id = :tenant_id AND project_id = :project_id AND name = ANY(:names)
""")
CLEAR_ENTRY = Statement("""
    UPDATE projects SET entry_agent_name = NULL, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND entry_agent_name = ANY(:names::text[])
""")
SET_ENTRY = Statement("""
    UPDATE projects SET entry_agent_name = :name, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id
""")
ACTIVE = Statement("""
    SELECT d.deployment_id, d.environment, d.agent_version_manifest, p.ir
    FROM deployments d LEFT JOIN programs p
        ON p.tenant_id = d.tenant_id AND p.project_id = d.project_id AND p.program_id = d.program_id
    WHERE d.tenant_id = :tenant_id AND d.project_id = :project_id AND d.status = 'active' ORDER BY d.environment
""")
LOCK = Statement(f"""
    INSERT INTO import_locks AS known (tenant_id, project_id, lock_id, expires_at)
    SELECT :tenant_id, :project_id, :lock_id, clock_timestamp() + interval '{IMPORT_LOCK_S} seconds'
    WHERE NOT EXISTS (
        SELECT FROM import_locks l
        WHERE l.tenant_id = :tenant_id AND l.project_id = :project_id AND l.expires_at > clock_timestamp()
    )
    ON CONFLICT (tenant_id, project_id) DO UPDATE SET lock_id = excluded.lock_id, expires_at = excluded.expires_at
    WHERE known.expires_at <= clock_timestamp()
""")
UNLOCK = Statement(
    "DELETE FROM import_locks WHERE tenant_id = :tenant_id AND project_id = :project_id AND lock_id = :lock_id",
    is_repeatable=True,
)


class Document(NamedTuple):
    """A document of a project; `kind` is agent, supervisor, tools, profile and the like."""

    name: str
    kind: str
    dsl: str
    source_hash: str
    domain: str
    description: str | None


class HeldDocument(NamedTuple):
    """A document that nobody changes until the transaction ends."""

    name: str
    kind: str
    source_hash: str
    domain: str
    description: str | None


class WrittenDocument(NamedTuple):
    """A draft to write; `agent_id` is only used for a new one."""

    agent_id: str
    name: str
    kind: str
    dsl: str
    source_hash: str


class ActiveDeployment(NamedTuple):
    """What an environment runs; `ir` is its program, None when it is stored no more."""

    deployment_id: str
    environment: str
    agent_version_manifest: JsonObject
    ir: bytes | None


class Transfer:
    """The documents of all projects, taken together."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def documents(self, tenant_id: str, project_id: str) -> list[Document]:
        """Return the documents of a project, the oldest first."""
        rows = await self._database.rows(DOCUMENTS, tenant_id=tenant_id, project_id=project_id)
        return [Document(**row) for row in rows]

    async def lock(self, tenant_id: str, project_id: str, lock_id: str) -> bool:
        """Begin an import; return False while another one is under way."""
        taken = await self._database.execute(LOCK, tenant_id=tenant_id, project_id=project_id, lock_id=lock_id)
        return bool(taken)

    async def unlock(self, tenant_id: str, project_id: str, lock_id: str) -> None:
        """End an import that has written nothing; the lock of another one stays."""
        await self._database.execute(UNLOCK, tenant_id=tenant_id, project_id=project_id, lock_id=lock_id)

    async def give_back(self, connection: Connection, tenant_id: str, project_id: str, lock_id: str) -> bool:
        """End an import together with what it has written; return False when it has the lock no more.

        Until the transaction ends whoever else wants to import is refused at once: a lock that is held is only looked
        at.
        """
        return bool(await connection.execute(UNLOCK, tenant_id=tenant_id, project_id=project_id, lock_id=lock_id))

    async def hold_documents(self, connection: Connection, tenant_id: str, project_id: str) -> list[HeldDocument]:
        """Return the documents of a project, kept from being changed until the transaction ends."""
        rows = await connection.rows(HOLD_DOCUMENTS, tenant_id=tenant_id, project_id=project_id)
        return [HeldDocument(**row) for row in rows]

    async def texts(
        self, connection: Connection, tenant_id: str, project_id: str, names: Sequence[str]
    ) -> dict[str, str]:
        """Return name -> text of documents."""
        rows = await connection.rows(TEXTS, tenant_id=tenant_id, project_id=project_id, names=list(names))
        return {row["name"]: row["dsl"] for row in rows}

    async def active_deployments(
        self, connection: Connection, tenant_id: str, project_id: str
    ) -> list[ActiveDeployment]:
        """Return what the environments of a project run."""
        rows = await connection.rows(ACTIVE, tenant_id=tenant_id, project_id=project_id)
        return [ActiveDeployment(**row) for row in rows]

    async def create(
        self, connection: Connection, tenant_id: str, project_id: str, new: Sequence[WrittenDocument]
    ) -> None:
        """Make documents, in their order. Raises Duplicate."""
        await connection.execute(
            CREATE_MANY,
            tenant_id=tenant_id,
            project_id=project_id,
            agent_ids=[one.agent_id for one in new],
            **_columns(new),
        )

    async def update(
        self, connection: Connection, tenant_id: str, project_id: str, changed: Sequence[WrittenDocument]
    ) -> None:
        """Replace drafts."""
        await connection.execute(UPDATE_MANY, tenant_id=tenant_id, project_id=project_id, **_columns(changed))

    async def describe(
        self, connection: Connection, tenant_id: str, project_id: str, said: Mapping[str, Details]
    ) -> None:
        """Write domain and description of documents by their names."""
        await connection.execute(
            DESCRIBE_MANY,
            tenant_id=tenant_id,
            project_id=project_id,
            names=list(said),
            domains=[one.domain for one in said.values()],
            descriptions=[one.description for one in said.values()],
        )

    async def delete(self, connection: Connection, tenant_id: str, project_id: str, names: Sequence[str]) -> None:
        """Remove documents with their versions; a project whose entry agent is among them has none then."""
        given = {"tenant_id": tenant_id, "project_id": project_id, "names": list(names)}
        await connection.execute(DELETE_MANY, **given)
        await connection.execute(CLEAR_ENTRY, **given)

    async def set_entry(self, connection: Connection, tenant_id: str, project_id: str, name: str | None) -> None:
        """Say where conversations begin; with None it is not said."""
        await connection.execute(SET_ENTRY, tenant_id=tenant_id, project_id=project_id, name=name)


def _columns(documents: Sequence[WrittenDocument]) -> dict[str, list[str]]:
    return {
        "names": [one.name for one in documents],
        "kinds": [one.kind for one in documents],
        "texts": [one.dsl for one in documents],
        "hashes": [one.source_hash for one in documents],
    }
