"""The wire of OpenAI-compatible chat completions: our requests -> bytes; answers, chunks and errors -> our words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.json_values import JsonObject
from domain.model_calls import (
    FinishReason,
    Message,
    ModelDelta,
    ModelReply,
    ModelRequest,
    ToolCallPart,
    ToolSpec,
    Usage,
)
from domain.tool_calls import ToolCall
from providers.chat.assembly import tool_arguments

DONE: Final = b"[DONE]"
NO_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}}
SCHEMA_INSTRUCTION: Final = "Answer with one JSON object of this JSON schema and nothing else:\n"

_FINISH: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "end_turn": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "error": "error",
}
_ENCODER = msgspec.json.Encoder()


class _Function(Struct):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class _ToolPart(Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Said(Struct):
    content: str | list[dict[str, Any]] | None = None
    tool_calls: list[_ToolPart] | None = None


class _Choice(Struct):
    index: int = 0
    delta: _Said | None = None
    message: _Said | None = None
    finish_reason: str | None = None


class _PromptDetails(Struct):
    cached_tokens: int | None = None


class _Usage(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None
    prompt_cache_hit_tokens: int | None = None


class _Error(Struct):
    message: str | None = None
    type: str | None = None
    code: str | int | None = None


class Chunk(Struct):
    """A whole answer or one event of a stream; what a server leaves out is absent."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    model: str | None = None
    error: _Error | str | None = None


_DECODER = msgspec.json.Decoder(Chunk)


@dataclass(frozen=True, slots=True)
class WireRules:
    """Where servers of this wire differ.

    Attributes:
        max_tokens_field: `max_tokens`, or `max_completion_tokens` for models that think.
        schema_mode: `json_schema`; `json_object` where schemas are unknown; `prompt` where neither is.
        strict_schema: Ask for exact schemas; these must then name every property as required.
        stream_usage: Ask for the usage at the end of a stream.
    """

    max_tokens_field: str = "max_tokens"
    schema_mode: str = "json_schema"
    strict_schema: bool = False
    stream_usage: bool = True


def encode_request(request: ModelRequest, model: str, rules: WireRules, *, stream: bool) -> bytes:
    """Return the body of one call."""
    body: JsonObject = {"model": model, "messages": [_message(message) for message in request.messages]}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body[rules.max_tokens_field] = request.max_tokens
    if request.json_schema is not None:
        _ask_for_schema(body, request.json_schema, rules)
    if stream:
        body["stream"] = True
        if rules.stream_usage:
            body["stream_options"] = {"include_usage": True}
    return _ENCODER.encode(body)


def decode(data: bytes) -> Chunk:
    """Return what the bytes say.

    Raises:
        msgspec.DecodeError: They are not of this wire.
    """
    return _DECODER.decode(data)


def deltas(chunk: Chunk) -> Iterator[ModelDelta]:
    """Yield what one event of a stream says; only the first choice counts."""
    usage = _usage(chunk.usage)
    for choice in chunk.choices or ():
        if choice.index != 0:
            continue
        finish = _FINISH.get(choice.finish_reason, "stop") if choice.finish_reason else None
        said = choice.delta or choice.message
        text = _text(said)
        if text:
            yield ModelDelta(text=text, model=chunk.model or "")
        for place, part in enumerate((said.tool_calls if said else None) or ()):
            yield ModelDelta(tool_call=_part(part, place), model=chunk.model or "")
        if finish:
            yield ModelDelta(finish_reason=finish, model=chunk.model or "")
    if usage is not None:
        yield ModelDelta(usage=usage, model=chunk.model or "")


def whole_reply(chunk: Chunk) -> ModelReply | None:
    """Return the reply of a whole answer, None when there is no choice in it.

    Raises:
        ModelCallFailed: The arguments of a tool call are no JSON object.
    """
    choice = next((choice for choice in chunk.choices or () if choice.index == 0), None)
    if choice is None or choice.message is None:
        return None
    calls = tuple(
        ToolCall(
            part.id or f"call_{place}",
            (part.function and part.function.name) or "",
            tool_arguments(_part(part, place).arguments),
        )
        for place, part in enumerate(choice.message.tool_calls or ())
    )
    finish = _FINISH.get(choice.finish_reason or "", "stop")
    return ModelReply(
        text=_text(choice.message),
        tool_calls=calls,
        usage=_usage(chunk.usage) or Usage(),
        finish_reason="tool_calls" if calls and finish == "stop" else finish,
        model=chunk.model or "",
    )


def error_of(data: bytes) -> tuple[str, str]:
    """Return the code and the sentence of an error body, both empty when it is none of this wire."""
    try:
        error = _DECODER.decode(data).error
    except (msgspec.DecodeError, RecursionError):
        return "", ""
    return error_words(error)


def error_words(error: _Error | str | None) -> tuple[str, str]:
    """Return the code and the sentence of an error."""
    match error:
        case _Error():
            return str(error.code or error.type or ""), error.message or ""
        case str():
            return "", error
        case None:
            return "", ""


def _message(message: Message) -> Message | JsonObject:
    """Return what encodes to the message on the wire: mostly the message itself, whose fields are called the same."""
    if message.content and not message.tool_calls and (message.role == "tool") is bool(message.tool_call_id):
        return message
    wire: JsonObject = {"role": message.role, "content": message.content}
    if message.name:
        wire["name"] = message.name
    if message.role == "tool":
        wire["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        wire["content"] = message.content or None
        wire["tool_calls"] = [_asked_call(call) for call in message.tool_calls]
    return wire


def _asked_call(call: ToolCall) -> JsonObject:
    arguments = _ENCODER.encode(call.arguments).decode() if call.arguments else "{}"
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _tool(tool: ToolSpec) -> JsonObject:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters or NO_PARAMETERS}
    return {"type": "function", "function": function}


def _ask_for_schema(body: JsonObject, schema: JsonObject, rules: WireRules) -> None:
    if rules.schema_mode == "json_schema":
        named = {"name": "answer", "schema": schema, "strict": rules.strict_schema}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
        return
    if rules.schema_mode == "json_object":
        body["response_format"] = {"type": "json_object"}
    instruction = SCHEMA_INSTRUCTION + _ENCODER.encode(schema).decode()
    body["messages"] = [*body["messages"], {"role": "system", "content": instruction}]


def _text(said: _Said | None) -> str:
    if said is None or not said.content:
        return ""
    if isinstance(said.content, str):
        return said.content
    return "".join(text for part in said.content if isinstance(text := part.get("text"), str))


def _part(part: _ToolPart, place: int) -> ToolCallPart:
    function = part.function or _Function()
    arguments = function.arguments
    if isinstance(arguments, dict):
        arguments = _ENCODER.encode(arguments).decode()
    index = place if part.index is None else part.index
    return ToolCallPart(index=index, id=part.id or "", name=function.name or "", arguments=arguments or "")


def _usage(usage: _Usage | None) -> Usage | None:
    if usage is None:
        return None
    details = usage.prompt_tokens_details
    cached = (details.cached_tokens if details else None) or usage.prompt_cache_hit_tokens or 0
    return Usage(usage.prompt_tokens or 0, usage.completion_tokens or 0, cached)
