"""How deliveries are signed, what is posted, and when a failed one is tried again."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import typing
from datetime import UTC, datetime

from domain.webhooks import (
    EVERY_EVENT,
    Delivery,
    WebhookEvent,
    delivery_body,
    new_secret,
    retry_after_s,
    signed_headers,
)
from gateway.bodies.webhooks import EventName

RAW = bytes(range(32))
SECRET = new_secret(RAW)


def test_the_headers_of_the_specification_sign_timestamp_and_raw_body() -> None:
    headers = signed_headers(SECRET, "evt_1", 1_700_000_000, b'{"a":1}')
    expected = hmac.new(SECRET.encode(), b'1700000000.{"a":1}', hashlib.sha256).hexdigest()
    assert headers["x-webhook-id"] == "evt_1"
    assert headers["x-webhook-timestamp"] == "1700000000"
    assert headers["x-webhook-signature"] == f"sha256={expected}"


def test_the_headers_of_standard_webhooks_sign_id_timestamp_and_raw_body_with_the_bytes_of_the_secret() -> None:
    headers = signed_headers(SECRET, "evt_1", 1_700_000_000, b'{"a":1}')
    expected = hmac.new(RAW, b'evt_1.1700000000.{"a":1}', hashlib.sha256).digest()
    assert headers["webhook-id"] == "evt_1"
    assert headers["webhook-timestamp"] == "1700000000"
    assert headers["webhook-signature"] == f"v1,{base64.b64encode(expected).decode()}"


def test_a_secret_has_the_form_of_standard_webhooks() -> None:
    assert SECRET.startswith("whsec_")
    assert base64.b64decode(SECRET.removeprefix("whsec_")) == RAW


def test_what_is_posted_has_the_six_fields_of_the_specification() -> None:
    at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    delivery = Delivery(
        event_id="evt_1", webhook_id="wh_1", project_id="c1", event="handoff", data={"x": "ä"}, created_at=at
    )
    assert json.loads(delivery_body("ten_1", delivery)) == {
        "id": "evt_1", "event": "handoff", "tenantId": "ten_1", "projectId": "c1",
        "createdAt": "2026-03-02T09:00:00.000Z", "data": {"x": "ä"},
    }  # fmt: skip


def test_a_failed_delivery_is_tried_again_six_times_at_growing_distances() -> None:
    assert [retry_after_s(failed) for failed in range(1, 8)] == [10, 60, 300, 1_800, 7_200, 21_600, None]


def test_a_hook_may_ask_for_each_event_or_all_of_them() -> None:
    assert set(typing.get_args(EventName)) == {EVERY_EVENT, *WebhookEvent}
