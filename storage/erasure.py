"""Erasing people and tenants: every row, in whichever table it stands. Spec: platform-api 2.3; decision 0025."""

from __future__ import annotations

from collections.abc import Sequence

from storage.database import Connection, Database, Row
from storage.statements import Statement

ROWS_AT_ONCE = 5_000
"""How many rows one transaction deletes."""
ERASE = Statement("SELECT erase_tenant(:tenant_id, :limit)")
ALL_SESSIONS = Statement("""
    SELECT project_id, session_id FROM sessions WHERE tenant_id = :tenant_id ORDER BY session_key LIMIT :limit
""")
OF_CONTACT = Statement("""
    SELECT project_id, session_id FROM sessions
    WHERE tenant_id = :tenant_id AND contact_id = :contact_id AND contact_id <> '' ORDER BY session_key LIMIT :limit
""")
ERASE_CONTACT = (
    Statement("DELETE FROM memory WHERE tenant_id = :tenant_id AND scope = 'user' AND subject = :contact_id"),
    Statement("""
        DELETE FROM memory m USING contact_subjects s
        WHERE s.tenant_id = :tenant_id AND s.contact_id = :contact_id AND m.tenant_id = s.tenant_id
          AND m.project_id = s.project_id AND m.scope = 'user' AND m.subject = s.subject
    """),
    Statement("DELETE FROM contact_subjects WHERE tenant_id = :tenant_id AND contact_id = :contact_id"),
    Statement("DELETE FROM budget_accounts WHERE tenant_id = :tenant_id AND subject = :contact_id"),
    Statement("DELETE FROM contacts WHERE tenant_id = :tenant_id AND contact_id = :contact_id"),
)
"""In this order; the last one says whether there was a contact."""


async def some_sessions(database: Database, tenant_id: str, limit: int) -> Sequence[tuple[str, str]]:
    """Return (project, session) of some sessions of a tenant, in no order that means anything."""
    return _names(await database.rows(ALL_SESSIONS, tenant_id=tenant_id, limit=limit))


async def sessions_of_contact(
    database: Database, tenant_id: str, contact_id: str, limit: int
) -> Sequence[tuple[str, str]]:
    """Return (project, session) of some sessions with a contact."""
    return _names(await database.rows(OF_CONTACT, tenant_id=tenant_id, contact_id=contact_id, limit=limit))


async def erase_contact(connection: Connection, tenant_id: str, contact_id: str) -> int:
    """Delete the rows of a contact that has no sessions any more; return how many, 0 when there is no such contact."""
    touched = [await connection.execute(one, tenant_id=tenant_id, contact_id=contact_id) for one in ERASE_CONTACT]
    return sum(touched) if touched[-1] else 0


async def erase_tenant(database: Database, tenant_id: str, limit: int = ROWS_AT_ONCE) -> int:
    """Delete all rows of a tenant but the head of its audit chain; return how many there were.

    Each `limit` of them go in a transaction of their own; what breaks off goes on when it is asked for again. Its
    sessions have to be ended and their files deleted before: a session that is awake would write again.
    """
    total = 0
    while touched := int(await database.value(ERASE, tenant_id=tenant_id, limit=limit)):
        total += touched
    return total


def _names(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return [(row["project_id"], row["session_id"]) for row in rows]
