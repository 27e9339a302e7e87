"""How the trace events of one turn stand in one row."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from storage.frames import expand, squeeze
from storage.turn_end import TraceRow

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(tuple[TraceRow, ...])


def pack_events(events: Sequence[TraceRow]) -> bytes:
    """Return the events of one turn as one value."""
    return squeeze(_ENCODER.encode(events))


def unpack_events(packed: bytes) -> tuple[TraceRow, ...]:
    """Return the events of a value that `pack_events` made."""
    return _DECODER.decode(expand(packed))
