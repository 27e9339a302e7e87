"""A streamed answer as somebody is shown it: an answer that breaks off is asked for again, what was shown is void."""

from __future__ import annotations

import time
from contextlib import aclosing
from typing import Final, Protocol

import msgspec

from domain.model_calls import ModelReply, ModelRequest
from providers.chat.assembly import ReplyAssembler
from providers.failures import ModelCallFailed
from providers.ports import ChatModel
from providers.retry import Seconds

STREAM_TRIES: Final = 3
"""How often a model is asked that broke off in the middle of its answer."""
MILLISECONDS_PER_SECOND: Final = 1_000


class Shown(Protocol):
    """Whoever is shown an answer while it comes."""

    def add(self, text: str) -> None:
        """Take the next piece."""

    def end(self) -> None:
        """Take note that there is no more."""

    def void(self) -> None:
        """Forget the pieces so far: the model begins again, or fails."""


async def streamed_reply(
    model: ChatModel, request: ModelRequest, shown: Shown, *, seconds: Seconds = time.monotonic
) -> ModelReply:
    """Return the whole of an answer that was shown while it came.

    Raises:
        ModelCallFailed: There is no answer, or it broke off `STREAM_TRIES` times.
    """
    attempt = 1
    while True:
        assembler = ReplyAssembler()
        started_s = seconds()
        first_token_ms = 0
        try:
            async with aclosing(model.stream(request)) as deltas:
                async for delta in deltas:
                    assembler.add(delta)
                    if delta.text:
                        first_token_ms = first_token_ms or _ms(seconds() - started_s)
                        shown.add(delta.text)
            reply = assembler.reply(first_token_ms=first_token_ms)
        except ModelCallFailed as failure:
            if assembler.text:
                shown.void()
            if not (assembler.has_output and failure.retryable and attempt < STREAM_TRIES):
                raise
            attempt += 1
        else:
            shown.end()
            return msgspec.structs.replace(reply, attempts=attempt)


def _ms(span_s: float) -> int:
    return round(span_s * MILLISECONDS_PER_SECOND)
