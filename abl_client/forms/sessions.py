"""The forms of the API about sessions. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class ChildEvent(TypedDict):
    """A trace event, with how many children it has itself."""

    id: str
    sessionId: str
    type: TraceType
    data: dict[str, Any]
    timestamp: str
    agentName: str
    spanId: str
    parentSpanId: NotRequired[str | None]
    durationMs: NotRequired[int | None]
    turn: int
    seq: int
    childCount: int


class ChildrenReply(TypedDict):
    """The direct children of a span, in time order."""

    success: NotRequired[Literal[True]]
    spanId: str
    children: list[ChildEvent]


class CreatedSession(TypedDict):
    """A session that was opened."""

    id: str
    agentId: str
    agentName: str
    createdAt: str
    runtimeSessionId: str


class CreatedSessionReply(TypedDict):
    """The answer to a creation."""

    success: NotRequired[Literal[True]]
    session: CreatedSession


class DecisionAnomaly(TypedDict):
    """A decision that hardly anybody meant."""

    kind: Literal[
        "handoff_loop", "repeated_tool_call", "no_matching_candidate", "repeated_question", "repeated_after_block"
    ]
    spanId: str
    description: str
    severity: Literal["info", "warning", "error"]


class DeletedSessionReply(TypedDict):
    """The answer to a deletion."""

    success: NotRequired[Literal[True]]
    deleted: NotRequired[Literal[True]]
    id: str


class ErrorPattern(TypedDict):
    """Errors of one code and origin."""

    code: str
    origin: str
    count: int
    firstAt: str
    lastAt: str
    sampleMessage: str
    spanIds: list[str]


class Generation(TypedDict):
    """A call of a model by an agent."""

    id: str
    sessionId: str
    spanId: str
    turn: int
    agentName: str
    model: str
    provider: str
    operationType: str
    timestamp: str
    latencyMs: int
    timeToFirstTokenMs: int | None
    inputTokens: int
    outputTokens: int
    totalTokens: int
    estimatedCost: float | None
    finishReason: str
    success: bool
    prompt: PromptFigures


class GenerationsReply(TypedDict):
    """Some model calls of a project's agents."""

    success: NotRequired[Literal[True]]
    total: int
    offset: int
    limit: int
    generations: list[Generation]


class HistoryReply(TypedDict):
    """Some messages of a session, and where the next ones begin."""

    success: NotRequired[Literal[True]]
    messages: list[dict[str, Any]]
    nextCursor: str | None
    hasMore: bool


class ModelCallFigures(TypedDict):
    """One call of a model."""

    spanId: str
    turn: int
    model: str
    inputTokens: int
    outputTokens: int
    latencyMs: int


class NewSessionBody(TypedDict):
    """A session to open before anybody speaks."""

    agentId: str
    environment: NotRequired[Literal["dev", "staging", "production", "working-copy"] | None]
    deploymentId: NotRequired[str | None]
    channel: NotRequired[Literal["api", "web_debug", "voice"]]
    contactId: NotRequired[str | None]
    variables: NotRequired[dict[str, Any] | None]


class PromptFigures(TypedDict):
    """What is known of a prompt without its words; null where it was not counted."""

    messageCount: int | None
    characters: int | None
    systemPromptHash: str | None


class ResetSession(TypedDict):
    """A session after its reset."""

    id: str
    runtimeSessionId: str
    status: Literal["active", "ended"]
    resetAt: str


class ResetSessionReply(TypedDict):
    """The answer to a reset."""

    success: NotRequired[Literal[True]]
    session: ResetSession


class SessionAnalysis(TypedDict):
    """What stands out in a session; `isTruncated`: in its first events, there are more than are looked at."""

    sessionId: str
    isTruncated: bool
    generatedAt: str
    slowSpans: list[SlowSpan]
    errorPatterns: list[ErrorPattern]
    decisionAnomalies: list[DecisionAnomaly]
    suggestions: list[Suggestion]


