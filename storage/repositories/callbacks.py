"""Callbacks: issued once per suspension, claimed once. A claim and the job that resumes are one transaction.

Spec: platform-api 3.3, 7.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct, structs
from msgspec.structs import asdict

from domain.limits import CALLBACK_KEPT_S
from storage.contents import closed
from storage.database import Database, Row
from storage.keys import session_key
from storage.repositories.jobs import ENQUEUE
from storage.statements import Statement

RESUME_JOB = "callback.resume"
WORK_JOB = "session.work"
"""Has the id of the callback as its name that it answers, and goes with it."""

_COLUMNS = """
    tenant_id, callback_id, project_id, session_id, suspension_id, agent_name, tool_name, secret, status, created_at,
    expires_at, closed_at, payload
"""

ISSUE = Statement("""
    INSERT INTO callbacks (
        tenant_id, callback_id, project_id, session_id, suspension_id, agent_name, tool_name, secret, expires_at
    ) VALUES (
        :tenant_id, :callback_id, :project_id, :session_id, :suspension_id, :agent_name, :tool_name, :secret,
        clock_timestamp() + interval '1 second' * :lasts_s
    )
    ON CONFLICT (tenant_id, session_id, suspension_id) DO NOTHING
""")
OF_SUSPENSION = Statement(f"""
    SELECT {_COLUMNS} FROM callbacks
    WHERE tenant_id = :tenant_id AND session_id = :session_id AND suspension_id = :suspension_id
""")
FIND = Statement(f"SELECT {_COLUMNS} FROM callbacks WHERE callback_id = :callback_id")
CLAIM = Statement("""
    UPDATE callbacks SET status = 'processed', closed_at = clock_timestamp(), payload = :payload
    WHERE tenant_id = :tenant_id AND callback_id = :callback_id AND status = 'pending'
      AND expires_at > clock_timestamp()
""")
EXPIRE = Statement("""
    UPDATE callbacks SET status = 'expired', closed_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND callback_id = :callback_id AND status = 'pending'
""")
OPEN_OF = Statement(f"""
    SELECT {_COLUMNS} FROM callbacks
    WHERE tenant_id = :tenant_id AND session_id = :session_id AND status = 'pending' ORDER BY created_at DESC
""")
FORGET_CLOSED = Statement(f"""
    DELETE FROM callbacks WHERE ctid IN (
        SELECT ctid FROM callbacks
        WHERE status <> 'pending' AND closed_at <= clock_timestamp() - interval '{CALLBACK_KEPT_S} seconds' LIMIT :limit
    )
""")
FORGET_MAX = 5_000
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM callbacks
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND (:status::text IS NULL OR status = :status)
    ORDER BY created_at DESC, callback_id LIMIT :limit OFFSET :offset
""")
COUNT = Statement("""
    SELECT count(*) FROM callbacks
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND (:status::text IS NULL OR status = :status)
""")


class _Callback(Struct, frozen=True, kw_only=True):
    callback_id: str
    project_id: str
    session_id: str
    suspension_id: str
    agent_name: str = ""
    tool_name: str = ""
    secret: str = ""


class NewCallback(_Callback, frozen=True, kw_only=True):
    """An address for the answer to a suspension; it is open for `lasts_s` seconds by the database's clock."""

    lasts_s: float


class CallbackRecord(_Callback, frozen=True, kw_only=True):
    """A callback as it stands; `payload` is the answer as JSON, sealed but from `find_by_id`."""

    tenant_id: str
    status: str
    created_at: datetime
    expires_at: datetime
    closed_at: datetime | None
    payload: bytes | None


class Callbacks:
    """The callbacks of all sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def issue(self, tenant_id: str, callback: NewCallback) -> CallbackRecord:
        """Return the callback of the suspension: this one, or the one that was issued for it before."""
        values = asdict(callback)
        await self._database.execute(ISSUE, tenant_id=tenant_id, **values)
        row = await self._database.row(
            OF_SUSPENSION,
            tenant_id=tenant_id,
            session_id=callback.session_id,
            suspension_id=callback.suspension_id,
        )
        assert row is not None
        return _record(row)

    async def find_by_id(self, callback_id: str) -> CallbackRecord | None:
        """Return a callback of whichever tenant, its answer opened: its id is all that an outside caller has."""
        row = await self._database.row(FIND, callback_id=callback_id)
        record = _record(row) if row else None
        if record is None or record.payload is None:
            return record
        key = session_key(record.tenant_id, record.session_id)
        payload = await self._database.contents.opened(record.tenant_id, key, record.payload)
        return structs.replace(record, payload=payload)

    async def claim(self, tenant_id: str, callback_id: str, session_id: str, payload: bytes) -> bool:
        """Take the answer and enqueue the job that resumes the session; return False unless it was pending."""
        contents = self._database.contents
        seal = await contents.seal(tenant_id, session_key(tenant_id, session_id))
        named = {"tenant_id": tenant_id, "callback_id": callback_id}
        async with self._database.transaction() as connection:
            await contents.check(connection, tenant_id, seal)
            if not await connection.execute(CLAIM, **named, payload=closed(seal, payload)):
                return False
            await connection.execute(
                ENQUEUE,
                tenant_id=tenant_id,
                kind=RESUME_JOB,
                name=callback_id,
                payload={"callback_id": callback_id, "session_id": session_id},
                delay_s=0.0,
            )
        return True

    async def expire(self, tenant_id: str, callback_id: str) -> bool:
        """Close a callback whose time is over; return False unless it was pending."""
        return bool(await self._database.execute(EXPIRE, tenant_id=tenant_id, callback_id=callback_id))

    async def open_of(self, tenant_id: str, session_id: str) -> Sequence[CallbackRecord]:
        """Return what a session waits for, the newest first."""
        rows = await self._database.rows(OPEN_OF, tenant_id=tenant_id, session_id=session_id)
        return [_record(row) for row in rows]

    async def forget_closed(self, limit: int = FORGET_MAX) -> int:
        """Remove what was closed a day ago, of all tenants, at most `limit` rows; return how many."""
        return await self._database.execute(FORGET_CLOSED, limit=limit)

    async def list(
        self, tenant_id: str, project_id: str, *, status: str | None = None, limit: int = 50, offset: int = 0
    ) -> tuple[Sequence[CallbackRecord], int]:
        """Return one page of a project's callbacks, the newest first, and how many there are."""
        rows = await self._database.rows(
            LIST, tenant_id=tenant_id, project_id=project_id, status=status, limit=limit, offset=offset
        )
        total = await self._database.value(COUNT, tenant_id=tenant_id, project_id=project_id, status=status)
        return [_record(row) for row in rows], int(total)


def _record(row: Row) -> CallbackRecord:
    return CallbackRecord(**dict(row))
