"""Tenants and their projects. Spec: platform-api 6.1."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from domain.errors import NotFound
from domain.json_values import JsonObject
from storage.database import Connection, Database, Row
from storage.statements import Statement

NO_PROJECT: Final = "Project not found"
EVERYTHING: Final = 100_000
"""More projects than a tenant has."""

_COLUMNS = """
    project_id, name, slug, description, entry_agent_name, settings, created_at, updated_at, program_id, drafts_hash,
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
FIND = Statement(f"""
    SELECT {_COLUMNS} FROM projects p
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND deleted_at IS NULL
""")
FIND_BY_SLUG = Statement(f"""
    SELECT {_COLUMNS} FROM projects p WHERE tenant_id = :tenant_id AND slug = :slug AND deleted_at IS NULL
""")
_VISIBLE = """
    tenant_id = :tenant_id AND deleted_at IS NULL
    AND (:project_ids::text[] IS NULL OR project_id = ANY(:project_ids::text[]))
"""
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM projects p WHERE {_VISIBLE} ORDER BY created_at, project_id LIMIT :limit OFFSET :offset
""")
COUNT = Statement(f"SELECT count(*) FROM projects p WHERE {_VISIBLE}")
LOCK = Statement("""
    SELECT project_id FROM projects
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND deleted_at IS NULL FOR UPDATE
""")
UPDATE = Statement("""
    UPDATE projects SET name = :name, slug = :slug, description = :description, entry_agent_name = :entry_agent_name,
        settings = :settings, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND deleted_at IS NULL
""")
MOVE_ENTRY = Statement("""
    UPDATE projects SET entry_agent_name = :new_name, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND entry_agent_name = :name
""")
_DRAFTS = """
    (SELECT md5(coalesce(string_agg(name || ' ' || kind || ' ' || source_hash, ',' ORDER BY name), ''))
        FROM agents a WHERE a.tenant_id = p.tenant_id AND a.project_id = p.project_id)
    || (SELECT md5(coalesce(string_agg(key || ' ' || md5(value), ',' ORDER BY key), ''))
        FROM variables v WHERE v.tenant_id = p.tenant_id AND v.project_id = p.project_id AND v.kind = 'config')
"""
DRAFTS_HASH = Statement(f"""
    SELECT {_DRAFTS} FROM projects p WHERE tenant_id = :tenant_id AND project_id = :project_id
""")
COMPILED = Statement(f"""
    UPDATE projects p SET program_id = :program_id, drafts_hash = :drafts_hash
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND {_DRAFTS} = :drafts_hash
""")
MARK_DELETED = Statement("""
    UPDATE projects SET deleted_at = clock_timestamp(), name = project_id || ' ' || gen_random_uuid(),
        slug = project_id || '-' || gen_random_uuid()
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND deleted_at IS NULL
""")
DELETED = Statement("""
    SELECT tenant_id, project_id FROM projects WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT :limit
""")
SESSIONS_OF = Statement("""
    SELECT session_id FROM sessions WHERE tenant_id = :tenant_id AND project_id = :project_id LIMIT :limit
