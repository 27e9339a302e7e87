"""Erasing a person or a whole tenant: what is deleted leaves nothing behind. Spec: platform-api 2.3; decision 0025."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, Protocol

from msgspec import Struct

from actors.memories import ANSWERED_FOR
from actors.runtime import SessionRef
from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.errors import NotFound
from storage.database import Database
from storage.erasure import erase_contact, erase_tenant, sessions_of_contact, some_sessions
from storage.repositories.audit import AuditLog
from storage.repositories.contact_memory import note_names

SESSIONS_AT_ONCE: Final = 100
DeleteSession = Callable[[SessionRef], Awaitable[None]]
log = logging.getLogger(__name__)


class Erased(Struct, frozen=True):
    """How much there was: sessions, and rows of everything else."""

    sessions: int
    rows: int


class ErasureDesk(Protocol):
    """What can be made to never have been. What breaks off can be asked for again."""

    async def contact(self, tenant_id: str, contact_id: str, delete_session: DeleteSession, by: Initiator) -> Erased:
        """Delete a contact, deleted ones too, with all sessions and all memory of it. Raises NotFound."""
        ...

    async def tenant(self, tenant_id: str, delete_session: DeleteSession, by: Initiator) -> Erased:
        """Delete everything of a tenant: its sessions are ended, its files, rows and keys are gone, and so its log-ins.

        The number and the hash of its last audit entry stay.
        """
        ...


class StoredErasure:
    """Satisfies `ErasureDesk`."""

    def __init__(self, database: Database, audit: AuditLog) -> None:
        self._database = database
        self._audit = audit

    async def contact(self, tenant_id: str, contact_id: str, delete_session: DeleteSession, by: Initiator) -> Erased:
        """Delete a contact with all sessions and all memory of it."""
        sessions = 0
        while True:
            found = await sessions_of_contact(self._database, tenant_id, contact_id, SESSIONS_AT_ONCE)
            async with self._database.transaction() as connection:  # when they are gone nobody knows any more
                await note_names(connection, tenant_id, contact_id, ANSWERED_FOR)
            if not found:
                break
            for project_id, session_id in found:
                await self._audit.note(tenant_id, _of_session(project_id, session_id, by))
            sessions += await _deleted(tenant_id, found, delete_session)
        async with self._database.transaction() as connection:
            rows = await erase_contact(connection, tenant_id, contact_id)
            if not rows:
                raise NotFound("Contact not found")
            entry = AuditEntry(
                by=by,
                action="contact.erase",
                category=AuditCategory.SESSIONS,
                resource=Resource("contact", contact_id),
                details={"sessions": sessions},
            )
            await self._audit.append(connection, tenant_id, entry)
        return Erased(sessions, rows)

    async def tenant(self, tenant_id: str, delete_session: DeleteSession, by: Initiator) -> Erased:
        """Delete everything of a tenant."""
        log.warning("tenant %s is erased by %s %s", tenant_id, by.actor.type, by.actor.id)
        sessions = 0
        while found := await some_sessions(self._database, tenant_id, SESSIONS_AT_ONCE):
            sessions += await _deleted(tenant_id, found, delete_session)
        return Erased(sessions, await erase_tenant(self._database, tenant_id))


def _of_session(project_id: str, session_id: str, by: Initiator) -> AuditEntry:
    return AuditEntry(
        by=by,
        action="session.delete",
        category=AuditCategory.SESSIONS,
        resource=Resource("session", session_id),
        project_id=project_id,
    )


async def _deleted(tenant_id: str, sessions: Iterable[tuple[str, str]], delete_session: DeleteSession) -> int:
    """Delete sessions; return how many there were: some go with the session they worked for."""
    count = 0
    for project_id, session_id in sessions:
        try:
            await delete_session(SessionRef(tenant_id, project_id, session_id))
        except NotFound:
            continue
        count += 1
    return count
