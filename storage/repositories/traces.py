"""What happened, event by event. Spec: platform-api 5.7. The end of a turn writes one row for all its events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta

from msgspec import Struct
from msgspec.structs import asdict

from storage.database import Database, Row
from storage.keys import session_key
from storage.statements import Statement
from storage.turn_end import TraceRow
from storage.turn_frames import unpack_events

OF_TURN = Statement("SELECT events FROM traces WHERE session_key = session_key(:tenant_id, :session_id) AND seq = :seq")
PAGE = Statement("""
    SELECT seq, events FROM traces
    WHERE session_key = session_key(:tenant_id, :session_id) AND seq > :after ORDER BY seq LIMIT :limit
""")
PAGE_BACK = Statement("""
    SELECT seq, events FROM traces
    WHERE session_key = session_key(:tenant_id, :session_id) AND seq < :after ORDER BY seq DESC LIMIT :limit
""")
EXPORT = Statement("""
    SELECT s.created_at, s.session_id, t.seq, t.events FROM sessions s JOIN traces t USING (session_key)
    WHERE s.tenant_id = :tenant_id AND s.project_id = :project_id
      AND (:session_id::text IS NULL OR s.session_id = :session_id OR s.runtime_session_id = :session_id)
      AND (:status::text IS NULL OR s.status = :status)
      AND (:channel::text IS NULL OR s.channel = :channel)
      AND (:since::timestamptz IS NULL OR t.at >= :since)
      AND (:until::timestamptz IS NULL OR t.at < :until)
      AND (s.created_at, s.session_id, t.seq) > (:after_created, :after_session, :after)
    ORDER BY s.created_at, s.session_id, t.seq LIMIT :limit
""")
FORGET_OF_PROJECTS = Statement("""
    DELETE FROM traces WHERE (session_key, seq, at) IN (
        SELECT t.session_key, t.seq, t.at
        FROM projects p JOIN sessions s ON s.tenant_id = p.tenant_id AND s.project_id = p.project_id
        JOIN traces t ON t.session_key = s.session_key
        WHERE p.settings ? 'traceRetentionDays' AND (p.settings ->> 'traceRetentionDays')::float8 < :most_days
          AND s.created_at < :now::timestamptz - make_interval(days => 1)
          AND t.at < :now::timestamptz - make_interval(secs => 86400 * (p.settings ->> 'traceRetentionDays')::float8)
        LIMIT :limit
    )
""")
TURNS_PER_PAGE = 100
SEQ_MAX = 2**31 - 1
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
TURN_MAX = timedelta(hours=1)
"""How much later than its first event a turn may have been written."""
DECISION_KIND = "decisionKind"


class ExportQuery(Struct, frozen=True, kw_only=True):
    """Which events of a project; None means any. A session is named by either of its ids."""

    since: datetime | None = None
    until: datetime | None = None
    session_id: str | None = None
    status: str | None = None
    channel: str | None = None


class Traces:
    """The trace events of all sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def forget_of_projects(self, now: datetime, most_days: float, limit: int) -> int:
        """Delete traces of projects that keep them shorter than the installation; return how many turns'."""
        return await self._database.execute(FORGET_OF_PROJECTS, now=now, most_days=most_days, limit=limit)

    async def of_turn(self, tenant_id: str, session_id: str, fact_seq: int) -> tuple[TraceRow, ...]:
        """Return the events of the turn whose last fact has this number; none when they are past their retention."""
        row = await self._database.row(OF_TURN, tenant_id=tenant_id, session_id=session_id, seq=fact_seq)
        return next(await self._opened(tenant_id, session_id, [row] if row else []), ())

    async def _opened(self, tenant_id: str, session_id: str, rows: Sequence[Row]) -> Iterator[tuple[TraceRow, ...]]:
        """Return the events of turns of a session, turn by turn; what nobody asks for is not unpacked."""
        stored = [row["events"] for row in rows]
        opened = await self._database.contents.opened_all(tenant_id, session_key(tenant_id, session_id), stored)
        return (unpack_events(one) for one in opened)

    async def turns(
        self, tenant_id: str, session_id: str, *, descending: bool = False
    ) -> AsyncGenerator[tuple[TraceRow, ...]]:
        """Yield the events of a session turn by turn, the last turn first if so asked; a page of turns is in memory."""
        statement, after = (PAGE_BACK, SEQ_MAX) if descending else (PAGE, 0)
        while True:
            rows = await self._database.rows(
                statement, tenant_id=tenant_id, session_id=session_id, after=after, limit=TURNS_PER_PAGE
            )
            for events in await self._opened(tenant_id, session_id, rows):
                yield events
            if len(rows) < TURNS_PER_PAGE:
                return
            after = rows[-1]["seq"]

    async def of_project(
        self, tenant_id: str, project_id: str, wanted: ExportQuery
    ) -> AsyncGenerator[tuple[str, tuple[TraceRow, ...]]]:
        """Yield (session, events of one turn) of a project's sessions, the oldest session first.

        Times are those of turns: a turn is there when any event of it may be within them.
        """
        conditions = asdict(wanted)
        if wanted.until is not None:
            conditions["until"] = wanted.until + TURN_MAX
        created, session_id, seq = EARLIEST, "", 0
        while True:
            rows = await self._database.rows(
                EXPORT,
                tenant_id=tenant_id,
                project_id=project_id,
                after_created=created,
                after_session=session_id,
                after=seq,
                limit=TURNS_PER_PAGE,
                **conditions,
            )
            for row in rows:
                for events in await self._opened(tenant_id, row["session_id"], [row]):
                    yield row["session_id"], events
            if len(rows) < TURNS_PER_PAGE:
                return
            created, session_id, seq = rows[-1]["created_at"], rows[-1]["session_id"], rows[-1]["seq"]

    async def list(
        self,
        tenant_id: str,
        session_id: str,
        *,
        types: Sequence[str] = (),
        decision_kind: str = "",
        span_id: str = "",
        parent_span_id: str = "",
        limit: int = 200,
        offset: int = 0,
        descending: bool = False,
    ) -> tuple[tuple[TraceRow, ...], int]:
        """Return one page of a session's events and how many there are in all.

        What is not of the page is not kept. Without a filter nothing behind the page is read.
        """
        found: list[TraceRow] = []
        seen = 0
        is_filtered = bool(types or decision_kind or span_id or parent_span_id)
        async with aclosing(self.turns(tenant_id, session_id, descending=descending)) as turns:
            async for turn in turns:
                for event in reversed(turn) if descending else turn:
                    if (
                        (not types or event.type in types)
                        and decision_kind in ("", event.data.get(DECISION_KIND))
                        and span_id in ("", event.span_id)
                        and parent_span_id in ("", event.parent_span_id)
                    ):
                        if offset <= seen < offset + limit:
                            found.append(event)
                        seen += 1
                if seen > offset + limit and not is_filtered:
                    return tuple(found), await self._count(tenant_id, session_id)
        return tuple(found), seen

    async def _count(self, tenant_id: str, session_id: str) -> int:
        """Return how many events there are: they are numbered without a gap, and retention takes the oldest."""
        place = {"tenant_id": tenant_id, "session_id": session_id}
        first = await self._database.row(PAGE, **place, after=0, limit=1)
        last = await self._database.row(PAGE_BACK, **place, after=SEQ_MAX, limit=1)
        if first is None or last is None:
            return 0
        earliest, latest = await self._opened(tenant_id, session_id, [first, last])
        return latest[-1].seq - earliest[0].seq + 1
