"""Chat models behind an OpenAI-compatible endpoint: converts requests, events and errors, and nothing else."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode

import msgspec

from domain.model_calls import ModelDelta, ModelReply, ModelRequest
from providers.chat.openai_wire import (
    DONE,
    Chunk,
    WireRules,
    decode,
    deltas,
    encode_request,
    error_of,
    error_words,
    whole_reply,
)
from providers.failures import CallFailed, FailureKind, ModelCallFailed
from providers.http import HttpCall, HttpClient, Timeouts, status_failure
from providers.retry import Seconds, is_retryable
from providers.specs import ProviderSpec

MODEL_TIMEOUTS: Final = Timeouts(total_s=120.0, connect_s=5.0, idle_s=60.0)
DEFAULT_RULES: Final = WireRules()
MAX_ERROR_CHARS: Final = 300
MILLISECONDS_PER_SECOND: Final = 1_000

_CODES: Final = (
    ("context_length", "llm_context_exceeded"),
    ("context_window", "llm_context_exceeded"),
    ("exceed_context", "llm_context_exceeded"),
    ("maximum context", "llm_context_exceeded"),
    ("content_filter", "llm_content_filter"),
    ("content_policy", "llm_content_filter"),
)
"""What stands in a code or sentence -> the kind of failure."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is and how it is spoken to.

    Attributes:
        provider: The name it has here, for replies and traces.
        base_url: Up to and without `/chat/completions`.
        key_header: `Authorization` carries `Bearer <key>`, any other header the bare key.
        query: Added to the address, e.g. an API version.
    """

    provider: str
    base_url: str
    api_key: str = field(default="", repr=False)
    key_header: str = "Authorization"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict)
    timeouts: Timeouts = MODEL_TIMEOUTS
    rules: WireRules = DEFAULT_RULES


class OpenAICompatibleModel:
    """One model of one endpoint; the name in a request has chosen it and is not sent."""

    def __init__(
        self, client: HttpClient, endpoint: Endpoint, model: str, *, seconds: Seconds = time.monotonic
    ) -> None:
        self._client = client
        self._endpoint = endpoint
        self._model = model
        self._seconds = seconds
        query = f"?{urlencode(endpoint.query)}" if endpoint.query else ""
        self._url = f"{endpoint.base_url.rstrip('/')}/chat/completions{query}"
        self._headers = {"Content-Type": "application/json", **endpoint.headers, **_key(endpoint)}

    async def answer(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer."""
        began_s = self._seconds()
        try:
            answer = await self._client.send(self._call(request, stream=False))
        except CallFailed as failure:
            raise _model_failure(failure) from failure
        if not 200 <= answer.status < 300:
            raise _model_failure(status_failure(answer))
        chunk = _decoded(answer.body)
        reply = whole_reply(chunk)
        if reply is None:
            raise _garbage("The model's answer holds no message")
        took_ms = round((self._seconds() - began_s) * MILLISECONDS_PER_SECOND)
        return msgspec.structs.replace(
            reply,
            provider=self._endpoint.provider,
            model=reply.model or self._model,
            latency_ms=took_ms,
            first_token_ms=took_ms,
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Yield the answer as it comes."""
        output = finished = done = False
        try:
            async with aclosing(self._client.events(self._call(request, stream=True))) as events:
                async for event in events:
                    if event == DONE:
                        done = True
                        break
                    for delta in deltas(_decoded(event, after_output=output)):
                        output = output or bool(delta.text or delta.tool_call)
                        finished = finished or delta.finish_reason is not None
                        yield delta
        except CallFailed as failure:
            if finished and failure.kind is FailureKind.CUT:
                return
            raise _model_failure(failure, after_output=output) from failure
        if not (finished or done):
            raise ModelCallFailed(
                "llm_api_error", "The model's stream ended early", retryable=True, after_output=output
            )

    def _call(self, request: ModelRequest, *, stream: bool) -> HttpCall:
        return HttpCall(
            "POST",
            self._url,
            headers=self._headers,
            body=encode_request(request, self._model, self._endpoint.rules, stream=stream),
            timeouts=self._endpoint.timeouts,
        )


class _Options(msgspec.Struct):
    """What may be configured besides address and key; of `rules` the fields of WireRules."""

    key_header: str = "Authorization"
    headers: dict[str, str] = {}  # msgspec copies empty defaults
    query: dict[str, str] = {}
    connect_s: float = MODEL_TIMEOUTS.connect_s
    idle_s: float = MODEL_TIMEOUTS.idle_s
    total_s: float = MODEL_TIMEOUTS.total_s
    rules: WireRules = DEFAULT_RULES


def open_model(spec: ProviderSpec, model: str, client: HttpClient) -> OpenAICompatibleModel:
    """Return a model of the provider."""
    options = spec.read_options(_Options)
    endpoint = Endpoint(
        provider=spec.name,
        base_url=spec.base_url,
        api_key=spec.api_key,
        key_header=options.key_header,
        headers=options.headers,
        query=options.query,
        timeouts=Timeouts(options.total_s, options.connect_s, options.idle_s),
        rules=options.rules,
    )
    return OpenAICompatibleModel(client, endpoint, model)


def _key(endpoint: Endpoint) -> dict[str, str]:
    if not endpoint.api_key:
        return {}
    bearer = endpoint.key_header.lower() == "authorization"
    return {endpoint.key_header: f"Bearer {endpoint.api_key}" if bearer else endpoint.api_key}


def _decoded(data: bytes, *, after_output: bool = False) -> Chunk:
    try:
        chunk = decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _garbage("The model's answer cannot be read", after_output=after_output) from error
    if chunk.error is not None:
        code, sentence = error_words(chunk.error)
        kind = _kind_of_words(code, sentence) or "llm_api_error"
        raise ModelCallFailed(kind, _sentence(sentence), retryable=kind == "llm_api_error", after_output=after_output)
    return chunk


def _garbage(message: str, *, after_output: bool = False) -> ModelCallFailed:
    return ModelCallFailed("llm_api_error", message, retryable=True, after_output=after_output)


def _model_failure(failure: CallFailed, *, after_output: bool = False) -> ModelCallFailed:
    """Return the failure of the transport in the words of a model call."""
    kind, message = _kind_and_message(failure)
    return ModelCallFailed(
        kind,
        message,
        retryable=kind != "credential_not_found" and is_retryable(failure),
        after_output=after_output,
        retry_after_s=failure.retry_after_s,
    )


def _kind_and_message(failure: CallFailed) -> tuple[str, str]:
    if failure.kind is FailureKind.TIMEOUT:
        return "llm_timeout", "The model did not answer in time"
    if failure.kind is not FailureKind.STATUS:
        return "llm_api_error", failure.message
    if failure.status in {401, 403}:
        return "credential_not_found", "The model provider refused the credentials"
    code, sentence = error_of(failure.body)
    if failure.status == 429:
        return "llm_rate_limited", _sentence(sentence) if sentence else "The model provider is asked too often"
    if failure.status in {408, 504}:
        return "llm_timeout", "The model provider did not answer in time"
    kind = _kind_of_words(code, sentence) if failure.status < 500 else None
    return kind or "llm_api_error", _sentence(sentence) if sentence else failure.message


def _kind_of_words(code: str, sentence: str) -> str | None:
    words = f"{code} {sentence}".lower()
    return next((kind for sign, kind in _CODES if sign in words), None)


def _sentence(text: str) -> str:
    return f"The model provider says: {text[:MAX_ERROR_CHARS]}" if text else "The model provider reports an error"
