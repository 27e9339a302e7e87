"""What is said to and by a language model. Adapters convert these to and from their wire; nobody else knows a wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, Literal

from msgspec import Struct, field

from domain.json_values import JsonObject
from domain.tool_calls import ToolCall

Role = Literal["system", "user", "assistant", "tool"]


class Image(Struct, frozen=True):
    """A picture in a message of the user: its address, which the provider fetches, or a `data:` URL in base64.

    Attributes:
        at: How many characters of the message's text stand before it.
    """

    url: str
    at: int = 0


class Message(Struct, frozen=True, omit_defaults=True):
    """One message of a prompt; `tool_call_id` and `name` stand on role `tool`, `images` on role `user`."""

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    name: str = ""
    images: tuple[Image, ...] = ()

    def pieces(self) -> Iterator[str | Image]:
        """Yield text and pictures in their order.

        >>> list(Message("user", "ab", images=(Image("data:x", 1),)).pieces())
        ['a', Image(url='data:x', at=1), 'b']
        """
        place = 0
        for image in self.images:
            if text := self.content[place : image.at]:
                yield text
            yield image
            place = image.at
        if text := self.content[place:]:
            yield text


class ToolSpec(Struct, frozen=True, omit_defaults=True):
    """A tool as a model sees it; `parameters` is a JSON schema of an object."""

    name: str
    description: str = ""
    parameters: JsonObject = field(default_factory=dict)


class ModelRequest(Struct, frozen=True, omit_defaults=True):
    """One call of a model; an empty `model` means the deployment's default.

    Attributes:
        json_schema: The answer has to be JSON of this schema.
        stable_chars: How much of the first message is the same in every request of an agent, so that it can be cached;
            0 means all of it.
        metadata: For routing and counting: `agent`, `operation`, `session_id`; never part of the prompt.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    model: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    json_schema: JsonObject | None = None
    stable_chars: int = 0
    metadata: JsonObject = field(default_factory=dict)


class Usage(Struct, frozen=True, omit_defaults=True):
    """Tokens of one call; `cached_tokens` of the input were read from a cache, `cache_write_tokens` written to one."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0


FinishReason = Literal["stop", "tool_calls", "length", "content_filter", "error"]
CompletionEnd = Literal["end_turn", "max_tokens", "tool_use", "stop_sequence", "content_filter"]
"""Why an answer ended, as callers are told. Spec: platform-api 4.4."""
ENDS: Final[Mapping[FinishReason, CompletionEnd]] = MappingProxyType(
    {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "content_filter"}
)
"""What a model says -> what callers are told; an error ends no answer, and keeps its name."""


class ModelReply(Struct, frozen=True, omit_defaults=True):
    """The whole answer of a model; `estimated_cost` in US dollars, None where no price is known."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish_reason: FinishReason = "stop"
    model: str = ""
    provider: str = ""
    latency_ms: int = 0
    first_token_ms: int = 0
    attempts: int = 1
    estimated_cost: float | None = None


class ToolCallPart(Struct, frozen=True, omit_defaults=True):
    """A piece of a streamed tool call; `arguments` is a piece of JSON text."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""
    signature: str = ""


class ModelDelta(Struct, frozen=True, omit_defaults=True):
    """One piece of a streamed answer; `provider` and `estimated_cost` (US dollars) stand with its end or its usage."""

    text: str = ""
    tool_call: ToolCallPart | None = None
    usage: Usage | None = None
    finish_reason: FinishReason | None = None
    model: str = ""
    provider: str = ""
    estimated_cost: float | None = None


def split_name(name: str) -> tuple[str, str]:
    """Return provider and model of a full name, as the figures of calls name them.

    >>> split_name("openrouter/meta/llama"), split_name("llama")
    (('openrouter', 'meta/llama'), ('', 'llama'))
    """
    provider, slash, model = name.partition("/")
    return (provider, model) if slash and model else ("", name)


MODEL_NOT_READY = "model_not_ready"
"""The model is not there yet; the message says what is missing."""
BUDGET_EXCEEDED = "budget_exceeded"
"""A budget has not enough left for the call: asking again, or another model, would not help."""
UNANSWERABLE = (MODEL_NOT_READY, BUDGET_EXCEEDED)
"""Failures that end the turn: no handler of an agent can do anything about them."""
MODEL_ERROR_KINDS = (
    "llm_error",
    "llm_timeout",
    "llm_content_filter",
    "llm_rate_limited",
    "llm_context_exceeded",
    "llm_api_error",
    "credential_not_found",
)
"""How a model call can fail; each has a message `error_<kind>`. Spec: abl-language 3.14."""
