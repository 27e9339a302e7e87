"""Every row of the error tables of callbacks and the bootstrap: status, code, body. Spec: platform-api 7.1, 12.1."""

from __future__ import annotations

from typing import Any

import pytest

from domain.rates import RateSettings
from tests.support.asgi import Reply
from tests.support.errors import check, check_limited
from tests.support.fake_runtime import FakeCallback
from tests.support.gateway import (
    FOREIGN_PROJECT,
    PAGE,
    PROJECT,
    PUBLIC_KEY,
    SECOND_PROJECT,
    Gateway,
    a_gateway,
    a_public_key,
)

pytestmark = pytest.mark.anyio

INIT = "/api/v1/sdk/init"
CALLBACK = "/api/v1/callbacks/cb_1"


# --- 7.1: callbacks --------------------------------------------------------------------------------------------------


def a_callback(gateway: Gateway, **fields: Any) -> FakeCallback:
    callback = gateway.runtime.callbacks_by_id["cb_1"] = FakeCallback("ten_one", PROJECT, **fields)
    return callback


def check_callback(reply: Reply, status: int, body: dict[str, Any]) -> None:
    assert (reply.status, reply.json()) == (status, body)
    assert reply.headers["x-request-id"]


async def test_7_1_200_accepted(gateway: Gateway) -> None:
    callback = a_callback(gateway)
    check_callback(await gateway.nobody().post(CALLBACK, {"a": [1, None]}), 200, {"ok": True})
    assert callback.body == {"a": [1, None]}


async def test_7_1_200_already_processed(gateway: Gateway) -> None:
    a_callback(gateway, status="processed")
    check_callback(await gateway.nobody().post(CALLBACK, {}), 200, {"ok": True, "status": "already_processed"})


@pytest.mark.parametrize("raw", [b"{", b"[]", b'"text"', b"", b"null"])
async def test_7_1_400_invalid_json_body(gateway: Gateway, raw: bytes) -> None:
    a_callback(gateway)
    reply = await gateway.nobody().post(CALLBACK, raw=raw, headers={"content-type": "application/json"})
    check_callback(reply, 400, {"ok": False, "error": "Invalid JSON body"})


@pytest.mark.parametrize("signature", ["", "sha256=00", "nonsense"], ids=["missing", "wrong", "no form"])
async def test_7_1_401_invalid_signature(gateway: Gateway, signature: str) -> None:
    callback = a_callback(gateway, secret="s")
    headers = {"x-callback-signature": signature} if signature else {}
    reply = await gateway.nobody().post(CALLBACK, {}, headers=headers)
    check_callback(reply, 401, {"ok": False, "error": "Invalid signature"})
    assert callback.status == "pending"


async def test_7_1_404_callback_not_found(gateway: Gateway) -> None:
    check_callback(await gateway.nobody().post(CALLBACK, {}), 404, {"ok": False, "error": "Callback not found"})


@pytest.mark.parametrize("status", ["expired", "cancelled"])
async def test_7_1_410_callback_expired(gateway: Gateway, status: str) -> None:
    a_callback(gateway, status=status)
    check_callback(await gateway.nobody().post(CALLBACK, {}), 410, {"ok": False, "error": "Callback expired"})


async def test_7_1_413_a_body_too_large(gateway: Gateway) -> None:
    reply = await gateway.nobody().post(CALLBACK, {"a": "x" * 2**20})
    check_callback(reply, 413, {"ok": False, "error": "Request body exceeds 1048576 bytes"})


async def test_7_1_415_the_content_type_is_required(gateway: Gateway) -> None:
    a_callback(gateway)
    reply = await gateway.nobody().post(CALLBACK, raw=b"{}", headers={"content-type": "text/plain"})
    check_callback(reply, 415, {"ok": False, "error": "Content-Type must be application/json"})


async def test_7_1_503_could_not_enqueue_and_nothing_was_claimed(gateway: Gateway) -> None:
    callback = a_callback(gateway, enqueue_fails=True)
    reply = await gateway.nobody().post(CALLBACK, {})
    check_callback(reply, 503, {"ok": False, "error": "Service temporarily unavailable"})
    assert callback.status == "pending"


