"""Sessions as lists and details show them. Spec: platform-api 5.1 to 5.6. What a session has lived is its journal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from msgspec import Struct, field
from msgspec.structs import asdict

from domain.errors import InvalidInput, NotFound
from domain.json_values import JsonObject
from domain.limits import SESSIONS_COUNTED_AHEAD
from storage.database import Connection, Database, Row
from storage.keys import request_key
from storage.leases import lost
from storage.repositories.analytics_counting import Counting
from storage.repositories.attachments import LOCK as LOCK_FILES
from storage.repositories.contact_memory import Inheritance, inherit
from storage.repositories.session_search import search
from storage.repositories.session_statements import (
    CHILDREN,
    COUNT,
    COUNT_ACTIVE,
    CREATE,
    DELETE,
    DELETE_BLOBS,
    DISCARD,
    END,
    FIND,
    FORGET_DELETED,
    FOUND,
    HOLD_EMPTY,
    IDLE,
    IDLE_EVERYWHERE,
    LINK_CONTACT,
    LIST,
    LOCK_BLOBS,
    NOW,
    PIN,
)
from storage.statements import Statement

CONDITIONS: Final = ("status", "channel", "agent_name", "environment", "since", "until")


class NewSession(Struct, frozen=True, kw_only=True):
    """What is known of a session when it is created; `pin` is kept as it is and given back.

    Attributes:
        created_at: As its creator has been told; None for the moment at which the row is made.
        reopens: It may follow one under the same id that was deleted.
    """

    session_id: str
    project_id: str
    runtime_session_id: str
    entry_agent_name: str
    pin: JsonObject = field(default_factory=dict)
    channel: str = "api"
    transport: str = "http"
    source: str = "live"
    environment: str = ""
    deployment_id: str = ""
    contact_id: str = ""
    user_id: str = ""
    parent_session_id: str = ""
    created_at: datetime | None = None
    reopens: bool = False


class SessionRecord(Struct, frozen=True, kw_only=True):
    """A session's row."""

    session_id: str
    project_id: str
    runtime_session_id: str
    pin: JsonObject
    agent_name: str
    entry_agent_name: str
    status: str
    execution_state: str
    channel: str
    transport: str
    source: str
    environment: str
    deployment_id: str
    contact_id: str
    user_id: str
    parent_session_id: str
    turn_count: int
    message_count: int
    trace_count: int
    input_tokens: int
    output_tokens: int
    estimated_cost: float | None
    duration_ms: int
    error_count: int
    handoff_count: int
    delegate_count: int
    last_error: str
    created_at: datetime
    last_activity_at: datetime
    ended_at: datetime | None
    end_reason: str


class SessionQuery(Struct, frozen=True, kw_only=True):
    """Which sessions of a project; None means any. `words` is an id or a piece of the transcript."""

    status: str | None = None
    channel: str | None = None
    agent_name: str | None = None
    environment: str | None = None
    words: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    includes_eval: bool = False
    sort_by: str = "lastActivityAt"
    descending: bool = True
    limit: int = 50
    offset: int = 0


class SessionRows(NamedTuple):
    """One page of sessions.

    Attributes:
        total: How many there are in all; at least so many where it is not exact.
        searched_from: When the oldest session was created whose transcript was looked at; None when all were.
    """

    rows: Sequence[SessionRecord]
    total: int
    is_exact: bool = True
    searched_from: datetime | None = None


