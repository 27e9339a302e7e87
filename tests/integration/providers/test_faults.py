"""Every fault of a provider, ten times each, on every protocol: no call gets stuck, the fallback answers, breakers open.

Waits between attempts pass on a clock that is moved; what a server holds back is bounded by a real, short deadline.
"""

from __future__ import annotations

import asyncio
import time as real_time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from domain.model_calls import ModelReply
from providers.chat.resilient import Resilience
from providers.chat.streaming import STREAM_TRIES, streamed_reply
from providers.failures import ModelCallFailed
from providers.registry import ModelRegistry
from providers.specs import ProviderSpec
from tests.fakes.model_server import FAULTS, KINDS, PROTOCOLS, Answer, FakeModelServer, faulty
from tests.fakes.words import said
from tests.suites.chat_model import asked
from tests.unit.providers.conftest import MovedTime

pytestmark = pytest.mark.anyio

REPETITIONS = 10
DEADLINE_MS = 600
"""Of faults that hold the answer back; the others have time enough on a busy machine."""
EASY_MS = 10_000
SLACK_S = 20.0
THRESHOLD = 5
ATTEMPTS = 3
SPARE = said("The spare ", "model answers")
HUNG = {"hang_before_headers", "hang_after_headers", "hang_later", "slow_drip"}
LATER = {"hang_later", "reset_later", "cut_later", "cut_in_event", "error_event_later", "no_end"}
"""Faults of a stream that has already said something."""
FINAL = {
    "bad_request": "llm_api_error",
    "unauthorized": "credential_not_found",
    "forbidden": "credential_not_found",
    "not_found": "llm_api_error",
    "too_large": "llm_context_exceeded",
    "context_exceeded": "llm_context_exceeded",
    "content_filter": "llm_content_filter",
    "huge_event": "llm_api_error",
}
"""Faults that asking again does not mend -> their kind."""
HARMLESS = {"twin_ids"}
BUSY = {"rate_limited", "rate_limit_storm"}
MADE = {"broken_arguments"}
"""What the model wrote, which says nothing against its provider."""


class Screen:
    """What the user sees."""

    def __init__(self) -> None:
        self.text = ""

    def add(self, text: str) -> None:
        self.text += text

    def end(self) -> None:
        self.text += "."

    def void(self) -> None:
        self.text = ""


@asynccontextmanager
async def models(protocol: str, fault: str, time: Any) -> AsyncIterator[tuple[ModelRegistry, FakeModelServer]]:
    others = list(PROTOCOLS)
    spare_protocol = others[(others.index(protocol) + 1) % len(others)]
    async with (
        FakeModelServer(protocol, (faulty(fault),)) as server,
        FakeModelServer(spare_protocol, (Answer(SPARE),)) as spare,
    ):
        specs = [
            ProviderSpec("first", KINDS[protocol], server.base_url, "key"),
            ProviderSpec("spare", KINDS[spare_protocol], spare.base_url, "key"),
        ]
        resilience = Resilience(seconds=time.seconds, sleep=time.sleep, random=lambda: 0.0)
        registry = ModelRegistry(specs, resilience=resilience)
        try:
            yield registry, server
        finally:
            await registry.close()


async def ask(registry: ModelRegistry, screen: Screen, fault: str, *, streamed: bool) -> ModelReply:
    model = registry.open("first/m", fallback="spare/m", timeout_ms=DEADLINE_MS if fault in HUNG else EASY_MS)
    if streamed:
        return await streamed_reply(model, asked(), screen)
    reply = await model.answer(asked())
    screen.add(f"{reply.text}.")
    return reply


def test_there_are_at_least_twenty_kinds_of_fault() -> None:
    assert len(FAULTS) >= 20


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("streamed", [True, False], ids=["stream", "whole"])
async def test_ten_calls_meet_a_fault_and_none_gets_stuck(fault: str, streamed: bool) -> None:
    """On every protocol at the same time: what is held back is waited for once."""
    async with asyncio.TaskGroup() as tasks:
        for protocol in PROTOCOLS:
            tasks.create_task(ten_calls(protocol, fault, streamed, MovedTime()), name=protocol)