async def test_7_1_500_says_nothing_of_what_happened(gateway: Gateway) -> None:
    async def crash(delivery: object) -> object:
        raise RuntimeError("hunter2")

    gateway.runtime.deliver_callback = crash  # type: ignore[method-assign, assignment]
    reply = await gateway.nobody().post(CALLBACK, {})
    check_callback(reply, 500, {"ok": False, "error": "Something went wrong on our side"})


# --- 12.1: bootstrap -------------------------------------------------------------------------------------------------


async def test_12_1_400_a_key_of_the_whole_tenant_has_to_be_told_the_project(gateway: Gateway) -> None:
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key(project_id="")
    page = gateway.nobody().with_headers(x_public_key=PUBLIC_KEY, origin=PAGE)
    fields = [{"path": "/projectId", "message": "projectId is required"}]
    check(await page.post(INIT, {}), 400, "BAD_REQUEST", "Invalid request", fields=fields)
    assert (await page.post(INIT, {"projectId": SECOND_PROJECT})).json()["projectId"] == SECOND_PROJECT
    check(await page.post(INIT, {"projectId": FOREIGN_PROJECT}), 404, "NOT_FOUND", "Project not found")


async def test_12_1_401_an_unknown_revoked_or_expired_key(gateway: Gateway) -> None:
    page = gateway.nobody().with_headers(x_public_key="pk_nobody", origin=PAGE)
    check(await page.post(INIT, {}), 401, "UNAUTHORIZED", "Invalid public key")


async def test_12_1_403_origin_not_allowed(gateway: Gateway) -> None:
    page = gateway.nobody().with_headers(x_public_key=PUBLIC_KEY, origin="https://evil.example.com")
    check(
        await page.post(INIT, {}),
        403,
        "FORBIDDEN",
        "Origin not allowed",
        hint="List it in allowedOrigins of the public key",
    )


async def test_12_1_403_origin_required(gateway: Gateway) -> None:
    page = gateway.nobody().with_headers(x_public_key=PUBLIC_KEY)
    hint = "For clients that are no browsers: requireOrigin: false"
    check(await page.post(INIT, {}), 403, "FORBIDDEN", "Origin required", hint=hint)
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key(require_origin=False)
    gateway.clock.move(seconds=60)
    assert (await page.post(INIT, {})).status == 200


async def test_12_1_404_the_key_of_another_project(gateway: Gateway) -> None:
    page = gateway.nobody().with_headers(x_public_key=PUBLIC_KEY, origin=PAGE)
    check(await page.post(INIT, {"projectId": SECOND_PROJECT}), 404, "NOT_FOUND", "Project not found")


async def test_12_1_429_too_many_bootstraps_from_one_address() -> None:
    gateway = a_gateway(rates=RateSettings(sdk_inits_per_minute=1))
    page = gateway.nobody().with_headers(x_public_key=PUBLIC_KEY, origin=PAGE)
    await page.post(INIT, {})
    check_limited(await page.post(INIT, {}), "RATE_LIMIT_EXCEEDED", "SDK initialisation rate limit exceeded")


async def test_12_1_429_too_many_tickets_of_one_family() -> None:
    gateway = a_gateway(rates=RateSettings(tickets_per_minute=1))
    page = gateway.page(await gateway.sdk_token())
    first = await page.post("/api/v1/sdk/ws-ticket", {})
    reply = await page.post("/api/v1/sdk/ws-ticket", {})
    check_limited(reply, "RATE_LIMIT_EXCEEDED", "WebSocket ticket rate limit exceeded")
    for one in (first, reply):
        assert (one.headers["x-ratelimit-limit"], one.headers["x-ratelimit-remaining"]) == ("1", "0")


async def test_12_1_503_when_the_ticket_store_is_down(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(_self: object) -> bool:
        return False

    monkeypatch.setattr("actors.counters.LocalCounters.is_reachable", away)
    reply = await gateway.page(await gateway.sdk_token()).post("/api/v1/sdk/ws-ticket", {})
    check(reply, 503, "SERVICE_UNAVAILABLE", "Tickets cannot be made at the moment")


async def test_12_1_401_refresh_of_a_revoked_key(gateway: Gateway) -> None:
    page = gateway.page(await gateway.sdk_token())
    gateway.public_keys.keys.clear()
    gateway.clock.move(seconds=2)
    message = "The public key of this token is no longer valid"
    check(await page.post("/api/v1/sdk/refresh", {}), 401, "UNAUTHORIZED", message)
