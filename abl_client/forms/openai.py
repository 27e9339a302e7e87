"""The forms of the API about openai. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class AssistantMessage(TypedDict):
    """What the agent said."""

    role: NotRequired[Literal["assistant"]]
    content: str
    refusal: NotRequired[None]


class ChatCompletion(TypedDict):
    """A whole answer; `session_id` goes into the metadata of the next request to go on in its session."""

    id: str
    object: NotRequired[Literal["chat.completion"]]
    created: int
    model: str
    choices: list[Choice]
    usage: OpenaiCompletionUsage
    session_id: str


class ChatCompletionBody(TypedDict):
    """A conversation, of which the last message is answered."""

    model: str
    messages: list[OpenAiMessage]
    stream: NotRequired[bool]
    stream_options: NotRequired[StreamOptions | None]
    user: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]
    safety_identifier: NotRequired[str | None]
    n: NotRequired[int | None]
    tools: NotRequired[list[Any] | None]
    functions: NotRequired[list[Any] | None]


class Choice(TypedDict):
    """The one answer."""

    index: NotRequired[Literal[0]]
    message: AssistantMessage
    logprobs: NotRequired[None]
    finish_reason: NotRequired[Literal["stop"]]


class ContentPart(TypedDict):
    """A piece of a message; only texts are read."""

    type: str
    text: NotRequired[str | None]


class ModelItem(TypedDict):
    """An agent, an agent in an environment, or a deployment."""

    id: str
    object: NotRequired[Literal["model"]]
    created: int
    owned_by: NotRequired[Literal["abl-runtime"]]


class ModelList(TypedDict):
    """All that can be asked for as a model."""

    object: NotRequired[Literal["list"]]
    data: list[ModelItem]


class OpenAiMessage(TypedDict):
    """One message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: NotRequired[str | list[ContentPart] | None]


class OpenaiCompletionUsage(TypedDict):
    """Tokens of all model calls of the turn."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class StreamOptions(TypedDict):
    """What a stream tells beside the text."""

    include_usage: NotRequired[bool]
