"""The wire of OpenAI-compatible chat completions: our requests -> bytes; answers, chunks and errors -> our words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.json_values import JsonObject
from domain.model_calls import (
    FinishReason,
    Image,
    Message,
    ModelDelta,
    ModelRequest,
    ToolCallPart,
    ToolSpec,
    Usage,
)
from domain.tool_calls import ToolCall
from providers.chat.wire import BAD_JSON, WireError, error_in_answer, json_text, no_message

DONE: Final = b"[DONE]"
AUTHORIZATION: Final = "Authorization"
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
_THINKS: Final = re.compile(r"(o\d|gpt-([5-9]|\d\d))")
"""Names of OpenAI's models that refuse a temperature."""

_ENCODER = msgspec.json.Encoder()


class _Function(Struct):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


_NO_FUNCTION = _Function()


class _ToolPart(Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Said(Struct):
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None
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
        temperature: Whether the model takes one; None: as the name says of OpenAI's own, which do not when they think.
    """

    max_tokens_field: str = "max_tokens"
    schema_mode: str = "json_schema"
    strict_schema: bool = False
    stream_usage: bool = True
    temperature: bool | None = None


DEFAULT_RULES: Final = WireRules()


class OpenAIWire:
    """Chat completions as OpenAI and many others speak them."""

    def __init__(self, rules: WireRules = DEFAULT_RULES, key_header: str = AUTHORIZATION) -> None:
        """Take the differences of a server; `Authorization` carries `Bearer <key>`, any other header the bare key."""
        self._rules = rules
        self._key_header = key_header

    def url(self, base_url: str, model: str, *, stream: bool) -> str:
        """Return where a model is asked."""
        return f"{base_url}/chat/completions"

    def headers(self, api_key: str) -> Mapping[str, str]:
        """Return the headers of every request."""
        if not api_key:
            return {}
        return {self._key_header: f"Bearer {api_key}" if self._key_header.lower() == "authorization" else api_key}

    def body(self, request: ModelRequest, model: str, *, stream: bool) -> bytes:
        """Return the body of one request."""
        return encode_request(request, model, self._rules, stream=stream)

    def reader(self, request: ModelRequest, model: str) -> OpenAIReader:
        """Return what reads the answer to a request."""
        return OpenAIReader(request)

    def error(self, data: bytes) -> WireError:
        """Return what the body of an answer says that is no success."""
        try:
            return _words(_DECODER.decode(data).error)
        except BAD_JSON:
            return WireError("", "")


def encode_request(request: ModelRequest, model: str, rules: WireRules, *, stream: bool) -> bytes:
    """Return the body of one call; what is the same in all requests of an agent stands first, as prompt caches want."""
    body: JsonObject = {"model": model, "messages": [_message(message) for message in request.messages]}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.temperature is not None and _takes_temperature(model, rules):
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


class OpenAIReader:
    """Reads one answer; only the first choice counts."""

    __slots__ = ("_has_calls", "_is_refused", "_prefix", "is_complete")

    def __init__(self, request: ModelRequest) -> None:
        self.is_complete = False
        self._prefix = f"call_{len(request.messages)}_"
        self._has_calls = False
        self._is_refused = False

    def read(self, data: bytes) -> Iterable[ModelDelta]:
        """Return what one event of a stream says."""
        if data == DONE:
            self.is_complete = True
            return ()
        chunk = _DECODER.decode(data)
        choices = chunk.choices
        if choices and len(choices) == 1 and chunk.usage is None:  # most events: a word, and nothing else
            choice = choices[0]
            said = choice.delta
            if said is not None and said.tool_calls is None and choice.finish_reason is None and choice.index == 0:
                text = said.content
                if text and type(text) is str and chunk.error is None:
                    return (ModelDelta(text=text, model=chunk.model or ""),)
        return self._deltas(chunk)

    def read_whole(self, data: bytes) -> Iterable[ModelDelta]:
        """Return what a whole answer says."""
        chunk = _DECODER.decode(data)
        if chunk.error is None and not any(one.index == 0 and one.message for one in chunk.choices or ()):
            raise no_message()
        return self._deltas(chunk)

    def _deltas(self, chunk: Chunk) -> list[ModelDelta]:
        if chunk.error is not None:
            raise error_in_answer(_words(chunk.error))
        model, found = chunk.model or "", []
        for choice in chunk.choices or ():
            if choice.index != 0:
                continue
            said = choice.delta or choice.message
            if said is not None:
                if text := said.content if type(said.content) is str and said.content else _text(said):
                    found.append(ModelDelta(text=text, model=model))
                if said.tool_calls:
                    for place, part in enumerate(said.tool_calls):
                        delta = ModelDelta(tool_call=self._part(place, part), model=model)
                        found.append(delta)
                self._is_refused = self._is_refused or bool(said.refusal)
            if choice.finish_reason:
                found.append(ModelDelta(finish_reason=self._finish(choice.finish_reason), model=model))
        if chunk.usage is not None:
            found.append(ModelDelta(usage=_usage(chunk.usage), model=model))
        return found

    def _finish(self, reason: str) -> FinishReason:
        finish = _FINISH.get(reason, "stop")
        if self._is_refused:
            return "content_filter"
        return "tool_calls" if finish == "stop" and self._has_calls else finish

    def _part(self, place: int, part: _ToolPart) -> ToolCallPart:
        self._has_calls = True
        function = part.function or _NO_FUNCTION
        arguments = function.arguments
        index = place if part.index is None else part.index
        name = function.name or ""
        if not name and not part.id and type(arguments) is str:
            return ToolCallPart(index, arguments=arguments)
        if isinstance(arguments, dict):
            arguments = json_text(arguments)
        made = f"{self._prefix}{index}" if name and not part.id else ""
        return ToolCallPart(index=index, id=part.id or made, name=name, arguments=arguments or "")


def _piece(piece: str | Image) -> JsonObject:
    if isinstance(piece, str):
        return {"type": "text", "text": piece}
    return {"type": "image_url", "image_url": {"url": piece.url}}


def _message(message: Message) -> Message | JsonObject:
    """Return what encodes to the message on the wire: mostly the message itself, whose fields are called the same."""
    is_plain = not message.tool_calls and not message.images
    if message.content and is_plain and (message.role == "tool") is bool(message.tool_call_id):
        return message
    wire: JsonObject = {"role": message.role, "content": message.content}
    if message.images:
        wire["content"] = [_piece(one) for one in message.pieces()]
    if message.name:
        wire["name"] = message.name
    if message.role == "tool":
        wire["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        wire["content"] = message.content or None
        wire["tool_calls"] = [_asked_call(call) for call in message.tool_calls]
    return wire


def _asked_call(call: ToolCall) -> JsonObject:
    arguments = json_text(call.arguments) if call.arguments else "{}"
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _tool(tool: ToolSpec) -> JsonObject:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters or NO_PARAMETERS}
    return {"type": "function", "function": function}


def _takes_temperature(model: str, rules: WireRules) -> bool:
    return _THINKS.match(model) is None if rules.temperature is None else rules.temperature


def _ask_for_schema(body: JsonObject, schema: JsonObject, rules: WireRules) -> None:
    if rules.schema_mode == "json_schema":
        named = {"name": "answer", "schema": schema, "strict": rules.strict_schema}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
        return
    if rules.schema_mode == "json_object":
        body["response_format"] = {"type": "json_object"}
    instruction = SCHEMA_INSTRUCTION + json_text(schema)
    body["messages"] = [*body["messages"], {"role": "system", "content": instruction}]


def _text(said: _Said) -> str:
    content = said.content
    if isinstance(content, str):
        return content or said.refusal or ""
    if content is None:
        return said.refusal or ""
    return "".join(text for part in content if isinstance(text := part.get("text"), str))


def _usage(usage: _Usage) -> Usage:
    details = usage.prompt_tokens_details
    cached = (details.cached_tokens if details else None) or usage.prompt_cache_hit_tokens or 0
    return Usage(usage.prompt_tokens or 0, usage.completion_tokens or 0, cached)


def _words(error: _Error | str | None) -> WireError:
    match error:
        case _Error():
            return WireError(str(error.code or error.type or ""), error.message or "")
        case str():
            return WireError("", error)
        case None:
            return WireError("", "")
