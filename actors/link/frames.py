"""The frames of a link: a length, a kind, a call number and a payload; and how a growing buffer is cut into them.

Format: little-endian uint32 length of what follows, uint8 kind, uint64 call number, payload. One connection carries
many calls at once; the caller chooses the numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

_HEAD = struct.Struct("<IBQ")
_LENGTH = struct.Struct("<I")
_KIND_AND_NUMBER_BYTES = _HEAD.size - _LENGTH.size

MAX_FRAME_BYTES = 32 * 1024 * 1024
"""A longer frame is a fault of the peer; the connection is closed."""


class FrameKind(IntEnum):
    """What a frame carries."""

    HELLO = 1
    CALL = 2
    EVENT = 3
    ANSWER = 4
    CANCEL = 5


class Frame(NamedTuple):
    """One frame, its payload not yet decoded."""

    kind: FrameKind
    number: int
    payload: bytes


class BrokenFrame(Exception):
    """The peer sent what is no frame of this protocol."""


def frame(kind: FrameKind, number: int, payload: bytes = b"") -> bytes:
    """Return the bytes of one frame.

    Raises:
        BrokenFrame: The payload is larger than a frame may be.
    """
    if len(payload) + _KIND_AND_NUMBER_BYTES > MAX_FRAME_BYTES:
        raise BrokenFrame(f"a payload of {len(payload)} bytes does not fit into a frame")
    return _HEAD.pack(len(payload) + _KIND_AND_NUMBER_BYTES, kind, number) + payload


class FrameReader:
    """Cuts what arrives into frames; keeps the incomplete rest."""

    __slots__ = ("_buffer",)

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, arrived: bytes) -> Iterator[Frame]:
        """Yield the frames that are complete now.

        Raises:
            BrokenFrame: The length or the kind cannot be right.
        """
        buffer = self._buffer
        buffer += arrived
        start = 0
        while len(buffer) - start >= _HEAD.size:
            length, kind, number = _HEAD.unpack_from(buffer, start)
            if not _KIND_AND_NUMBER_BYTES <= length <= MAX_FRAME_BYTES:
                raise BrokenFrame(f"a frame of {length} bytes")
            end = start + _LENGTH.size + length
            if len(buffer) < end:
                break
            try:
                known = FrameKind(kind)
            except ValueError as error:
                raise BrokenFrame(f"a frame of kind {kind}") from error
            payload = bytes(buffer[start + _HEAD.size : end])
            start = end
            yield Frame(known, number, payload)
        if start:
            del buffer[:start]
