"""Sealing of what the gateway leaves in the store for itself: AES-256-GCM under a key of its own purpose."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE_BYTES = 12


class Broken(Exception):
    """What should be opened was not sealed by us, or not under this name."""


class Seal:
    """Seals for one purpose under `secret`, and opens what was sealed under it or an older one."""

    def __init__(self, secret: bytes, purpose: str, *, older: Sequence[bytes] = ()) -> None:
        keys = (hmac.digest(one, f"seal:{purpose}".encode(), sha256) for one in (secret, *older))
        self._ciphers = tuple(AESGCM(key) for key in keys)

    def seal(self, content: bytes, name: str) -> bytes:
        """Return `content` sealed; it opens only under the same name."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._ciphers[0].encrypt(nonce, content, name.encode())

    def open(self, sealed: bytes, name: str) -> bytes:
        """Return what was sealed under `name`. Raises Broken."""
        for cipher in self._ciphers:
            try:
                return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], name.encode())
            except InvalidTag:
                continue
            except ValueError as error:
                raise Broken(name) from error
        raise Broken(name)
