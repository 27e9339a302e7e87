"""Sealing of what the gateway leaves in the store for itself: AES-256-GCM under a key of its own purpose."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE_BYTES = 12


class Broken(Exception):
    """What should be opened was not sealed by us, or not under this name."""


class Seal:
    """Seals and opens for one purpose."""

    def __init__(self, secret: bytes, purpose: str) -> None:
        self._cipher = AESGCM(hmac.digest(secret, f"seal:{purpose}".encode(), sha256))

    def seal(self, content: bytes, name: str) -> bytes:
        """Return `content` sealed; it opens only under the same name."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, content, name.encode())

    def open(self, sealed: bytes, name: str) -> bytes:
        """Return what was sealed under `name`. Raises Broken."""
        try:
            return self._cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], name.encode())
        except (InvalidTag, ValueError) as error:
            raise Broken(name) from error
