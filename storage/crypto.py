"""Sealing of values: AES-256-GCM, a fresh nonce each, bound to what the value is about. Spec: platform-api 7.2.

A tenant has a data key of its own, which lies in the database wrapped by a master key; master keys lie outside. Several
master keys may be live: the first one wraps, all of them unwrap, so one is replaced without a moment of darkness.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import Struct

from domain.errors import InvalidInput, LastingOutage

KEY_BYTES = 32
NONCE_BYTES = 12
MASTER_ID_BYTES = 8
VERSION_BYTES = 4
FORM = b"\x01"
OWNER_ONLY = 0o600
NO_MASTER_KEY = "Encryption service unavailable"


class Unopenable(LastingOutage):
    """A sealed value cannot be opened: its key is not here, or it is not what it claims to be."""


class OtherMasterKey(Unopenable):
    """What is sealed lies under a master key that is not configured here, though it may be elsewhere."""


class NoMasterKey(LastingOutage):
    """This installation has no master key: nothing can be sealed or opened."""

    def __init__(self) -> None:
        super().__init__(NO_MASTER_KEY)


class Wrapped(Struct, frozen=True):
    """A data key under a master key, which `master_id` names."""

    master_id: bytes
    sealed: bytes


class MasterKeys:
    """The master keys of this installation; the first one is the current one."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        """Keep the keys.

        Raises:
            InvalidInput: One of them is not of 32 bytes.
        """
        if any(len(key) != KEY_BYTES for key in keys):
            raise InvalidInput(f"A master key has {KEY_BYTES} bytes")
        self._keys = {sha256(key).digest()[:MASTER_ID_BYTES]: key for key in keys}

    @classmethod
    def parse(cls, text: str) -> MasterKeys:
        """Return the keys of a setting: base64, several with commas between them, the current one first.

        Raises:
            InvalidInput: It is not such a text.
        """
        try:
            return cls([base64.b64decode(one.strip(), validate=True) for one in text.split(",") if one.strip()])
        except binascii.Error as error:
            raise InvalidInput("Master keys are 32 bytes each in base64, with commas between them") from error

    @classmethod
    def kept_in(cls, file: Path) -> MasterKeys:
        """Return the keys of a file that only its owner can read, made with one new key when it is not there."""
        return cls.parse(kept_secret(file).replace("\n", ","))

    @property
    def current_id(self) -> bytes:
        """Return what names the current key. Raises NoMasterKey."""
        if not self._keys:
            raise NoMasterKey
        return next(iter(self._keys))

    @property
    def ids(self) -> Sequence[bytes]:
        """What names each of the keys, the current one first."""
        return tuple(self._keys)

    def __bool__(self) -> bool:
        return bool(self._keys)

    def __contains__(self, master_id: bytes) -> bool:
        return master_id in self._keys

    def wrap(self, data_key: bytes, about: Sequence[str]) -> Wrapped:
        """Return a data key under the current master key. Raises NoMasterKey."""
        master_id = self.current_id
        return Wrapped(master_id, seal(self._keys[master_id], data_key, about))

    def unwrap(self, wrapped: Wrapped, about: Sequence[str]) -> bytes:
        """Return the data key. Raises Unopenable: its master key is not among these; NoMasterKey."""
        if not self._keys:
            raise NoMasterKey
        master_key = self._keys.get(wrapped.master_id)
        if master_key is None:
            raise OtherMasterKey(
                f"The master key {wrapped.master_id.hex()} is not configured; add it to the master keys."
            )
        return open_sealed(master_key, wrapped.sealed, about)


def kept_secret(file: Path) -> str:
    """Return the text of a file that only its owner can read; 32 random bytes in base64 when it is made here."""
    if file.exists() and not file.stat().st_size:
        file.unlink()  # begun by somebody who did not come to write it
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(f"{file.name}.{secrets.token_hex(MASTER_ID_BYTES)}")
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        with os.fdopen(handle, "w", encoding="ascii") as made:
            made.write(base64.b64encode(new_data_key()).decode() + "\n")
            made.flush()
            os.fsync(made.fileno())
        with suppress(FileExistsError):  # somebody else was first: theirs is the one
            os.link(unfinished, file)
        unfinished.unlink()
        _to_disk(file.parent)
    return file.read_text(encoding="ascii")


def _to_disk(folder: Path) -> None:
    """Have the names in a folder survive a power cut: what is sealed from now on needs the file."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def new_data_key() -> bytes:
    """Return a key as nobody has seen it."""
    return secrets.token_bytes(KEY_BYTES)


def seal(key: bytes, value: bytes, about: Sequence[str]) -> bytes:
    """Return the value sealed; it opens only with the same key and `about`."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return FORM + nonce + AESGCM(key).encrypt(nonce, value, bound(about))


def open_sealed(key: bytes, sealed: bytes, about: Sequence[str]) -> bytes:
    """Return a value that `seal` was given.

    Raises:
        Unopenable: It was changed, is about something else, or was sealed by a newer version.
    """
    if sealed[:1] != FORM:
        raise Unopenable("A sealed value has a form that a newer version has written.")
    nonce, secret = sealed[1 : 1 + NONCE_BYTES], sealed[1 + NONCE_BYTES :]
    try:
        return AESGCM(key).decrypt(nonce, secret, bound(about))
    except (InvalidTag, ValueError) as error:
        raise Unopenable("A sealed value is not what it claims to be.") from error


def bound(about: Sequence[str]) -> bytes:
    """Return the words as bytes in which none of them can reach into its neighbour."""
    encoded = [word.encode() for word in about]
    return b"".join(len(one).to_bytes(VERSION_BYTES, "big") + one for one in encoded)
