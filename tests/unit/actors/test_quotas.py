from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from actors.counters import LocalCounters
from actors.quotas import TOKENS_EXCEEDED, MeteredModels, QuotaKeeper
from domain.budgets import Spender
from domain.clock import FixedClock
from domain.errors import Unavailable
from domain.model_calls import Message, ModelDelta, ModelReply, ModelRequest, Usage
from domain.rates import RateSettings
from providers.failures import ModelCallFailed

pytestmark = pytest.mark.anyio
REQUEST = ModelRequest(messages=())


class Model:
    """A model each of whose answers uses 60 tokens."""

    def __init__(self) -> None:
        self.asked = 0

    async def stream(self, _request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        self.asked += 1
        yield ModelDelta(usage=Usage(50, 10))
        yield ModelDelta(text="more")

    async def answer(self, _request: ModelRequest) -> ModelReply:
        self.asked += 1
        return ModelReply(usage=Usage(50, 10))


class Budgets:
    """No budgets."""

    def __init__(self, model: Model) -> None:
        self.model = model

    async def open(self, *_args: Any, **_more: Any) -> Model:
        return self.model


class Settings:
    """What is set for tenants."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self.is_away = False

    async def of(self, tenant_id: str) -> Any:
        if self.is_away:
            raise Unavailable("away")
        return self.settings.get(tenant_id, {})


def a_keeper(
    settings: Settings | None = None, *, seconds: float = 0.0, clock: FixedClock | None = None, **default: int
) -> QuotaKeeper:
    told = settings or Settings()
    counters = LocalCounters(clock or FixedClock())
    return QuotaKeeper(counters, told.of, RateSettings(**default), seconds=lambda: seconds)


async def a_model(keeper: QuotaKeeper, tenant_id: str = "ten_1") -> tuple[Any, Model]:
    model = Model()
    spender: Any = Spender(project_id="p")
    chosen: Any = None
    return await MeteredModels(Budgets(model), keeper).open(tenant_id, spender, chosen, timeout_ms=1), model


async def test_without_a_quota_nothing_is_counted_and_the_model_is_itself() -> None:
    keeper = a_keeper()
    opened, model = await a_model(keeper)
    assert opened is model
    assert [await keeper.refused_tool("ten_1") for _ in range(1_000)] == [None] * 1_000


async def test_a_tool_call_beyond_the_quota_is_an_error_of_the_tool_until_a_minute_has_passed() -> None:
    clock = FixedClock()
    keeper = a_keeper(clock=clock, tool_calls_per_minute=2)
    outcomes = [await keeper.refused_tool("ten_1") for _ in range(3)]
    assert outcomes[:2] == [None, None]
    refused = outcomes[2]
    assert refused is not None
    assert (refused.ok, refused.error_kind, refused.error_code) == (False, "tool_error", "RATE_LIMIT_EXCEEDED")
    assert 0 < refused.retry_after_ms <= 120_000
    assert await keeper.refused_tool("ten_2") is None
    clock.move(ms=120_000)
    assert await keeper.refused_tool("ten_1") is None


@pytest.mark.parametrize("streams", [False, True])
async def test_a_model_is_refused_once_the_tokens_of_the_minute_are_used(streams: bool) -> None:
    clock = FixedClock()
    opened, model = await a_model(a_keeper(clock=clock, model_tokens_per_minute=100))

    async def ask() -> None:
        if streams:
            assert [delta async for delta in opened.stream(REQUEST)]
        else:
            await opened.answer(REQUEST)

    await ask()
    await ask()  # 60 of 100 were used before it
    with pytest.raises(ModelCallFailed, match=TOKENS_EXCEEDED) as caught:
        await ask()
    assert (caught.value.kind, caught.value.retryable, model.asked) == ("llm_rate_limited", False, 2)
    assert caught.value.retry_after_s
    clock.move(ms=120_000)
    await ask()


async def test_tokens_of_a_stream_that_is_left_count() -> None:
    opened, _ = await a_model(a_keeper(model_tokens_per_minute=50))
    stream = opened.stream(REQUEST)
    await anext(stream)
    await stream.aclose()
    with pytest.raises(ModelCallFailed):
        await opened.answer(REQUEST)


async def test_what_a_tenant_sets_comes_before_the_instance() -> None:
    settings = Settings(ten_1={"rates": {"toolCallsPerMinute": 1}}, ten_2={"rates": {"toolCallsPerMinute": 0}})
    keeper = a_keeper(settings, tool_calls_per_minute=2)
    refused = {
        name: [await keeper.refused_tool(name) is not None for _ in range(3)] for name in ("ten_1", "ten_2", "x")
    }
    assert refused == {"ten_1": [False, True, True], "ten_2": [False] * 3, "x": [False, False, True]}


async def test_while_the_store_is_away_the_settings_known_last_hold() -> None:
    settings, now = Settings(ten_1={"rates": {"toolCallsPerMinute": 1}}), [0.0]
    keeper = QuotaKeeper(LocalCounters(FixedClock()), settings.of, RateSettings(), seconds=lambda: now[0])
    assert await keeper.refused_tool("ten_1") is None
    settings.is_away, now[0] = True, 60.0
    assert await keeper.refused_tool("ten_1") is not None
    assert await keeper.refused_tool("ten_2") is None


class Talker(Model):
    """A model that tells its tokens, if at all, after the last word."""

    async def stream(self, _request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        self.asked += 1
        for _ in range(10):
            yield ModelDelta(text="twenty characters ...")
        yield ModelDelta(usage=Usage(50, 10))


async def test_whoever_leaves_before_the_tokens_are_told_is_counted_what_was_asked_and_said() -> None:
    model = Talker()
    keeper = a_keeper(model_tokens_per_minute=100)
    spender: Any = Spender(project_id="p")
    chosen: Any = None
    opened = await MeteredModels(Budgets(model), keeper).open("ten_1", spender, chosen, timeout_ms=1)
    for _ in range(2):
        stream = opened.stream(ModelRequest(messages=(Message("user", "x" * 40),)))
        for _ in range(10):
            await anext(stream)
        await stream.aclose()
    with pytest.raises(ModelCallFailed, match=TOKENS_EXCEEDED):
        await anext(opened.stream(REQUEST))
    assert model.asked == 2
