"""A session that is awake: its pin, its state, how far its journal is written, and its output."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from actors.session.records import Record, TurnOpening, encode_record
from actors.session.store import SessionPin, SessionStore, TurnCommit
from actors.session.stream import OutputStream
from engine import ENGINE_VERSION, AnyFact, Effect, Program, SessionState


@dataclass(slots=True)
class LiveSession:
    """Everything a host holds of one session.

    Attributes:
        epoch: Of the host's lease when the session woke; every write carries it.
        state: None before the first fact.
        seq: The last sequence number of the journal that is known to be written.
        messages, traces: Lines of the transcript and trace events so far.
        is_ahead: The state holds facts of a turn that is not committed.
        unwritten: Records that follow it.
    """

    pin: SessionPin
    program: Program
    store: SessionStore
    epoch: int
    state: SessionState | None = None
    seq: int = 0
    status: str = "active"
    end_reason: str = ""
    messages: int = 0
    traces: int = 0
    stream: OutputStream = field(default_factory=OutputStream)
    is_ahead: bool = False
    unwritten: list[bytes] = field(default_factory=list)
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def note(self, fact: AnyFact, asked: tuple[Effect, ...], opens: TurnOpening | None) -> None:
        """Put the record of one step behind the unwritten ones."""
        self.is_ahead = True
        hashes = {one.id: one.request_hash for one in asked if one.request_hash}
        self.unwritten.append(encode_record(Record(engine=ENGINE_VERSION, fact=fact, asked=hashes, opens=opens)))

    def note_reset(self) -> None:
        """Put the note that the session starts again behind the unwritten records."""
        self.unwritten.append(encode_record(Record(engine=ENGINE_VERSION, reset=True)))

    def note_end(self, reason: str) -> None:
        """Put the note that the session is over behind the unwritten records."""
        self.unwritten.append(encode_record(Record(engine=ENGINE_VERSION, ended=reason)))

    def note_attempt(self, attempt: int) -> None:
        """Put the note that a turn is taken up again behind the unwritten records."""
        self.unwritten.append(encode_record(Record(engine=ENGINE_VERSION, attempt=attempt)))

    async def write(self, end: TurnCommit | None = None) -> None:
        """Make the unwritten records durable, together with what ends the turn.

        Raises:
            SessionMoved: This host owns the session no longer.
            StoreLost: The store stayed away.
        """
        async with self.writing:
            records = self.unwritten
            if not records:
                return
            self.unwritten = []
            self.seq = await self.store.append(self.pin, self.epoch, records, expect_seq=self.seq, end=end)
            self.is_ahead = self.is_ahead and end is None
