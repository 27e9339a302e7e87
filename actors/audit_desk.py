"""The audit log: a page of it, all of it as CSV, and what is noted of sessions. Spec: platform-api 14.7."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Final, Literal, Protocol

from actors.runtime import SessionRef
from domain.audit import AuditCategory, AuditEntry, AuditFilter, AuditRecord, Initiator, Resource
from domain.audit_export import COLUMNS, audit_row
from domain.limits import EXPORT_ROWS_MAX
from domain.trace_export import csv_lines
from storage.repositories.audit import AuditLog

READ_AT_ONCE: Final = 1_000
ABOVE_ALL: Final = 2**62
SESSION: Final = "session"


class AuditDesk(Protocol):
    """What was done in a tenant."""

    async def page(
        self, tenant_id: str, wanted: AuditFilter, *, limit: int, offset: int
    ) -> tuple[Sequence[AuditRecord], int]:
        """Return entries, the newest first, and how many there are."""
        ...

    def csv(self, tenant_id: str, wanted: AuditFilter) -> AsyncGenerator[str]:
        """Yield entries as CSV, the line of the columns first, then the newest; at most `EXPORT_ROWS_MAX`."""
        ...

    async def note_session(self, session: SessionRef, verb: Literal["delete", "reset"], by: Initiator) -> None:
        """Note who deletes or resets a session, under its stable id."""
        ...


class StoredAudit:
    """Satisfies `AuditDesk`."""

    def __init__(self, log: AuditLog) -> None:
        self._log = log

    async def page(
        self, tenant_id: str, wanted: AuditFilter, *, limit: int, offset: int
    ) -> tuple[Sequence[AuditRecord], int]:
        """Return entries, the newest first, and how many there are."""
        return await self._log.page(tenant_id, wanted, limit=limit, offset=offset)

    async def csv(self, tenant_id: str, wanted: AuditFilter) -> AsyncGenerator[str]:
        """Yield entries as CSV."""
        yield csv_lines([list(COLUMNS)])
        below, told = ABOVE_ALL, 0
        while told < EXPORT_ROWS_MAX:
            limit = min(READ_AT_ONCE, EXPORT_ROWS_MAX - told)
            records = await self._log.below(tenant_id, wanted, below, limit=limit)
            if not records:
                return
            yield csv_lines([audit_row(one) for one in records])
            below, told = records[-1].number, told + len(records)

    async def note_session(self, session: SessionRef, verb: Literal["delete", "reset"], by: Initiator) -> None:
        """Note who deletes or resets a session."""
        entry = AuditEntry(
            by=by,
            action=f"{SESSION}.{verb}",
            category=AuditCategory.SESSIONS,
            resource=Resource(SESSION, session.session_id),
            project_id=session.project_id,
        )
        await self._log.note(session.tenant_id, entry)
