from __future__ import annotations

import pytest

from domain.rates import RateSettings
from tests.support.asgi import Reply, _scope
from tests.support.errors import CHAT, MESSAGE, SESSIONS, check_limited
from tests.support.gateway import PAGE, PROJECT, Gateway, a_gateway

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


RATES = {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"}
UNROUTED = [("GET", "/api/nowhere", 404), ("PUT", CHAT, 405), ("DELETE", SESSIONS, 405)]


def rates_told(reply: Reply) -> set[str]:
    return {name for name in reply.headers if name.startswith("x-ratelimit")}


@pytest.mark.parametrize(("method", "path", "status"), UNROUTED)
async def test_an_answer_of_no_route_tells_a_known_caller_what_is_left(
    gateway: Gateway, method: str, path: str, status: int
) -> None:
    first, second = [await gateway.client.request(method, path) for _ in range(2)]
    assert (first.status, second.status) == (status, status)
    assert rates_told(first) == rates_told(second) == RATES
    assert int(second.headers["x-ratelimit-remaining"]) < int(first.headers["x-ratelimit-remaining"])


@pytest.mark.parametrize(("method", "path", "status"), UNROUTED)
@pytest.mark.parametrize(
    "brought", [{}, {"x-api-key": "abl_wrong"}, {"authorization": "Basic x"}, {"x-api-key": "pk_x"}]
)
async def test_an_answer_of_no_route_is_the_same_to_a_caller_who_is_not_known(
    gateway: Gateway, method: str, path: str, status: int, brought: dict[str, str]
) -> None:
    reply = await gateway.nobody().request(method, path, headers=brought)
    assert (reply.status, rates_told(reply)) == (status, set())


async def test_a_page_that_may_not_use_its_key_is_told_no_rate_by_an_answer_of_no_route(gateway: Gateway) -> None:
    page = gateway.nobody().with_headers(x_sdk_token=await gateway.sdk_token(), origin=PAGE)
    assert rates_told(await page.get("/api/nowhere")) == RATES
    elsewhere = gateway.nobody().with_headers(x_sdk_token=await gateway.sdk_token(), origin="https://evil.example.com")
    reply = await elsewhere.get("/api/nowhere")
    assert (reply.status, rates_told(reply)) == (404, set())


async def test_asking_for_what_is_nowhere_uses_up_the_rate_of_the_tenant() -> None:
    gateway = a_gateway(rates=RateSettings(requests_per_second=1, requests_burst=1))
    assert (await gateway.client.get("/api/nowhere")).status == 404
    check_limited(await gateway.client.get("/api/nowhere"), "RATE_LIMIT_EXCEEDED", "Request rate limit exceeded")
    assert (await gateway.nobody().get("/api/nowhere")).status == 404


async def test_another_method_of_what_asks_for_nobody_tells_no_rate(gateway: Gateway) -> None:
    reply = await gateway.client.request("PUT", "/health")
    assert (reply.status, rates_told(reply)) == (405, set())


async def test_an_unexpected_error_tells_a_known_caller_what_is_left_and_may_be_read_by_its_page(
    gateway: Gateway,
) -> None:
    gateway.runtime.crash = ZeroDivisionError("x")
    reply = await gateway.client.post(CHAT, MESSAGE, headers={"origin": PAGE})
    assert (reply.status, rates_told(reply)) == (500, RATES)
    assert reply.headers["access-control-allow-origin"] == PAGE


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
