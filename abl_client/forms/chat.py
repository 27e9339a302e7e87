"""The forms of the API about chat. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class CallerContext(TypedDict):
    """Who the agent is told it speaks with."""

    userId: NotRequired[str | None]
    channel: NotRequired[str | None]
    customAttributes: NotRequired[dict[str, Any] | None]


class ChatAgentBody(TypedDict):
    """One message to an agent."""

    projectId: str
    message: str
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
    action: dict[str, Any]
    state: dict[str, Any]
    traceEvents: NotRequired[list[dict[str, Any]] | None]
    voiceConfig: NotRequired[dict[str, Any] | None]
    richContent: NotRequired[dict[str, Any] | None]
    actions: NotRequired[dict[str, Any] | None]
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
    action: dict[str, Any]
    state: dict[str, Any]
    traceEvents: NotRequired[list[dict[str, Any]] | None]
    voiceConfig: NotRequired[dict[str, Any] | None]
    richContent: NotRequired[dict[str, Any] | None]
    actions: NotRequired[dict[str, Any] | None]
    agentName: NotRequired[str | None]
    userMessageId: str


class MockError(TypedDict):
    """How a mocked tool fails."""

    message: str
    code: NotRequired[str | None]


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
