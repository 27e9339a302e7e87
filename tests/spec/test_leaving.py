"""A gateway that ends: what was begun is answered, whatever comes is told to ask again. Spec: platform-api 14.8."""

from __future__ import annotations

import asyncio

import pytest

from gateway.app import drain
from gateway.guarded import GuardedRoute
from tests.spec.test_every_route import ROUTES, credentials, every, path_of
from tests.support.asgi import Client
from tests.support.gateway import PROJECT, Gateway, a_gateway
from tests.support.route_examples import EXAMPLES

pytestmark = pytest.mark.anyio
ANSWERED = {"/health", "/ready", "/metrics", "/api/v1/memory"}
"""What tells how the gateway is, and what the code of a turn that is under way needs."""
SESSIONS = f"/api/projects/{PROJECT}/sessions"
WITHIN_S = 5.0


@pytest.fixture
async def ended() -> Gateway:
    gateway = a_gateway()
    await drain(gateway.app, WITHIN_S)
    return gateway


@every(ROUTES)
async def test_every_route_says_when_to_ask_again(case: tuple[GuardedRoute, str]) -> None:
    route, method = case
    gateway = a_gateway()
    headers = await credentials(gateway, route)
    await drain(gateway.app, WITHIN_S)
    reply = await Client(gateway.app, headers).request(method, path_of(route), body=EXAMPLES.get(route.path))
    assert reply.headers["connection"] == "close"
    if route.path in ANSWERED:
        assert "retry-after" not in reply.headers
        return
    assert (reply.status, reply.headers["retry-after"]) == (503, "2")


async def test_it_is_not_ready_and_lives(ended: Gateway) -> None:
    ready = await ended.nobody().get("/ready")
    assert (ready.status, ready.json()["status"]) == (503, "draining")
    assert (await ended.nobody().get("/health")).status == 200


async def test_what_was_begun_is_waited_for_within_the_bound(gateway: Gateway) -> None:
    leaving = gateway.app.state.services.leaving
    with leaving.exchange():
        going = asyncio.create_task(drain(gateway.app, WITHIN_S))
        while (await gateway.nobody().get("/ready")).status == 200:  # noqa: ASYNC110 - each look lets it begin
            await asyncio.sleep(0)
        assert (await gateway.client.get(SESSIONS)).status == 503
        assert not going.done()
    async with asyncio.timeout(WITHIN_S):
        await going
    hanging = a_gateway()
    with hanging.app.state.services.leaving.exchange():
        await drain(hanging.app, 0.01)
