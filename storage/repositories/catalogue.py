"""What the tools of a project reach by name: connectors, workflows and MCP servers, one JSON object each."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from domain.json_values import JsonObject
from storage.database import Database
from storage.statements import Statement

FIND = Statement("""
    SELECT entry FROM catalogue_entries
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND kind = :kind AND name = :name
""")
SAVE = Statement("""
    INSERT INTO catalogue_entries AS known (tenant_id, project_id, kind, name, entry)
    VALUES (:tenant_id, :project_id, :kind, :name, :entry)
    ON CONFLICT (tenant_id, project_id, kind, name) DO UPDATE SET
        entry = excluded.entry, updated_at = clock_timestamp()
    WHERE known.entry <> excluded.entry
""")
LIST = Statement("""
    SELECT kind, name, entry FROM catalogue_entries
    WHERE tenant_id = :tenant_id AND project_id = :project_id ORDER BY kind, name
""")
DELETE = Statement("""
    DELETE FROM catalogue_entries
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND kind = :kind AND name = :name
""")


class CatalogueEntry(Struct, frozen=True):
    """One entry; `kind` is `connector`, `workflow` or `mcp_server`."""

    kind: str
    name: str
    entry: JsonObject


class Catalogues:
    """The catalogues of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, tenant_id: str, project_id: str, kind: str, name: str) -> JsonObject | None:
        """Return what stands under a name, None when nothing does."""
        entry: JsonObject | None = await self._database.value(
            FIND, tenant_id=tenant_id, project_id=project_id, kind=kind, name=name
        )
        return entry

    async def list(self, tenant_id: str, project_id: str) -> list[CatalogueEntry]:
        """Return all entries of a project by kind and name."""
        rows = await self._database.rows(LIST, tenant_id=tenant_id, project_id=project_id)
        return [CatalogueEntry(row["kind"], row["name"], row["entry"]) for row in rows]

    async def replace(self, tenant_id: str, project_id: str, entries: Iterable[CatalogueEntry]) -> None:
        """Make these the entries of a project; the others of it are removed."""
        kept = {(one.kind, one.name): one for one in entries}
        for known in await self.list(tenant_id, project_id):
            if (known.kind, known.name) not in kept:
                await self._database.execute(
                    DELETE, tenant_id=tenant_id, project_id=project_id, kind=known.kind, name=known.name
                )
        for one in kept.values():
            await self._database.execute(
                SAVE, tenant_id=tenant_id, project_id=project_id, kind=one.kind, name=one.name, entry=one.entry
            )
