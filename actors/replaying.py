"""A session's journal folded again from its first record: do the same facts still lead to the same effects and state?

The hashes of what each step asked for are compared step by step, so a divergence is named where it begins. What was
projected from the log must follow from it again, byte by byte: the trace events, the replies of the transcript, the
state of the snapshot. No model and no tool is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec import Struct

from actors.programs import StoredPrograms
from actors.session.output import BETWEEN_TEXTS
from actors.session.records import HASH_CHARS, Record, asked_of, decode_record
from actors.session.snapshot import decode_snapshot, encode_snapshot
from actors.session.store import SessionPin
from domain.clock import parse_iso
from domain.errors import NotFound
from domain.traces import TraceEvent
from engine import ENGINE_VERSION, EndTurn, Program, SessionBegun, SessionState, Step, Trace, advance, begin
from storage.database import Database
from storage.journal import Head, Journal
from storage.partitions import NOW, first_week
from storage.repositories.accepted import AcceptedMessages
from storage.repositories.projects import Projects
from storage.repositories.sessions import SessionRecord, Sessions
from storage.repositories.traces import Traces
from storage.repositories.transcripts import ASSISTANT, Transcripts
from storage.statements import Statement
from storage.turn_end import MessageRow, TraceRow

ALL_SESSIONS = Statement("SELECT tenant_id, session_id FROM sessions ORDER BY tenant_id, session_id")
EVERYTHING = 1_000_000
"""More events or lines than one session has."""
BEGIN = "begin"
TRACE_DAYS = "traceRetentionDays"
"""The setting of a project that keeps traces shorter than the installation does."""

_JSON = msgspec.json.Encoder()


class Replayed(Struct, frozen=True, kw_only=True):
    """What folding a journal again has shown.

    Attributes:
        events: How many stored trace events were compared.
        difference: Where the two part for the first time; empty when they do not.
        is_older: It began before the journal is kept (`ABL_JOURNAL_DAYS`), so it cannot be folded from its beginning.
        engines: Versions of the engine that wrote the records, when they are not this one's.
        waiting: Messages that were acknowledged and not answered yet; whoever serves the session runs them.
    """

    session_id: str
    facts: int
    events: int = 0
    difference: str = ""
    is_older: bool = False
    engines: tuple[str, ...] = ()
    waiting: int = 0


class Differs(Exception):
    """The fold gives something else than what stands in the store."""


class _Fold:
    """A session as its journal gives it again, and what follows from it."""

    def __init__(self, program: Program) -> None:
        self.state: SessionState | None = None
        self.facts = 0
        self.engines: set[str] = set()
        self.events: list[TraceEvent] = []
        self.replies: list[str] = []
        self._program = program
        self._running: list[TraceEvent] = []
        self._opening = ""
        self._started = 0
        self._before = ""

    def take(self, seq: int, entry: Record) -> None:
        """Fold one record. Raises Differs."""
        if entry.engine != ENGINE_VERSION:
            self.engines.add(entry.engine)
        if entry.reset:
            self.state = None
            self._take_reset(entry.event)
        if entry.fact is None:
            return
        self.facts += 1
        if isinstance(entry.fact, SessionBegun):
            step = begin(self._program, entry.fact)
        elif self.state is None:
            raise Differs(f"{seq}: no SessionBegun before it")
        else:
            step = advance(self._program, self.state, entry.fact)
        self.state = step.state
        recorded = {name: text[:HASH_CHARS] for name, text in entry.asked.items()}
        asked = asked_of(step.effects)
        if asked != recorded:
            raise Differs(f"{seq}: {_first_difference(recorded, asked)}")
        self._project(entry, step)

    def _project(self, entry: Record, step: Step) -> None:
        """Keep what the end of a turn stores; a turn that was broken off stores nothing."""
        if entry.opens is not None:
            self._running, self._before = [], ""
            if self._opening == BEGIN and entry.opens.kind != BEGIN:
                self._take_back()
            self._opening, self._started = entry.opens.kind, len(self.events)
        self._running += [effect.event for effect in step.effects if isinstance(effect, Trace)]
        if step.end is not None:
            self._end(step.end)

    def _end(self, end: EndTurn) -> None:
        self.events += self._running
        self._running = []
        self.replies.append(BETWEEN_TEXTS.join(text for text in (self._before, end.reply) if text))
        self._before = ""

    def _take_reset(self, event: TraceEvent | None) -> None:
        """What a session does at its start stays its own once it was reset before anybody spoke."""
        self._opening = ""
        if event is not None:
            self.events.append(event)

    def _take_back(self) -> None:
        """What a session does at its start is stored together with the answer to the first message."""
        self._running = self.events[self._started :]
        del self.events[self._started :]
        if self.replies:
            self._before = self.replies.pop()


class Replayer:
    """Folds journals again."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._journal = Journal(database)
        self._sessions = Sessions(database)
        self._traces = Traces(database)
        self._transcripts = Transcripts(database)
        self._programs = StoredPrograms(database, {})
        self._projects = Projects(database)
        self._accepted = AcceptedMessages(database)

    async def sessions(self) -> list[tuple[str, str]]:
        """Return tenant and id of every stored session."""
        rows = await self._database.rows(ALL_SESSIONS)
        return [(row["tenant_id"], row["session_id"]) for row in rows]

    async def find(self, session_id: str) -> tuple[str, str]:
        """Return tenant and id of one session. Raises NotFound."""
        found = [one for one in await self.sessions() if one[1] == session_id]
        if not found:
            raise NotFound(f"There is no session {session_id}")
        return found[0]

    async def replay(self, tenant_id: str, session_id: str) -> Replayed:
        """Fold one session again and compare."""
        record = await self._sessions.get(tenant_id, session_id)
        program_id = msgspec.convert(record.pin, SessionPin).program_id
        fold = _Fold(await self._programs.get(tenant_id, record.project_id, program_id))
        head = await self._journal.head(tenant_id, session_id)
        snapshot_seq = head.snapshot.seq if head is not None and head.snapshot is not None else 0
        records = [(seq, decode_record(raw)) for seq, raw in await self._journal.read(tenant_id, session_id)]
        waiting = await self._accepted.waiting(tenant_id, session_id)
        if not _has_beginning(records) and record.created_at < await self._kept_since("journal"):
            return Replayed(session_id=session_id, facts=0, is_older=True, waiting=waiting)
        at_snapshot: SessionState | None = None
        events_then, events, difference = 0, 0, ""
        try:
            if not records and snapshot_seq:
                raise Differs("its journal is not there")
            for seq, entry in records:
                fold.take(seq, entry)
                if seq == snapshot_seq:
                    at_snapshot, events_then = fold.state, len(fold.events)
            _compare_state(head, at_snapshot, events_then, has_ended=bool(fold.replies))
            events = await self._compare_events(tenant_id, record, fold.events)
            await self._compare_replies(tenant_id, session_id, fold.replies)
        except Differs as differs:
            difference = str(differs)
        return Replayed(
            session_id=session_id,
            facts=fold.facts,
            events=events,
            difference=difference,
            engines=tuple(sorted(fold.engines)),
            waiting=waiting,
        )

    async def _kept_since(self, table: str) -> datetime:
        async with self._database.connection() as connection:
            return await first_week(connection, table)

    async def _traces_kept_since(self, tenant_id: str, project_id: str) -> datetime:
        """Return from when on the traces of a session must be there: weeks go, and a project may keep them shorter."""
        weeks = await self._kept_since("traces")
        days = (await self._projects.get(tenant_id, project_id)).settings.get(TRACE_DAYS)
        return weeks if days is None else max(weeks, await self._database.value(NOW) - timedelta(days=days))

    async def _compare_events(self, tenant_id: str, record: SessionRecord, made: Sequence[TraceEvent]) -> int:
        """Compare the stored events, of which the oldest may be past their retention; return how many there are."""
        stored, _ = await self._traces.list(tenant_id, record.session_id, limit=EVERYTHING)
        for row in stored:
            again = trace_row(row.seq, made[row.seq - 1]) if row.seq <= len(made) else None
            if _JSON.encode(again) != _JSON.encode(row):
                raise Differs(f"trace event {row.seq} ({row.type}) is not the stored one")
        seqs = {row.seq for row in stored}
        lost = [seq for seq in range(1, len(made) + 1) if seq not in seqs]
        if lost and parse_iso(made[lost[-1] - 1].at) >= await self._traces_kept_since(tenant_id, record.project_id):
            raise Differs(f"there are {len(made)} trace events, and {len(stored)} were stored: {lost[-1]} is missing")
        return len(stored)

    async def _compare_replies(self, tenant_id: str, session_id: str, made: Sequence[str]) -> None:
        lines, _ = await self._transcripts.list(tenant_id, session_id, limit=EVERYTHING)
        stored = [line for line in lines if line.role == ASSISTANT and line.content]
        said = [text for text in made if text]
        told = [line.content for line in stored if not _is_cut(line)]
        if any(map(_is_cut, stored)):
            _compare_among(told, said)
        elif told != said:
            raise Differs("the replies are not those of the transcript")