class SessionAnalysisReply(TypedDict):
    """What stands out in a session."""

    success: NotRequired[Literal[True]]
    analysis: SessionAnalysis


class SessionDetail(TypedDict):
    """A session by itself; the state of its agents stands in further fields."""

    id: str
    runtimeSessionId: str
    agentName: str
    status: Literal["active", "ended"]
    channel: str
    messageCount: int
    traceEventCount: int
    tokenCount: int
    estimatedCost: float
    errorCount: int
    durationMs: int
    handoffCount: int
    createdAt: str
    lastActivityAt: str
    environment: str | None
    deploymentId: str | None
    endedAt: str | None
    transport: str
    source: str
    projectId: str
    entryAgentName: str
    executionState: str
    endReason: str | None


class SessionItem(TypedDict):
    """A session in a list."""

    id: str
    runtimeSessionId: str
    agentName: str
    status: Literal["active", "ended"]
    channel: str
    messageCount: int
    traceEventCount: int
    tokenCount: int
    estimatedCost: float
    errorCount: int
    durationMs: int
    handoffCount: int
    createdAt: str
    lastActivityAt: str
    environment: str | None
    deploymentId: str | None
    endedAt: str | None
    transport: str
    source: str


class SessionListReply(TypedDict):
    """Some sessions of a project."""

    success: NotRequired[Literal[True]]
    total: int
    offset: int
    limit: int
    sessions: list[SessionItem]
    totalIsExact: NotRequired[bool]
    searchedFrom: NotRequired[str | None]


class SessionMetrics(TypedDict):
    """The figures of a session; rates are 0..1, and null when nothing was counted."""

    sessionId: str
    isTruncated: bool
    totalLatencyMs: int
    avgTurnLatencyMs: float | None
    p95TurnLatencyMs: float | None
    turnCount: int
    turns: list[TurnFigures]
    llmCalls: list[ModelCallFigures]
    tokenUsage: TokenUsage
    estimatedCost: float | None
    llmCallCount: int
    toolCallCount: int
    toolSuccessCount: int
    toolSuccessRate: float | None
    guardrailEvaluationCount: int
    guardrailBlockCount: int
    guardrailBlockRate: float | None
    handoffCount: int
    delegateCount: int
    errorCount: int


class SessionMetricsReply(TypedDict):
    """The figures of a session."""

    success: NotRequired[Literal[True]]
    metrics: SessionMetrics


class SessionReply(TypedDict):
    """One session."""

    success: NotRequired[Literal[True]]
    session: SessionDetail


class SlowSpan(TypedDict):
    """Something that took long."""

    spanId: str
    type: Literal["llm_call", "tool_call", "delegate"]
    name: str
    agentName: str
    durationMs: int
    thresholdMs: int
    shareOfTurn: float | None
    turn: int


class Suggestion(TypedDict):
    """What to look at."""

    id: str
    title: str
    detail: str
    severity: Literal["info", "warning", "error"]
    relatedSpanIds: list[str]


class TokenUsage(TypedDict):
    """Tokens of all calls."""

    inputTokens: int
    outputTokens: int
    totalTokens: int


class TraceSource(TypedDict):
    """Where trace events were read; snake_case by contract."""

    source: str
    event_count: int
    is_truncated: bool
    source_chain: list[str]


TraceType = Literal[
    "llm_call",
    "tool_call",
    "tool_result",
    "decision",
    "handoff",
    "guardrail_eval",
    "state_change",
    "error",
    "response",
    "delegate",
]


class TracesReply(TypedDict):
    """Some trace events of a session."""

    success: NotRequired[Literal[True]]
    total: int
    offset: int
    limit: int
    traces: list[dict[str, Any]]
    _meta: TraceSource
    metrics: NotRequired[SessionMetrics | None]


class TurnFigures(TypedDict):
    """One turn."""

    turn: int
    startedAt: str
    latencyMs: int
    firstTokenMs: int | None
    llmCallCount: int
    toolCallCount: int
    inputTokens: int
    outputTokens: int
    agentName: str
