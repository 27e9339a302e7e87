from __future__ import annotations

import csv
import io

import pytest

from domain.json_values import JsonValue
from domain.trace_export import COLUMNS, csv_lines, event_row


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, ""),
        (True, "true"),
        (-3, "-3"),
        (0.5, "0.5"),
        ("=1+1", "'=1+1"),
        ("+49", "'+49"),
        ("-x", "'-x"),
        ("@me", "'@me"),
        ('say "hi", please\nnow', 'say "hi", please\nnow'),
    ],
)
def test_a_cell_is_read_as_it_was_written_and_no_formula(value: JsonValue, cell: str) -> None:
    line = csv_lines([["first", value]])
    assert line.endswith("\r\n")
    assert list(csv.reader(io.StringIO(line, newline=""))) == [["first", cell]]


def test_an_event_has_a_cell_for_each_column() -> None:
    event = {
        "sessionId": "sess_1", "id": "evt_1", "seq": 1, "turn": 1, "timestamp": "t", "type": "tool_result",
        "agentName": "desk", "spanId": "s1", "data": {"toolName": "pay", "success": False, "error": {"code": "500"}},
    }  # fmt: skip
    row = dict(zip(COLUMNS, event_row(event), strict=True))
    assert (row["tool_name"], row["success"], row["error_code"], row["parent_span_id"]) == ("pay", False, "500", None)
    assert row["data_json"] == '{"toolName":"pay","success":false,"error":{"code":"500"}}'
    error = {**event, "type": "error", "data": {"code": "llm_timeout"}}
    assert dict(zip(COLUMNS, event_row(error), strict=True))["error_code"] == "llm_timeout"
