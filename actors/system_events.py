"""What happens to the runtime itself, as far as it concerns a project: events of the category `system`.

Spec: platform-api 8.1. `worker_started`: a host serves its first session of the project; `worker_lost`: a turn that the
end of its host had interrupted is taken up; `queue_full`, `rate_limited`: something was refused. What comes in masses
is told as one event with its `count`, at most every `TELL_EVERY_S`: refusing has to stay cheap.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from actors.session.store import SessionPin, Stored
from domain.analytics import EventCategory, NewEvent
from domain.clock import Clock
from domain.errors import AppError
from storage.database import Database
from storage.repositories.events import Events
from storage.repositories.projects import Projects

TELL_EVERY_S: Final = 10.0
HELD: Final = 200
"""Different events that wait to be told; what comes beyond them until then is left out."""
PROJECTS_HELD: Final = 10_000
"""Projects that are known to be served; the longest unused may be told of again."""
STARTED, LOST, FULL, LIMITED = "worker_started", "worker_lost", "queue_full", "rate_limited"
WORKER_LOST: Final = "WORKER_LOST"
Note = Callable[[str, NewEvent], Awaitable[None]]
log = logging.getLogger(__name__)


def noted_in(database: Database) -> Note:
    """Return what writes events of projects that are there: who is refused may have named any."""
    projects, events = Projects(database), Events(database)

    async def note(tenant_id: str, event: NewEvent) -> None:
        if await projects.find(tenant_id, event.project_id) is not None:
            await events.note(tenant_id, event)

    return note


class _Told(NamedTuple):
    tenant_id: str
    project_id: str
    kind: str
    session_id: str = ""
    limit: str = ""


class SystemEvents:
    """The system events of one process."""

    def __init__(self, note: Note, clock: Clock, place: str, *, every_s: float = TELL_EVERY_S) -> None:
        """`note` writes an event; `place` is the host, or the gateway, that this process is."""
        self._note = note
        self._clock = clock
        self._place = place
        self._every_s = every_s
        self._waiting: Counter[_Told] = Counter()
        self._served: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._telling: asyncio.Task[None] | None = None

    def serves(self, pin: SessionPin) -> None:
        """Tell that this host has begun to serve a project, the first time."""
        project = (pin.tenant_id, pin.project_id)
        is_new = project not in self._served
        self._served[project] = None
        self._served.move_to_end(project)
        if is_new:
            self._tell(_Told(*project, STARTED))
            if len(self._served) > PROJECTS_HELD:
                self._served.popitem(last=False)

    def takes_over(self, stored: Stored) -> None:
        """Tell that an unfinished turn of a session is taken up, if that is because its host has ended."""
        if stored.is_taken_over:
            self._tell(_Told(stored.pin.tenant_id, stored.pin.project_id, LOST, session_id=stored.pin.session_id))

    def queue_full(self, tenant_id: str, project_id: str) -> None:
        """Tell that a turn was refused because too many wait."""
        self._tell(_Told(tenant_id, project_id, FULL))

    def limited(self, tenant_id: str, project_id: str, limit: str) -> None:
        """Tell that a limit has refused something; of what concerns no project nothing is told."""
        if project_id:
            self._tell(_Told(tenant_id, project_id, LIMITED, limit=limit))

    async def flush(self) -> None:
        """Write what waits, as much as may wait at once; what cannot be written is named in the log and left out."""
        for told in list(self._waiting):
            count = self._waiting.pop(told)
            try:
                await self._note(told.tenant_id, self._event(told, count))
            except AppError as error:
                log.warning("%s %s of %s are not counted: %s", count, told.kind, told.project_id, error.message)
            except Exception:
                log.exception("%s %s of %s are not counted", count, told.kind, told.project_id)

    async def close(self) -> None:
        """Write what waits and end."""
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.wait([self._telling])
        await self.flush()

    def _tell(self, told: _Told) -> None:
        if told not in self._waiting and len(self._waiting) >= HELD:
            return
        self._waiting[told] += 1
        if self._telling is None or self._telling.done():
            self._telling = asyncio.get_running_loop().create_task(self._tell_later())

    async def _tell_later(self) -> None:
        while self._waiting:  # more may have come while some were written
            await asyncio.sleep(self._every_s)
            await self.flush()

    def _event(self, told: _Told, count: int) -> NewEvent:
        limit = {"limit": told.limit} if told.limit else {}
        return NewEvent(
            category=EventCategory.SYSTEM,
            event_type=told.kind,
            project_id=told.project_id,
            at=self._clock.now(),
            session_id=told.session_id,
            error=WORKER_LOST if told.kind == LOST else None,
            metadata={"host": self._place, "count": count, **limit},
        )
