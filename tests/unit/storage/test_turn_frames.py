from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from storage.frames import squeeze
from storage.turn_end import MessageRow, TraceRow, TurnEnd
from storage.turn_frames import NOTHING, Details, pack_details, pack_events, unpack_details, unpack_events

AT = datetime(2026, 11, 21, tzinfo=UTC)
EVENT = TraceRow(
    seq=7, turn=3, type="llm_call", at="2026-11-21T09:00:00.000Z", agent_name="Desk", span_id="s", duration_ms=5,
    data={"model": "m"},
)  # fmt: skip


def a_line(role: str, extra: bytes | None) -> MessageRow:
    return MessageRow(seq=1, message_id="m", role=role, content="hi", turn=1, at=AT, extra=extra)


def test_events_come_back_as_they_were() -> None:
    events = (EVENT, TraceRow(seq=8, turn=3, type="decision", at="t", agent_name="Desk", span_id="t"))
    assert unpack_events(pack_events(events)) == events
    assert unpack_events(pack_events(())) == ()


def test_events_of_the_first_version_are_still_read() -> None:
    stored = squeeze(b'[[7,3,"llm_call","2026-11-21T09:00:00.000Z","Desk","s","",5,{"model":"m"}]]')
    assert unpack_events(stored) == (EVENT,)


def test_a_turn_without_lines_takes_no_room() -> None:
    assert pack_details(TurnEnd(turn=1)) is None
    assert unpack_details(NOTHING) == Details()


def test_the_text_of_each_line_and_what_it_has_beside_it_come_back() -> None:
    end = TurnEnd(turn=1, spoke=a_line("user", None), answered=a_line("assistant", b'{"actions":[]}'))
    assert unpack_details(pack_details(end)) == Details(b"", b'{"actions":[]}', b"", "hi", "hi")


def test_details_of_the_first_version_are_still_read() -> None:
    stored = squeeze(msgspec.msgpack.encode([b"", b"{}"]))
    assert unpack_details(stored) == Details(b"", b"{}")
