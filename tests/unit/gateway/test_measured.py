from __future__ import annotations

from time import perf_counter

import pytest

from actors.runtime import ChatTurn
from gateway.measured import measured
from gateway.metrics import Metrics
from tests.support.fake_runtime import FakeRuntime
from tests.support.gateway import PROJECT, TENANT, Gateway
from tests.support.pages import started
from tests.unit.gateway.test_metrics import numbers

pytestmark = pytest.mark.anyio
CHAT = "/api/v1/chat/agent"


async def test_a_turn_is_measured_to_its_first_words_and_to_its_end() -> None:
    runtime, metrics = FakeRuntime(), Metrics()
    runtime.chunks = ("one ", "two")
    turn = ChatTurn(tenant_id=TENANT, project_id=PROJECT, message="hello")
    kinds = [event.kind async for event in measured(runtime.stream(turn), metrics, "sse", perf_counter() - 0.3)]
    assert kinds[-1] == "complete"
    told = numbers(metrics)
    assert told["abl_turn_seconds_count transport=sse"] == told["abl_first_token_seconds_count transport=sse"] == 1
    assert told["abl_turn_seconds_bucket le=0.25 transport=sse"] == 0
    assert told["abl_turn_seconds_count transport=json"] == 0


async def test_every_way_to_speak_is_measured(gateway: Gateway) -> None:
    body = {"projectId": PROJECT, "message": "hello"}
    await gateway.client.post(CHAT, body)
    async with gateway.client.stream("POST", CHAT, body=body, headers={"accept": "text/event-stream"}) as (_, pieces):
        _ = [piece async for piece in pieces]
    async with started(gateway) as page:
        page.say(type="chat_message", text="hello")
        await page.until("response_end")
    text = (await gateway.nobody().get("/metrics")).body.decode()
    for transport in ("json", "sse", "socket"):
        assert f'abl_turn_seconds_count{{transport="{transport}"}} 1.0' in text
