"""Models under budgets: what a call can use is held before it goes out, and settled when it has ended.

Which budgets there are the store is asked before each call, so that one holds as soon as whoever set it was told so. A
call that no budget is about pays one read of an index for this. See `domain.budgets`.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Final, NamedTuple

from actors.patience import patiently
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
from domain.clock import IdSource
from domain.errors import AppError
from domain.model_calls import BUDGET_EXCEEDED, ModelDelta, ModelReply, ModelRequest, Usage
from providers.failures import ModelCallFailed
from providers.ports import ChatModel
from providers.registry import ModelRegistry
from storage.repositories.budgets import Account, Budgets

HELD_S: Final = 600.0
"""When a call that never ended, because its host has died, counts as having used all that was held for it."""
MAYBE_USED: Final = "llm_timeout"
"""A failure after which nobody knows what the provider has counted."""
UNPRICED: Final = "There is a budget in money, and no price is known of {}: set its price at the model provider."
_log = logging.getLogger(__name__)


class BudgetKeeper:
    """Guards the models of all sessions and completions."""

    def __init__(self, budgets: Budgets, ids: IdSource) -> None:
        self._budgets = budgets
        self._ids = ids

    async def open(
        self, tenant_id: str, spender: Spender, chosen: ChosenModel, *, timeout_ms: int, fallback: str = ""
    ) -> ChatModel:
        """Return the chosen model; what each of its calls can use is held on the budgets that there are by then."""
        model = chosen.registry.open(chosen.name, fallback=fallback, timeout_ms=timeout_ms)
        names = [name for name in (chosen.name, fallback) if name]
        return _BudgetedModel(self, _Call(tenant_id, spender, chosen.registry, names, chosen.most_tokens), model)

    async def hold(self, call: _Call, request: ModelRequest) -> _Hold:
        """Hold the most that a request can use, nothing where no budget is about it; the store may be away a moment.

        Raises:
            ModelCallFailed: A budget has not so much left, or nobody knows what the model costs.
            Unavailable: The store stayed away.
        """
        hold_id, tries = self._ids.new("hold"), count(1)

        async def hold() -> _Hold:
            if next(tries) > 1:  # what a try has held whose answer was lost is freed
                await self._budgets.settle(call.tenant_id, hold_id, NOTHING)
            return await self._hold(call, request, hold_id)

        return await patiently(hold)

    async def _hold(self, call: _Call, request: ModelRequest, hold_id: str) -> _Hold:
        applying, now = await self._applying(call)
        while applying and now is not None:  # each time round a budget fewer: one was removed meanwhile
            bounded = bounded_answer(request, call.most_tokens)
            most = call.most(bounded, applying.values())
            accounts = [_account(one, call, now) for one in applying.values()]
            short = await self._budgets.hold(call.tenant_id, hold_id, accounts, most, HELD_S)
            if short is None:
                return _Hold(hold_id, most, bounded)
            known, _ = await self._applying(call)
            if short.budget_id in known:
                sentence = spent_sentence(known[short.budget_id], short.subject, most)
                raise ModelCallFailed(BUDGET_EXCEEDED, sentence, retryable=False)
            applying = {one: budget for one, budget in applying.items() if one in known}
        return _Hold("", NOTHING, request)

    async def _applying(self, call: _Call) -> _Applying:
        """Return the budgets that are about a call, by id, and the time by the clock of the database."""
        found = await self._budgets.about(call.tenant_id, call.spender)
        about = {one.budget_id: one for one in found.budgets if subject_of(one, call.spender) is not None}
        return _Applying(about, found.now)

    async def settle(self, call: _Call, hold: _Hold, used: Amount) -> None:
        """Spend what was used. When the store stays away, the hold is spent as a whole once it expires."""
        if not hold.hold_id:
            return
        try:
            await patiently(lambda: self._budgets.settle(call.tenant_id, hold.hold_id, used))
        except AppError as error:
            _log.warning("a hold of %s is not settled; it counts as used when it expires: %s", call.tenant_id, error)


class _Applying(NamedTuple):
    """The budgets that are about a call, by id; all processes go by one clock in what period it is."""

    budgets: dict[str, Budget]
    now: datetime | None


@dataclass(frozen=True, slots=True)
class _Hold:
    """What is held for a request, and the request as it goes out: its answer bounded where something is held.

    `hold_id` is empty where no budget is about it.
    """

    hold_id: str
    most: Amount
    request: ModelRequest


@dataclass(frozen=True, slots=True)
class _Call:
    """Whose call it is, and of which models."""

    tenant_id: str
    spender: Spender
    registry: ModelRegistry
    names: Sequence[str]
    most_tokens: int | None
    """Of one answer of the model."""

    def most(self, request: ModelRequest, budgets: Iterable[Budget]) -> Amount:
        """Return the most that a request can use. Raises ModelCallFailed: it has a money budget and no price."""
        asked, answered = most_input_tokens(request), request.max_tokens or 0
        if all(budget.max_nanos is None for budget in budgets):
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
        hold = await self._keeper.hold(self._call, request)
        used = hold.most
        try:
            async with aclosing(self._model.stream(hold.request)) as deltas:
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
        hold = await self._keeper.hold(self._call, request)
        used = hold.most
        try:
            reply = await self._model.answer(hold.request)
            used = self._call.used(reply.usage, reply.estimated_cost, hold.most)
        except ModelCallFailed as failure:
            used = _used_by(failure, hold)
            raise
        finally:
            await self._keeper.settle(self._call, hold, used)
        return reply


def _account(budget: Budget, call: _Call, now: datetime) -> Account:
    return Account(budget.budget_id, subject_of(budget, call.spender) or "", period_start(budget.period, now))


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
