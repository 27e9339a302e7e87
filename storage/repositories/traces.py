"""What happened, event by event. Spec: platform-api 5.7. The end of a turn writes one row for all its events."""

from __future__ import annotations

from collections.abc import Sequence

from storage.database import Database
from storage.statements import Statement
from storage.turn_end import TraceRow
from storage.turn_frames import unpack_events

LIST = Statement("SELECT events FROM traces WHERE session_key = session_key(:tenant_id, :session_id) ORDER BY seq")
OF_TURN = Statement("SELECT events FROM traces WHERE session_key = session_key(:tenant_id, :session_id) AND seq = :seq")
DECISION_KIND = "decisionKind"


class Traces:
    """The trace events of all sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_turn(self, tenant_id: str, session_id: str, fact_seq: int) -> tuple[TraceRow, ...]:
        """Return the events of the turn whose last fact has this number; none when they are past their retention."""
        row = await self._database.row(OF_TURN, tenant_id=tenant_id, session_id=session_id, seq=fact_seq)
        return unpack_events(row["events"]) if row else ()

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
        """Return one page of a session's events and how many there are in all."""
        rows = await self._database.rows(LIST, tenant_id=tenant_id, session_id=session_id)
        found = [
            event
            for row in rows
            for event in unpack_events(row["events"])
            if (not types or event.type in types)
            and decision_kind in ("", event.data.get(DECISION_KIND))
            and span_id in ("", event.span_id)
            and parent_span_id in ("", event.parent_span_id)
        ]
        if descending:
            found.reverse()
        return tuple(found[offset : offset + limit]), len(found)
