"""A chat model over HTTP: one call, its bytes through a wire, failures in the words of a model call. No retry here."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import Final
from urllib.parse import urlencode

import msgspec

from domain.model_calls import Message, ModelDelta, ModelReply, ModelRequest
from domain.secret_spellings import MASK, spellings, without
from providers.chat.assembly import ReplyAssembler
from providers.chat.wire import BAD_JSON, PASSING, REFUSED_CREDENTIALS, Endpoint, Reader, Wire, WireError, kind_of, told
from providers.failures import FINAL, CallFailed, FailureKind, ModelCallFailed
from providers.http import HttpCall, HttpClient, status_failure
from providers.retry import Seconds, is_retryable

MILLISECONDS_PER_SECOND: Final = 1_000
FILTERED: Final = "The model refused to answer"
CUT: Final = "The model's stream ended early"
UNREADABLE: Final = "The model's answer cannot be read"
_SIGNED: Final = ("signature", "thinking", "bound to a different conversation")
"""What stands in a refusal of the texts that a provider wanted back with its tool calls."""


class HttpChatModel:
    """One model of one endpoint; the name in a request has chosen it and is not sent."""

    def __init__(
        self, client: HttpClient, endpoint: Endpoint, wire: Wire, model: str, *, seconds: Seconds = time.monotonic
    ) -> None:
        self._client = client
        self._endpoint = endpoint
        self._wire = wire
        self._model = model
        self._seconds = seconds
        self._headers = {"Content-Type": "application/json", **wire.headers(endpoint.api_key), **endpoint.headers}
        self._urls = {False: self._url(stream=False), True: self._url(stream=True)}

    async def answer(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer."""
        try:
            return await self._answer(request)
        except ModelCallFailed as failure:
            if (plain := _unsigned(request, failure)) is None:
                raise
        return await self._answer(plain)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Yield the answer as it comes."""
        async with aclosing(self.pieces(request)) as pieces:
            async for piece in pieces:
                for delta in piece:
                    yield delta

    async def pieces(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelDelta], None]:
        """Yield the answer as it comes, what came at the same moment together. Raises as `stream` does."""
        while True:
            progress = _Progress()
            reader = self._wire.reader(request, self._model)
            try:
                async with aclosing(self._client.events(self._call(request, stream=True))) as pieces:
                    async for events in pieces:
                        found: list[ModelDelta] = []
                        try:
                            for event in events:
                                found += reader.read(event)
                        finally:
                            if found and progress.sees(found):  # what came before a failure has come
                                yield found
                        progress.check()
                        if reader.is_complete:
                            return
            except CallFailed as failure:
                if progress.finish and failure.kind is FailureKind.CUT:
                    return
                told_failure = self._failure(failure, after_output=progress.output)
                if (plain := _unsigned(request, told_failure)) is None:
                    raise told_failure from failure
                request = plain
                continue
            except BAD_JSON as error:
                raise _garbage(UNREADABLE, after_output=progress.output) from error
            except ModelCallFailed as failure:
                failure.after_output = progress.output
                raise
            if not progress.finish:
                raise _garbage(CUT, after_output=progress.output)
            return

    async def _answer(self, request: ModelRequest) -> ModelReply:
        began_s = self._seconds()
        try:
            answer = await self._client.send(self._call(request, stream=False))
        except CallFailed as failure:
            raise self._failure(failure) from failure
        if not 200 <= answer.status < 300:
            raise self._failure(status_failure(answer))
        assembler = ReplyAssembler()
        for delta in _read_whole(self._wire.reader(request, self._model), answer.body):
            assembler.add(delta)
        took_ms = round((self._seconds() - began_s) * MILLISECONDS_PER_SECOND)
        reply = assembler.reply(provider=self._endpoint.provider, latency_ms=took_ms, first_token_ms=took_ms)
        _check_not_filtered(reply.finish_reason, has_output=assembler.has_output)
        return msgspec.structs.replace(reply, model=reply.model or self._model)

    def _call(self, request: ModelRequest, *, stream: bool) -> HttpCall:
        body = self._wire.body(request, self._model, stream=stream)
        return HttpCall("POST", self._urls[stream], self._headers, body, self._endpoint.timeouts)

    def _url(self, *, stream: bool) -> str:
        url = self._wire.url(self._endpoint.base_url.rstrip("/"), self._model, stream=stream)
        if not self._endpoint.query:
            return url
        return f"{url}{'&' if '?' in url else '?'}{urlencode(self._endpoint.query)}"

    def _failure(self, failure: CallFailed, *, after_output: bool = False) -> ModelCallFailed:
        """Return the failure of the transport in the words of a model call."""
        error = self._wire.error(failure.body) if failure.kind is FailureKind.STATUS else WireError("", "")
        key = self._endpoint.api_key
        sentence = without(error.sentence, frozenset({key}), spellings(key), MASK) if key else error.sentence
        kind, message = _kind_and_message(failure, error._replace(sentence=sentence))
        return ModelCallFailed(
            kind,
            message,
            retryable=kind in PASSING and is_retryable(failure),
            is_final=failure.kind in FINAL,
            after_output=after_output,
            retry_after_s=failure.retry_after_s,
        )


class _Progress:
    """How far an answer has come."""

    __slots__ = ("finish", "output")

    def __init__(self) -> None:
        self.finish = ""
        self.output = False

    def sees(self, deltas: Sequence[ModelDelta]) -> bool:
        """Take note of deltas; return whether they are worth showing: a refusal without a word is not."""
        for delta in deltas:
            if delta.finish_reason is not None:
                self.finish = delta.finish_reason
            elif not self.output and (delta.text or delta.tool_call is not None):
                self.output = True
        return self.output or self.finish != "content_filter"

    def check(self) -> None:
        """Raise ModelCallFailed for a refusal without a word."""
        _check_not_filtered(self.finish, has_output=self.output)


def _garbage(message: str, *, after_output: bool = False) -> ModelCallFailed:
    return ModelCallFailed("llm_api_error", message, retryable=True, after_output=after_output)


def _read_whole(reader: Reader, body: bytes) -> Iterable[ModelDelta]:
    try:
        return tuple(reader.read_whole(body))
    except BAD_JSON as error:
        raise _garbage(UNREADABLE) from error


def _check_not_filtered(finish: str, *, has_output: bool) -> None:
    if finish == "content_filter" and not has_output:
        raise ModelCallFailed("llm_content_filter", FILTERED)


def _unsigned(request: ModelRequest, failure: ModelCallFailed) -> ModelRequest | None:
    """Return the request without signatures when these were what was refused: another model or prompt had made them."""
    words = failure.message.lower()
    if failure.retryable or failure.after_output or not any(sign in words for sign in _SIGNED):
        return None
    if not any(call.signature for message in request.messages for call in message.tool_calls):
        return None
    return msgspec.structs.replace(request, messages=tuple(_without_signatures(one) for one in request.messages))


def _without_signatures(message: Message) -> Message:
    if not message.tool_calls:
        return message
    calls = tuple(msgspec.structs.replace(call, signature="") for call in message.tool_calls)
    return msgspec.structs.replace(message, tool_calls=calls)


def _kind_and_message(failure: CallFailed, error: WireError) -> tuple[str, str]:
    if failure.kind is FailureKind.TIMEOUT:
        return "llm_timeout", "The model did not answer in time"
    if failure.kind is not FailureKind.STATUS:
        return "llm_api_error", failure.message
    if failure.status in {401, 403}:
        return "credential_not_found", REFUSED_CREDENTIALS
    if failure.status == 429:
        return "llm_rate_limited", told(error.sentence) if error.sentence else "The model provider is asked too often"
    if failure.status in {408, 504}:
        return "llm_timeout", "The model provider did not answer in time"
    if failure.status == 413:
        return "llm_context_exceeded", told(error.sentence or "the request is too large")
    kind = kind_of(error) if failure.status < 500 else ""
    if kind == "credential_not_found":
        return kind, REFUSED_CREDENTIALS
    return kind or "llm_api_error", told(error.sentence) if error.sentence else failure.message
