"""Spans reach a collector, whatever it answers; nothing is sent where none is named."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from actors import otel_export
from actors.otel_export import SpanExport
from domain.errors import Unavailable
from providers.addresses import AddressPolicy
from providers.http import HttpClient
from storage.database import Database
from storage.statements import Statement
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stories import eventually
from tests.support.stub_endpoint import Answer, StubEndpoint
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
THINKER = 'AGENT: Thinker\nGOAL: "Think about it"\nPERSONA: "Calm"\n'


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again without waiting."""
    monkeypatch.setattr(otel_export, "TRY_AGAIN_S", 0.0)


NOBODY_WRITES = Statement("SELECT pg_snapshot_xmin(s) = pg_snapshot_xmax(s) FROM pg_current_snapshot() AS s")


@asynccontextmanager
async def an_export(database: Database, url: str, name: str) -> AsyncIterator[SpanExport]:
    client = HttpClient(AddressPolicy(everything=True))
    export = SpanExport(database, client, url, {"x-key": "secret"}, "1")
    export._reader._name = name  # a reader of the test's own: others count with theirs
    await eventually(lambda: database.value(NOBODY_WRITES))  # what ended before is before
    await export.go_on()
    try:
        yield export
    finally:
        await client.close()


@asynccontextmanager
async def a_gateway(servers: Servers, name: str, **more: Any) -> AsyncIterator[LiveGateway]:
    async with (
        StubModel(StubBehaviour(text="Done")) as model,
        a_live_gateway(servers, name, {"t.abl": THINKER}, model_url=model.base_url, **more) as gateway,
    ):
        yield gateway


async def say(gateway: LiveGateway) -> str:
    answer = await gateway.call("POST", "/api/v1/chat/agent", {"projectId": gateway.project_id, "message": "hello"})
    assert answer.status == 200, answer.body
    return str(answer.json()["sessionId"])


async def is_refused(export: SpanExport) -> bool:
    """Send what there is; return whether the collector could not take it."""
    try:
        await export.go_on()
    except Unavailable:
        return True
    return False


def spans(collector: StubEndpoint) -> list[dict[str, Any]]:
    return [
        span
        for one in collector.asked
        for resource in json.loads(one.body)["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


async def sent(export: SpanExport) -> int:
    """Return how many turns were sent, once there are any: one is read when no transaction is open from before it."""
    total = 0

    async def is_there() -> bool:
        nonlocal total
        total += await export.go_on()
        return total > 0

    await eventually(is_there)
    return total


async def test_each_turn_is_sent_once(servers: Servers) -> None:
    async with a_gateway(servers, "otel-once") as gateway, StubEndpoint() as collector:
        before = await say(gateway)
        async with an_export(gateway.running.database, collector.url, "otel-once") as export:
            session_id = await say(gateway)
            assert await sent(export) == 1
            assert await export.go_on() == 0
        (request,) = collector.asked
        assert (request.method, request.target) == ("POST", "/v1/traces")
        assert (request.headers["content-type"], request.headers["x-key"]) == ("application/json", "secret")
        assert [one["name"] for one in spans(collector)] == ["invoke_agent Thinker", "chat talker"]
        assert session_id in request.body.decode()
        assert before not in request.body.decode()  # it ended before anybody asked for spans


async def test_a_collector_that_is_away_gets_what_it_missed(servers: Servers) -> None:
    away = [Answer(503)] * otel_export.TRIES
    async with a_gateway(servers, "otel-away") as gateway, StubEndpoint(*away, Answer(200)) as collector:
        async with an_export(gateway.running.database, collector.url, "otel-away") as export:
            await say(gateway)
            await eventually(lambda: is_refused(export))
            assert len(collector.asked) == otel_export.TRIES
            assert await sent(export) == 1
        assert len({one.body for one in collector.asked}) == 1


async def test_what_is_refused_for_good_is_left_out(servers: Servers, caplog: pytest.LogCaptureFixture) -> None:
    async with a_gateway(servers, "otel-refused") as gateway, StubEndpoint(Answer(400), Answer(200)) as collector:
        async with an_export(gateway.running.database, collector.url, "otel-refused") as export:
            await say(gateway)
            assert await sent(export) == 1
            assert "the collector refuses spans: 400" in caplog.text
            await say(gateway)
            assert await sent(export) == 1
        assert len(collector.asked) == 2


async def test_the_job_sends_where_an_endpoint_is_named_and_is_not_there_where_none_is(servers: Servers) -> None:
    async with StubEndpoint() as collector:
        async with a_gateway(servers, "otel-off") as gateway:
            await say(gateway)
        assert not collector.asked
        async with a_gateway(servers, "otel-on", otlp_endpoint=collector.url + "/") as gateway:
            while not collector.asked:
                await say(gateway)
        assert collector.asked[0].target == "/v1/traces"
