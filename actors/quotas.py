"""Tool calls and model tokens of a tenant in a minute, over all hosts and gateways. Spec: platform-api 2.5.

A tool call is counted before it is made, tokens when they have been used: a model is refused once the last minute's
tokens have reached the limit, so calls under way can pass it. What is refused is the outcome of its effect, written
like any other, so a replay asks nobody. Tenants without quotas pay a look into a table. Decision: 0033.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from typing import Final

from actors.counters import MS_PER_S, Counters, Taken
from actors.session.models import ChosenModel, ModelBudgets
from actors.shared_counters import SharedCounters
from domain.budgets import Spender
from domain.clock import Clock
from domain.errors import AppError
from domain.json_values import JsonObject
from domain.limits import MINUTE_S
from domain.model_calls import ModelDelta, ModelReply, ModelRequest, Usage
from domain.rates import RateSettings, rates_within
from domain.recent import Recent
from domain.tool_calls import RATE_LIMIT_EXCEEDED, ToolResult
from domain.used_tokens import UsedTokens
from providers.failures import ModelCallFailed
from providers.ports import ChatModel
from providers.retry import Seconds
from storage.coordination import Coordination
from storage.database import Database
from storage.repositories.projects import Projects

KEPT_S: Final = 10.0
"""How long a tenant's settings are believed."""
MAX_KEPT: Final = 10_000
TOOLS_EXCEEDED: Final = "Tool call rate limit exceeded"
TOKENS_EXCEEDED: Final = "Model token rate limit exceeded"
TenantSettings = Callable[[str], Awaitable[JsonObject]]
_log = logging.getLogger(__name__)


class QuotaKeeper:
    """Counts what the tenants of one process use, together with all other processes."""

    def __init__(
        self,
        counters: Counters,
        settings_of: TenantSettings,
        default: RateSettings,
        *,
        seconds: Seconds = time.monotonic,
    ) -> None:
        """`settings_of` gives what is set for a tenant; its `rates` come before the `default`."""
        self._counters = counters
        self._settings_of = settings_of
        self._default = default
        self._kept: Recent[str, RateSettings] = Recent(KEPT_S, MAX_KEPT, seconds)

    async def refused_tool(self, tenant_id: str) -> ToolResult | None:
        """Count a tool call; return what comes of one beyond the limit, None of one that may be made."""
        limit = (await self.of(tenant_id)).tool_calls_per_minute
        if not limit:
            return None
        taken = await self._counters.count(f"tools:{tenant_id}", limit=limit, window_s=MINUTE_S)
        if taken.allowed:
            return None
        return ToolResult(
            ok=False,
            error_kind="tool_error",
            error_code=RATE_LIMIT_EXCEEDED,
            error_message=TOOLS_EXCEEDED,
            retry_after_ms=taken.retry_after_ms,
        )

    async def tokens_left(self, tenant_id: str, limit: int) -> Taken:
        """Return whether a model may be asked."""
        return await self._counters.look(f"tokens:{tenant_id}", limit=limit, window_s=MINUTE_S)

    async def used(self, tenant_id: str, usage: Usage) -> None:
        """Count the tokens of an answer."""
        tokens = usage.input_tokens + usage.output_tokens
        await self._counters.add(f"tokens:{tenant_id}", tokens, window_s=MINUTE_S)

    async def of(self, tenant_id: str) -> RateSettings:
        """Return the quotas of a tenant; while the store is away, those that were known last."""
        if (known := self._kept.get(tenant_id)) is not None:
            return known
        try:
            quotas = rates_within(await self._settings_of(tenant_id), self._default)
        except AppError as error:
            _log.warning("the quotas of %s cannot be read: %s", tenant_id, error.message)
            quotas = self._kept.last(tenant_id) or self._default
        self._kept.put(tenant_id, quotas)
        return quotas


class MeteredModels:
    """Opens models whose tokens are counted. Satisfies `actors.session.models.ModelBudgets`."""

    def __init__(self, inner: ModelBudgets, quotas: QuotaKeeper) -> None:
        self._inner = inner
        self._quotas = quotas

    async def open(
        self, tenant_id: str, spender: Spender, chosen: ChosenModel, *, timeout_ms: int, fallback: str = ""
    ) -> ChatModel:
        """Return the chosen model; it fails with `llm_rate_limited` when the tenant has used its tokens."""
        model = await self._inner.open(tenant_id, spender, chosen, timeout_ms=timeout_ms, fallback=fallback)
        limit = (await self._quotas.of(tenant_id)).model_tokens_per_minute
        return _MeteredModel(self._quotas, tenant_id, limit, model) if limit else model


class _MeteredModel:
    """A model of a tenant with a quota. Satisfies `providers.ports.ChatModel`."""

    def __init__(self, quotas: QuotaKeeper, tenant_id: str, limit: int, model: ChatModel) -> None:
        self._quotas = quotas
        self._tenant_id = tenant_id
        self._limit = limit
        self._model = model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Yield the answer as it comes; what it used is counted, also when it is left."""
        await self._check()
        used = UsedTokens(request.messages)
        try:
            async with aclosing(self._model.stream(request)) as deltas:
                async for delta in deltas:
                    used.add(delta)
                    yield delta
        finally:
            await self._quotas.used(self._tenant_id, used.usage())

    async def answer(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer."""
        await self._check()
        reply = await self._model.answer(request)
        await self._quotas.used(self._tenant_id, reply.usage)
        return reply

    async def _check(self) -> None:
        """Raises ModelCallFailed: the tenant has used its tokens of this minute."""
        left = await self._quotas.tokens_left(self._tenant_id, self._limit)
        if not left.allowed:
            raise ModelCallFailed("llm_rate_limited", TOKENS_EXCEEDED, retry_after_s=left.retry_after_ms / MS_PER_S)


def open_quotas(
    stack: AsyncExitStack, database: Database, coordination: Coordination, clock: Clock, default: RateSettings
) -> QuotaKeeper:
    """Return the quotas of all tenants, with counters that are closed with the stack."""
    counters = SharedCounters(coordination, clock)
    stack.push_async_callback(counters.close)
    return QuotaKeeper(counters, Projects(database).tenant_settings, default)
