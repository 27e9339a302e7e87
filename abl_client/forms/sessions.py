"""The forms of the API about sessions. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from abl_client.forms.chat import ActionSet, RichContent, TraceItem, TraceType


class ActionAnswer(TypedDict):
    """How a set of actions was answered, and with which message of the user."""

    messageId: str
    timestamp: str
    actionId: str
    value: NotRequired[str | None]
    formData: NotRequired[dict[str, Any] | None]
    renderId: NotRequired[str | None]
    source: NotRequired[str | None]


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


class GatheredValue(TypedDict):
    """What is known of a field that an agent asks for."""

    value: Any
    confirmed: bool
    source: str


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


class HistoryMessage(TypedDict):
    """One line of the history, which says of buttons and forms what became of them. Decision: 0076."""

    id: str
    role: Literal["user", "assistant", "system"]
    content: str
    timestamp: str
    turn: int
    agentName: NotRequired[str | None]
    attachments: NotRequired[list[MessageFile] | None]
    richContent: NotRequired[RichContent | None]
    actions: NotRequired[ActionSet | None]
    action: NotRequired[MessageAction | None]
    clientMessageId: NotRequired[str | None]
    interrupted: NotRequired[bool | None]
    actionState: NotRequired[Literal["open", "answered", "closed"] | None]
    answer: NotRequired[ActionAnswer | None]


class HistoryReply(TypedDict):
    """Some messages of a session, and where the next ones begin."""

    success: NotRequired[Literal[True]]
    messages: list[HistoryMessage]
    nextCursor: str | None
    hasMore: bool
    lastSeq: int | None
    openActions: str | None


class Message(TypedDict):
    """One line of a conversation; what there is nothing to say of is left out."""

    id: str
    role: Literal["user", "assistant", "system"]
    content: str
    timestamp: str
    turn: int
    agentName: NotRequired[str | None]
    attachments: NotRequired[list[MessageFile] | None]
    richContent: NotRequired[RichContent | None]
    actions: NotRequired[ActionSet | None]
    action: NotRequired[MessageAction | None]
    clientMessageId: NotRequired[str | None]
    interrupted: NotRequired[bool | None]


class MessageAction(TypedDict):
    """The pressed button or sent form that a message was; `answers` is the message that showed it."""

    actionId: str
    value: NotRequired[str | None]
    formData: NotRequired[dict[str, Any] | None]
    renderId: NotRequired[str | None]
    source: NotRequired[str | None]
    answers: NotRequired[str | None]


class MessageFile(TypedDict):
    """A file that came with a message."""

    id: str
    filename: str
    mimeType: str
    sizeBytes: int
    category: Literal["image", "document", "audio", "video"]


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
    """A session by itself, with the state of its agents."""

    id: str
    runtimeSessionId: str
    agentName: str
    status: Literal["active", "ended"]
    channel: str
    messageCount: int
    traceEventCount: int
    tokenCount: int
    estimatedCost: float | None
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
    agentId: str | None
    agentVersion: str | None
    entryAgentName: str
    executionState: str
    agentStack: list[StackedAgent]
    currentStep: str | None
    variables: dict[str, Any]
    gather: dict[str, dict[str, GatheredValue]]
    memoryStores: list[str]
    contactId: str
    userId: str
    suspension: Suspension | None
    delegateCount: int
    tokenUsage: TokenUsage
    lastError: str
    endReason: str | None
    lastSeq: int
    messages: NotRequired[list[Message] | None]


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
    estimatedCost: float | None
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


class StackedAgent(TypedDict):
    """An agent that a session is with, or comes back to."""

    agentName: str
    since: str
    returnExpected: bool


class Suggestion(TypedDict):
    """What to look at."""

    id: str
    title: str
    detail: str
    severity: Literal["info", "warning", "error"]
    relatedSpanIds: list[str]


class Suspension(TypedDict):
    """What a session waits for outside."""

    callbackId: str
    taskId: str | None
    reason: str
    createdAt: str
    expiresAt: str


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


class TracesReply(TypedDict):
    """Some trace events of a session."""

    success: NotRequired[Literal[True]]
    total: int
    offset: int
    limit: int
    traces: list[TraceItem]
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
