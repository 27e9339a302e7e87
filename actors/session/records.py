"""What stands in a session's journal: one record per fact, with what a replay needs to compare.

A record is JSON: the schema version, the engine version, the fact, the hashes of the effects that the step asked for,
and, on the first record of a turn, which request opened it. A record without a fact is a note of the shell (a turn was
taken up again on another host); the fold passes over it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec
from msgspec import Struct, field

from domain.json_values import JsonObject
from domain.traces import TraceEvent
from engine import AnyFact, Effect

RECORD_SCHEMA = 1
OWN_KEY = "own:"
"""Begins the idempotency keys that are made for requests that bring none. Nothing is stored under them: the ids of the
messages are made from the key, and tell whether a turn has been."""
HASH_CHARS = 12
"""How much of a request's hash is kept: 48 bits tell a divergence as well as all of them."""


class TurnOpening(Struct, frozen=True, omit_defaults=True):
    """The request behind a turn, so that a host that takes the turn up knows whom it answers.

    Attributes:
        kind: `begin`: the session's own start, before any message; `resume`: an answer from outside.
        message_id: Of the reply.
        key, request_hash: Of a request that brought an idempotency key.
        client_message_id: The id that its page gave the message.
    """

    kind: Literal["begin", "user", "resume"]
    message_id: str = ""
    key: str = ""
    request_hash: str = ""
    client_message_id: str = ""


class Record(Struct, frozen=True, omit_defaults=True):
    """One entry of the journal.

    Attributes:
        asked: Effect id -> beginning of the request hash of every effect the step asked for.
        attempt: Of a note: which attempt at the turn begins here; 0 on records with a fact.
        ended: A note that the session is over, and why.
        reset: A note that the session starts again: the fold forgets what came before.
        event: The trace event of such a note.
        stores: A note that memory stores were set from outside: name -> content, None for those that were removed.
    """

    engine: str
    fact: AnyFact | None = None
    asked: dict[str, str] = field(default_factory=dict)
    opens: TurnOpening | None = None
    attempt: int = 0
    reset: bool = False
    event: TraceEvent | None = None
    ended: str = ""
    stores: JsonObject = field(default_factory=dict)
    v: int = RECORD_SCHEMA


class UnknownSchema(Exception):
    """The record was written by a version that this one cannot read."""


def asked_of(effects: Iterable[Effect]) -> dict[str, str]:
    """Return effect id -> kept hash of what each effect asks."""
    return {one.id: one.request_hash[:HASH_CHARS] for one in effects if one.request_hash}


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
