"""How what belongs to one turn stands in one value: its trace events, and what its lines have beside their texts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from storage.frames import expand, squeeze
from storage.turn_end import TraceRow, TurnEnd

_JSON = msgspec.json.Encoder()
_EVENTS = msgspec.json.Decoder(tuple[TraceRow, ...])
_ENCODER = msgspec.msgpack.Encoder()


class Details(Struct, frozen=True, array_like=True):
    """What the two lines of a turn have beside their texts. Stored by position: fields are only ever added, at the end.

    Attributes:
        spoke, answered: The `extra` of the two lines; empty for none.
        beside: Of the turn itself, see `TurnEnd.beside`.
        message, reply: The texts of the two lines; rows of earlier versions have them in columns of their own.
    """

    spoke: bytes = b""
    answered: bytes = b""
    beside: bytes = b""
    message: str = ""
    reply: str = ""


NO_DETAILS = Details()
NOTHING = b""
_DETAILS = msgspec.msgpack.Decoder(Details)


def pack_events(events: Sequence[TraceRow]) -> bytes:
    """Return the events of one turn as one value."""
    return squeeze(_JSON.encode(events))


def unpack_events(packed: bytes) -> tuple[TraceRow, ...]:
    """Return the events of a value that `pack_events` made."""
    return _EVENTS.decode(expand(packed))


def pack_details(end: TurnEnd) -> bytes | None:
    """Return the details of a turn as one value; None when there are none."""
    spoke = end.spoke.extra or b"" if end.spoke is not None else b""
    answered = end.answered.extra or b"" if end.answered is not None else b""
    message = end.spoke.content if end.spoke is not None else ""
    reply = end.answered.content if end.answered is not None else ""
    details = Details(spoke, answered, end.beside, message, reply)
    return squeeze(_ENCODER.encode(details)) if details != NO_DETAILS else None


def unpack_details(packed: bytes) -> Details:
    """Return the details of a value that `pack_details` made, of `NOTHING` for a turn that has none."""
    return _DETAILS.decode(expand(packed)) if packed else NO_DETAILS
