from __future__ import annotations

import hmac
from hashlib import sha256

import pytest

from tests.support.asgi import Reply
from tests.support.fake_runtime import FakeCallback
from tests.support.gateway import PROJECT, TENANT, Gateway

pytestmark = pytest.mark.anyio
JSON = {"content-type": "application/json"}
RAW = b'{"status": "shipped",  "n": 1}'


@pytest.fixture
def callback(gateway: Gateway) -> FakeCallback:
    found = FakeCallback(TENANT, PROJECT, secret="s3cret")
    gateway.runtime.callbacks_by_id["cb_1"] = found
    return found


def signed(raw: bytes, secret: str = "s3cret") -> dict[str, str]:
    digest = hmac.new(secret.encode(), raw, sha256).hexdigest()
    return {**JSON, "x-callback-signature": f"sha256={digest}"}


async def deliver(gateway: Gateway, raw: bytes, headers: dict[str, str], callback_id: str = "cb_1") -> Reply:
    return await gateway.nobody().post(f"/api/v1/callbacks/{callback_id}", raw=raw, headers=headers)


async def test_an_answer_is_taken_once_with_its_body_unchanged(gateway: Gateway, callback: FakeCallback) -> None:
    first = await deliver(gateway, RAW, signed(RAW))
    second = await deliver(gateway, RAW, signed(RAW))
    assert (first.status, first.json()) == (200, {"ok": True})
    assert (second.status, second.json()) == (200, {"ok": True, "status": "already_processed"})
    assert callback.body == {"status": "shipped", "n": 1}


async def test_the_signature_is_over_the_raw_bytes(gateway: Gateway, callback: FakeCallback) -> None:
    for headers in (JSON, signed(RAW, "other"), signed(b'{"status":"shipped","n":1}')):
        reply = await deliver(gateway, RAW, headers)
        assert (reply.status, reply.json()) == (401, {"ok": False, "error": "Invalid signature"})
    assert callback.status == "pending"


@pytest.mark.parametrize("raw", [b"", b"[1]", b"null", b'"text"', b"{", b"\xff"])
async def test_only_json_objects_are_taken(gateway: Gateway, callback: FakeCallback, raw: bytes) -> None:
    reply = await deliver(gateway, raw, signed(raw))
    assert (reply.status, reply.json()) == (400, {"ok": False, "error": "Invalid JSON body"})
    assert callback.status == "pending"


async def test_an_answer_that_is_nested_deeper_than_values_are_kept_is_refused(
    gateway: Gateway, callback: FakeCallback
) -> None:
    raw = b'{"in":' * 129 + b"1" + b"}" * 129
    reply = await deliver(gateway, raw, signed(raw))
    assert (reply.status, reply.json()["ok"]) == (400, False)
    assert "128" in reply.json()["error"]
    assert callback.status == "pending"


async def test_the_content_type_is_required(gateway: Gateway, callback: FakeCallback) -> None:
    for headers in ({}, {"content-type": "text/plain"}):
        reply = await deliver(gateway, RAW, headers)
        assert (reply.status, reply.json()["ok"]) == (415, False)


async def test_every_refusal_has_its_status_and_sentence(gateway: Gateway, callback: FakeCallback) -> None:
    unknown = await deliver(gateway, RAW, signed(RAW), "cb_other")
    assert (unknown.status, unknown.json()) == (404, {"ok": False, "error": "Callback not found"})
    callback.enqueue_fails = True
    busy = await deliver(gateway, RAW, signed(RAW))
    assert (busy.status, busy.json()) == (503, {"ok": False, "error": "Service temporarily unavailable"})
    assert callback.status == "pending"
    callback.status = "expired"
    expired = await deliver(gateway, RAW, signed(RAW))
    assert (expired.status, expired.json()) == (410, {"ok": False, "error": "Callback expired"})


async def test_open_callbacks_are_listed_without_secrets(gateway: Gateway, callback: FakeCallback) -> None:
    reply = await gateway.client.get(f"/api/projects/{PROJECT}/callbacks?status=pending")
    (shown,) = reply.json()["callbacks"]
    assert (shown["id"], shown["status"]) == ("cb_1", "pending")
    assert reply.json()["pagination"] == {"total": 1, "limit": 50, "offset": 0}
    assert b"s3cret" not in reply.body
