"""How facts, events, states and replies stand in the database: packed together, and squeezed.

A value begins with one byte for its form. Forms 1 and 2 are raw deflate with a dictionary of what such values have in
common; form 2 is the one that is written.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence

import msgspec

from domain.errors import LastingOutage
from storage.dictionaries import FORM_1, FORM_2

BLOB_MIN_BYTES = 32_768
"""From this size on, the facts of an append stand in `journal_blobs`, once per content."""
SQUEEZE_MIN_BYTES = 96
PLAIN = b"\x00"
DEFLATED = b"\x02"
WINDOW_BITS = 12  # small tables: 5 to 12 us for 1 KB, where the usual ones cost 90 us
MEMORY_LEVEL = 5
LEVEL = 3  # 5 % less than level 1 in the same time
READ_WINDOW_BITS = 15

_DICTIONARIES = {b"\x01": FORM_1, DEFLATED: FORM_2}
_EMPTY = zlib.compressobj(LEVEL, zlib.DEFLATED, -WINDOW_BITS, MEMORY_LEVEL, zlib.Z_DEFAULT_STRATEGY, FORM_2)
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(list[bytes])


def pack(facts: Sequence[bytes]) -> bytes:
    """Return facts as one squeezed value."""
    return squeeze(_ENCODER.encode(facts))


def unpack(packed: bytes) -> list[bytes]:
    """Return the facts of a value that `pack` made."""
    return _DECODER.decode(expand(packed))


def squeeze(value: bytes) -> bytes:
    """Return the value in fewer bytes where that is worth it. The same value always gives the same bytes."""
    if len(value) < SQUEEZE_MIN_BYTES:
        return PLAIN + value
    squeezer = _EMPTY.copy()
    return DEFLATED + squeezer.compress(value) + squeezer.flush()


def expand(squeezed: bytes) -> bytes:
    """Return the value that `squeeze` was given.

    Raises:
        LastingOutage: It was written by a newer version.
    """
    form, rest = squeezed[:1], squeezed[1:]
    if form == PLAIN:
        return rest
    if form in _DICTIONARIES:
        return zlib.decompressobj(-READ_WINDOW_BITS, _DICTIONARIES[form]).decompress(rest)
    raise LastingOutage(f"A stored value has the form {form.hex()}, which a newer version has written.")


def content_hash(content: bytes) -> bytes:
    """Return the name under which a large value is kept."""
    return hashlib.sha256(content).digest()
