"""How the facts of one append stand in one row: a MessagePack list of their bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

BLOB_MIN_BYTES = 32_768
"""From this size on, the facts of an append stand in `journal_blobs`, once per content."""

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(list[bytes])


def pack(facts: Sequence[bytes]) -> bytes:
    """Return facts as one value."""
    return _ENCODER.encode(facts)


def unpack(packed: bytes) -> list[bytes]:
    """Return the facts of a value that `pack` made."""
    return _DECODER.decode(packed)


def content_hash(content: bytes) -> bytes:
    """Return the name under which a large value is kept."""
    return hashlib.sha256(content).digest()
