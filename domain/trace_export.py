"""Trace events as CSV: the columns, what stands in them, and cells that no spreadsheet runs. Spec: platform-api 5.7."""

from __future__ import annotations

import csv
import io
from typing import Final

import msgspec

from domain.json_values import JsonObject, JsonValue

COLUMNS: Final = (
    "session_id", "event_id", "seq", "turn", "timestamp", "type", "agent_name", "span_id", "parent_span_id",
    "duration_ms", "model", "input_tokens", "output_tokens", "estimated_cost", "tool_name", "success",
    "decision_kind", "error_code", "data_json",
)  # fmt: skip
FORMULA_STARTS: Final = ("=", "+", "-", "@")
"""A cell that begins so is taken for a formula by spreadsheets; an apostrophe before it makes it text."""
_ENCODER = msgspec.json.Encoder()


def csv_lines(rows: list[list[JsonValue]]) -> str:
    """Return rows as lines of RFC 4180: quoted where needed, each ended by CR LF.

    >>> csv_lines([["=1+1", "a,b", None, True]])
    '\\'=1+1,"a,b",,true\\r\\n'
    """
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\r\n").writerows([[_cell(value) for value in row] for row in rows])
    return written.getvalue()


def event_row(event: JsonObject) -> list[JsonValue]:
    """Return the cells of a trace event as it goes over the wire, in the order of `COLUMNS`."""
    data: JsonObject = event["data"]
    usage: JsonObject = data.get("usage") or {}
    return [
        event["sessionId"],
        event["id"],
        event["seq"],
        event["turn"],
        event["timestamp"],
        event["type"],
        event["agentName"],
        event["spanId"],
        event.get("parentSpanId"),
        event.get("durationMs"),
        data.get("model"),
        usage.get("inputTokens"),
        usage.get("outputTokens"),
        data.get("estimatedCost"),
        data.get("toolName"),
        data.get("success"),
        data.get("decisionKind"),
        _error_code(event["type"], data),
        _ENCODER.encode(data).decode(),
    ]


def _error_code(kind: str, data: JsonObject) -> JsonValue:
    error = data.get("error")
    return data.get("code") if kind == "error" else error.get("code") if isinstance(error, dict) else None


def _cell(value: JsonValue) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA_STARTS) else value
    return str(value)
