from __future__ import annotations

import asyncio

import orjson

from actors.clocks import SystemClock
from benchmarks.gateway import bare_app, gateway_app, measure, request
from domain.rates import RateSettings


def test_both_apps_answer_the_same() -> None:
    async def answers() -> list[tuple[int, bytes]]:
        return [await request(app) for app in (bare_app(), gateway_app(SystemClock(), RateSettings()))]

    (bare_status, bare), (status, body) = asyncio.run(answers())
    assert bare_status == status == 200
    assert orjson.loads(bare) == orjson.loads(body)


def test_the_figures_are_measured_in_the_same_run() -> None:
    event, cost, ratio = asyncio.run(measure(requests=20, rounds=3))
    assert cost.baseline is not None
    assert cost.value > 0
    assert event.value > 0
    assert ratio.baseline == 1.0
