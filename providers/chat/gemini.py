"""Chat models behind the Gemini API (generateContent, streamGenerateContent): chunks and errors -> deltas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import quote

import msgspec
from msgspec import Struct

from domain.model_calls import FinishReason, ModelDelta, ModelRequest, ToolCallPart, Usage
from providers.chat.gemini_request import GeminiRules, encode_request
from providers.chat.http_model import FILTERED, HttpChatModel
from providers.chat.wire import (
    BAD_JSON,
    EndpointOptions,
    WireError,
    endpoint_of,
    error_in_answer,
    json_text,
    no_message,
)
from providers.failures import ModelCallFailed
from providers.http import HttpClient
from providers.specs import ProviderSpec

BASE_URL: Final = "https://generativelanguage.googleapis.com"
NOT_A_CALL: Final = "The model wrote a tool call that cannot be read"

_FINISH: Final[dict[str, FinishReason]] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "LANGUAGE": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "OTHER": "error",
}
_NO_CALL: Final = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"})
_NO_REASON: Final = "FINISH_REASON_UNSPECIFIED"


class _Call(Struct):
    name: str = ""
    args: dict[str, Any] | None = None
    id: str | None = None


class _Part(Struct, rename="camel"):
    text: str | None = None
    thought: bool = False
    function_call: _Call | None = None
    thought_signature: str | None = None


class _Content(Struct):
    parts: list[_Part] | None = None


class _Candidate(Struct, rename="camel"):
    index: int = 0
    content: _Content | None = None
    finish_reason: str | None = None


class _Feedback(Struct, rename="camel"):
    block_reason: str | None = None


class _Usage(Struct, rename="camel"):
    prompt_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    cached_content_token_count: int | None = None


class _Error(Struct):
    code: int | None = None
    message: str | None = None
    status: str | None = None


class _Chunk(Struct, rename="camel"):
    """A whole answer or one event of a stream, which have the same form."""

    candidates: list[_Candidate] | None = None
    prompt_feedback: _Feedback | None = None
    usage_metadata: _Usage | None = None
    model_version: str | None = None
    error: _Error | None = None


_DECODER = msgspec.json.Decoder(_Chunk)
_ERRORS = msgspec.json.Decoder(list[_Chunk])


class GeminiReader:
    """Reads one answer; counts stand in every chunk, the last ones are told with the end."""

    __slots__ = ("_calls", "_prefix", "_usage", "is_complete")

    def __init__(self, request: ModelRequest) -> None:
        self.is_complete = False
        self._prefix = f"call_{len(request.messages)}_"
        self._calls = 0
        self._usage: _Usage | None = None

    def read(self, data: bytes) -> Iterable[ModelDelta]:
        """Return what one event of a stream says."""
        return self._deltas(_DECODER.decode(data))

    def read_whole(self, data: bytes) -> Iterable[ModelDelta]:
        """Return what a whole answer says."""
        chunk = _DECODER.decode(data)
        found = self._deltas(chunk)
        if not chunk.candidates:
            raise no_message()
        return found

    def _deltas(self, chunk: _Chunk) -> list[ModelDelta]:
        if chunk.error is not None:
            raise error_in_answer(_words(chunk.error))
        self._usage = chunk.usage_metadata or self._usage
        model, found = chunk.model_version or "", []
        for candidate in chunk.candidates or ():
            if candidate.index != 0:
                continue
            for part in (candidate.content.parts if candidate.content else None) or ():
                if part.function_call is not None:
                    found.append(ModelDelta(tool_call=self._call(part, part.function_call), model=model))
                elif part.text and not part.thought:
                    found.append(ModelDelta(text=part.text, model=model))
            reason = candidate.finish_reason
            if reason and reason != _NO_REASON:
                found.append(ModelDelta(finish_reason=self._finish(reason), model=model))
                if self._usage is not None:
                    found.append(ModelDelta(usage=_usage(self._usage), model=model))
        if chunk.prompt_feedback is not None and chunk.prompt_feedback.block_reason and not chunk.candidates:
            raise ModelCallFailed("llm_content_filter", FILTERED)
        return found

    def _call(self, part: _Part, call: _Call) -> ToolCallPart:
        place, self._calls = self._calls, self._calls + 1
        arguments = json_text(call.args) if call.args else ""
        return ToolCallPart(
            place, call.id or f"{self._prefix}{place}", call.name, arguments, part.thought_signature or ""
        )

    def _finish(self, reason: str) -> FinishReason:
        if reason in _NO_CALL:
            raise ModelCallFailed("llm_error", NOT_A_CALL, retryable=True)
        finish = _FINISH.get(reason, "stop")
        return "tool_calls" if finish == "stop" and self._calls else finish


class GeminiWire:
    """The Gemini API; its whole address says model and way of answering."""

    def __init__(self, rules: GeminiRules) -> None:
        self._rules = rules

    def url(self, base_url: str, model: str, *, stream: bool) -> str:
        """Return where a model is asked."""
        way = "streamGenerateContent?alt=sse" if stream else "generateContent"
        version = f"/{self._rules.version}"
        return f"{base_url.removesuffix(version)}{version}/models/{quote(model.removeprefix('models/'))}:{way}"

    def headers(self, api_key: str) -> Mapping[str, str]:
        """Return the headers of every request."""
        return {"x-goog-api-key": api_key} if api_key else {}

    def body(self, request: ModelRequest, model: str, *, stream: bool) -> bytes:
        """Return the body of one request."""
        return encode_request(request, model, self._rules)

    def reader(self, request: ModelRequest, model: str) -> GeminiReader:
        """Return what reads the answer to a request."""
        return GeminiReader(request)

    def error(self, data: bytes) -> WireError:
        """Return what the body of an answer says that is no success; some come as a list of one."""
        try:
            chunks = _ERRORS.decode(data) if data[:1] == b"[" else [_DECODER.decode(data)]
        except BAD_JSON:
            return WireError("", "")
        return next((_words(chunk.error) for chunk in chunks if chunk.error), WireError("", ""))


class _Options(EndpointOptions):
    """What may be configured besides; of `rules` the fields of GeminiRules."""

    rules: GeminiRules = GeminiRules()


def open_model(spec: ProviderSpec, model: str, client: HttpClient) -> HttpChatModel:
    """Return a model of the provider."""
    options = spec.read_options(_Options)
    return HttpChatModel(client, endpoint_of(spec, options, BASE_URL), GeminiWire(options.rules), model)


def _words(error: _Error) -> WireError:
    return WireError(error.status or str(error.code or ""), error.message or "")


def _usage(usage: _Usage) -> Usage:
    """Return the counts; what the model thinks is told apart on the wire and paid as output."""
    return Usage(
        (usage.prompt_token_count or 0) + (usage.tool_use_prompt_token_count or 0),
        (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
        usage.cached_content_token_count or 0,
    )
