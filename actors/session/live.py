"""A session that is awake: its pin, its state, how far its journal is written, and its output.

While nothing happens it can doze: state and last turn are then a few squeezed bytes, unpacked when they are needed.
"""

from __future__ import annotations

import zlib
from sys import intern

import msgspec

from actors.session.kept import KeptTurn
from actors.session.records import Record, TurnOpening, asked_of, encode_record
from actors.session.snapshot import decode_snapshot, encode_snapshot
from actors.session.store import SessionPin, SessionStore, TurnCommit
from actors.session.stream import OutputStream
from domain.errors import InvalidInput
from domain.json_values import JsonObject
from domain.traces import TraceEvent
from engine import ENGINE_VERSION, AnyFact, Effect, Program, SessionState, ToolReturned

DOZE_LEVEL = 1
MAX_KEYS = 2_000
"""Idempotency keys remembered for one session; with more of them the store is asked."""
NO_STORES: JsonObject = {}
SHARED_NAMES = ("tenant_id", "project_id", "program_id", "entry_agent", "channel", "transport", "environment")
"""Texts of a pin that thousands of sessions have in common."""


class LiveSession:
    """Everything a host holds of one session.

    Attributes:
        epoch: Of the host's lease when the session woke; every write carries it.
        state: None before the first fact.
        last: The last turn; None before the first one.
        seq: The last sequence number of the journal that is known to be written.
        messages, traces: Lines of the transcript and trace events so far.
        is_ahead: The state holds facts of a turn that is not committed.
        unwritten: Records that follow it.
        is_new: It was made when it woke here.
        acted_in: The last turn that has asked for something that changes the world; -1 when none has.
        stores: Memory stores that the unwritten records set, by name; None removes one.
        keys: Hashes of the idempotency keys of all turns there have been; None when not all of them are known.
    """

    __slots__ = (
        "_dozing",
        "_last",
        "_state",
        "acted_in",
        "end_reason",
        "epoch",
        "is_ahead",
        "is_new",
        "keys",
        "messages",
        "pin",
        "program",
        "seq",
        "status",
        "store",
        "stores",
        "stream",
        "traces",
        "unwritten",
    )

    def __init__(
        self,
        pin: SessionPin,
        program: Program,
        store: SessionStore,
        epoch: int,
        *,
        status: str = "active",
        end_reason: str = "",
        is_new: bool = False,
    ) -> None:
        self.pin = _shared(pin)
        self.program = program
        self.store = store
        self.epoch = epoch
        self.status = status
        self.end_reason = end_reason
        self.seq = 0
        self.messages = 0
        self.traces = 0
        self.stream = OutputStream()
        self.is_ahead = False
        self.is_new = is_new
        self.acted_in = -1
        self.stores = NO_STORES
        self.unwritten: list[bytes] = []
        self.keys: set[int] | None = set() if is_new else None
        self._state: SessionState | None = None
        self._last: KeptTurn | None = None
        self._dozing = b""

    @property
    def state(self) -> SessionState | None:
        """The engine's state."""
        if self._dozing:
            self._unpack()
        return self._state

    @state.setter
    def state(self, state: SessionState | None) -> None:
        if self._dozing:
            self._unpack()
        self._state = state

    @property
    def last(self) -> KeptTurn | None:
        """The last turn."""
        if self._dozing:
            self._unpack()
        return self._last

    @last.setter
    def last(self, last: KeptTurn | None) -> None:
        if self._dozing:
            self._unpack()
        self._last = last

    @property
    def next_turn(self) -> int:
        """The number of the turn that begins next."""
        return (self.state.turn_number if self.state is not None else 0) + 1

    def snapshot(self, last: KeptTurn | None = None) -> bytes:
        """Return the bytes of the session as it stands, for its next waking."""
        return encode_snapshot(self.state, self.stream.last_seq, self.messages, self.traces, last or self.last)

    @property
    def is_dozing(self) -> bool:
        """Whether the session is packed."""
        return bool(self._dozing)

    def doze(self) -> None:
        """Take as little room as possible until something happens; a session with unwritten facts does not doze."""
        self.stream.forget()
        if self._dozing or self.is_ahead or self.unwritten:
            return
        self._dozing = zlib.compress(self.snapshot(), DOZE_LEVEL)
        self._state = self._last = None

    def _unpack(self) -> None:
        found = decode_snapshot(zlib.decompress(self._dozing))
        self._dozing = b""
        self._state, self._last = found.state, found.last

    def knows_key(self, key: str) -> bool:
        """Return whether a turn with this key may have been; never False when there was one."""
        return self.keys is None or hash(key) in self.keys

    def remember_key(self, key: str) -> None:
        """A turn with this key has been."""
        if self.keys is not None:
            self.keys.add(hash(key))
            if len(self.keys) > MAX_KEYS:
                self.keys = None

    def note(self, fact: AnyFact, asked: tuple[Effect, ...], opens: TurnOpening | None) -> None:
        """Put the record of one step behind the unwritten ones."""
        self.is_ahead = True
        record = Record(engine=ENGINE_VERSION, fact=fact, asked=asked_of(asked), opens=opens)
        self.unwritten.append(encode_record(record))
        if isinstance(fact, ToolReturned):
            self.stores = {**self.stores, **fact.result.stores} if fact.result.stores else self.stores

    def note_reset(self, event: TraceEvent) -> None:
        """Put the note that the session starts again behind the unwritten records."""
        self.stores = NO_STORES
        self.unwritten.append(encode_record(Record(engine=ENGINE_VERSION, reset=True, event=event)))

    def note_end(self, reason: str) -> None:
        """Put the note that the session is over behind the unwritten records."""
        self.unwritten.append(encode_record(Record(engine=ENGINE_VERSION, ended=reason)))

    def note_stores(self, stores: JsonObject) -> None:
        """Put the note that memory stores were set from outside behind the unwritten records."""
        self.unwritten.append(encode_record(Record(engine=ENGINE_VERSION, stores=stores)))
        self.stores = {**self.stores, **stores}

    def note_attempt(self, attempt: int) -> None:
        """Put the note which attempt at a turn this is behind the unwritten records."""
        self.unwritten.append(encode_record(Record(engine=ENGINE_VERSION, attempt=attempt)))

    async def write(self, end: TurnCommit | None = None) -> None:
        """Make the unwritten records durable, together with what ends the turn. One at a time: the turn waits for it.

        The memory stores that they set are set with them.

        Raises:
            SessionMoved: This host owns the session no longer.
            StoreLost: The store stayed away.
            InvalidInput: There is a value that cannot be stored; nothing is written.
        """
        records, stores = self.unwritten, self.stores
        if not records:
            return
        self.unwritten, self.stores = [], NO_STORES
        try:
            self.seq = await self.store.append(
                self.pin, self.epoch, records, expect_seq=self.seq, end=end, stores=stores
            )
        except InvalidInput:
            self.unwritten, self.stores = records, stores
            raise
        self.is_ahead = self.is_ahead and end is None


def _shared(pin: SessionPin) -> SessionPin:
    """Return a pin whose common texts are held once in the process."""
    return msgspec.structs.replace(pin, **{name: intern(getattr(pin, name)) for name in SHARED_NAMES})
