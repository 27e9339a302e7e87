"""Memory that was kept before it was known whose it is, under other names than the contact's. Decision: 0035."""

from __future__ import annotations

from msgspec import Struct

from storage.database import Connection
from storage.statements import Statement

INHERIT = Statement("""
    INSERT INTO memory AS kept (tenant_id, project_id, scope, subject, path, value, sealed, expires_at, written_by,
        updated_at)
    SELECT tenant_id, project_id, scope, :contact_subject, path, value, sealed, expires_at, written_by, updated_at
    FROM memory
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND scope = 'user' AND subject = :subject
      AND (expires_at IS NULL OR expires_at > clock_timestamp())
    ORDER BY path
    ON CONFLICT (tenant_id, project_id, scope, subject, path) DO UPDATE SET
        value = excluded.value, sealed = excluded.sealed, expires_at = excluded.expires_at,
        written_by = excluded.written_by, updated_at = excluded.updated_at
    WHERE kept.expires_at <= clock_timestamp()
""")
FORGET = Statement("""
    DELETE FROM memory
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND scope = 'user' AND subject = :subject
""")
NOTE = Statement("""
    INSERT INTO contact_subjects (tenant_id, contact_id, project_id, subject)
    VALUES (:tenant_id, :contact_id, :project_id, :subject) ON CONFLICT DO NOTHING
""")
NOTE_OF_SESSIONS = Statement("""
    INSERT INTO contact_subjects (tenant_id, contact_id, project_id, subject)
    SELECT DISTINCT tenant_id, contact_id, project_id, (pin ->> 'user_kind') || ':' || user_id FROM sessions
    WHERE tenant_id = :tenant_id AND contact_id = :contact_id AND contact_id <> '' AND user_id <> ''
      AND pin ->> 'user_kind' = :kind
    ON CONFLICT DO NOTHING
""")


class Inheritance(Struct, frozen=True):
    """What a contact takes over when a session is found to be its.

    Attributes:
        subject: Whose memory it was so far.
        contact_subject: Whose it is now.
        moves: Nobody else has it; else it stays, and goes with the contact when that is erased.
    """

    subject: str
    contact_subject: str
    moves: bool


async def inherit(connection: Connection, tenant_id: str, project_id: str, contact_id: str, one: Inheritance) -> None:
    """Give a contact the values it has not got."""
    place = {"tenant_id": tenant_id, "project_id": project_id, "subject": one.subject}
    await connection.execute(INHERIT, **place, contact_subject=one.contact_subject)
    if one.moves:
        await connection.execute(FORGET, **place)
    else:
        await connection.execute(NOTE, **place, contact_id=contact_id)


async def note_names(connection: Connection, tenant_id: str, contact_id: str, kind: str) -> None:
    """Note under which names callers of a kind have spoken of a contact, as long as its sessions tell."""
    await connection.execute(NOTE_OF_SESSIONS, tenant_id=tenant_id, contact_id=contact_id, kind=kind)
