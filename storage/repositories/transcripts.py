"""What was said. Spec: platform-api 5.9. The end of a turn writes one row: the message and the reply."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from storage.database import Database, Row
from storage.keys import session_key
from storage.statements import Statement
from storage.turn_end import MessageRow, SaidTurn
from storage.turn_frames import NOTHING, Details, unpack_details

_COLUMNS = "seq, at, turn, message, spoke_ms, spoke_id, spoke, answer_id, answer, agent_name, details"
_MINE = "session_key = session_key(:tenant_id, :session_id)"

FORWARD = Statement(f"""
    SELECT {_COLUMNS} FROM transcripts
    WHERE {_MINE} AND message + num_nonnulls(spoke, answer) > :cursor + 1 ORDER BY seq LIMIT :limit
""")
BACKWARD = Statement(f"""
    SELECT {_COLUMNS} FROM transcripts
    WHERE {_MINE} AND message < :cursor ORDER BY seq DESC LIMIT :limit
""")
COUNT = Statement(f"SELECT coalesce(sum(num_nonnulls(spoke, answer)), 0) FROM transcripts WHERE {_MINE}")
FIND = Statement(f"""
    SELECT {_COLUMNS} FROM transcripts WHERE {_MINE} AND (spoke_id = :message_id OR answer_id = :message_id)
    ORDER BY seq DESC LIMIT 1
""")
TURNS = Statement(f"""
    SELECT {_COLUMNS} FROM transcripts WHERE {_MINE} AND seq < :before ORDER BY seq DESC LIMIT :limit
""")
TIMES = Statement(f"""
    SELECT turn, at, spoke IS NOT NULL AS was_asked, coalesce(spoke_ms, 0) AS spoke_ms, answer IS NOT NULL AS has_answer
    FROM transcripts WHERE {_MINE} ORDER BY seq
