"""The forms of the API about chat. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class ActionElement(TypedDict):
    """A button, select or input."""

    id: str
    type: Literal["button", "select", "input"]
    label: str
    value: NotRequired[str | None]
    url: NotRequired[str | None]
    description: NotRequired[str | None]
    options: NotRequired[list[ActionOption] | None]
    input_type: NotRequired[str | None]
    placeholder: NotRequired[str | None]
    required: NotRequired[bool | None]


class ActionOption(TypedDict):
    """One choice of a select."""

    id: str
    label: str
    description: NotRequired[str | None]


class ActionSet(TypedDict):
    """Interactive elements under a message."""

    elements: list[ActionElement]
    submit_label: NotRequired[str | None]
    submit_id: NotRequired[str | None]
    render_id: NotRequired[str | None]


class CallerContext(TypedDict):
    """Who the agent is told it speaks with."""

    userId: NotRequired[str | None]
    channel: NotRequired[str | None]
    customAttributes: NotRequired[dict[str, Any] | None]


class ChatAgentBody(TypedDict):
    """One message to an agent, or a button or form of its last answer: with an `action`, `message` ..."""

    projectId: str
    action: NotRequired[SubmittedAction | None]
    message: str | None
    sessionId: NotRequired[str | None]
    deploymentId: NotRequired[str | None]
    environment: NotRequired[Literal["dev", "staging", "production", "working-copy"] | None]
    agentId: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any]]
    testContext: NotRequired[TestContext | None]
    attachmentIds: NotRequired[list[str] | None]


class ChatReply(TypedDict):
    """What one turn answered."""

    success: NotRequired[Literal[True]]
    sessionId: str
    messageId: str
    response: str
    action: TurnAction
    state: dict[str, Any]
    traceEvents: NotRequired[list[TraceItem] | None]
    voiceConfig: NotRequired[VoiceConfig | None]
    richContent: RichContent | None
    actions: ActionSet | None
    agentName: NotRequired[str | None]


class ChatSendBody(TypedDict):
    """One message with files; one of `sessionId` and `projectId` has to be there."""

    sessionId: NotRequired[str | None]
    projectId: NotRequired[str | None]
    message: NotRequired[str]
    attachmentIds: NotRequired[list[str] | None]
    metadata: NotRequired[dict[str, Any]]


class ChatSendReply(TypedDict):
    """What the turn answered, and the id of the message that it answered."""

    success: NotRequired[Literal[True]]
    sessionId: str
    messageId: str
    response: str
    action: TurnAction
    state: dict[str, Any]
    traceEvents: NotRequired[list[TraceItem] | None]
    voiceConfig: NotRequired[VoiceConfig | None]
    richContent: RichContent | None
    actions: ActionSet | None
    agentName: NotRequired[str | None]
    userMessageId: str


class MockError(TypedDict):
    """How a mocked tool fails."""

    message: str
    code: NotRequired[str | None]


class RichContent(TypedDict):
    """An answer in other formats; the content of a structured one is as the agent wrote it. Spec: ..."""

    markdown: NotRequired[str | None]
    html: NotRequired[str | None]
    adaptive_card: NotRequired[Any]
    slack: NotRequired[Any]
    ag_ui: NotRequired[Any]
    whatsapp: NotRequired[Any]
    carousel: NotRequired[Any]
    quick_replies: NotRequired[Any]
    list: NotRequired[Any]
    image: NotRequired[Any]
    video: NotRequired[Any]
    audio: NotRequired[Any]
    file: NotRequired[Any]
    kpi: NotRequired[Any]
    table: NotRequired[Any]
    chart: NotRequired[Any]
    form: NotRequired[Any]
    progress: NotRequired[Any]
    feedback: NotRequired[Any]


class SubmittedAction(TypedDict):
    """A pressed button or a sent form, as `action_submit` of the WebSocket says it; it must be ..."""

    actionId: str
    value: NotRequired[str | None]
    formData: NotRequired[dict[str, str] | None]
    renderId: NotRequired[str | None]


class TestContext(TypedDict):
    """A prepared start of a conversation, for development."""

    gatherValues: NotRequired[dict[str, Any] | None]
    sessionVariables: NotRequired[dict[str, Any] | None]
    callerContext: NotRequired[CallerContext | None]
    toolMocks: NotRequired[list[ToolMock] | None]
    skipOnStart: NotRequired[bool | None]
    startAtStep: NotRequired[str | None]


class ToolMock(TypedDict):
    """What a tool answers instead of running."""

    toolName: str
    response: NotRequired[Any]
    error: NotRequired[MockError | None]
    delayMs: NotRequired[int]
    times: NotRequired[int | None]
    match: NotRequired[dict[str, Any] | None]


class TraceItem(TypedDict):
    """Something that happened in a session; `seq` counts from 1 in it."""

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


class TurnAction(TypedDict):
    """What the agent did last; which further fields are there follows from the type."""

    type: Literal[
        "continue", "respond", "collect", "handoff", "delegate", "escalate", "complete", "block", "retry", "suspend"
    ]
    fields: NotRequired[list[str] | None]
    prompts: NotRequired[list[str] | None]
    target: NotRequired[str | None]
    returnExpected: NotRequired[bool | None]
    summary: NotRequired[str | None]
    agent: NotRequired[str | None]
    useResult: NotRequired[bool | None]
    reason: NotRequired[str | None]
    priority: NotRequired[str | None]
    taskId: NotRequired[str | None]
    message: NotRequired[str | None]
    constraint: NotRequired[str | None]
    delay: NotRequired[int | None]
    callbackId: NotRequired[str | None]
    suspensionId: NotRequired[str | None]
    kind: NotRequired[str | None]
    expiresAt: NotRequired[str | None]


class VoiceConfig(TypedDict):
    """How an answer is spoken, where its agent says so. Spec: platform-api 4.1, abl-language 4.1."""

    enabled: Literal[True]
    voice: NotRequired[str | None]
    language: NotRequired[str | None]
    ssml: NotRequired[str | None]
    instructions: NotRequired[str | None]
    plainText: NotRequired[str | None]
    provider: NotRequired[str | None]
    speed: NotRequired[float | None]
