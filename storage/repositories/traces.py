"""What happened, event by event. Spec: platform-api 5.7. Rows are written by the end of a turn."""

from __future__ import annotations

from collections.abc import Sequence

from storage.database import Database, Row
from storage.statements import Statement
from storage.turn_end import TraceRow

_COLUMNS = "seq, turn, type, decision_kind, agent_name, span_id, parent_span_id, duration_ms, data"
_FILTER = """
    WHERE tenant_id = :tenant_id AND session_id = :session_id
      AND (:types::text[] IS NULL OR type = ANY(:types))
      AND (:decision_kind::text IS NULL OR decision_kind = :decision_kind)
      AND (:span_id::text IS NULL OR span_id = :span_id)
      AND (:parent_span_id::text IS NULL OR parent_span_id = :parent_span_id)
"""

LIST = {
    descending: Statement(f"""
        SELECT {_COLUMNS} FROM traces {_FILTER}
        ORDER BY seq {"DESC" if descending else "ASC"} LIMIT :limit OFFSET :offset
    """)
    for descending in (False, True)
}
COUNT = Statement(f"SELECT count(*) FROM traces {_FILTER}")


class Traces:
    """The trace events of all sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
        """Return one page of events and how many there are in all."""
        conditions = {
            "types": list(types) or None,
            "decision_kind": decision_kind or None,
            "span_id": span_id or None,
            "parent_span_id": parent_span_id or None,
        }
        rows = await self._database.rows(
            LIST[descending], tenant_id=tenant_id, session_id=session_id, limit=limit, offset=offset, **conditions
        )
        total = await self._database.value(COUNT, tenant_id=tenant_id, session_id=session_id, **conditions)
        return tuple(_event(row) for row in rows), int(total)


def _event(row: Row) -> TraceRow:
    return TraceRow(**dict(row))
