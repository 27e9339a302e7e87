"""The forms of the API about completions. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class CalledTool(TypedDict):
    """A tool call that the model has made before."""

    id: str
    name: str
    arguments: str | dict[str, Any]


class CompletionBody(TypedDict):
    """A call of a model without an agent."""

    projectId: str
    messages: list[CompletionMessage]
    sessionId: NotRequired[str | None]
    tools: NotRequired[list[CompletionTool] | None]
    modelId: NotRequired[str | None]
    tier: NotRequired[Literal["fast", "balanced", "powerful"] | None]
    temperature: NotRequired[float | None]
    maxTokens: NotRequired[int | None]


class CompletionMessage(TypedDict):
    """One message of the prompt; the snake_case names are part of the contract."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | list[TextPart | ImagePart | FilePart]
    name: NotRequired[str | None]
    tool_call_id: NotRequired[str | None]
    tool_calls: NotRequired[list[CalledTool] | None]


class CompletionReply(TypedDict):
    """The whole answer of a model."""

    success: NotRequired[Literal[True]]
    content: str
    toolCalls: list[ToolCallItem]
    model: str
    finishReason: Literal["end_turn", "max_tokens", "tool_use", "stop_sequence", "content_filter"]
    usage: CompletionsCompletionUsage
    latencyMs: int


class CompletionTool(TypedDict):
    """A tool that the model may ask for; it is not run here."""

    name: str
    description: str
    parameters: dict[str, Any]


class CompletionsCompletionUsage(TypedDict):
    """What the call used."""

    inputTokens: int
    outputTokens: int
    totalTokens: int
    estimatedCost: float | None


class FilePart(TypedDict):
    """An attachment of the project."""

    type: Literal["file"]
    attachmentId: str


class ImagePart(TypedDict):
    """A picture: its address, which only the provider fetches, or a JPEG, PNG, GIF or WebP as a data ..."""

    type: Literal["image_url"]
    url: str


class TextPart(TypedDict):
    """Words."""

    type: Literal["text"]
    text: str


class ToolCallItem(TypedDict):
    """A tool call of the model; `arguments` is JSON text, as at the end of a streamed call."""

    id: str
    name: str
    arguments: str


class UsageOfModel(TypedDict):
    """What the calls of one model used."""

    modelId: str
    provider: str
    totalTokens: int
    totalCost: float | None
    requestCount: int


class UsageReply(TypedDict):
    """What a project used; `byModel` is empty unless asked for."""

    success: NotRequired[Literal[True]]
    summary: UsageSummary
    byModel: list[UsageOfModel]


class UsageSummary(TypedDict):
    """What all calls used; `totalCost` of those whose price is known, null when it is known of none."""

    totalTokens: int
    totalCost: float | None
    requestCount: int
    avgLatency: float | None