class Sessions:
    """The sessions of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, tenant_id: str, session: NewSession, *, epoch: int | None = None) -> bool:
        """Create the session and its empty journal, owned by `epoch`; return False when it was there already.

        Raises:
            NotFound: It was deleted, and there is no other one under its id.
        """
        values = asdict(session)
        return _made(await self._database.value(CREATE, tenant_id=tenant_id, epoch=epoch, **values))

    async def create_within(
        self, connection: Connection, tenant_id: str, session: NewSession, *, epoch: int | None = None
    ) -> bool:
        """Do as `create`, within a transaction."""
        values = asdict(session)
        return _made(await connection.value(CREATE, tenant_id=tenant_id, epoch=epoch, **values))

    async def find(self, tenant_id: str, session_id: str) -> SessionRecord | None:
        """Return a session by its id or its runtime session id."""
        row = await self._database.row(FIND, tenant_id=tenant_id, session_id=session_id)
        return _record(row) if row else None

    async def get(self, tenant_id: str, session_id: str) -> SessionRecord:
        """Return a session by its id or its runtime session id. Raises NotFound."""
        found = await self.find(tenant_id, session_id)
        if found is None:
            raise NotFound("Session not found")
        return found

    async def list(self, tenant_id: str, project_id: str, wanted: SessionQuery) -> SessionRows:
        """Return one page of a project's sessions and how many there are in all.

        Raises:
            InvalidInput: They cannot be sorted like that.
        """
        named = (wanted.sort_by, wanted.descending)
        if named not in FOUND:
            raise InvalidInput(f"Sessions cannot be sorted by {wanted.sort_by}")
        which = {
            "tenant_id": tenant_id,
            "project_id": project_id,
            **{name: getattr(wanted, name) for name in CONDITIONS},
        }
        if wanted.words is not None:
            return await self._search(wanted, which)
        page = {"limit": wanted.limit, "offset": wanted.offset}
        rows = await self._database.rows(LIST[*named, wanted.includes_eval], **which, **page)
        records = [_record(row) for row in rows]
        if records and len(records) < wanted.limit:
            return SessionRows(records, wanted.offset + len(records))
        most = wanted.offset + wanted.limit + SESSIONS_COUNTED_AHEAD  # who reads page after page never stops too early
        total = int(await self._database.value(COUNT[wanted.includes_eval], **which, most=most + 1))
        return SessionRows(records, min(total, most), is_exact=total <= most)

    async def _search(self, wanted: SessionQuery, which: JsonObject) -> SessionRows:
        words = wanted.words or ""
        found = await search(self._database, which, words, includes_eval=wanted.includes_eval)
        rows = await self._database.rows(
            FOUND[wanted.sort_by, wanted.descending],
            tenant_id=which["tenant_id"],
            session_keys=found.keys,
            limit=wanted.limit,
            offset=wanted.offset,
        )
        return SessionRows([_record(row) for row in rows], len(found.keys), found.since is None, found.since)

    async def count_active(self, tenant_id: str, project_id: str | None = None) -> int:
        """Return how many sessions are not ended."""
        return int(await self._database.value(COUNT_ACTIVE, tenant_id=tenant_id, project_id=project_id))

    async def end(self, tenant_id: str, session_id: str, reason: str) -> bool:
        """End a session; return False when it was ended or is not there."""
        return bool(await self._database.execute(END, tenant_id=tenant_id, session_id=session_id, reason=reason))

    async def pin(self, tenant_id: str, session_id: str, pin: JsonObject) -> None:
        """Give a session another pin, which counts when it wakes next. Raises NotFound."""
        if not await self._database.execute(PIN, tenant_id=tenant_id, session_id=session_id, pin=pin):
            raise NotFound("Session not found")

    async def link_contact(
        self, tenant_id: str, session_id: str, epoch: int, contact_id: str, inherits: Inheritance | None = None
    ) -> None:
        """Say whose session it is, and give the contact what its user's memory holds.

        Raises:
            StaleEpoch: The session is not this epoch's; nothing has changed.
        """
        named = {"tenant_id": tenant_id, "contact_id": contact_id}
        async with self._database.transaction() as connection:
            project_id = await connection.value(LINK_CONTACT, **named, session_id=session_id, epoch=epoch)
            if project_id is None:
                raise lost(session_id, epoch)
            if inherits is not None:
                await inherit(connection, tenant_id, project_id, contact_id, inherits)

    async def idle_before(self, tenant_id: str, moment: datetime, limit: int) -> Sequence[str]:
        """Return ids of active sessions that have done nothing since `moment`, the oldest first."""
        rows = await self._database.rows(IDLE, tenant_id=tenant_id, before=moment, limit=limit)
        return [row["session_id"] for row in rows]

    async def idle_everywhere(self, idle_s: float, limit: int) -> Sequence[tuple[str, str, str]]:
        """Return (tenant, project, session) of active ones that have been quiet for too long, the longest first.

        How long that is says `idle_s` of the session's pin, and the argument where it says nothing.
        """
        rows = await self._database.rows(IDLE_EVERYWHERE, idle_s=idle_s, limit=limit)
        return [(row["tenant_id"], row["project_id"], row["session_id"]) for row in rows]

    async def children(self, tenant_id: str, session_id: str, limit: int) -> Sequence[str]:
        """Return ids of sessions in which other agents work for this one."""
        rows = await self._database.rows(CHILDREN, tenant_id=tenant_id, session_id=session_id, limit=limit)
        return [row["session_id"] for row in rows]

    async def delete(self, tenant_id: str, session_id: str) -> bool:
        """Remove a session and all it left, its last turns counted before; return False when there was none.

        Nothing opens another one under its id from then on, but what says that it may (`NewSession.reopens`).
        """
        async with self._database.transaction() as connection:
            return await self._delete(connection, tenant_id, session_id, DELETE)

    async def forget_deleted(self, days: int, limit: int) -> int:
        """Forget that sessions were deleted so many days ago, at most `limit`; return how many."""
        return await self._database.execute(FORGET_DELETED, days=days, limit=limit)

    async def discard(self, tenant_id: str, session_id: str, epoch: int, key: str = "") -> bool:
        """Remove a session of this epoch unless files wait in it, or messages other than the one with this key.

        A file that is just coming is waited for. A message that is taken meanwhile begins the session anew.

        Raises:
            StaleEpoch: The session is not this epoch's.
        """
        named: JsonObject = {"tenant_id": tenant_id, "session_id": session_id}
        async with self._database.transaction() as connection:
            await connection.value(LOCK_FILES, session_id=session_id)
            is_empty = await connection.value(HOLD_EMPTY, **named, epoch=epoch, request_key=request_key(key))
            if is_empty is None:
                raise lost(session_id, epoch)
            return bool(is_empty) and await self._delete(connection, tenant_id, session_id, DISCARD)

    async def _delete(
        self, connection: Connection, tenant_id: str, session_id: str, statements: Sequence[Statement]
    ) -> bool:
        touched = 0
        now = await connection.value(NOW)
        await Counting(self._database).count_session(connection, tenant_id, session_id, now)
        blobs = await connection.rows(LOCK_BLOBS, tenant_id=tenant_id, session_id=session_id)
        for statement in statements:
            touched = await connection.execute(statement, tenant_id=tenant_id, session_id=session_id)
        if blobs:
            hashes = [row["blob_hash"] for row in blobs]
            await connection.execute(DELETE_BLOBS, tenant_id=tenant_id, blob_hashes=hashes)
        return bool(touched)


def _made(count: int | None) -> bool:
    """Return whether a row was made. Raises NotFound."""
    if count is None:
        raise NotFound("Session not found")
    return bool(count)


def _record(row: Row) -> SessionRecord:
    return SessionRecord(**dict(row))
