"""Erasing a tenant: every row of every table, whoever has made the table. Spec: platform-api 2.3, issue "Erasure"."""

from __future__ import annotations

from storage.database import Database
from storage.statements import Statement

ERASE = Statement("SELECT erase_tenant(:tenant_id)")
ALL_SESSIONS = Statement("""
    SELECT project_id, session_id FROM sessions WHERE tenant_id = :tenant_id ORDER BY session_key LIMIT :limit
""")


async def some_sessions(database: Database, tenant_id: str, limit: int) -> list[tuple[str, str]]:
    """Return (project, session) of some sessions of a tenant, in no order that means anything."""
    rows = await database.rows(ALL_SESSIONS, tenant_id=tenant_id, limit=limit)
    return [(row["project_id"], row["session_id"]) for row in rows]


async def erase_tenant(database: Database, tenant_id: str) -> int:
    """Delete all rows of a tenant but the head of its audit chain; return how many there were.

    Its sessions have to be ended and their files deleted before: a session that is awake would write again.
    """
    return int(await database.value(ERASE, tenant_id=tenant_id))
