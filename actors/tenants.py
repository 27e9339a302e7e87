"""Erasing a whole tenant. Spec: platform-api 2.3."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from msgspec import Struct

from actors.runtime import SessionRef
from domain.audit import Initiator
from domain.errors import NotFound
from storage.database import Database
from storage.erasure import erase_tenant, some_sessions

SESSIONS_AT_ONCE: Final = 100
DeleteSession = Callable[[SessionRef], Awaitable[None]]
log = logging.getLogger(__name__)


class Erased(Struct, frozen=True):
    """How much there was: sessions, and rows of everything else."""

    sessions: int
    rows: int


class TenantDesk(Protocol):
    """What can be done with a tenant as a whole."""

    async def erase(self, tenant_id: str, delete_session: DeleteSession, by: Initiator) -> Erased:
        """Delete everything of a tenant: its sessions are ended, its files, rows and keys are gone, and so its log-ins.

        What breaks off can be asked for again. The number and the hash of its last audit entry stay.
        """
        ...


class StoredTenants:
    """Satisfies `TenantDesk`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def erase(self, tenant_id: str, delete_session: DeleteSession, by: Initiator) -> Erased:
        """Delete everything of a tenant."""
        log.warning("tenant %s is erased by %s %s", tenant_id, by.actor.type, by.actor.id)
        sessions = 0
        while found := await some_sessions(self._database, tenant_id, SESSIONS_AT_ONCE):
            for project_id, session_id in found:
                try:
                    await delete_session(SessionRef(tenant_id, project_id, session_id))
                except NotFound:
                    continue  # it went with the session it worked for
                sessions += 1
        return Erased(sessions, await erase_tenant(self._database, tenant_id))
