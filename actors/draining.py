"""Retired deployments on their way out, until their last session ends or is ended. Spec: platform-api 3.2."""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from actors.messages import EndSession, Failed, HostAnswer, HostMessage
from actors.together import together
from domain.deployments import DRAIN_ENDS
from storage.database import Database
from storage.repositories.deployments import Deployments

DEPLOYMENTS_MAX: Final = 100
SESSIONS_MAX: Final = 500
"""How many sessions of a deployment are ended at once, at the most; the others soon after."""
SESSIONS_AT_ONCE: Final = 16


class Hosts(Protocol):
    """Satisfied by `actors.session_runtime.SessionRuntime`."""

    async def ask(self, message: HostMessage) -> HostAnswer:
        """Send a message to the host of its session."""
        ...


class Draining:
    """Brings drains to their end."""

    def __init__(self, database: Database, hosts: Hosts) -> None:
        self._deployments = Deployments(database)
        self._hosts = hosts
        self._room = asyncio.Semaphore(SESSIONS_AT_ONCE)

    async def end_sessions(self, tenant_id: str, project_id: str, deployment_id: str) -> bool:
        """End up to `SESSIONS_MAX` sessions of a deployment; return whether none is left and its drain is over."""
        left = await self._deployments.sessions(tenant_id, deployment_id, SESSIONS_MAX)
        await together(*(self._end(tenant_id, project_id, session_id) for session_id in left))
        return await self._deployments.note_drained(tenant_id, deployment_id)

    async def look(self) -> int:
        """End what is left where the time is up, and note drains that are over; return how many are late."""
        late = 0
        for one in await self._deployments.draining(DEPLOYMENTS_MAX):
            if not one.is_over:
                await self._deployments.note_drained(one.tenant_id, one.deployment_id)
            elif not await self.end_sessions(one.tenant_id, one.project_id, one.deployment_id):
                late += 1
        return late

    async def _end(self, tenant_id: str, project_id: str, session_id: str) -> bool:
        """Return whether a session is over; one whose host does not answer is ended at the next look."""
        async with self._room:
            message = EndSession(tenant_id=tenant_id, project_id=project_id, session_id=session_id, reason=DRAIN_ENDS)
            return not isinstance(await self._hosts.ask(message), Failed)
