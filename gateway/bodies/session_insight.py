"""Bodies of what sessions tell afterwards: children, metrics, analysis, generations. Spec: platform-api 5.7."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from domain.session_findings import AnomalyKind, Severity, SpanType
from gateway.bodies.conversation import HistoryMessage, TraceItem
from gateway.envelope import Success, TopLevelPage, Wire


class ChildEvent(TraceItem):
    """A trace event, with how many children it has itself."""

    child_count: int


class ChildrenReply(Success):
    """The direct children of a span, in time order."""

    span_id: str
    children: list[ChildEvent]


class Figures(Wire):
    """Base of what is read from values of the domain."""

    model_config = ConfigDict(from_attributes=True)


class TurnFigures(Figures):
    """One turn."""

    turn: int
    started_at: str
    latency_ms: int
    first_token_ms: int | None
    llm_call_count: int
    tool_call_count: int
    input_tokens: int
    output_tokens: int
    agent_name: str


class ModelCallFigures(Figures):
    """One call of a model."""

    span_id: str
    turn: int
    model: str
    input_tokens: int
    output_tokens: int
    latency_ms: int


class TokenUsage(Figures):
    """Tokens of all calls."""

    input_tokens: int
    output_tokens: int
    total_tokens: int


class SessionMetrics(Figures):
    """The figures of a session; rates are 0..1, and null when nothing was counted.

    `isTruncated`: the session has more events than are looked at; the figures are of the first ones.
    """

    session_id: str
    is_truncated: bool
    total_latency_ms: int
    avg_turn_latency_ms: float | None
    p95_turn_latency_ms: float | None
    turn_count: int
    turns: list[TurnFigures]
    llm_calls: list[ModelCallFigures]
    token_usage: TokenUsage
    estimated_cost: float | None
    llm_call_count: int
    tool_call_count: int
    tool_success_count: int
    tool_success_rate: float | None
    guardrail_evaluation_count: int
    guardrail_block_count: int
    guardrail_block_rate: float | None
    handoff_count: int
    delegate_count: int
    error_count: int


class SessionMetricsReply(Success):
    """The figures of a session."""

    metrics: SessionMetrics


class SlowSpan(Figures):
    """Something that took long."""

    span_id: str
    type: SpanType
    name: str
    agent_name: str
    duration_ms: int
    threshold_ms: int
    share_of_turn: float | None
    turn: int


class ErrorPattern(Figures):
    """Errors of one code and origin."""

    code: str
    origin: str
    count: int
    first_at: str
    last_at: str
    sample_message: str
    span_ids: list[str]


class DecisionAnomaly(Figures):
    """A decision that hardly anybody meant."""

    kind: AnomalyKind
    span_id: str
    description: str
    severity: Severity


class Suggestion(Figures):
    """What to look at."""

    id: str
    title: str
    detail: str
    severity: Severity
    related_span_ids: list[str]


class SessionAnalysis(Figures):
    """What stands out in a session; `isTruncated`: in its first events, there are more than are looked at."""

    session_id: str
    is_truncated: bool
    generated_at: str
    slow_spans: list[SlowSpan]
    error_patterns: list[ErrorPattern]
    decision_anomalies: list[DecisionAnomaly]
    suggestions: list[Suggestion]


class SessionAnalysisReply(Success):
    """What stands out in a session."""

    analysis: SessionAnalysis


class PromptFigures(Wire):
    """What is known of a prompt without its words; null where it was not counted."""

    message_count: int | None
    characters: int | None
    system_prompt_hash: str | None


class Generation(Wire):
    """A call of a model by an agent."""

    id: str
    session_id: str
    span_id: str
    turn: int
    agent_name: str
    model: str
    provider: str
    operation_type: str
    timestamp: str
    latency_ms: int
    time_to_first_token_ms: int | None
    input_tokens: int
    output_tokens: int
    total_tokens: int
    estimated_cost: float | None
    finish_reason: str
    success: bool
    prompt: PromptFigures


class GenerationsReply(TopLevelPage):
    """Some model calls of a project's agents."""

    generations: list[Generation]


CsvFormat = Literal["csv"]


class HistoryReply(Success):
    """Some messages of a session, and where the next ones begin.

    Attributes:
        last_seq: Up to which number of the session's output the page goes; what is behind it comes with `?lastSeq=` of
            the WebSocket. Null where that is known no more: in sessions of earlier versions.
        open_actions: Id of the message whose buttons or form can be answered now.
    """

    messages: list[HistoryMessage]
    next_cursor: str | None
    has_more: bool
    last_seq: int | None
    open_actions: str | None