""")
ERASE = Statement("SELECT erase_project(:tenant_id, :project_id, :limit)")
ROWS_AT_ONCE: Final = 5_000
"""How many rows of a project that is removed one transaction deletes."""


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
    program_id: str = ""
    drafts_hash: str = ""


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
        async with self._database.transaction() as connection:
            await self.add(
                connection,
                tenant_id,
                project_id,
                name=name,
                slug=slug,
                description=description,
                entry_agent_name=entry_agent_name,
                settings=settings,
            )
        return await self.get(tenant_id, project_id)

    async def add(
        self,
        connection: Connection,
        tenant_id: str,
        project_id: str,
        *,
        name: str,
        slug: str,
        description: str = "",
        entry_agent_name: str | None = None,
        settings: JsonObject | None = None,
    ) -> None:
        """Do the same within a transaction."""
        await connection.execute(
            CREATE,
            tenant_id=tenant_id,
            project_id=project_id,
            name=name,
            slug=slug,
            description=description,
            entry_agent_name=entry_agent_name,
            settings=settings or {},
        )

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
            raise NotFound(NO_PROJECT)
        return found

    async def list(
        self, tenant_id: str, *, project_ids: Sequence[str] | None = None, limit: int = EVERYTHING, offset: int = 0
    ) -> Sequence[ProjectRecord]:
        """Return the tenant's projects, or those of `project_ids`, the oldest first."""
        visible = None if project_ids is None else list(project_ids)
        rows = await self._database.rows(LIST, tenant_id=tenant_id, project_ids=visible, limit=limit, offset=offset)
        return [_record(row) for row in rows]

    async def count(self, tenant_id: str, *, project_ids: Sequence[str] | None = None) -> int:
        """Return how many `list` would return without a limit."""
        visible = None if project_ids is None else list(project_ids)
        return int(await self._database.value(COUNT, tenant_id=tenant_id, project_ids=visible))

    async def lock(self, connection: Connection, tenant_id: str, project_id: str) -> ProjectRecord:
        """Let nobody else change what there is one of in a project until the transaction ends. Raises NotFound."""
        await connection.value(LOCK, tenant_id=tenant_id, project_id=project_id)
        row = await connection.row(FIND, tenant_id=tenant_id, project_id=project_id)
        if row is None:
            raise NotFound(NO_PROJECT)
        return _record(row)

    async def update(self, tenant_id: str, project: ProjectRecord) -> ProjectRecord:
        """Write name, slug, description, entry agent and settings. Raises NotFound, Duplicate."""
        async with self._database.transaction() as connection:
            await self.write(connection, tenant_id, project)
        return await self.get(tenant_id, project.project_id)

    async def write(self, connection: Connection, tenant_id: str, project: ProjectRecord) -> None:
        """Do the same within a transaction. Raises NotFound, Duplicate."""
        if not await connection.execute(
            UPDATE,
            tenant_id=tenant_id,
            project_id=project.project_id,
            name=project.name,
            slug=project.slug,
            description=project.description,
            entry_agent_name=project.entry_agent_name,
            settings=project.settings,
        ):
            raise NotFound(NO_PROJECT)

    async def move_entry(
        self, connection: Connection, tenant_id: str, project_id: str, name: str, new_name: str | None
    ) -> bool:
        """Let an agent that goes by another name, None for one that is gone, be the entry agent no more as `name`.

        Return whether it was.
        """
        return bool(
            await connection.execute(
                MOVE_ENTRY, tenant_id=tenant_id, project_id=project_id, name=name, new_name=new_name
            )
        )

    async def drafts_hash(self, tenant_id: str, project_id: str) -> str:
        """Return the hash of all drafts and config variables as they are now, empty without a project."""
        found: str | None = await self._database.value(DRAFTS_HASH, tenant_id=tenant_id, project_id=project_id)
        return found or ""

    async def note_program(self, tenant_id: str, project_id: str, program_id: str, drafts_hash: str) -> bool:
        """Keep what the drafts of this hash compile to; False when they have changed meanwhile."""
        return bool(
            await self._database.execute(
                COMPILED, tenant_id=tenant_id, project_id=project_id, program_id=program_id, drafts_hash=drafts_hash
            )
        )

    async def mark_deleted(self, connection: Connection, tenant_id: str, project_id: str) -> None:
        """Let a project be there for nobody; its name and slug are free again. Raises NotFound."""
        if not await connection.execute(MARK_DELETED, tenant_id=tenant_id, project_id=project_id):
            raise NotFound(NO_PROJECT)

    async def deleted(self, limit: int) -> Sequence[tuple[str, str]]:
        """Return tenant and id of projects that were deleted and still hold something."""
        rows = await self._database.rows(DELETED, limit=limit)
        return [(row["tenant_id"], row["project_id"]) for row in rows]

    async def sessions_of(self, tenant_id: str, project_id: str, limit: int) -> Sequence[str]:
        """Return ids of sessions of a project, ended ones too."""
        rows = await self._database.rows(SESSIONS_OF, tenant_id=tenant_id, project_id=project_id, limit=limit)
        return [row["session_id"] for row in rows]

    async def delete(self, tenant_id: str, project_id: str, limit: int = ROWS_AT_ONCE) -> bool:
        """Remove a project and every row of it, in whichever table it stands; return False when there is none.

        Each `limit` of them go in a transaction of their own. Its sessions have to be deleted before.
        """
        is_there = False
        while await self._database.value(ERASE, tenant_id=tenant_id, project_id=project_id, limit=limit):
            is_there = True
        return is_there


def _record(row: Row) -> ProjectRecord:
    return ProjectRecord(**dict(row))
