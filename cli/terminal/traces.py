"""Trace events as lines for people. Spec: platform-api 5.7."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

JsonObject = dict[str, Any]

MAX_CHARS = 160
"""Of one value; the routes of the API have all of it."""


def trace_lines(events: Iterable[JsonObject]) -> list[str]:
    """Return one line for each event: when in the turn, which agent, what happened.

    >>> event = {"type": "handoff", "agentName": "Desk", "data": {"fromAgent": "Desk", "toAgent": "Claims"}}
    >>> trace_lines([event])
    ['  Desk  handoff   Desk -> Claims']
    """
    shown = list(events)
    width = max((len(str(one.get("agentName", ""))) for one in shown), default=0)
    return [
        f"  {one.get('agentName', '')!s:<{width}}  {_kind(one):<9} {_told(one)}{_took(one)}".rstrip() for one in shown
    ]


def short(value: object) -> str:
    """Return a value on one line, cut where it is long.

    >>> short({"a": [1, "b"]}), short("x" * 200)[-4:]
    ('{"a": [1, "b"]}', 'x...')
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= MAX_CHARS else f"{text[: MAX_CHARS - 3]}..."


_NAMES = {
    "llm_call": "model",
    "tool_call": "tool",
    "tool_result": "result",
    "guardrail_eval": "guardrail",
    "state_change": "set",
}


def _kind(event: JsonObject) -> str:
    return _NAMES.get(str(event.get("type")), str(event.get("type")))


def _took(event: JsonObject) -> str:
    took = event.get("durationMs")
    return f"  [{took} ms]" if took else ""


def _told(event: JsonObject) -> str:
    data = event.get("data") or {}
    tell = _TOLD.get(str(event.get("type")))
    return tell(data) if tell is not None else short(data)


def _model(data: JsonObject) -> str:
    usage = data.get("usage") or {}
    tokens = f"{usage.get('inputTokens', 0)} -> {usage.get('outputTokens', 0)} tokens"
    return f"{data.get('model', '?')} {data.get('operationType', '')} {tokens}, {data.get('finishReason', '')}"


def _tool(data: JsonObject) -> str:
    mocked = " (mocked)" if data.get("mocked") else ""
    return f"{data.get('toolName')}({short(data.get('parameters') or {})}){mocked}"


def _result(data: JsonObject) -> str:
    if data.get("success"):
        return f"{data.get('toolName')} = {short(data.get('result'))}"
    error = data.get("error") or {}
    return f"{data.get('toolName')} failed: {error.get('code', '')} {short(error.get('message', ''))}"


def _decision(data: JsonObject) -> str:
    parts = [str(data.get(key)) for key in ("decisionKind", "decision", "outcome") if data.get(key)]
    condition = f" if {data['condition']}" if data.get("condition") else ""
    return f"{' '.join(parts)}{condition}"


def _set(data: JsonObject) -> str:
    before = f" (was {short(data['oldValue'])})" if data.get("oldValue") is not None else ""
    return f"{data.get('key')} = {short(data.get('newValue'))}{before}"


def _passed_on(data: JsonObject) -> str:
    reason = f": {short(data.get('reason') or data.get('task'))}" if data.get("reason") or data.get("task") else ""
    return f"{data.get('fromAgent')} -> {data.get('toAgent')}{reason}"


def _guardrail(data: JsonObject) -> str:
    return f"{data.get('guardrail')} at {data.get('stage')}: {data.get('result')}, {data.get('action')}"


def _error(data: JsonObject) -> str:
    handled = "" if data.get("handled") else " (not handled)"
    return f"{data.get('code')}: {short(data.get('message', ''))}{handled}"


_TOLD: dict[str, Callable[[JsonObject], str]] = {
    "llm_call": _model,
    "tool_call": _tool,
    "tool_result": _result,
    "decision": _decision,
    "state_change": _set,
    "handoff": _passed_on,
    "delegate": _passed_on,
    "guardrail_eval": _guardrail,
    "error": _error,
    "response": lambda data: short(data.get("text", "")),
}
