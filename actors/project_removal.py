"""What a deleted project left is removed piece by piece: its sessions first, then its row with all that hangs on it.

Its sessions are ended by their hosts, so that nobody goes on in one. `actors.upkeep` goes on with what breaks off.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from actors.runtime import SessionRef
from actors.together import together
from domain.errors import NotFound
from storage.database import Database
from storage.repositories.projects import Projects

SESSIONS_AT_ONCE: Final = 8
SESSIONS_MAX: Final = 200
"""How many sessions one piece of this work removes at the most."""
PROJECTS_MAX: Final = 20


class Sessions(Protocol):
    """Satisfied by `actors.session_runtime.SessionRuntime`."""

    async def delete_session(self, session: SessionRef) -> None:
        """End a session and remove what it left. Raises NotFound."""
        ...


class ProjectRemoval:
    """Removes what is left of deleted projects."""

    def __init__(self, database: Database, sessions: Sessions) -> None:
        self._projects = Projects(database)
        self._sessions = sessions
        self._room = asyncio.Semaphore(SESSIONS_AT_ONCE)

    async def carry_on(self, tenant_id: str, project_id: str) -> bool:
        """Remove up to `SESSIONS_MAX` sessions, and the project when none is left; return whether it is gone."""
        found = await self._projects.sessions_of(tenant_id, project_id, SESSIONS_MAX)
        await together(*(self._remove(SessionRef(tenant_id, project_id, session_id)) for session_id in found))
        if len(found) == SESSIONS_MAX or await self._projects.sessions_of(tenant_id, project_id, 1):
            return False
        await self._projects.delete(tenant_id, project_id)
        return True

    async def carry_on_all(self) -> int:
        """Do so for all deleted projects, at most `PROJECTS_MAX`; return how many of them are not gone yet."""
        left = 0
        for tenant_id, project_id in await self._projects.deleted(PROJECTS_MAX):
            left += not await self.carry_on(tenant_id, project_id)
        return left

    async def _remove(self, session: SessionRef) -> None:
        async with self._room:
            try:
                await self._sessions.delete_session(session)
            except NotFound:
                return  # its parent took it along, or somebody else removed it
