"""Chat models behind the Anthropic Messages API, version 2023-06-01: events and errors of the wire -> deltas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.json_values import JsonObject
from domain.model_calls import FinishReason, ModelDelta, ModelRequest, ToolCallPart, Usage
from providers.chat.anthropic_request import AnthropicRules, encode_request, prefix_hash
from providers.chat.http_model import HttpChatModel
from providers.chat.wire import (
    BAD_JSON,
    EndpointOptions,
    WireError,
    endpoint_of,
    error_in_answer,
    json_text,
    no_message,
)
from providers.http import HttpClient
from providers.specs import ProviderSpec

BASE_URL: Final = "https://api.anthropic.com"
VERSION: Final = "2023-06-01"

_FINISH: Final[dict[str, FinishReason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}


class _Usage(Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Block(Struct):
    """A content block; of a delta only the field that grows."""

    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict[str, Any] | None = None
    partial_json: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    stop_reason: str | None = None


class _Error(Struct):
    type: str | None = None
    message: str | None = None


class _Message(Struct):
    model: str | None = None
    content: list[_Block] | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None


class _Event(Struct):
    """One event of a stream, or a whole answer; what is not of its type is absent, what is unknown passed over."""

    type: str = ""
    index: int = 0
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Block | None = None
    usage: _Usage | None = None
    error: _Error | None = None


_EVENTS = msgspec.json.Decoder(_Event)
_MESSAGES = msgspec.json.Decoder(_Message)


class AnthropicReader:
    """Reads one answer; numbers tool calls from zero and gives each the thoughts that came before it."""

    __slots__ = ("_bound_to", "_calls", "_model", "_open", "_prefix", "_thoughts", "_usage", "is_complete")

    def __init__(self, request: ModelRequest, model: str) -> None:
        self.is_complete = False
        self._model = ""
        self._prefix = f"call_{len(request.messages)}_"
        self._bound_to = prefix_hash(request, model)
        self._calls: dict[int, int] = {}
        self._thoughts: list[JsonObject] = []
        self._open: JsonObject | None = None
        self._usage = _Usage()

    def read(self, data: bytes) -> Iterable[ModelDelta]:
        """Return what one event of a stream says."""
        event = _EVENTS.decode(data)
        match event.type:
            case "content_block_delta":
                return self._delta(event.index, event.delta) if event.delta else ()
            case "content_block_start":
                return self._start(event.index, event.content_block) if event.content_block else ()
            case "message_start" if event.message is not None:
                self._model = event.message.model or ""
                self._count(event.message.usage)
            case "message_delta":
                self._count(event.usage)
                return self._finish(event.delta.stop_reason if event.delta else None)
            case "message_stop":
                self.is_complete = True
            case "error":
                raise error_in_answer(_words(event.error))
        return ()

    def read_whole(self, data: bytes) -> Iterable[ModelDelta]:
        """Return what a whole answer says."""
        if (event := _EVENTS.decode(data)).error is not None:
            raise error_in_answer(_words(event.error))
        message = _MESSAGES.decode(data)
        if message.content is None:
            raise no_message()
        self._model = message.model or ""
        self._count(message.usage)
        found: list[ModelDelta] = []
        for index, block in enumerate(message.content):
            found += self._start(index, block)
        return [*found, *self._finish(message.stop_reason or "end_turn")]

    def _start(self, index: int, block: _Block) -> Iterable[ModelDelta]:
        match block.type:
            case "text" if block.text:
                return (ModelDelta(text=block.text, model=self._model),)
            case "tool_use":
                place = self._calls[index] = len(self._calls)
                arguments = json_text(block.input) if block.input else ""
                call_id = block.id or f"{self._prefix}{place}"
                part = ToolCallPart(place, call_id, block.name or "", arguments, self._signature())
                return (ModelDelta(tool_call=part, model=self._model),)
            case "thinking":
                kept = {"type": "thinking", "thinking": block.thinking or "", "signature": block.signature or ""}
                self._open = kept
                self._thoughts.append(kept)
            case "redacted_thinking":
                self._thoughts.append({"type": "redacted_thinking", "data": block.data or ""})
        return ()

    def _delta(self, index: int, delta: _Block) -> Iterable[ModelDelta]:
        match delta.type:
            case "text_delta" if delta.text:
                return (ModelDelta(text=delta.text, model=self._model),)
            case "input_json_delta" if delta.partial_json and index in self._calls:
                part = ToolCallPart(self._calls[index], arguments=delta.partial_json)
                return (ModelDelta(tool_call=part, model=self._model),)
            case "thinking_delta" if self._open is not None:
                self._open["thinking"] += delta.thinking or ""
            case "signature_delta" if self._open is not None:
                self._open["signature"] += delta.signature or ""
        return ()

    def _signature(self) -> str:
        thoughts, self._thoughts, self._open = self._thoughts, [], None
        return json_text({"of": self._bound_to, "blocks": thoughts}) if thoughts else ""

    def _finish(self, reason: str | None) -> Iterable[ModelDelta]:
        usage = ModelDelta(usage=_usage(self._usage), model=self._model)
        if reason is None:
            return (usage,)
        finish = _FINISH.get(reason, "stop")
        if finish == "stop" and self._calls:
            finish = "tool_calls"
        return (ModelDelta(finish_reason=finish, model=self._model), usage)

    def _count(self, usage: _Usage | None) -> None:
        """Take counts that are sums so far; a later event leaves out what an earlier one has told."""
        if usage is None:
            return
        for name in _Usage.__struct_fields__:
            if (value := getattr(usage, name)) is not None:
                setattr(self._usage, name, value)


class AnthropicWire:
    """The Messages API."""

    def __init__(self, rules: AnthropicRules) -> None:
        self._rules = rules

    def url(self, base_url: str, model: str, *, stream: bool) -> str:
        """Return where a model is asked."""
        return f"{base_url.removesuffix('/v1')}/v1/messages"

    def headers(self, api_key: str) -> Mapping[str, str]:
        """Return the headers of every request."""
        version = {"anthropic-version": VERSION}
        return {"x-api-key": api_key, **version} if api_key else version

    def body(self, request: ModelRequest, model: str, *, stream: bool) -> bytes:
        """Return the body of one request."""
        return encode_request(request, model, self._rules, stream=stream)

    def reader(self, request: ModelRequest, model: str) -> AnthropicReader:
        """Return what reads the answer to a request."""
        return AnthropicReader(request, model)

    def error(self, data: bytes) -> WireError:
        """Return what the body of an answer says that is no success."""
        try:
            return _words(_EVENTS.decode(data).error)
        except BAD_JSON:
            return WireError("", "")


class _Options(EndpointOptions):
    """What may be configured besides; of `rules` the fields of AnthropicRules."""

    rules: AnthropicRules = AnthropicRules()


def open_model(spec: ProviderSpec, model: str, client: HttpClient) -> HttpChatModel:
    """Return a model of the provider."""
    options = spec.read_options(_Options)
    return HttpChatModel(client, endpoint_of(spec, options, BASE_URL), AnthropicWire(options.rules), model)


def _words(error: _Error | None) -> WireError:
    return WireError((error and error.type) or "", (error and error.message) or "")


def _usage(usage: _Usage) -> Usage:
    """Return the counts with cache reads and writes as parts of the input, which the wire tells apart."""
    read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    return Usage((usage.input_tokens or 0) + read + written, usage.output_tokens or 0, read, written)
