"""What was said. Spec: platform-api 5.9. Rows are written by the end of a turn."""

from __future__ import annotations

from storage.database import Database, Row
from storage.statements import Statement
from storage.turn_end import MessageRow

_COLUMNS = "seq, message_id, role, agent_name, turn, at, content, extra"

PAGE = Statement(f"""
    SELECT {_COLUMNS} FROM transcripts WHERE tenant_id = :tenant_id AND session_id = :session_id
    ORDER BY seq LIMIT :limit OFFSET :offset
""")
FORWARD = Statement(f"""
    SELECT {_COLUMNS} FROM transcripts WHERE tenant_id = :tenant_id AND session_id = :session_id AND seq > :cursor
    ORDER BY seq LIMIT :limit
""")
BACKWARD = Statement(f"""
    SELECT {_COLUMNS} FROM transcripts WHERE tenant_id = :tenant_id AND session_id = :session_id AND seq < :cursor
    ORDER BY seq DESC LIMIT :limit
""")
COUNT = Statement("SELECT count(*) FROM transcripts WHERE tenant_id = :tenant_id AND session_id = :session_id")
FIND = Statement(f"""
    SELECT {_COLUMNS} FROM transcripts
    WHERE tenant_id = :tenant_id AND session_id = :session_id AND message_id = :message_id
""")
LAST_SEQ = 2**31 - 1


class Transcripts:
    """The transcripts of all sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(
        self, tenant_id: str, session_id: str, *, limit: int, offset: int = 0
    ) -> tuple[tuple[MessageRow, ...], int]:
        """Return one page, oldest first, and how many messages there are."""
        rows = await self._database.rows(PAGE, tenant_id=tenant_id, session_id=session_id, limit=limit, offset=offset)
        total = await self._database.value(COUNT, tenant_id=tenant_id, session_id=session_id)
        return tuple(_message(row) for row in rows), int(total)

    async def after(self, tenant_id: str, session_id: str, seq: int, limit: int) -> tuple[MessageRow, ...]:
        """Return messages behind `seq`, oldest first."""
        rows = await self._database.rows(FORWARD, tenant_id=tenant_id, session_id=session_id, cursor=seq, limit=limit)
        return tuple(_message(row) for row in rows)

    async def before(self, tenant_id: str, session_id: str, seq: int | None, limit: int) -> tuple[MessageRow, ...]:
        """Return messages before `seq` (None: the last ones), newest first."""
        cursor = LAST_SEQ if seq is None else seq
        rows = await self._database.rows(
            BACKWARD, tenant_id=tenant_id, session_id=session_id, cursor=cursor, limit=limit
        )
        return tuple(_message(row) for row in rows)

    async def find(self, tenant_id: str, session_id: str, message_id: str) -> MessageRow | None:
        """Return one message by its id."""
        row = await self._database.row(FIND, tenant_id=tenant_id, session_id=session_id, message_id=message_id)
        return _message(row) if row else None


def _message(row: Row) -> MessageRow:
    return MessageRow(**dict(row))
