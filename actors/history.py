"""Messages of a session page by page, so that they and its numbered output join. Spec: platform-api 5.9, 12.6.

A page says up to which number of the output it goes: what is behind that comes with `?lastSeq=` of the WebSocket. And
it says of each set of actions whether it is open, and how it was answered. Decision: 0076.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec
from msgspec import Struct

from actors.archive import wire_line
from actors.desks import History
from actors.runtime import SessionRef
from actors.session.kept import ENDED, KeptTurn, decode_kept
from domain.clock import iso_ms
from domain.errors import InvalidInput
from domain.json_values import JsonObject
from domain.limits import ACTIONS_OPEN_TURNS
from domain.offers import offered
from storage.repositories.sessions import SessionRecord
from storage.repositories.transcripts import ASSISTANT, Transcripts
from storage.turn_end import MessageRow, SaidTurn

CURSOR_MAX_DIGITS: Final = 9
OPEN, ANSWERED, CLOSED = "open", "answered", "closed"


class _Line(Struct, frozen=True):
    """A line and its turn."""

    row: MessageRow
    turn: SaidTurn

    @property
    def number(self) -> int:
        """Which line of the session it is."""
        return self.row.seq


class Histories:
    """The histories of all sessions."""

    def __init__(self, transcripts: Transcripts) -> None:
        self._transcripts = transcripts

    async def read(
        self, session: SessionRef, record: SessionRecord, *, limit: int, cursor: str, descending: bool
    ) -> History:
        """Return messages of a session behind a cursor, which is the number of the last one that was shown.

        Raises:
            InvalidInput: The cursor is none of ours.
        """
        if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) <= CURSOR_MAX_DIGITS):
            raise InvalidInput("Invalid cursor")
        place, after = (session.tenant_id, session.session_id), int(cursor or 0)
        if descending:
            turns = await self._transcripts.turns_before(*place, int(cursor) if cursor else None, limit + 1)
            lines = [_Line(row, turn) for turn in turns for row in turn.lines[::-1]]
            lines = [line for line in lines if not cursor or line.number < after]
        else:
            turns = await self._transcripts.turns_after(*place, after, limit + 1)
            lines = [_Line(row, turn) for turn in turns for row in turn.lines if row.seq > after]
        page, has_more = lines[:limit], len(lines) > limit
        at_end = not cursor if descending else not has_more
        newest = turns[:1] if descending else turns[-1:]
        if not at_end or not newest:  # else what is open is told as of the very turn up to which the page goes
            newest = await self._transcripts.turns_before(*place, None, 1)
        open_id = _open_id(newest[0], record) if newest else ""
        reached = max(page, key=lambda line: line.number, default=None)
        if reached is None and after and not descending:
            before = await self._transcripts.turns_before(*place, after + 1, 1)
            reached = next((_Line(row, turn) for turn in before for row in turn.lines if row.seq == after), None)
        return History(
            rows=await self._told(place, page, open_id),
            next_cursor=str(page[-1].number) if has_more else None,
            last_seq=_last_seq(reached) if reached is not None else 0,
            open_actions=open_id or None,
        )

    async def _told(self, place: tuple[str, str], page: list[_Line], open_id: str) -> tuple[JsonObject, ...]:
        told = [wire_line(line.row) for line in page]
        shown = {
            row["id"]: line.turn.seq
            for row, line in zip(told, page, strict=True)
            if line.row.role == ASSISTANT and offered(row.get("actions"), row.get("richContent"))
        }
        answers = await self._answers(place, page, {name: seq for name, seq in shown.items() if name != open_id})
        for row in told:
            if row["id"] in shown:
                answer = answers.get(row["id"])
                row["actionState"] = OPEN if row["id"] == open_id else ANSWERED if answer else CLOSED
                if answer:
                    row["answer"] = answer
        return tuple(told)

    async def _answers(
        self, place: tuple[str, str], page: list[_Line], shown: Mapping[str, int]
    ) -> dict[str, JsonObject | None]:
        """Return how sets of actions were answered that are open no more; None for those that were closed unanswered.

        Args:
            place: Tenant and session.
            page: Lines that follow each other, the newest turn of which may have left one open.
            shown: Id of the message that shows a set -> number of its turn.
        """
        turns = {line.turn.seq: line.turn for line in page}
        found = _decided((turns[seq] for seq in sorted(turns)), shown)
        if len(found) < len(shown):
            last = max(turn.lines[-1].seq for turn in turns.values())
            later = await self._transcripts.turns_after(*place, last, ACTIONS_OPEN_TURNS + 1)
            found |= _decided(later, {name: seq for name, seq in shown.items() if name not in found})
        return found


def _decided(turns: Iterable[SaidTurn], shown: Mapping[str, int]) -> dict[str, JsonObject | None]:
    """Return how sets ceased to be open in turns that follow each other: the answer, or None."""
    waiting = dict(shown)
    found: dict[str, JsonObject | None] = {}
    for turn in turns:
        action = _action_of(turn)
        open_now = _open_after(turn)
        for name in [name for name, seq in waiting.items() if seq < turn.seq]:
            if action.get("answers") == name:
                found[name] = _answer(turn, action)
            elif open_now != name:
                found[name] = None
            else:
                continue
            del waiting[name]
    return found


def _action_of(turn: SaidTurn) -> JsonObject:
    extra: JsonObject = msgspec.json.decode(turn.spoke.extra) if turn.spoke is not None and turn.spoke.extra else {}
    action: JsonObject = extra.get("action") or {}
    return action


def _answer(turn: SaidTurn, action: JsonObject) -> JsonObject:
    assert turn.spoke is not None
    told = {name: value for name, value in action.items() if name != "answers"}
    return {**told, "messageId": turn.spoke.message_id, "timestamp": iso_ms(turn.spoke.at)}


def _kept(turn: SaidTurn) -> KeptTurn | None:
    """Return what was kept of a turn; None in rows of earlier versions."""
    return decode_kept(turn.beside) if turn.beside else None


def _open_after(turn: SaidTurn) -> str:
    kept = _kept(turn)
    return kept.open.message_id if kept is not None and kept.open is not None else ""


def _open_id(newest: SaidTurn, record: SessionRecord) -> str:
    """Return whose set of actions is open in a session; "" for none. A reset and its end have closed them."""
    kept = _kept(newest)
    found = kept.open if kept is not None and record.status != ENDED else None
    return found.message_id if found is not None and found.life == record.runtime_session_id else ""


def _last_seq(line: _Line) -> int | None:
    """Return the number of the output up to which a line and those before it go; None where nobody has written it down.

    What the user says has no number: a line whose answer stands behind it goes to where the answer begins.
    """
    kept = _kept(line.turn)
    if kept is None or not kept.first_seq:
        return None
    return kept.last_seq if line.number == line.turn.lines[-1].seq else kept.first_seq - 1
