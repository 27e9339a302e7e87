from __future__ import annotations

import msgspec

from storage.frames import PLAIN
from storage.trace_frames import pack_events, unpack_events
from storage.turn_end import TraceRow

EVENTS = (
    TraceRow(seq=1, turn=1, type="llm_call", data=b'{"a":1}', agent_name="Desk", span_id="1.1", duration_ms=5),
    TraceRow(seq=2, turn=1, type="decision", data=b"{}", decision_kind="routing", parent_span_id="1.1"),
)


def test_what_is_packed_is_unpacked_as_it_was() -> None:
    assert unpack_events(pack_events(EVENTS)) == EVENTS


def test_a_sample_of_the_first_version_is_still_read() -> None:
    first = PLAIN + msgspec.msgpack.encode([[2, 1, "decision", b"{}", "", "routing", "", "1.1", None]])
    assert unpack_events(first) == EVENTS[1:]
