"""State <-> bytes at the end of a turn: a short cut for the fold, never the truth.

Beside the engine's state it carries what the shell counts: how far the output is numbered. A snapshot of a newer schema
is refused; one of another engine version is read, because an upgraded engine starts from it instead of the old facts.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from actors.session.kept import KeptTurn
from engine import ENGINE_VERSION, SessionState, decode_state, encode_state

SNAPSHOT_SCHEMA = 1


class UnreadableSnapshot(Exception):
    """The snapshot was written by a version that this one cannot read."""


class Snapshot(Struct, frozen=True, omit_defaults=True):
    """What stands at the end of a turn.

    Attributes:
        state: The engine's state, JSON as the engine wrote it; null for a session that has not begun.
        last_seq: The number of the last output event.
        messages, traces: Lines of the transcript and trace events so far.
        last: The last turn, so that its output can be told again.
    """

    engine: str
    state: msgspec.Raw
    last_seq: int = 0
    messages: int = 0
    traces: int = 0
    last: KeptTurn | None = None
    v: int = SNAPSHOT_SCHEMA


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Snapshot)


def encode_snapshot(
    state: SessionState | None, last_seq: int, messages: int, traces: int, last: KeptTurn | None = None
) -> bytes:
    """Return the bytes of a snapshot; equal states give equal bytes, None is a session that has not begun."""
    written = b"null" if state is None else encode_state(state)
    return _ENCODER.encode(
        Snapshot(
            engine=ENGINE_VERSION,
            state=msgspec.Raw(written),
            last_seq=last_seq,
            messages=messages,
            traces=traces,
            last=last,
        )
    )


class Waking(Struct, frozen=True):
    """What a snapshot gives back."""

    state: SessionState | None
    last_seq: int
    messages: int
    traces: int
    last: KeptTurn | None = None


def decode_snapshot(raw: bytes) -> Waking:
    """Return the state and what the shell counts.

    Raises:
        UnreadableSnapshot: The bytes are of a newer schema or none at all.
    """
    try:
        snapshot = _DECODER.decode(raw)
        if snapshot.v > SNAPSHOT_SCHEMA:
            raise UnreadableSnapshot(f"a snapshot has schema {snapshot.v}; this version reads up to {SNAPSHOT_SCHEMA}")
        written = bytes(snapshot.state)
        state = None if written == b"null" else decode_state(written)
    except msgspec.MsgspecError as error:
        raise UnreadableSnapshot(f"a snapshot cannot be read: {error}") from error
    return Waking(state, snapshot.last_seq, snapshot.messages, snapshot.traces, snapshot.last)
