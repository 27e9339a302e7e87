"""Around any model: a deadline, retries before the first delta, a circuit breaker, and a model to fall back on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import msgspec

from domain.model_calls import ModelDelta, ModelReply, ModelRequest, Usage
from providers.breaker import BreakerPolicy, Breakers
from providers.deadline import Deadline
from providers.failures import ModelCallFailed
from providers.ports import ChatModel, Pieces
from providers.retry import Random, RetryPolicy, Seconds, Sleep, chance, next_delay_s

MODEL_RETRY: Final = RetryPolicy(attempts=3, delay_s=0.3, max_delay_s=8.0)
AGAINST_THE_PROVIDER: Final = frozenset({"llm_api_error", "llm_timeout"})
"""Kinds that open the breaker when they are retryable; a refused key or a full context says nothing about it."""


CostUsd: TypeAlias = Callable[[Usage], float | None]
"""Gives what tokens cost, None where no price is known."""


def unknown_cost(usage: Usage) -> None:
    """Return None: no price is known."""
    return


@dataclass(frozen=True, slots=True)
class Resilience:
    """What all models of a registry share: policies, breakers, clock, waiting and chance."""

    retry: RetryPolicy = MODEL_RETRY
    breaker: BreakerPolicy = field(default_factory=BreakerPolicy)
    breakers: Breakers = field(default_factory=Breakers)
    seconds: Seconds = time.monotonic
    sleep: Sleep = asyncio.sleep
    random: Random = chance


class ResilientModel:
    """One model within a deadline. Once deltas were given a failure is passed on: the caller has shown them."""

    def __init__(
        self,
        model: ChatModel,
        key: str,
        *,
        timeout_s: float,
        resilience: Resilience,
        provider: str = "",
        name: str = "",
        cost_usd: CostUsd = unknown_cost,
    ) -> None:
        """Take a model, the key of its breaker, and what its answers are marked with: provider, model and cost.

        The model is called by the name under which it can be asked again: what a vendor calls it may be another one.
        """
        self._model = model
        self._name = name
        self._provider = provider
        self._cost_usd = cost_usd
        self._key = key
        self._timeout_s = timeout_s
        self._with = resilience

    async def answer(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer."""
        deadline_s = self._with.seconds() + self._timeout_s
        attempt = 1
        while True:
            self._admit(attempt)
            try:
                async with asyncio.timeout(self._remaining_s(deadline_s)):
                    reply = await self._model.answer(request)
            except (ModelCallFailed, TimeoutError) as error:
                await self._wait_or_raise(error, attempt, deadline_s, after_output=False)
            else:
                self._report(ok=True)
                return msgspec.structs.replace(
                    reply,
                    attempts=attempt,
                    provider=self._provider or reply.provider,
                    model=self._name or reply.model,
                    estimated_cost=self._cost_usd(reply.usage),
                )
            attempt += 1

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Yield the answer as it comes."""
        deadline_s = self._with.seconds() + self._timeout_s
        attempt = 1
        while True:
            self._admit(attempt)
            started = False
            deadline = Deadline(self._remaining_s(deadline_s))
            try:
                async with aclosing(_pieces(self._model, request)) as pieces:
                    while True:
                        with deadline:
                            piece = await anext(pieces, None)
                        if piece is None:
                            self._report(ok=True)
                            return
                        started = True
                        for delta in piece:
                            is_plain = delta.usage is None and delta.finish_reason is None and not delta.model
                            yield delta if is_plain else self._marked(delta)
            except GeneratorExit:
                if started:  # whoever listened has had enough of a model that answers
                    self._report(ok=True)
                raise
            except (ModelCallFailed, TimeoutError) as error:
                await self._wait_or_raise(error, attempt, deadline_s, after_output=started)
            finally:
                deadline.close()
            attempt += 1

    def _marked(self, delta: ModelDelta) -> ModelDelta:
        cost = self._cost_usd(delta.usage) if delta.usage is not None else None
        name = self._name or delta.model
        return msgspec.structs.replace(delta, provider=self._provider, model=name, estimated_cost=cost)

    def _admit(self, attempt: int) -> None:
        wait_s = self._with.breakers.admit(self._key, self._with.breaker, self._with.seconds())
        if wait_s is not None:
            raise ModelCallFailed(
                "llm_api_error",
                "The model provider failed several times in a row and rests",
                retryable=True,
                retry_after_s=wait_s,
                attempts=attempt - 1,
            )

    async def _wait_or_raise(
        self, error: ModelCallFailed | TimeoutError, attempt: int, deadline_s: float, *, after_output: bool
    ) -> None:
        failure = _failure(error, after_output=after_output)
        failure.attempts = attempt
        if failure.retryable and failure.kind in AGAINST_THE_PROVIDER:
            self._report(ok=False)
        if not failure.retryable or after_output:
            raise failure from error
        wait_s = next_delay_s(
            self._with.retry,
            attempt,
            self._with.random(),
            remaining_s=deadline_s - self._with.seconds(),
            retry_after_s=failure.retry_after_s,
        )
        if wait_s is None:
            raise failure from error
        await self._with.sleep(wait_s)

    def _report(self, *, ok: bool) -> None:
        self._with.breakers.report(self._key, self._with.breaker, self._with.seconds(), ok=ok)

    def _remaining_s(self, deadline_s: float) -> float:
        return max(deadline_s - self._with.seconds(), 0.0)


def _pieces(model: ChatModel, request: ModelRequest) -> AsyncGenerator[Sequence[ModelDelta], None]:
    """Return what a model says in the pieces in which it comes: the deadline is looked at once for each."""
    in_pieces: Pieces | None = getattr(model, "pieces", None)  # asked of a protocol, the same costs 20 us
    return in_pieces(request) if in_pieces is not None else _one_by_one(model.stream(request))


async def _one_by_one(stream: AsyncGenerator[ModelDelta, None]) -> AsyncGenerator[Sequence[ModelDelta], None]:
    async with aclosing(stream) as deltas:
        async for delta in deltas:
            yield (delta,)


class FallbackModel:
    """Asks one model after the other until one answers; what has begun to answer is not replaced."""

    def __init__(self, models: Sequence[ChatModel]) -> None:
        self._first, *self._others = models

    async def answer(self, request: ModelRequest) -> ModelReply:
        """Return the first answer; when nobody has one, the failure of the first model."""
        try:
            return await self._first.answer(request)
        except ModelCallFailed as failure:
            for model in self._others:
                try:
                    reply = await model.answer(request)
                except ModelCallFailed:
                    continue
                return msgspec.structs.replace(reply, attempts=reply.attempts + failure.attempts)
            raise

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Yield the first answer that begins."""
        first: ModelCallFailed | None = None
        for model in (self._first, *self._others):
            try:
                async with aclosing(model.stream(request)) as deltas:
                    async for delta in deltas:
                        yield delta
            except ModelCallFailed as failure:
                if failure.after_output:
                    raise
                first = first or failure
            else:
                return
        if first is not None:
            raise first


def _failure(error: ModelCallFailed | TimeoutError, *, after_output: bool) -> ModelCallFailed:
    if isinstance(error, ModelCallFailed):
        error.after_output = after_output
        return error
    return ModelCallFailed("llm_timeout", "The model did not answer in time", retryable=True, after_output=after_output)
