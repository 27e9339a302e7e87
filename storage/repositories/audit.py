"""The audit log: added to in the transaction of the action itself, a chain of hashes for each tenant.

Spec: platform-api 14.7.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

import msgspec
from msgspec.structs import asdict

from domain.analytics import EventCategory, NewEvent
from domain.audit import GENESIS, AuditEntry, AuditFilter, AuditRecord, chained
from domain.clock import Clock, IdSource
from domain.ids import PREFIXES
from storage.database import Connection, Database, Row
from storage.repositories.events import Events
from storage.statements import Statement

VERIFIED_AT_ONCE = 1_000
NOBODY = ""
WITHOUT_WAITING = "SET LOCAL synchronous_commit = off"
KIND = "audit"

BEGIN = Statement("""
    INSERT INTO audit_heads (tenant_id, number, hash) VALUES (:tenant_id, 0, :genesis) ON CONFLICT DO NOTHING
""")
HEAD = Statement("""
    SELECT h.number, h.hash, l.at FROM audit_heads h
    LEFT JOIN audit_log l ON l.tenant_id = h.tenant_id AND l.number = h.number
    WHERE h.tenant_id = :tenant_id FOR UPDATE OF h
""")
HEADS = Statement("SELECT tenant_id, number FROM audit_heads ORDER BY tenant_id")
MOVE_HEAD = Statement("UPDATE audit_heads SET number = :number, hash = :hash WHERE tenant_id = :tenant_id")
ADD = Statement("""
    INSERT INTO audit_log (
        tenant_id, number, audit_id, at, action, category, actor_id, project_id, outcome, entry, hash
    ) VALUES (
        :tenant_id, :number, :audit_id, :at, :action, :category, :actor_id, :project_id, :outcome, :entry, :hash
    )
""")
_MATCHES = """
    tenant_id = :tenant_id
    AND (:since::timestamptz IS NULL OR at >= :since) AND (:until::timestamptz IS NULL OR at < :until)
    AND (:action::text = '' OR action = :action) AND (:category::text = '' OR category = :category)
    AND (:actor_id::text = '' OR actor_id = :actor_id) AND (:project_id::text = '' OR project_id = :project_id)
    AND (:outcome::text = '' OR outcome = :outcome)
    AND (:project_ids::text[] IS NULL OR project_id = ANY(:project_ids))
"""
PAGE = Statement(f"""
    SELECT number, audit_id, at, entry, hash FROM audit_log WHERE {_MATCHES}
    ORDER BY at DESC, number DESC LIMIT :limit OFFSET :offset
""")
COUNT = Statement(f"SELECT count(*) FROM audit_log WHERE {_MATCHES}")
BELOW = Statement(f"""
    SELECT number, audit_id, at, entry, hash FROM audit_log WHERE {_MATCHES} AND number < :below
    ORDER BY number DESC LIMIT :limit
""")
FROM = Statement("""
    SELECT number, audit_id, at, entry, hash FROM audit_log
    WHERE tenant_id = :tenant_id AND number > :number ORDER BY number LIMIT :limit
""")
PRUNE = Statement("""
    DELETE FROM audit_log WHERE ctid IN (
        SELECT ctid FROM audit_log WHERE at < :before ORDER BY at, number LIMIT :limit
    )
