"""Whether who delivers a callback knows its secret: by the header of the contract, or by Standard Webhooks 1.0. Pure.

Spec: platform-api 7.1; Standard Webhooks 1.0, "Webhook signatures" (standardwebhooks.com).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from datetime import datetime
from typing import Final

from msgspec import Struct

from domain.webhooks import SECRET_PREFIX

SCHEME: Final = "sha256="
STANDARD_SCHEME: Final = "v1,"
MAX_AGE_S: Final = 300
"""How far the moment of a Standard Webhooks delivery may lie from now, either way."""
SIGNATURES_MAX: Final = 10
"""A sender that changes its secret signs with several; more are not looked at."""
MOMENT_MAX_CHARS: Final = 12


class StandardSignature(Struct, frozen=True):
    """The headers `webhook-id`, `webhook-timestamp` (Unix seconds) and `webhook-signature` (`v1,<base64> ...`)."""

    message_id: str
    timestamp: str
    signatures: str


def is_signed(secret: str, raw: bytes, signature: str, standard: StandardSignature | None, now: datetime) -> bool:
    """Return whether the raw body was signed with the secret; what has no secret needs no signature.

    Where both kinds of headers are there, `signature` (`sha256=<hex>`) decides.
    """
    if not secret:
        return True
    if signature or standard is None:
        expected = SCHEME + hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()
        return hmac.compare_digest(expected.encode(), signature.strip().lower().encode())
    return _is_recent(standard.timestamp, now) and _is_standard(secret, raw, standard)


def _is_standard(secret: str, raw: bytes, standard: StandardSignature) -> bool:
    signed = f"{standard.message_id}.{standard.timestamp}.".encode() + raw
    digest = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    expected = (STANDARD_SCHEME + base64.b64encode(digest).decode()).encode()
    brought = standard.signatures.split()[:SIGNATURES_MAX]
    return any(hmac.compare_digest(expected, one.encode()) for one in brought)


def _key(secret: str) -> bytes:
    """Return the bytes that a secret spells; the text itself where it has not the form of Standard Webhooks."""
    try:
        return base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except binascii.Error:
        return secret.encode()


def _is_recent(timestamp: str, now: datetime) -> bool:
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= MOMENT_MAX_CHARS):
        return False
    return abs(now.timestamp() - int(timestamp)) <= MAX_AGE_S
