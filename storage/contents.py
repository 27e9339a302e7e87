"""What people said to a tenant's agents, sealed under the tenant's key: without it, no copy of it says anything.

A value is squeezed first (`storage.frames`), then sealed with AES-256-GCM. It begins with the byte of its form and the
version of the tenant's data key; then come nonce and secret. Each session has a key of its own, derived from the
tenant's with keyed BLAKE2b (RFC 7693), which binds a value to its session and keeps nonces apart: they are counted from
a random number of 64 bits in each process, so that 90,000 values of one session, each sealed by another process, repeat
one with a probability of 2^-32 (NIST SP 800-38D, 8.3). Decision 0041.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from domain.json_values import JsonValue
from storage.crypto import KEY_BYTES, NONCE_BYTES, Unopenable
from storage.errors import KeyReplaced
from storage.frames import expand, squeeze
from storage.statements import Statement
from storage.vault import DataKey, Vault

if TYPE_CHECKING:
    from storage.database import Connection

SEALED: Final = b"\x03"
"""The first byte of a sealed value; those of others are in `storage.frames`."""
LARGE_VALUES: Final = b"large values"
"""What their names are made with, for values that sessions of a tenant have in common; each is sealed for its name."""
_PURPOSE = b"abl contents"
_VERSION_BYTES = 2
_HEAD_BYTES = len(SEALED) + _VERSION_BYTES
_COUNTED_BYTES = 8
_COUNTED = 1 << 8 * _COUNTED_BYTES
_SECRET = _HEAD_BYTES + _COUNTED_BYTES
_TAG_BYTES = 16
SEAL_BYTES: Final = _SECRET + _TAG_BYTES
"""How much longer a value becomes."""
_REST_OF_NONCE = bytes(NONCE_BYTES - _COUNTED_BYTES)
SEALS_HELD = 1_000
STANDS = Statement("SELECT EXISTS (SELECT FROM tenant_keys WHERE tenant_id = :tenant_id AND key_id = :key_id)")
_JSON = msgspec.json.Encoder()


class Seal:
    """The key of one session, or of what sessions have in common."""

    __slots__ = ("_cipher", "_head", "_key", "_next", "key_id", "until_s", "version")

    def __init__(self, key: DataKey, scope: bytes) -> None:
        self.version, data_key, self.key_id, self.until_s = key
        self._head = SEALED + self.version.to_bytes(_VERSION_BYTES, "big")
        self._key = blake2b(scope, key=data_key, digest_size=KEY_BYTES, person=_PURPOSE).digest()
        self._cipher = AESGCM(self._key)
        self._next = int.from_bytes(os.urandom(_COUNTED_BYTES), "big")

    def close(self, value: bytes) -> bytes:
        """Return a value sealed."""
        counted = self._next.to_bytes(_COUNTED_BYTES, "big")
        self._next = (self._next + 1) % _COUNTED
        return self._head + counted + self._cipher.encrypt(_REST_OF_NONCE + counted, value, None)

    def close_json(self, value: JsonValue) -> bytes:
        """Return a JSON value sealed."""
        return self.close(squeeze(_JSON.encode(value)))

    def open(self, sealed: bytes) -> bytes:
        """Return the value that `close` was given. Raises Unopenable: it was changed, or is of another session."""
        try:
            return self._cipher.decrypt(_REST_OF_NONCE + sealed[_HEAD_BYTES:_SECRET], sealed[_SECRET:], None)
        except (InvalidTag, ValueError) as error:
            raise Unopenable("A stored value is not what it claims to be.") from error

    def name_of(self, value: bytes) -> bytes:
        """Return the name under which a value is found again: whoever has not the key cannot tell whose it is."""
        return blake2b(value, key=self._key, digest_size=KEY_BYTES).digest()


class Sealer:
    """Seals for many scopes, wherever it is called, a thread for one."""

    def __init__(self, key: DataKey) -> None:
        self._key = key
        self.key_id = key.key_id

    def close(self, scope: bytes, value: bytes) -> bytes:
        """Return a value sealed for a scope."""
        return Seal(self._key, scope).close(value)

    def close_json(self, scope: bytes, value: JsonValue) -> bytes:
        """Return a JSON value sealed for a scope."""
        return Seal(self._key, scope).close_json(value)


def key_version(sealed: bytes) -> int:
    """Return the version of the tenant's key that a sealed value was sealed with."""
    return int.from_bytes(sealed[len(SEALED) : _HEAD_BYTES], "big")