async def ten_calls(protocol: str, fault: str, streamed: bool, time: MovedTime) -> None:
    async with models(protocol, fault, time) as (registry, server):
        given_up = 0
        for _ in range(REPETITIONS):
            screen = Screen()
            began_s = real_time.monotonic()
            try:
                async with asyncio.timeout(30):
                    reply = await ask(registry, screen, fault, streamed=streamed)
            except ModelCallFailed:
                given_up += 1
                assert screen.text == "", "what was shown of a turn that is given up is void"
            else:
                assert screen.text == f"{reply.text}."
                if fault not in HARMLESS:
                    assert reply.text == "The spare model answers"
            assert real_time.monotonic() - began_s < STREAM_TRIES * (DEADLINE_MS / 1_000 + SLACK_S)
        calls = len(server.asked)
    if fault in HARMLESS:
        assert (calls, given_up) == (REPETITIONS, 0), protocol
        return
    if fault in MADE:
        return
    if streamed and fault in LATER:
        assert given_up == 1, f"{protocol}: after one turn that was given up it rests, and the spare one answers"
    else:
        assert given_up == 0, protocol
    if fault in FINAL:
        assert calls == REPETITIONS, f"{protocol}: what cannot get better is asked once a call"
    elif fault in BUSY:
        assert calls <= ATTEMPTS * REPETITIONS, protocol
    else:
        assert calls == THRESHOLD, f"{protocol}: after so many failures in a row the provider rests"


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("fault", sorted(set(FAULTS) - HARMLESS - {"slow_drip"}))
async def test_every_fault_has_its_kind(protocol: str, fault: str, time: Any) -> None:
    async with models(protocol, fault, time) as (registry, _):
        with pytest.raises(ModelCallFailed) as caught:
            await registry.open("first/m", timeout_ms=DEADLINE_MS if fault in HUNG else EASY_MS).answer(asked())
    assert caught.value.kind == kind_of(fault, protocol)


def kind_of(fault: str, protocol: str) -> str:
    if fault in FINAL:
        return FINAL[fault]
    if fault in HUNG or fault == "gateway_timeout":
        return "llm_timeout"
    if fault in BUSY:
        return "llm_rate_limited"
    if fault in MADE:
        # Where arguments are part of the answer's own JSON, broken ones are a broken answer.
        return "llm_error" if protocol == "openai" else "llm_api_error"
    return "llm_api_error"


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_what_the_provider_asks_for_is_waited(protocol: str, time: Any) -> None:
    async with models(protocol, "rate_limited", time) as (registry, server):
        await registry.open("first/m", fallback="spare/m").answer(asked())
        assert len(server.asked) == ATTEMPTS
    assert time.waits == [2.0, 2.0]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_provider_that_is_well_again_answers_again(protocol: str, time: Any) -> None:
    answers = (*[Answer(fault="unavailable")] * THRESHOLD, Answer(said("well again")))
    async with FakeModelServer(protocol, answers) as server:
        spec = ProviderSpec("first", KINDS[protocol], server.base_url, "key")
        resilience = Resilience(seconds=time.seconds, sleep=time.sleep, random=lambda: 0.0)
        registry = ModelRegistry([spec], resilience=resilience)
        for _ in range(3):
            with pytest.raises(ModelCallFailed):
                await registry.open("first/m").answer(asked())
        time.now_s += 31
        assert (await registry.open("first/m").answer(asked())).text == "well again"
        await registry.close()


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_calls_of_the_same_name_get_ids_of_their_own(protocol: str, time: Any) -> None:
    async with models(protocol, "twin_ids", time) as (registry, _):
        reply = await registry.open("first/m").answer(asked())
    assert len({call.id for call in reply.tool_calls}) == 2


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_nobody_listening_is_answered_by_the_spare_model(protocol: str, time: Any) -> None:
    async with models(protocol, "", time) as (registry, server):
        server._server.close()
        await server._server.wait_closed()
        for writer in list(server._connections):
            writer.transport.abort()
        reply = await registry.open("first/m", fallback="spare/m").answer(asked())
    assert reply.text == "The spare model answers"