""")


class _Undone(Exception):
    """Rolls back what nobody may know of."""


class AuditLog:
    """The audit log of all tenants."""

    def __init__(self, database: Database, clock: Clock, ids: IdSource) -> None:
        self._database = database
        self._clock = clock
        self._ids = ids

    async def append(self, connection: Connection, tenant_id: str, entry: AuditEntry) -> str:
        """Add an entry within the transaction of the action it tells of; return its id.

        The log of a tenant is locked until that transaction ends: let this be its last statement.
        """
        await connection.execute(BEGIN, tenant_id=tenant_id, genesis=GENESIS)
        head = await connection.row(HEAD, tenant_id=tenant_id)
        assert head is not None, "the statement before has made it"
        now = self._clock.now()
        at = now.replace(microsecond=now.microsecond // 1_000 * 1_000)
        at = max(at, head["at"] or at)  # a clock that was put back does not change the order
        number = head["number"] + 1
        hashed = chained(head["hash"], tenant_id, number, at, entry)
        audit_id = self._ids.new(PREFIXES[KIND])
        await connection.execute(
            ADD,
            tenant_id=tenant_id,
            number=number,
            audit_id=audit_id,
            at=at,
            action=entry.action,
            category=entry.category,
            actor_id=entry.by.actor.id,
            project_id=entry.project_id,
            outcome=entry.outcome,
            entry=msgspec.to_builtins(entry),
            hash=hashed,
        )
        await connection.execute(MOVE_HEAD, tenant_id=tenant_id, number=number, hash=hashed)
        if entry.project_id:
            await Events(self._database).append(connection, tenant_id, _counted(entry, at))
        return audit_id

    async def note(self, tenant_id: str, entry: AuditEntry) -> str:
        """Add an entry of an action that changed nothing in the store; return its id."""
        async with self._database.transaction() as connection:
            return await self.append(connection, tenant_id, entry)

    async def note_refusal(self, tenant_id: str | None, entry: AuditEntry) -> None:
        """Add an entry of somebody who was not let in; without a tenant, take the same time and leave nothing.

        So nobody can tell by the time whether there is such a tenant. Nothing waits for the disk, which what is undone
        would not do either: a crash may lose the last half second of these entries.
        """
        async with self._database.connection() as connection:
            with suppress(_Undone):
                async with connection.transaction():
                    await connection.script(WITHOUT_WAITING)
                    await self.append(connection, tenant_id or NOBODY, entry)
                    if tenant_id is None:
                        raise _Undone

    async def page(
        self, tenant_id: str, wanted: AuditFilter, *, limit: int, offset: int
    ) -> tuple[list[AuditRecord], int]:
        """Return the newest entries first, and how many there are."""
        given = _given(wanted)
        rows = await self._database.rows(PAGE, tenant_id=tenant_id, limit=limit, offset=offset, **given)
        total = await self._database.value(COUNT, tenant_id=tenant_id, **given)
        return [_record(row) for row in rows], int(total)

    async def below(self, tenant_id: str, wanted: AuditFilter, below: int, *, limit: int) -> list[AuditRecord]:
        """Return the newest entries whose number is smaller than `below`."""
        rows = await self._database.rows(BELOW, tenant_id=tenant_id, below=below, limit=limit, **_given(wanted))
        return [_record(row) for row in rows]

    async def heads(self) -> dict[str, int]:
        """Return tenant id -> how many entries were ever written, of all tenants that have any."""
        return {row["tenant_id"]: row["number"] for row in await self._database.rows(HEADS)}

    async def broken_at(self, tenant_id: str) -> int | None:
        """Return the number of the first entry that is not what was written, None when all are.

        Entries that retention took away are not missed; those that are gone from between or from the end are.
        """
        previous: bytes | None = None
        number = 0
        while rows := await self._database.rows(FROM, tenant_id=tenant_id, number=number, limit=VERIFIED_AT_ONCE):
            for record in map(_record, rows):
                if previous is not None or record.number == 1:
                    follows = chained(previous or GENESIS, tenant_id, record.number, record.at, record.entry)
                    if record.number != number + 1 or follows != record.hash:
                        return record.number
                number, previous = record.number, record.hash
        head = await self._database.row(HEAD, tenant_id=tenant_id)
        if head is not None and number and (head["number"], head["hash"]) != (number, previous):
            return number + 1
        return None

    async def prune(self, before: datetime, *, limit: int) -> int:
        """Delete the oldest entries, at most `limit`; return how many there were."""
        return await self._database.execute(PRUNE, before=before, limit=limit)


def _given(wanted: AuditFilter) -> dict[str, object]:
    return asdict(wanted)


def _record(row: Row) -> AuditRecord:
    entry = msgspec.convert(row["entry"], AuditEntry)
    return AuditRecord(row["number"], row["audit_id"], row["at"], entry, row["hash"])


def _counted(entry: AuditEntry, at: datetime) -> NewEvent:
    """Return the event that analytics count. Spec: platform-api 8.1."""
    return NewEvent(
        category=EventCategory.AUDIT,
        event_type=entry.action,
        project_id=entry.project_id,
        at=at,
        error=None if entry.outcome == "success" else entry.outcome,
        metadata={"category": entry.category.value, "resource": entry.resource.type, "status": entry.outcome},
    )
