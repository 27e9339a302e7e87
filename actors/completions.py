"""Model calls without an agent: which model, its answer whole or in events, what it used. Spec: platform-api 4.3, 4.4.

A call that is left early is ended, and what it had used is counted: as far as the model had told, and else estimated.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, Protocol

import msgspec

from actors.completion_events import CallTracker
from actors.desks import AskedTool, Completion, CompletionEvent, CompletionRequest
from actors.session.models import ChosenModel, ModelBudgets
from actors.tally import Tally
from domain.analytics import COST, MODEL, PROVIDER, TOKENS_IN, TOKENS_OUT, EventCategory, NewEvent
from domain.budgets import SPENT, Spender
from domain.clock import Clock
from domain.errors import AppError, Conflict, InvalidInput, Overloaded, QueueFull, Unavailable
from domain.json_values import JsonObject
from domain.model_calls import (
    BUDGET_EXCEEDED,
    ENDS,
    UNANSWERABLE,
    CompletionEnd,
    FinishReason,
    ModelDelta,
    ModelReply,
    ModelRequest,
    Usage,
    split_name,
)
from domain.used_tokens import UsedTokens
from providers.chat.assembly import ReplyAssembler
from providers.chat.wire import data_of
from providers.failures import ModelCallFailed
from storage.repositories.events import Events

RUNNING_MAX: Final = 1_000
"""Completions of one gateway at once."""
RETRY_AFTER_MS: Final = 1_000
CLOSE_S: Final = 5.0
MS_PER_S: Final = 1_000
OPERATION: Final = "completion"
FAILED: Final = "error"
LEFT: Final = "cancelled"
_log = logging.getLogger(__name__)


class ProjectModels(Protocol):
    """Which model a completion goes to."""

    async def for_completion(self, tenant_id: str, project_id: str, *, model_id: str, tier: str) -> ChosenModel:
        """Return the model.

        Raises:
            InvalidInput: `model_id` is none that is served.
            Unavailable: No model is configured.
        """
        ...


class StoredCompletions:
    """Satisfies `actors.desks.Completions`."""

    def __init__(
        self,
        models: ProjectModels,
        budgets: ModelBudgets,
        events: Events,
        clock: Clock,
        tally: Tally | None = None,
    ) -> None:
        """`tally` counts how the models fare."""
        self._models = models
        self._budgets = budgets
        self._noted = events
        self._clock = clock
        self._tally = tally or Tally()
        self._running = 0
        self._writing: set[asyncio.Task[None]] = set()

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[CompletionEvent]:
        """Return the events of an answer."""
        return self._events(await self._opened(request))

    async def complete(self, request: CompletionRequest) -> Completion:
        """Return a whole answer."""
        call = await self._opened(request)
        async with aclosing(self._asked(call)) as deltas:
            async for _ in deltas:
                pass
        reply = call.reply()
        return Completion(
            content=reply.text,
            tool_calls=tuple(
                AskedTool(one.id, one.name, msgspec.json.encode(one.arguments).decode()) for one in reply.tool_calls
            ),
            model=call.chosen.name,
            finish_reason=_end(reply.finish_reason),
            input_tokens=call.usage.input_tokens,
            output_tokens=call.usage.output_tokens,
            estimated_cost=call.estimated_cost,
            latency_ms=call.latency_ms,
        )

    async def close(self) -> None:
        """Wait until what was used is written."""
        if self._writing:
            await asyncio.wait(set(self._writing), timeout=CLOSE_S)

    async def _opened(self, request: CompletionRequest) -> _Call:
        if self._running >= RUNNING_MAX:
            raise QueueFull("Execution queue full", retry_after_ms=RETRY_AFTER_MS)
        chosen = await self._models.for_completion(
            request.tenant_id, request.project_id, model_id=request.model_id, tier=request.tier
        )
        if request.tools and not chosen.takes_tools:
            fields = [{"path": "/tools", "message": f"{chosen.name} takes no tools"}]
            raise InvalidInput("Invalid request", details={"fields": fields})
        _check_images(request, chosen)
        return _Call(request, chosen)

    async def _events(self, call: _Call) -> AsyncGenerator[CompletionEvent]:
        chosen, tracker = call.chosen, CallTracker()
        yield CompletionEvent("metadata", {"modelId": chosen.name, "provider": call.provider, "source": chosen.source})
        async with aclosing(self._asked(call)) as pieces:
            async for delta in pieces:
                for event in tracker.events(delta):
                    yield event
        for event in tracker.end():
            yield event
        reply = call.reply()
        usage = {"inputTokens": call.usage.input_tokens, "outputTokens": call.usage.output_tokens}
        yield CompletionEvent("usage", usage)
        told = {
            **usage,
            "totalTokens": sum(usage.values()),
            "estimatedCost": call.estimated_cost,
            "latencyMs": call.latency_ms,
            "finishReason": _end(reply.finish_reason),
        }
        yield CompletionEvent("complete", told)

    async def _asked(self, call: _Call) -> AsyncGenerator[ModelDelta]:
        """Ask the model and yield its pieces; however it ends, what was used is counted."""
        request, chosen = call.request, call.chosen
        self._running += 1
        try:
            model = await self._budgets.open(
                request.tenant_id,
                Spender(project_id=request.project_id),
                chosen,
                timeout_ms=round(request.deadline_s * MS_PER_S),
            )
            async with aclosing(model.stream(_asked_of(request, chosen))) as deltas:
                async for delta in deltas:
                    call.add(delta)
                    yield delta
            call.error = None
            self._tally.model()
        except ModelCallFailed as failure:
            call.error = failure.kind
            self._tally.model(failure.kind)
            raise error_of(failure) from failure
        finally:
            self._running -= 1
            call.close()
            if call.error not in UNANSWERABLE:  # those were refused before a model was asked
                writing = asyncio.get_running_loop().create_task(self._count(call))
                self._writing.add(writing)
                writing.add_done_callback(self._writing.discard)

    async def _count(self, call: _Call) -> None:
        """Write what a call used; a store that is away is told of in the log, for the answer is there."""
        request = call.request
        metadata: JsonObject = {
            MODEL: call.model,
            PROVIDER: call.provider,
            TOKENS_IN: call.usage.input_tokens,
            TOKENS_OUT: call.usage.output_tokens,
            "status": FAILED if call.error else _end(call.finish_reason),
            **({} if call.estimated_cost is None else {COST: call.estimated_cost}),
        }
        event = NewEvent(
            category=EventCategory.LLM,
            event_type="llm_call",
            project_id=request.project_id,
            at=self._clock.now(),
            duration_ms=call.latency_ms,
            error=call.error,
            metadata=metadata,
        )
        try:
            await self._noted.note(request.tenant_id, event)
        except AppError:
            _log.exception("what a completion of %s used is not written", request.project_id)


class _Call:
    """One call under way: what has come of it, and what it used as far as that is known.

    Attributes:
        error: The kind of its failure, `LEFT` until it has ended, None when it is answered.
    """

    def __init__(self, request: CompletionRequest, chosen: ChosenModel) -> None:
        self.request = request
        self.chosen = chosen
        self.provider, self.model = split_name(chosen.name)
        self.error: str | None = LEFT
        self.usage = Usage()
        self.estimated_cost: float | None = None
        self.first_token_ms: int | None = None
        self.latency_ms = 0
        self.finish_reason: FinishReason = "stop"
        self._assembler = ReplyAssembler()
        self._used = UsedTokens(request.messages)
        self._started_s = time.monotonic()

    def add(self, delta: ModelDelta) -> None:
        """Take one piece."""
        self._assembler.add(delta)
        self._used.add(delta)
        if delta.usage is not None:
            self.estimated_cost = delta.estimated_cost
        if self.first_token_ms is None and (delta.text or delta.tool_call is not None):
            self.first_token_ms = self._ms()
        self.model = delta.model or self.model
        self.finish_reason = delta.finish_reason or self.finish_reason

    def close(self) -> None:
        """Note how long it took and what it used."""
        self.latency_ms, self.usage = self._ms(), self._used.usage()
        if self._used.is_estimated:
            self.estimated_cost = self.chosen.registry.cost_usd(self.chosen.name, self.usage)

    def reply(self) -> ModelReply:
        """Return the whole answer. Raises Unavailable: it cannot be read."""
        try:
            return self._assembler.reply()
        except ModelCallFailed as failure:
            raise error_of(failure) from failure

    def _ms(self) -> int:
        return round((time.monotonic() - self._started_s) * MS_PER_S)


def error_of(failure: ModelCallFailed) -> AppError:
    """Return what the failure of a model is for the caller of a completion."""
    if failure.kind == BUDGET_EXCEEDED:
        return Conflict(SPENT, details={"reason": BUDGET_EXCEEDED.upper(), "hint": failure.message})
    details = {"kind": failure.kind}
    match failure.kind:
        case "llm_rate_limited":
            wait_ms = round((failure.retry_after_s or 1.0) * MS_PER_S)
            return Overloaded(failure.message, retry_after_ms=wait_ms, details=details)
        case "llm_context_exceeded" | "llm_content_filter":
            return InvalidInput(failure.message, details=details)
        case _:
            return Unavailable(failure.message, details=details)


def _check_images(request: CompletionRequest, chosen: ChosenModel) -> None:
    """Refuse pictures that the model does not take. Raises InvalidInput. Spec: platform-api 4.3."""
    for number, message in enumerate(request.messages):
        for image in message.images:
            if chosen.sees_images and (chosen.fetches_images or data_of(image.url) is not None):
                continue
            why = "fetches no images: send it as a data URL" if chosen.sees_images else "takes no images"
            fields = [{"path": f"/messages/{number}/content", "message": f"{chosen.name} {why}"}]
            raise InvalidInput("Invalid request", details={"fields": fields})


def _asked_of(request: CompletionRequest, chosen: ChosenModel) -> ModelRequest:
    return ModelRequest(
        messages=request.messages,
        tools=request.tools,
        model=chosen.name,
        temperature=request.temperature,
        max_tokens=_capped(request.max_tokens, chosen.most_tokens),
        metadata={"operation": OPERATION},
    )


def _capped(wanted: int | None, most: int | None) -> int | None:
    return wanted if wanted is None or most is None else min(wanted, most)


def _end(reason: FinishReason) -> CompletionEnd:
    return ENDS.get(reason, "end_turn")
