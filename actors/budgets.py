"""Models under budgets: what a call can use is held before it goes out, and settled when it has ended.

Calls of tenants without budgets pay nothing for this. See `domain.budgets`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from typing import Final

from actors.session.failing import patiently
from actors.session.models import ChosenModel
from domain.budgets import (
    NANOS_PER_USD,
    NOTHING,
    Amount,
    Budget,
    BudgetPeriod,
    Spender,
    bounded_answer,
    most_input_tokens,
    nanos_of,
    period_start,
    subject_of,
)
from domain.clock import Clock, IdSource
from domain.errors import AppError
from domain.model_calls import BUDGET_EXCEEDED, ModelDelta, ModelReply, ModelRequest, Usage
from domain.recent import Recent
from providers.failures import ModelCallFailed
from providers.ports import ChatModel
from providers.registry import ModelRegistry
from providers.retry import Seconds
from storage.repositories.budgets import Account, Budgets

KEPT_S: Final = 10.0
"""How long a new budget may take to be seen."""
MAX_KEPT: Final = 1_000
HELD_S: Final = 600.0
"""When a call that never ended, because its host has died, counts as having used all that was held for it."""
MAYBE_USED: Final = "llm_timeout"
"""A failure after which nobody knows what the provider has counted."""
UNPRICED: Final = "There is a budget in money, and no price is known of {}: set its price at the model provider."
_log = logging.getLogger(__name__)


class BudgetKeeper:
    """Guards the models of all sessions and completions."""

    def __init__(self, budgets: Budgets, clock: Clock, ids: IdSource, *, seconds: Seconds = time.monotonic) -> None:
        self._budgets = budgets
        self._clock = clock
        self._ids = ids
        self._kept: Recent[str, Sequence[Budget]] = Recent(KEPT_S, MAX_KEPT, seconds)

    async def open(
        self, tenant_id: str, spender: Spender, chosen: ChosenModel, *, timeout_ms: int, fallback: str = ""
    ) -> ChatModel:
        """Return the chosen model; where budgets are about the spender, it holds them and fails when one is spent."""
        model = chosen.registry.open(chosen.name, fallback=fallback, timeout_ms=timeout_ms)
        applying = {
            budget.budget_id: (budget, subject)
            for budget in await self._known(tenant_id)
            if (subject := subject_of(budget, spender)) is not None
        }
        if not applying:
            return model
        names = [name for name in (chosen.name, fallback) if name]
        return _BudgetedModel(self, _Call(tenant_id, chosen.registry, names, applying, chosen.most_tokens), model)

    async def hold(self, call: _Call, request: ModelRequest) -> _Hold:
        """Hold the most that a request can use.

        Raises:
            ModelCallFailed: A budget has not so much left, or nobody knows what the model costs.
            Unavailable: The store stayed away.
        """
        now, hold_id = self._clock.now(), self._ids.new("hold")
        ends = now + timedelta(seconds=HELD_S)
        while True:  # each time round a budget fewer
            most = call.most(request)
            short = await self._held(call, hold_id, call.accounts(now), most, ends)
            if short is None:
                return _Hold(hold_id, most)
            self._kept.forget(call.tenant_id)  # its limit may have been changed a moment ago, or it was removed
            now_known = {one.budget_id: one for one in await self._known(call.tenant_id)}
            if short.budget_id in now_known:
                sentence = spent_sentence(now_known[short.budget_id], short.subject, most)
                raise ModelCallFailed(BUDGET_EXCEEDED, sentence, retryable=False)
            applying = {one: rest for one, rest in call.applying.items() if one in now_known}
            call = replace(call, applying=applying)

    async def _held(
        self, call: _Call, hold_id: str, accounts: Sequence[Account], most: Amount, ends: datetime
    ) -> Account | None:
        """Hold an amount, tried again while the store is away: what a try has held whose answer was lost is freed."""
        tries = count(1)

        async def hold() -> Account | None:
            if next(tries) > 1:
                await self._budgets.settle(call.tenant_id, hold_id, NOTHING)
            return await self._budgets.hold(call.tenant_id, hold_id, accounts, most, ends)

        return await patiently(hold)

    async def settle(self, call: _Call, hold: _Hold, used: Amount) -> None:
        """Spend what was used. When the store is away, the hold is spent as a whole once it expires."""
        try:
            await self._budgets.settle(call.tenant_id, hold.hold_id, used)
        except AppError:
            _log.exception("a hold of %s is not settled; it counts as used when it expires", call.tenant_id)

    async def _known(self, tenant_id: str) -> Sequence[Budget]:
        kept = self._kept.get(tenant_id)
        if kept is None:
            kept = await self._budgets.all(tenant_id)
            self._kept.put(tenant_id, kept)
        return kept


@dataclass(frozen=True, slots=True)
class _Hold:
    hold_id: str
    most: Amount


@dataclass(frozen=True, slots=True)
class _Call:
    """Whose call it is, of which models, and the budgets it goes on, with whose account."""

    tenant_id: str
    registry: ModelRegistry
    names: Sequence[str]
    applying: Mapping[str, tuple[Budget, str]]
    most_tokens: int | None
    """Of one answer of the model."""

    def accounts(self, now: datetime) -> Sequence[Account]:
        """Return the accounts that the call goes on at a moment."""
        return [
            Account(budget.budget_id, subject, period_start(budget.period, now))
            for budget, subject in self.applying.values()
        ]

    def most(self, request: ModelRequest) -> Amount:
        """Return the most that a request can use. Raises ModelCallFailed: it has a money budget and no price."""
        asked, answered = most_input_tokens(request), request.max_tokens or 0
        if all(budget.max_nanos is None for budget, _ in self.applying.values()):
            return Amount(asked + answered, 0)
        dearest = 0.0
        for name in self.names:
            for written in (0, asked):  # to write a prompt into a provider's cache may cost more than to send it
                cost = self.registry.cost_usd(name, Usage(asked, answered, cache_write_tokens=written))
                if cost is None:
                    raise ModelCallFailed(BUDGET_EXCEEDED, UNPRICED.format(name), retryable=False)
                dearest = max(dearest, cost)
        return Amount(asked + answered, nanos_of(dearest))

    def used(self, usage: Usage | None, cost: float | None, most: Amount) -> Amount:
        """Return what an answer did use; all that was held where it does not say."""
        if usage is None or not usage.input_tokens + usage.output_tokens:
            return most
        nanos = nanos_of(cost) if cost is not None else most.nanos
        return Amount(usage.input_tokens + usage.output_tokens, nanos)


class _BudgetedModel:
    """A model whose calls go on budgets. Satisfies `providers.ports.ChatModel`."""

    def __init__(self, keeper: BudgetKeeper, call: _Call, model: ChatModel) -> None:
        self._keeper = keeper
        self._call = call
        self._model = model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Yield the answer as it comes; one that is left early counts as used whole."""
        request = bounded_answer(request, self._call.most_tokens)
        hold = await self._keeper.hold(self._call, request)
        used = hold.most
        try:
            async with aclosing(self._model.stream(request)) as deltas:
                async for delta in deltas:
                    if delta.usage is not None:
                        used = self._call.used(delta.usage, delta.estimated_cost, hold.most)
                    yield delta
        except ModelCallFailed as failure:
            used = _used_by(failure, hold)
            raise
        finally:
            await self._keeper.settle(self._call, hold, used)

    async def answer(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer."""
        request = bounded_answer(request, self._call.most_tokens)
        hold = await self._keeper.hold(self._call, request)
        used = hold.most
        try:
            reply = await self._model.answer(request)
            used = self._call.used(reply.usage, reply.estimated_cost, hold.most)
        except ModelCallFailed as failure:
            used = _used_by(failure, hold)
            raise
        finally:
            await self._keeper.settle(self._call, hold, used)
        return reply


def _used_by(failure: ModelCallFailed, hold: _Hold) -> Amount:
    return hold.most if failure.after_output or failure.kind == MAYBE_USED else NOTHING


def spent_sentence(budget: Budget, subject: str, most: Amount) -> str:
    """Return what stops a call, and what it would have needed."""
    limits = []
    if budget.max_tokens is not None:
        limits.append(f"{budget.max_tokens:,} tokens")
    if budget.max_nanos is not None:
        limits.append(f"${budget.max_nanos / NANOS_PER_USD:,.4f}")
    when = "" if budget.period is BudgetPeriod.TOTAL else f" a {budget.period}"
    whom = f"{budget.scope} {subject}" if subject else str(budget.scope)
    return (
        f"The budget of {' and '.join(limits)}{when} for the {whom} has not enough left "
        f"for a call of up to {most.tokens:,} tokens."
    )
