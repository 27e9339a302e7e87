"""What stands in a session's journal: one record per fact, with what a replay needs to compare.

A record is JSON: the schema version, the engine version, the fact, the hashes of the effects that the step asked for,
and, on the first record of a turn, which request opened it. A record without a fact is a note of the shell (a turn was
taken up again on another host); the fold passes over it.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct, field

from engine import AnyFact

RECORD_SCHEMA = 1


class TurnOpening(Struct, frozen=True, omit_defaults=True):
    """The request behind a turn, so that a host that takes the turn up knows whom it answers.

    Attributes:
        kind: `begin`: the session's own start, before any message; `resume`: an answer from outside.
        message_id: Of the reply.
    """

    kind: Literal["begin", "user", "resume"]
    message_id: str = ""
    key: str = ""
    request_hash: str = ""


class Record(Struct, frozen=True, omit_defaults=True):
    """One entry of the journal.

    Attributes:
        asked: Effect id -> request hash of every effect the step asked for.
        attempt: Of a note: which attempt at the turn begins here; 0 on records with a fact.
        ended: A note that the session is over, and why.
        reset: A note that the session starts again: the fold forgets what came before.
    """

    engine: str
    fact: AnyFact | None = None
    asked: dict[str, str] = field(default_factory=dict)
    opens: TurnOpening | None = None
    attempt: int = 0
    reset: bool = False
    ended: str = ""
    v: int = RECORD_SCHEMA


class UnknownSchema(Exception):
    """The record was written by a version that this one cannot read."""


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Record)


def encode_record(record: Record) -> bytes:
    """Return the bytes that stand in the journal."""
    return _ENCODER.encode(record)


def decode_record(raw: bytes) -> Record:
    """Return the record in these bytes.

    Raises:
        UnknownSchema: It is of a newer schema or none at all.
    """
    try:
        record = _DECODER.decode(raw)
    except msgspec.DecodeError as error:
        raise UnknownSchema(f"a journal record cannot be read: {error}") from error
    if record.v > RECORD_SCHEMA:
        raise UnknownSchema(f"a journal record has schema {record.v}; this version reads up to {RECORD_SCHEMA}")
    return record
