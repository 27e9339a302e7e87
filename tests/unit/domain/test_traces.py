from __future__ import annotations

from domain.traces import TRACE_FIELDS, TraceType


def test_there_are_ten_types_and_each_names_its_data() -> None:
    assert len(TraceType) == 10
    assert set(TRACE_FIELDS) == set(TraceType)
    assert "duration_ms" in TRACE_FIELDS[TraceType.DELEGATE]
