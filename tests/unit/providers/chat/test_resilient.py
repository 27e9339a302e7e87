"""Deadline, retries, breaker and fallback around any model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from domain.model_calls import ModelDelta, ModelReply, ModelRequest
from providers.breaker import BreakerPolicy
from providers.chat.resilient import FallbackModel, Resilience, ResilientModel
from providers.chat.scripted import ScriptedFault, ScriptedModel, ScriptedRow, ScriptedTable
from providers.failures import ModelCallFailed
from providers.retry import RetryPolicy
from tests.suites.chat_model import asked, collected

pytestmark = pytest.mark.anyio
WELL = ScriptedRow(text="well again")


def failing(times: int, **fault: Any) -> ScriptedRow:
    return ScriptedRow(times=times, text="half an answer", fault=ScriptedFault(**fault))


@pytest.fixture
def make(time: Any) -> Any:
    def made(*rows: ScriptedRow, timeout_s: float = 30, **more: Any) -> ResilientModel:
        settings = {"retry": RetryPolicy(attempts=3, delay_s=1.0, jitter=0.0), "random": lambda: 0.0, **more}
        resilience = Resilience(seconds=time.seconds, sleep=time.sleep, **settings)
        return ResilientModel(ScriptedModel(ScriptedTable(rows)), "m", timeout_s=timeout_s, resilience=resilience)

    return made


async def answered(model: Any, streamed: bool) -> ModelReply:
    return (await collected(model.stream(asked()))).reply() if streamed else await model.answer(asked())


both = pytest.mark.parametrize("streamed", [True, False])


@both
async def test_a_failure_is_repeated_after_growing_waits(make: Any, time: Any, streamed: bool) -> None:
    assert (await answered(make(failing(2), WELL), streamed)).text == "well again"
    assert time.waits == [1.0, 2.0]


async def test_the_reply_says_how_often_it_was_asked(make: Any) -> None:
    assert (await make(failing(2), WELL).answer(asked())).attempts == 3


@both
async def test_the_last_attempt_passes_its_failure_on(make: Any, streamed: bool) -> None:
    with pytest.raises(ModelCallFailed) as caught:
        await answered(make(failing(9)), streamed)
    assert caught.value.attempts == 3


@both
async def test_what_cannot_get_better_is_not_repeated(make: Any, time: Any, streamed: bool) -> None:
    with pytest.raises(ModelCallFailed):
        await answered(make(failing(1, error="credential_not_found", retryable=False), WELL), streamed)
    assert time.waits == []


@both
async def test_what_the_provider_asks_for_is_waited(make: Any, time: Any, streamed: bool) -> None:
    await answered(make(failing(1, error="llm_rate_limited", retry_after_s=7.0), WELL), streamed)
    assert time.waits == [7.0]


@both
async def test_a_wait_beyond_the_deadline_is_not_begun(make: Any, time: Any, streamed: bool) -> None:
    with pytest.raises(ModelCallFailed):
        await answered(make(failing(1, retry_after_s=31.0), WELL), streamed)
    assert time.waits == []


async def test_a_stream_that_has_begun_is_not_repeated(make: Any, time: Any) -> None:
    with pytest.raises(ModelCallFailed) as caught:
        await collected(make(failing(1, kind="cut", after_deltas=2), WELL).stream(asked()))
    assert caught.value.after_output
    assert time.waits == []


async def test_a_whole_answer_that_was_cut_is_repeated(make: Any) -> None:
    assert (await make(failing(1, kind="cut", after_deltas=2), WELL).answer(asked())).text == "well again"


@both
async def test_a_silence_ends_at_the_deadline(make: Any, streamed: bool) -> None:
    model = ResilientModel(Silent(), "m", timeout_s=0.01, resilience=Resilience())
    with pytest.raises(ModelCallFailed) as caught:
        await answered(model, streamed)
    assert (caught.value.kind, caught.value.retryable) == ("llm_timeout", True)


@both
async def test_a_provider_that_keeps_failing_rests(make: Any, time: Any, streamed: bool) -> None:
    model = make(failing(2), WELL, retry=RetryPolicy(attempts=1), breaker=BreakerPolicy(threshold=2, reset_s=10))
    for _ in range(2):
        with pytest.raises(ModelCallFailed):
            await answered(model, streamed)
    with pytest.raises(ModelCallFailed) as caught:
        await answered(model, streamed)
    assert caught.value.retry_after_s == 10
    time.now_s += 10
    assert (await answered(model, streamed)).text == "well again"


@both
async def test_a_refused_key_does_not_open_the_breaker(make: Any, streamed: bool) -> None:
    refused = failing(5, error="credential_not_found", retryable=False)
    model = make(refused, WELL, breaker=BreakerPolicy(threshold=2))
    for _ in range(5):
        with pytest.raises(ModelCallFailed):
            await answered(model, streamed)
    assert (await answered(model, streamed)).text == "well again"


@both
async def test_the_fallback_answers_when_the_first_model_does_not(make: Any, streamed: bool) -> None:
    model = FallbackModel([make(failing(9)), make(ScriptedRow(text="second"))])
    assert (await answered(model, streamed)).text == "second"


@both
async def test_when_nobody_answers_the_first_failure_counts(make: Any, streamed: bool) -> None:
    model = FallbackModel([make(failing(9, message="first")), make(failing(9, message="second"))])
    with pytest.raises(ModelCallFailed) as caught:
        await answered(model, streamed)
    assert caught.value.message == "first"


async def test_the_fallback_does_not_replace_what_has_begun(make: Any) -> None:
    model = FallbackModel([make(failing(9, kind="cut", after_deltas=1)), make(WELL)])
    with pytest.raises(ModelCallFailed) as caught:
        await collected(model.stream(asked()))
    assert caught.value.after_output


async def test_whoever_stops_early_ends_the_call() -> None:
    silent = Silent(begin=True)
    stream = ResilientModel(silent, "m", timeout_s=5, resilience=Resilience()).stream(asked())
    await anext(stream)
    await stream.aclose()
    assert silent.is_closed


class Silent:
    """A model that never says anything more."""

    def __init__(self, *, begin: bool = False) -> None:
        self._begin = begin
        self.is_closed = False

    async def answer(self, request: ModelRequest) -> ModelReply:
        await asyncio.Event().wait()
        raise AssertionError

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        try:
            if self._begin:
                yield ModelDelta(text="a")
            await asyncio.Event().wait()
        finally:
            self.is_closed = True
