"""The store as a host sees it that shares the work: sessions of dedicated deployments are sent to hosts of their own.

A host finds out where a session belongs when it wakes it, and nowhere before; packed sessions cost nothing more. What a
dedicated session delegates lives with it: the code that is kept apart is kept apart with all it asks for.
"""

from __future__ import annotations

import time

from actors.callbacks import CallbackDesk
from actors.hosts.tenancy import Epoch
from actors.placement import Placement, dedicated_host, is_dedicated, placement_of
from actors.session.store import SessionMoved, SessionPin, Stored, StoreLost
from actors.stored_sessions import AWAY, StoredSessions
from actors.system_events import SystemEvents
from domain.errors import InvalidInput, NotFound
from storage.database import Database
from storage.journal import Journal
from storage.repositories.deployments import Deployments

KNOWN_FOR_S = 10.0
"""How long the placement of a deployment is remembered; a change takes effect when its sessions wake next."""
MAX_KNOWN = 10_000


class Placements:
    """How the sessions of each deployment share processes."""

    def __init__(self, database: Database) -> None:
        self._deployments = Deployments(database)
        self._known: dict[tuple[str, str], tuple[float, Placement]] = {}

    async def of(self, tenant_id: str, deployment_id: str) -> Placement:
        """Return the placement of a deployment; packed for one that is unknown or says what there is not."""
        if not deployment_id:
            return Placement.PACKED
        key = (tenant_id, deployment_id)
        known = self._known.get(key)
        if known is not None and time.monotonic() < known[0]:
            return known[1]
        try:
            found = placement_of((await self._deployments.get(tenant_id, deployment_id)).details)
        except (NotFound, InvalidInput):
            found = Placement.PACKED
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[key] = (time.monotonic() + KNOWN_FOR_S, found)
        return found


class PlacedSessions(StoredSessions):
    """The sessions that one of several hosts may have."""

    def __init__(
        self,
        database: Database,
        journal: Journal,
        epoch: Epoch,
        desk: CallbackDesk,
        host_id: str,
        system: SystemEvents | None = None,
    ) -> None:
        super().__init__(database, journal, epoch, desk, system=system)
        self._placements = Placements(database)
        self._host_id = host_id

    async def wake(self, tenant_id: str, session_id: str) -> tuple[int, Stored] | None:
        """Return the session as this host's; one that belongs elsewhere is given back. Raises SessionMoved."""
        woken = await self._claim(tenant_id, session_id)
        if woken is None:
            return None
        if (home := await self._home(woken[1].pin)) == self._host_id:
            self._note(woken[1].pin)
            return woken
        try:
            await self._leases.release_session(tenant_id, session_id, self._epoch.value)
        except AWAY as error:
            raise StoreLost from error
        raise SessionMoved(home)

    async def create(self, pin: SessionPin, *, reopens: bool = False) -> int:
        """Create the session's row, unless it belongs elsewhere. Raises SessionMoved, NotFound."""
        home = await self._home(pin)
        if home != self._host_id:
            raise SessionMoved(home)
        return await super().create(pin, reopens=reopens)

    async def _home(self, pin: SessionPin) -> str:
        """Return the host a session has to itself; this one, or any that shares, for one that needs none."""
        try:
            placement = await self._placements.of(pin.tenant_id, pin.deployment_id)
        except AWAY as error:
            raise StoreLost from error
        if placement is Placement.DEDICATED:
            return dedicated_host(pin.root_session_id or pin.session_id)
        return "" if is_dedicated(self._host_id) else self._host_id