""")
OpenedTurns: TypeAlias = Sequence[tuple[Row, Details]]
LAST_SEQ = 2**31 - 1
USER = "user"
ASSISTANT = "assistant"


class Transcripts:
    """The transcripts of all sessions; lines are numbered from 1 in each."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(
        self, tenant_id: str, session_id: str, *, limit: int, offset: int = 0
    ) -> tuple[tuple[MessageRow, ...], int]:
        """Return one page, oldest first, and how many messages there are."""
        rows = await self.after(tenant_id, session_id, offset, limit)
        total = await self._database.value(COUNT, tenant_id=tenant_id, session_id=session_id)
        return rows, int(total)

    async def after(self, tenant_id: str, session_id: str, seq: int, limit: int) -> tuple[MessageRow, ...]:
        """Return messages behind `seq`, oldest first."""
        turns = await self.turns_after(tenant_id, session_id, seq, limit)
        return tuple(line for turn in turns for line in turn.lines if line.seq > seq)[:limit]

    async def turns_after(self, tenant_id: str, session_id: str, seq: int, limit: int) -> tuple[SaidTurn, ...]:
        """Return turns with messages behind `seq`, oldest first."""
        rows = await self._database.rows(FORWARD, tenant_id=tenant_id, session_id=session_id, cursor=seq, limit=limit)
        return tuple(_turn_of(*turn) for turn in await self._opened(tenant_id, session_id, rows))

    async def before(self, tenant_id: str, session_id: str, seq: int | None, limit: int) -> tuple[MessageRow, ...]:
        """Return messages before `seq` (None: the last ones), newest first."""
        turns = await self.turns_before(tenant_id, session_id, seq, limit)
        return tuple(line for turn in turns for line in turn.lines[::-1] if seq is None or line.seq < seq)[:limit]

    async def turns_before(self, tenant_id: str, session_id: str, seq: int | None, limit: int) -> tuple[SaidTurn, ...]:
        """Return turns with messages before `seq` (None: the last ones), newest first."""
        cursor = LAST_SEQ if seq is None else seq
        rows = await self._database.rows(
            BACKWARD, tenant_id=tenant_id, session_id=session_id, cursor=cursor, limit=limit
        )
        return tuple(_turn_of(*turn) for turn in await self._opened(tenant_id, session_id, rows))

    async def turns(self, tenant_id: str, session_id: str, before: int | None, limit: int) -> tuple[SaidTurn, ...]:
        """Return turns whose last fact is below `before` (None: the last ones), newest first."""
        rows = await self._database.rows(
            TURNS,
            tenant_id=tenant_id,
            session_id=session_id,
            before=LAST_SEQ if before is None else before,
            limit=limit,
        )
        return tuple(_turn_of(*turn) for turn in await self._opened(tenant_id, session_id, rows))

    async def times(self, tenant_id: str, session_id: str) -> dict[int, tuple[datetime | None, datetime | None]]:
        """Return turn -> when its message came and when it was answered; None for what it does not have."""
        rows = await self._database.rows(TIMES, tenant_id=tenant_id, session_id=session_id)
        return {
            row["turn"]: (
                row["at"] - timedelta(milliseconds=row["spoke_ms"]) if row["was_asked"] else None,
                row["at"] if row["has_answer"] else None,
            )
            for row in rows
        }

    async def find(self, tenant_id: str, session_id: str, message_id: str) -> MessageRow | None:
        """Return one message by its id, as the newest turn has it."""
        turn = await self.turn_of(tenant_id, session_id, message_id)
        return next((line for line in turn.lines if line.message_id == message_id), None) if turn is not None else None

    async def turn_of(self, tenant_id: str, session_id: str, message_id: str) -> SaidTurn | None:
        """Return the newest turn with this message: one whose turn was void may have come again under its id."""
        row = await self._database.row(FIND, tenant_id=tenant_id, session_id=session_id, message_id=message_id)
        return _turn_of(*(await self._opened(tenant_id, session_id, [row]))[0]) if row is not None else None

    async def _opened(self, tenant_id: str, session_id: str, rows: Sequence[Row]) -> OpenedTurns:
        return await opened_turns(self._database, tenant_id, session_key(tenant_id, session_id), rows)


async def opened_turns(database: Database, tenant_id: str, key: bytes, rows: Sequence[Row]) -> OpenedTurns:
    """Return the rows of turns of the session with this key, each with its details."""
    stored = [row["details"] or NOTHING for row in rows]
    return list(zip(rows, map(unpack_details, await database.contents.opened_all(tenant_id, key, stored)), strict=True))


def texts_of(row: Row, details: Details) -> tuple[str, str]:
    """Return the message and the reply of a turn; rows of earlier versions have them in columns of their own."""
    return row["spoke"] or details.message, row["answer"] or details.reply


def _turn_of(row: Row, details: Details) -> SaidTurn:
    lines = {line.role: line for line in lines_of(row, details)}
    return SaidTurn(
        seq=row["seq"],
        turn=row["turn"],
        first_line=row["message"],
        spoke=lines.get(USER),
        answered=lines.get(ASSISTANT),
        beside=details.beside,
    )


def lines_of(row: Row, details: Details) -> tuple[MessageRow, ...]:
    """Return the lines of one turn's row, in order."""
    message, reply = texts_of(row, details)
    lines: list[MessageRow] = []
    if row["spoke"] is not None:
        lines.append(
            MessageRow(
                seq=row["message"],
                message_id=row["spoke_id"],
                role=USER,
                content=message,
                turn=row["turn"],
                at=row["at"] - timedelta(milliseconds=row["spoke_ms"]),
                extra=details.spoke or None,
            )
        )
    if row["answer"] is not None:
        lines.append(
            MessageRow(
                seq=row["message"] + len(lines),
                message_id=row["answer_id"],
                role=ASSISTANT,
                content=reply,
                turn=row["turn"],
                at=row["at"],
                agent_name=row["agent_name"] or "",
                extra=details.answered or None,
            )
        )
    return tuple(lines)
