"""Who may deliver a callback: both ways of signing, and what is none. Spec: platform-api 7.1; Standard Webhooks 1.0."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime

import pytest

from domain.callback_signatures import StandardSignature, is_signed
from domain.webhooks import new_secret, signed_headers

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
AT = int(NOW.timestamp())
SECRET = new_secret(b"k" * 32)
BODY = b'{"number": "P-1"}'


def standard(secret: str = SECRET, body: bytes = BODY, at: int = AT, message_id: str = "msg_1") -> StandardSignature:
    headers = signed_headers(secret, message_id, at, body)
    return StandardSignature(headers["webhook-id"], headers["webhook-timestamp"], headers["webhook-signature"])


def plain(secret: str = SECRET, body: bytes = BODY) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def test_the_header_of_the_contract_is_taken_whatever_the_case_of_its_digits() -> None:
    assert is_signed(SECRET, BODY, plain(), None, NOW)
    assert is_signed(SECRET, BODY, plain().upper(), None, NOW)
    assert not is_signed(SECRET, BODY + b" ", plain(), None, NOW)
    assert not is_signed(SECRET, BODY, "sha256=\u00e9", None, NOW)
    assert not is_signed(SECRET, BODY, "", None, NOW)
    assert is_signed("", BODY, "", None, NOW)


def test_the_headers_of_standard_webhooks_are_taken() -> None:
    assert is_signed(SECRET, BODY, "", standard(), NOW)
    given = standard()
    several = StandardSignature(given.message_id, given.timestamp, f"v1,AAAA v1a,BBBB {given.signatures}")
    assert is_signed(SECRET, BODY, "", several, NOW)


def test_a_vector_made_by_hand() -> None:
    digest = hmac.new(b"k" * 32, f"msg_1.{AT}.".encode() + BODY, hashlib.sha256).digest()
    made = StandardSignature("msg_1", str(AT), "v1," + base64.b64encode(digest).decode())
    assert is_signed("whsec_" + base64.b64encode(b"k" * 32).decode(), BODY, "", made, NOW)


def test_a_secret_of_another_form_is_the_key_itself() -> None:
    digest = hmac.new(b"not base64!", f"msg_1.{AT}.".encode() + BODY, hashlib.sha256).digest()
    made = StandardSignature("msg_1", str(AT), "v1," + base64.b64encode(digest).decode())
    assert is_signed("not base64!", BODY, "", made, NOW)


@pytest.mark.parametrize("at", [AT - 301, AT + 301])
def test_an_old_delivery_is_not_taken(at: int) -> None:
    assert not is_signed(SECRET, BODY, "", standard(at=at), NOW)
    assert is_signed(SECRET, BODY, "", standard(at=AT + 299 if at > AT else AT - 299), NOW)


@pytest.mark.parametrize("timestamp", ["", "soon", "-1", "9" * 400, "\u0663", "1.5"])
def test_a_moment_that_is_none_is_not_taken(timestamp: str) -> None:
    assert not is_signed(SECRET, BODY, "", StandardSignature("msg_1", timestamp, standard().signatures), NOW)


def test_whatever_is_signed_cannot_be_changed() -> None:
    good = standard()
    assert not is_signed(SECRET, BODY + b" ", "", good, NOW)
    assert not is_signed(new_secret(b"o" * 32), BODY, "", good, NOW)
    assert not is_signed(SECRET, BODY, "", StandardSignature("msg_2", good.timestamp, good.signatures), NOW)
    assert not is_signed(SECRET, BODY, "", StandardSignature("msg_1", str(AT + 1), good.signatures), NOW)
    assert not is_signed(SECRET, BODY, "", StandardSignature("msg_1", str(AT), "v1,\u00e9"), NOW)


def test_a_wrong_header_of_the_contract_is_not_made_good_by_the_other() -> None:
    assert not is_signed(SECRET, BODY, plain(body=b"{}"), standard(), NOW)
