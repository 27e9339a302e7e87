"""What was put into a project last time of the folder that it is served from. Decision 0036."""

from __future__ import annotations

from collections.abc import Mapping

from storage.database import Connection
from storage.statements import Statement

LAST = Statement("""
    SELECT name, source_hash FROM folder_documents WHERE tenant_id = :tenant_id AND project_id = :project_id
""")
NOTE = Statement("""
    INSERT INTO folder_documents (tenant_id, project_id, name, source_hash)
    SELECT :tenant_id, :project_id, name, source_hash
    FROM unnest(:names::text[], :hashes::text[]) AS given (name, source_hash)
    ON CONFLICT (tenant_id, project_id, name) DO UPDATE SET source_hash = excluded.source_hash
    WHERE folder_documents.source_hash <> excluded.source_hash
""")
FORGET = Statement("""
    DELETE FROM folder_documents
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND name <> ALL(:names::text[])
""")


async def last_put(connection: Connection, tenant_id: str, project_id: str) -> dict[str, str]:
    """Return document -> hash of its text as it was put last time."""
    rows = await connection.rows(LAST, tenant_id=tenant_id, project_id=project_id)
    return {row["name"]: row["source_hash"] for row in rows}


async def note_put(connection: Connection, tenant_id: str, project_id: str, hashes: Mapping[str, str]) -> None:
    """Keep document -> hash in the place of what was kept before."""
    await connection.execute(FORGET, tenant_id=tenant_id, project_id=project_id, names=list(hashes))
    await connection.execute(
        NOTE, tenant_id=tenant_id, project_id=project_id, names=list(hashes), hashes=list(hashes.values())
    )