def _has_beginning(records: Sequence[tuple[int, Record]]) -> bool:
    """Return whether the first fact is that of a session that begins."""
    first = next((entry.fact for _, entry in records if entry.fact is not None), None)
    return isinstance(first, SessionBegun)


def _is_cut(line: MessageRow) -> bool:
    """Whether a reply was interrupted: what a model had written of it until then is in no fact."""
    return line.extra is not None and bool(msgspec.json.decode(line.extra).get("interrupted"))


def _compare_among(told: Sequence[str], said: Sequence[str]) -> None:
    """Find every reply that was not interrupted among those of the fold, in their order. Raises Differs."""
    rest = iter(said)
    if not all(text in rest for text in told):
        raise Differs("the replies are not those of the transcript")


def trace_row(seq: int, event: TraceEvent) -> TraceRow:
    """Return a trace event as the end of its turn stores it."""
    return TraceRow(
        seq=seq,
        turn=event.turn,
        type=str(event.type),
        at=event.at,
        agent_name=event.agent,
        span_id=event.span,
        parent_span_id=event.parent_span,
        duration_ms=event.duration_ms,
        data=msgspec.to_builtins(event.data),
    )


def _compare_state(head: Head | None, at_snapshot: SessionState | None, traces: int, *, has_ended: bool) -> None:
    if head is None or head.snapshot is None:
        if has_ended:
            raise Differs("turns have ended, and no state is stored")
        return
    stored = decode_snapshot(head.snapshot.state)
    again = encode_snapshot(at_snapshot, stored.last_seq, stored.messages, traces, stored.last)
    if again != head.snapshot.state:
        raise Differs(f"{head.snapshot.seq}: the state is not the stored one")


def _first_difference(recorded: dict[str, str], now: dict[str, str]) -> str:
    for effect_id in sorted(recorded.keys() | now.keys()):
        if effect_id not in now:
            return f"effect {effect_id} was asked for and is not any more"
        if effect_id not in recorded:
            return f"effect {effect_id} is asked for and was not"
        if recorded[effect_id] != now[effect_id]:
            return f"effect {effect_id} asks for something else"
    return "the effects come in another order"
