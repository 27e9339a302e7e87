from __future__ import annotations

import pytest

from tests.support.asgi import _scope
from tests.support.gateway import PROJECT, Gateway

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("sent", ["abc-1", "x" * 128, "with space"])
async def test_a_request_id_that_was_sent_comes_back(gateway: Gateway, sent: str) -> None:
    assert (await gateway.nobody().get("/health", headers={"x-request-id": sent})).headers["x-request-id"] == sent


@pytest.mark.parametrize("sent", ["", "x" * 129, "a\x7fb", "å"])
async def test_any_other_is_replaced(gateway: Gateway, sent: str) -> None:
    reply = await gateway.nobody().get("/health", headers={"x-request-id": sent})
    assert reply.headers["x-request-id"].startswith("req_")


async def test_answers_that_no_route_gave_have_one_too(gateway: Gateway) -> None:
    for method, path in (("GET", "/nowhere"), ("PUT", "/health"), ("POST", "/api/v1/chat/agent")):
        assert (await gateway.nobody().request(method, path)).headers["x-request-id"]


async def test_health_says_nothing_of_rates(gateway: Gateway) -> None:
    assert not [name for name in (await gateway.nobody().get("/health")).headers if name.startswith("x-ratelimit")]


@pytest.mark.parametrize("path", ["/api/v1/chat/agent", f"/api/projects/{PROJECT}/sessions"])
async def test_a_client_that_leaves_while_its_body_is_read_is_no_error(
    gateway: Gateway, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    sent: list[dict[str, object]] = []
    messages = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> dict[str, object]:
        return next(messages)

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    headers = {**gateway.client.headers, "content-type": "application/json"}
    await gateway.app(_scope("http", path, headers, method="POST"), receive, send)
    assert sent == []
    assert not caplog.records
    assert 'status="499"' in (await gateway.nobody().get("/metrics")).body.decode()
