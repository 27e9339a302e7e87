"""The ten types of trace events and the data of each. Spec: platform-api 5.7."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, get_args

from msgspec import Struct, field

from domain.json_values import JsonObject

FIRST_TURN = 1
"""Of a session; what it opens with, before any message, belongs to it."""


class TraceType(StrEnum):
    """All types there are; finer kinds go into the data."""

    LLM_CALL = "llm_call"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    DECISION = "decision"
    HANDOFF = "handoff"
    GUARDRAIL_EVAL = "guardrail_eval"
    STATE_CHANGE = "state_change"
    ERROR = "error"
    RESPONSE = "response"
    DELEGATE = "delegate"


TRACE_FIELDS: dict[TraceType, tuple[str, ...]] = {
    TraceType.LLM_CALL: (
        "model", "usage", "provider", "latencyMs", "timeToFirstTokenMs", "finishReason", "operationType",
        "streamingUsed", "toolCallCount", "retryAttempt", "prompt", "response", "truncated", "estimatedCost",
        "promptMessages", "promptCharacters", "systemPromptHash",
    ),
    TraceType.TOOL_CALL: ("toolCallId", "toolName", "toolType", "parameters", "mocked", "async"),
    TraceType.TOOL_RESULT: (
        "toolCallId", "toolName", "success", "result", "error", "latencyMs", "resultSizeBytes", "executionSkipped",
        "attempts",
    ),
    TraceType.DECISION: (
        "decisionKind", "decision", "outcome", "matched", "condition", "candidates", "reasoning", "kind",
    ),
    TraceType.HANDOFF: ("fromAgent", "toAgent", "reason", "timestamp", "returnExpected", "context", "direction"),
    TraceType.GUARDRAIL_EVAL: ("guardrail", "stage", "result", "action", "severity", "reason", "score"),
    TraceType.STATE_CHANGE: ("key", "oldValue", "newValue", "scope", "source", "step", "kind"),
    TraceType.ERROR: ("code", "message", "origin", "retryable", "handled", "details"),
    TraceType.RESPONSE: ("messageId", "text", "richContent", "actions", "interrupted", "firstTokenMs"),
    TraceType.DELEGATE: (
        "fromAgent", "toAgent", "task", "duration_ms", "success", "result", "parallelGroup", "error",
    ),
}  # fmt: skip
"""Type -> the keys its data may have."""
NULL_WHEN_UNKNOWN = frozenset({"estimatedCost"})
"""Keys that stand there with null; every other one is left out when there is nothing to say."""

DecisionKind = Literal[
    "routing", "handoff", "delegation", "escalation", "completion", "flow_transition", "retry", "backtrack", "stop",
    "pause", "resume", "extraction",
]  # fmt: skip
DECISION_KINDS: tuple[DecisionKind, ...] = get_args(DecisionKind)


class TraceEvent(Struct, frozen=True, omit_defaults=True):
    """One event; `seq` counts from 1 in a session, the id and the session are added where it is stored."""

    type: TraceType
    at: str
    agent: str
    turn: int
    seq: int
    span: str
    parent_span: str = ""
    duration_ms: int | None = None
    data: JsonObject = field(default_factory=dict)
