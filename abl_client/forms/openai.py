"""The forms of the API about openai. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class AgentResponse(TypedDict):
    """A response of an agent."""

    id: str
    object: NotRequired[Literal["response"]]
    created_at: float
    status: Literal["in_progress", "completed", "failed"]
    error: NotRequired[ResponseFault | None]
    incomplete_details: NotRequired[None]
    instructions: NotRequired[None]
    max_output_tokens: NotRequired[None]
    metadata: NotRequired[dict[str, Any]]
    model: str
    output: NotRequired[list[OutputMessage]]
    parallel_tool_calls: NotRequired[Literal[False]]
    previous_response_id: NotRequired[str | None]
    conversation: NotRequired[ConversationId | None]
    store: NotRequired[bool]
    temperature: NotRequired[None]
    tool_choice: NotRequired[Literal["auto"]]
    tools: NotRequired[list[Any]]
    top_p: NotRequired[None]
    truncation: NotRequired[Literal["disabled"]]
    usage: NotRequired[ResponseUsage | None]
    user: NotRequired[str | None]


class AssistantMessage(TypedDict):
    """What the agent said."""

    role: NotRequired[Literal["assistant"]]
    content: str
    refusal: NotRequired[None]


class CachedTokens(TypedDict):
    """Tokens that were read from a cache."""

    cached_tokens: NotRequired[int]
    cache_write_tokens: NotRequired[int]


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


class ConversationId(TypedDict):
    """A conversation."""

    id: str


class ConversationName(TypedDict):
    """A conversation by its id."""

    id: str


class DeletedResponse(TypedDict):
    """A response that is not found by its id any more; what was said stays in its session."""

    id: str
    object: NotRequired[Literal["response"]]
    deleted: NotRequired[Literal[True]]


class InputItem(TypedDict):
    """A message of the conversation."""

    type: NotRequired[str]
    role: NotRequired[str]
    content: NotRequired[str | list[InputPart]]


class InputItems(TypedDict):
    """What a response answers."""

    object: NotRequired[Literal["list"]]
    data: list[InputMessage]
    first_id: str | None
    last_id: str | None
    has_more: NotRequired[Literal[False]]


class InputMessage(TypedDict):
    """What a user said."""

    id: str
    type: NotRequired[Literal["message"]]
    role: NotRequired[Literal["user"]]
    status: NotRequired[Literal["completed"]]
    content: list[InputText]


class InputPart(TypedDict):
    """A piece of an input message; only texts are read."""

    type: str
    text: NotRequired[str | None]


class InputText(TypedDict):
    """A text that was said."""

    type: NotRequired[Literal["input_text"]]
    text: str


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


class OutputMessage(TypedDict):
    """What an agent said."""

    id: str
    type: NotRequired[Literal["message"]]
    role: NotRequired[Literal["assistant"]]
    status: Literal["in_progress", "completed"]
    content: list[OutputText]


class OutputText(TypedDict):
    """A text of an answer."""

    type: NotRequired[Literal["output_text"]]
    text: str
    annotations: NotRequired[list[Any]]
    logprobs: NotRequired[list[Any]]


class ReasoningTokens(TypedDict):
    """Tokens of thoughts."""

    reasoning_tokens: NotRequired[int]


class ResponseBody(TypedDict):
    """A message for an agent."""

    model: str
    input: str | list[InputItem]
    previous_response_id: NotRequired[str | None]
    conversation: NotRequired[str | ConversationName | None]
    stream: NotRequired[bool]
    store: NotRequired[bool]
    user: NotRequired[str | None]
    safety_identifier: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]
    instructions: NotRequired[str | None]
    tools: NotRequired[list[Any] | None]
    background: NotRequired[bool | None]


class ResponseFault(TypedDict):
    """Why a response has failed."""

    code: str
    message: str


class ResponseUsage(TypedDict):
    """Tokens of all model calls of the turn."""

    input_tokens: int
    input_tokens_details: NotRequired[CachedTokens]
    output_tokens: int
    output_tokens_details: NotRequired[ReasoningTokens]
    total_tokens: int


class StreamOptions(TypedDict):
    """What a stream tells beside the text."""

    include_usage: NotRequired[bool]
