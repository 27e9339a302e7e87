"""What the runtime reads from the store without asking a host, and what it has the store do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from actors.deliveries import CallbackDelivery, CallbackResult
from actors.runtime import (
    Caller,
    JsonObject,
    Page,
    SessionFilter,
    SessionPage,
    SessionRef,
    SessionView,
    TraceFilter,
)
from domain.messages import Attachment


class Archive(Protocol):
    """What the store tells without asking a host."""

    async def caller(self, api_key: str) -> Caller | None:
        """Return who brings an API key."""
        ...

    async def resolve(self, session: SessionRef) -> SessionRef:
        """Return the session under its stable id. Raises NotFound when it is not of that tenant and project."""
        ...

    async def view(self, session: SessionRef) -> SessionView:
        """Return the row of a session. Raises NotFound."""
        ...

    async def sessions(self, tenant_id: str, project_id: str, wanted: SessionFilter) -> SessionPage:
        """Return sessions of a project."""
        ...

    async def traces(self, session: SessionRef, wanted: TraceFilter) -> Page:
        """Return trace events."""
        ...

    async def transcript(self, session: SessionRef, *, limit: int, offset: int, last: bool = False) -> Page:
        """Return lines of the transcript, oldest first; with `last` the last ones."""
        ...

    async def children(self, session: SessionRef, limit: int) -> Sequence[SessionRef]:
        """Return sessions in which other agents work for this one."""
        ...

    async def delete(self, session: SessionRef) -> None:
        """Remove what a session left."""
        ...

    async def attachments(self, session: SessionRef, attachment_ids: tuple[str, ...]) -> tuple[Attachment, ...]:
        """Return the files that a message names; from now on they are in use. Raises NotFound."""
        ...

    async def take_callback(self, delivery: CallbackDelivery) -> tuple[CallbackResult, str, str]:
        """Check and claim a callback; return the result, the tenant and the session to wake."""
        ...

    async def callbacks(self, tenant_id: str, project_id: str, *, status: str, limit: int, offset: int) -> Page:
        """Return callbacks without their secrets."""
        ...

    async def outside(self, session: SessionRef) -> JsonObject:
        """Return what the detail of a session says that stands outside of it: what it waits for, its memory stores."""
        ...

    async def agent_name(self, tenant_id: str, project_id: str, agent_id: str) -> str:
        """Return the name of an agent. Raises NotFound."""
        ...

    async def agent(self, tenant_id: str, view: SessionView) -> JsonObject:
        """Return id and version of the agent that a session is with."""
        ...

    async def parts(self) -> dict[str, str]:
        """Return the state of each server behind the runtime; "ok" is well."""
        ...

    async def uncounted(self) -> tuple[int, str]:
        """Return how many turns cannot be counted, and "ok" or why."""
        ...