def closed(seal: Seal | None, value: bytes) -> bytes:
    """Return a value sealed, as it is where nothing is."""
    return seal.close(value) if seal is not None else value


class Contents:
    """Seals and opens what stands in the rows of sessions."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._held: OrderedDict[tuple[str, bytes, int | None], Seal] = OrderedDict()

    async def seal(self, tenant_id: str, scope: bytes) -> Seal | None:
        """Return what seals for the key of a session or the name of a large value; None where there is no master key.

        Raises:
            Unopenable: The tenant's key lies under a master key that is not configured.
        """
        return await self._seal(tenant_id, scope, None, None) if self._vault.has_master_key else None

    async def sealer(self, tenant_id: str) -> Sealer | None:
        """Return what seals for many scopes; None where nothing is sealed."""
        return Sealer(await self._vault.data_key(tenant_id)) if self._vault.has_master_key else None

    async def check(self, connection: Connection, tenant_id: str, seal: Seal | Sealer | None) -> None:
        """See in a transaction that the key stands that something was sealed with.

        Raises:
            KeyReplaced: It does not; another one is used from now on.
        """
        if seal is not None and not await connection.value(STANDS, tenant_id=tenant_id, key_id=seal.key_id):
            self.forget(tenant_id)
            raise KeyReplaced

    def forget(self, tenant_id: str) -> None:
        """Use no key of a tenant again that is not looked up."""
        self._vault.forget(tenant_id)
        for name in [name for name in self._held if name[0] == tenant_id]:
            del self._held[name]

    async def opened(self, tenant_id: str, scope: bytes, value: bytes, over: Connection | None = None) -> bytes:
        """Return a stored value as it was before it was sealed; one that never was as it is.

        Args:
            over: The connection that the caller holds, if any: what has to be looked up is looked up through it.

        Raises:
            Unopenable: It was changed, or the tenant's key is gone: then it was erased.
            NoMasterKey: It is sealed, and no master key is given.
        """
        if not value.startswith(SEALED):
            return value
        return (await self._seal(tenant_id, scope, key_version(value), over)).open(value)

    async def opened_all(self, tenant_id: str, scope: bytes, values: Sequence[bytes]) -> list[bytes]:
        """Return stored values, as `opened` does with each."""
        versions = {key_version(value) for value in values if value.startswith(SEALED)}
        seals = {version: await self._seal(tenant_id, scope, version, None) for version in versions}
        return [seals[key_version(value)].open(value) if value.startswith(SEALED) else value for value in values]

    async def _seal(self, tenant_id: str, scope: bytes, version: int | None, over: Connection | None) -> Seal:
        """Return the key of a scope, derived from a data key of the tenant, the newest one when none is named."""
        name = (tenant_id, scope, version)
        held = self._held.get(name)
        if held is not None and monotonic() < held.until_s:
            self._held.move_to_end(name)
            return held
        made = Seal(await self._vault.data_key(tenant_id, version, over), scope)
        self._held[name] = made
        if len(self._held) > SEALS_HELD:
            self._held.popitem(last=False)
        return made

    async def opened_json(self, tenant_id: str, scope: bytes, sealed: bytes, over: Connection | None = None) -> Any:
        """Return the value that `Seal.close_json` was given. Raises as `opened` does."""
        return msgspec.json.decode(expand(await self.opened(tenant_id, scope, sealed, over)))
