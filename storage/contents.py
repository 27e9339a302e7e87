"""What people said to a tenant's agents, sealed under the tenant's key: without it, no copy of it says anything.

A value is squeezed first (`storage.frames`), then sealed with AES-256-GCM. It begins with the byte of its form and the
version of the tenant's data key; then come nonce and secret. Each session has a key of its own, derived from the
tenant's with keyed BLAKE2b (RFC 7693): a nonce is drawn at random, and under one key for all sessions two of them would
be the same before long (NIST SP 800-38D, 8.3). The key also binds a value to its session. Decision 0041.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from storage.crypto import KEY_BYTES, NONCE_BYTES, VERSION_BYTES, Unopenable
from storage.vault import Vault

SEALED: Final = b"\x03"
"""The first byte of a sealed value; those of others are in `storage.frames`."""
LARGE_VALUES: Final = b"large values"
"""What is derived from instead of a session's key, for values that sessions of a tenant have in common."""
_HEAD_BYTES = len(SEALED) + VERSION_BYTES
_PURPOSE = b"abl contents"


class Seal:
    """The key of one session, or of what sessions have in common."""

    __slots__ = ("_cipher", "_head", "_key")

    def __init__(self, version: int, data_key: bytes, scope: bytes) -> None:
        self._head = SEALED + version.to_bytes(VERSION_BYTES, "big")
        self._key = blake2b(scope, key=data_key, digest_size=KEY_BYTES, person=_PURPOSE).digest()
        self._cipher = AESGCM(self._key)

    def close(self, value: bytes) -> bytes:
        """Return a value sealed."""
        nonce = os.urandom(NONCE_BYTES)
        return self._head + nonce + self._cipher.encrypt(nonce, value, None)

    def open(self, sealed: bytes) -> bytes:
        """Return the value that `close` was given. Raises Unopenable: it was changed, or is of another session."""
        secret = _HEAD_BYTES + NONCE_BYTES
        try:
            return self._cipher.decrypt(sealed[_HEAD_BYTES:secret], sealed[secret:], None)
        except (InvalidTag, ValueError) as error:
            raise Unopenable("A stored value is not what it claims to be.") from error

    def name_of(self, value: bytes) -> bytes:
        """Return the name under which a value is found again: whoever has not the key cannot tell whose it is."""
        return blake2b(value, key=self._key, digest_size=KEY_BYTES).digest()


class Contents:
    """Seals and opens what stands in the rows of sessions."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def seal(self, tenant_id: str, scope: bytes) -> Seal | None:
        """Return what seals for a session's key or `LARGE_VALUES`; None where there is no master key.

        Raises:
            Unopenable: The tenant's key lies under a master key that is not configured.
        """
        if not self._vault.has_master_key:
            return None
        return Seal(*await self._vault.data_key(tenant_id), scope)

    async def opened(self, tenant_id: str, scope: bytes, value: bytes) -> bytes:
        """Return a stored value as it was before it was sealed; one that never was as it is.

        Raises:
            Unopenable: It was changed, or the tenant's key is gone: then it was erased.
            NoMasterKey: It is sealed, and no master key is given.
        """
        if not value.startswith(SEALED):
            return value
        version = int.from_bytes(value[len(SEALED) : _HEAD_BYTES], "big")
        return Seal(*await self._vault.data_key(tenant_id, version), scope).open(value)
