"""What an analysis of a session says: the shapes of its findings. Spec: platform-api 5.7, `analysis`."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Severity = Literal["info", "warning", "error"]
SpanType = Literal["llm_call", "tool_call", "delegate"]
AnomalyKind = Literal[
    "handoff_loop", "repeated_tool_call", "no_matching_candidate", "repeated_question", "repeated_after_block"
]


class SlowSpan(Struct, frozen=True, kw_only=True):
    """Something that took long; `share_of_turn` is 0..1, `name` a model, a tool or an agent.

    Attributes:
        threshold_ms: What it took more than: the limit of its type, or 60 % of its turn.
    """

    span_id: str
    type: SpanType
    name: str
    agent_name: str
    duration_ms: int
    threshold_ms: int
    share_of_turn: float | None
    turn: int


class ErrorPattern(Struct, frozen=True, kw_only=True):
    """Errors of one code and origin; the spans are those that failed."""

    code: str
    origin: str
    count: int
    first_at: str
    last_at: str
    sample_message: str
    span_ids: tuple[str, ...]
    names: tuple[str, ...] = ()
    """Models or tools that failed."""


class DecisionAnomaly(Struct, frozen=True, kw_only=True):
    """A decision that hardly anybody meant."""

    kind: AnomalyKind
    span_id: str
    description: str
    severity: Severity
    related: tuple[str, ...] = ()
    """Further spans that belong to it."""


class Suggestion(Struct, frozen=True, kw_only=True):
    """What to look at, with the spans that show why."""

    id: str
    title: str
    detail: str
    severity: Severity
    related_span_ids: tuple[str, ...]


class SessionAnalysis(Struct, frozen=True, kw_only=True):
    """All findings, the gravest of each kind first. When it is cut, only the first events were looked at."""

    session_id: str
    is_truncated: bool
    generated_at: str
    slow_spans: tuple[SlowSpan, ...]
    error_patterns: tuple[ErrorPattern, ...]
    decision_anomalies: tuple[DecisionAnomaly, ...]
    suggestions: tuple[Suggestion, ...]
