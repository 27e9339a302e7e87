"""Sessions without a database: a store of lists, a performer from a table, and small programs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import msgspec

from abl.project import Project, compile_project
from actors.messages import DelegateTask, RunTurn
from actors.runtime import ChatTurn
from actors.session.body import SessionBody
from actors.session.driver import Performer
from actors.session.services import Chosen, Services
from actors.session.store import (
    CallbackTicket,
    ClosedTask,
    KnownTurn,
    SessionMoved,
    SessionPin,
    Stored,
    StoreLost,
    TurnCommit,
    WaitingCallback,
    WantedTask,
)
from domain.clock import CountingIds, FixedClock, iso_ms
from domain.tool_calls import ToolResult
from engine import CallTool, MemoryRead, MemoryWritten, Program, ReadMemory, ToolReturned, WriteMemory
from storage.turn_end import MessageRow, SaidTurn

LEDGER = """\
AGENT: Ledger
GOAL: "Write orders down"
MESSAGES:
  error_outcome_unknown: "unknown {{order}}"

TOOLS:
  note_keyed(order: string) -> {order: string}
    description: "May be repeated"
    side_effects: false
    type: http
    endpoint: "https://ledger.example/keyed"
    method: POST

  note_unkeyed(order: string) -> {order: string}
    description: "May not be repeated"
    side_effects: true
    type: http
    endpoint: "https://ledger.example/unkeyed"
    method: POST

MEMORY:
  session:
    - NAME: order
      TYPE: string
      INITIAL: ""

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - IF: input CONTAINS "unkeyed"
        SET: order = input
        THEN: write_unkeyed
      - IF: input CONTAINS "keyed"
        SET: order = input
        THEN: write_keyed
      - ELSE:
        RESPOND: "heard {{input}}"
        THEN: listen

  write_keyed:
    REASONING: false
    CALL: note_keyed(order)
      AS: noted
    ON_SUCCESS:
      RESPOND: "noted {{order}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "unknown {{order}}"
      THEN: listen

  write_unkeyed:
    REASONING: false
    CALL: note_unkeyed(order)
      AS: noted
    ON_SUCCESS:
      RESPOND: "noted {{order}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "unknown {{order}}"
      THEN: listen
"""
TENANT, PROJECT, SESSION = "ten_a", "c" + "p" * 24, "sess_1"
PIN = SessionPin(
    tenant_id=TENANT,
    project_id=PROJECT,
    session_id=SESSION,
    runtime_session_id="c1",
    program_id="prog_1",
    entry_agent="Ledger",
)


def a_program(text: str = LEDGER) -> Program:
    """Return the program of one ABL text."""
    return Program(compile_project(Project.from_files({"a.abl": text})).output)


@dataclass
class MemoryStore:
    """A store of lists. Satisfies `SessionStore`; `epoch` is the host's, `owner_epoch` who may write."""

    pins: dict[str, SessionPin] = field(default_factory=dict)
    status: dict[str, str] = field(default_factory=dict)
    journals: dict[str, list[bytes]] = field(default_factory=dict)
    snapshots: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    turns: dict[tuple[str, str], KnownTurn] = field(default_factory=dict)
    commits: list[TurnCommit] = field(default_factory=list)
    said: list[SaidTurn] = field(default_factory=list)
    owner_epoch: dict[str, int] = field(default_factory=dict)
    epoch: int = 1
    fails: int = 0
    traces: dict[tuple[str, int], list[dict[str, object]]] = field(default_factory=dict)
    stores: dict[tuple[str, str], dict[str, object]] = field(default_factory=dict)
    kept_stores: list[dict[str, object]] = field(default_factory=list)
    timers: list[tuple[str, float]] = field(default_factory=list)
    work: dict[str, DelegateTask] = field(default_factory=dict)
    opened: dict[str, WantedTask] = field(default_factory=dict)
    answers: dict[str, dict[str, object]] = field(default_factory=dict)
    expired: set[str] = field(default_factory=set)
    resolved: dict[str, dict[str, object]] = field(default_factory=dict)
    closed: list[tuple[str, bool]] = field(default_factory=list)
    before_append: Callable[[TurnCommit | None], Awaitable[None]] | None = None

    async def wake(self, tenant_id: str, session_id: str) -> tuple[int, Stored] | None:
        stored = await self.load(tenant_id, session_id)
        if stored is None:
            return None
        before, self.owner_epoch[session_id] = self.owner_epoch[session_id], self.epoch
        return self.epoch, msgspec.structs.replace(stored, is_taken_over=before != self.epoch)

    async def load(self, tenant_id: str, session_id: str) -> Stored | None:
        pin = self.pins.get(session_id)
        if pin is None:
            return None
        journal = self.journals[session_id]
        after, snapshot = self.snapshots.get(session_id, (0, None))
        records = tuple((seq, raw) for seq, raw in enumerate(journal, 1) if seq > after)
        return Stored(
            pin=pin,
            status=self.status[session_id],
            end_reason="",
            snapshot=snapshot,
            records=records,
            seq=len(journal),
        )

    async def create(self, pin: SessionPin, *, reopens: bool = False) -> int:
        if pin.session_id in self.pins:
            raise SessionMoved
        self.pins[pin.session_id] = pin
        self.status[pin.session_id] = "active"
        self.journals[pin.session_id] = []
        self.owner_epoch[pin.session_id] = self.epoch
        return self.epoch

    async def discard(self, pin: SessionPin, epoch: int, key: str = "") -> bool:
        if epoch != self.owner_epoch[pin.session_id]:
            raise SessionMoved
        for part in (self.pins, self.status, self.journals, self.owner_epoch, self.snapshots):
            part.pop(pin.session_id, None)
        return True

    async def append(
        self,
        pin: SessionPin,
        epoch: int,
        records: list[bytes],
        *,
        expect_seq: int,
        end: TurnCommit | None = None,
        stores: dict[str, object] | None = None,
    ) -> int:
        if self.before_append is not None:
            await self.before_append(end)
        if self.fails:
            self.fails -= 1
            raise StoreLost
        journal = self.journals[pin.session_id]
        if epoch != self.owner_epoch[pin.session_id] or expect_seq != len(journal):
            raise SessionMoved
        journal.extend(records)
        self._keep_stores(pin, stores or {})
        if end is not None:
            if end.closes_waits:
                self.closed.append(("", False))
            self.commits.append(end)
            if end.transcript:
                self.said.append(said_turn(len(journal), end))
            self.snapshots[pin.session_id] = (len(journal), end.snapshot)
            if end.traces:
                self.traces[pin.session_id, len(journal)] = msgspec.json.decode(msgspec.json.encode(end.traces))
            if end.key:
                self.turns[pin.session_id, end.key] = KnownTurn(end.request_hash, end.reply)
            if end.activity.end_reason:
                self.status[pin.session_id] = "ended"
            if end.revived:
                self.pins[pin.session_id] = msgspec.structs.replace(pin, runtime_session_id=end.revived)
                self.status[pin.session_id] = "active"
                for known in [known for known in self.stores if known[0] == pin.session_id]:
                    del self.stores[known]
        return len(journal)

    async def known_turn(self, pin: SessionPin, key: str) -> KnownTurn | None:
        return self.turns.get((pin.session_id, key))

    async def link_contact(self, pin: SessionPin, epoch: int, contact_id: str) -> None:
        self.pins[pin.session_id] = msgspec.structs.replace(self.pins[pin.session_id], contact_id=contact_id)

    async def open_callback(
        self, pin: SessionPin, *, suspension_id: str, agent: str, tool: str, expires_s: float | None
    ) -> CallbackTicket:
        return CallbackTicket(f"cb_{suspension_id}", "https://here.example", "secret", "2026-03-03T09:00:00.000Z")

    async def callback(self, callback_id: str) -> WaitingCallback | None:
        runtime_id = next(iter(self.pins.values())).runtime_session_id
        status = "expired" if callback_id in self.expired else "processed"
        return WaitingCallback(
            runtime_id, callback_id.removeprefix("cb_"), status, dict(self.answers.get(callback_id, {}))
        )

    async def line(self, pin: SessionPin, message_id: str) -> MessageRow | None:
        lines = [line for commit in self.commits for line in commit.transcript]
        return next((line for line in lines if line.message_id == message_id), None)

    async def said_turn(self, pin: SessionPin, message_id: str) -> SaidTurn | None:
        turns = (turn for turn in self.said[::-1] if any(line.message_id == message_id for line in turn.lines))
        return next(turns, None)

    async def said_turns(self, pin: SessionPin, before: int | None, limit: int) -> tuple[SaidTurn, ...]:
        return tuple(turn for turn in self.said[::-1] if before is None or turn.seq < before)[:limit]

    async def trace_events(self, pin: SessionPin, fact_seq: int) -> list[dict[str, object]]:
        return self.traces.get((pin.session_id, fact_seq), [])

    async def start_timer(self, pin: SessionPin, epoch: int, effect_id: str, delay_s: float) -> None:
        if (effect_id, delay_s) not in self.timers:
            self.timers.append((effect_id, delay_s))

    async def start_work(self, pin: SessionPin, epoch: int, suspension_id: str, work: DelegateTask) -> None:
        self.work[suspension_id] = work

    async def open_task(self, pin: SessionPin, wanted: WantedTask) -> str:
        self.opened[wanted.suspension_id] = wanted
        return f"ht_{wanted.suspension_id}"

    async def task(self, pin: SessionPin, task_id: str) -> ClosedTask | None:
        suspension_id = task_id.removeprefix("ht_")
        resolution = self.resolved.get(task_id)
        wanted = self.opened.get(suspension_id)
        if resolution is None or wanted is None:
            return None
        return ClosedTask(pin.runtime_session_id, suspension_id, wanted.task_type, "completed", dict(resolution))

    async def close_waits(self, pin: SessionPin, epoch: int, suspension_id: str = "", *, expired: bool = False) -> None:
        self.closed.append((suspension_id, expired))

    async def read_store(self, pin: SessionPin, name: str) -> dict[str, object]:
        return self.stores.get((pin.session_id, name), {})

    async def store_names(self, pin: SessionPin) -> frozenset[str]:
        return frozenset(name for session_id, name in self.stores if session_id == pin.session_id)

    def _keep_stores(self, pin: SessionPin, stores: dict[str, object]) -> None:
        if stores:
            self.kept_stores.append(dict(stores))
        for name, content in stores.items():
            if content is None:
                self.stores.pop((pin.session_id, name), None)
            else:
                self.stores[pin.session_id, name] = content

    @property
    def transcript(self) -> list[tuple[str, str]]:
        return [(line.role, line.content) for commit in self.commits for line in commit.transcript]


def said_turn(seq: int, end: TurnCommit) -> SaidTurn:
    """Return a turn as the transcript has it."""
    spoke = next((line for line in end.transcript if line.role == "user"), None)
    answered = next((line for line in end.transcript if line.role == "assistant"), None)
    first = end.transcript[0].seq
    return SaidTurn(seq=seq, turn=end.number, first_line=first, spoke=spoke, answered=answered, beside=end.beside)


@dataclass
class TablePerformer:
    """Performs tool calls by writing them down. Satisfies `Performer`; `hold` keeps them from ending."""

    clock: FixedClock
    calls: list[str] = field(default_factory=list)
    hold: asyncio.Event | None = None
    started: asyncio.Event = field(default_factory=asyncio.Event)

    async def perform(self, effect, live, output):
        at = iso_ms(self.clock.now())
        match effect:
            case CallTool():
                self.calls.append(f"{effect.tool}:{effect.arguments['order']}:{effect.id}")
                self.started.set()
                if self.hold is not None:
                    await self.hold.wait()
                return ToolReturned(at=at, effect_id=effect.id, result=ToolResult(ok=True, value={"order": "x"}))
            case ReadMemory():
                return MemoryRead(at=at, effect_id=effect.id)
            case WriteMemory():
                return MemoryWritten(at=at, effect_id=effect.id)
        return None


@dataclass
class OneProgram:
    """Programs of which there is one. Satisfies `Programs`."""

    program: Program

    async def get(self, tenant_id: str, project_id: str, program_id: str) -> Program:
        return self.program

    async def choose(self, tenant_id, project_id, *, deployment_id, environment, agent) -> Chosen:
        return Chosen("prog_1", agent or self.program.entry_agent, "working-copy")

    async def check_goes_on(self, tenant_id: str, project_id: str, deployment_id: str) -> None:
        """Nothing is ever retired."""

    async def environment(self, pin: SessionPin) -> dict[str, object]:
        return {}


PROGRAM = a_program()


def some_services(store: MemoryStore, performer: Performer | None = None, text: str = "") -> Services:
    """Return services over a store of lists."""
    clock = FixedClock()
    program = a_program(text) if text else PROGRAM
    return Services(
        store, performer or TablePerformer(clock), OneProgram(program), clock, CountingIds(), has_model=False
    )


def a_body(store: MemoryStore, performer: Performer | None = None) -> SessionBody:
    """Return the body of the one session, asleep."""
    return SessionBody(TENANT, SESSION, some_services(store, performer))


def a_turn(text: str, key: str = "", **more: object) -> RunTurn:
    """Return a user's message for the one session."""
    turn = ChatTurn(
        tenant_id=TENANT,
        project_id=PROJECT,
        message=text,
        session_id=SESSION,
        idempotency_key=key,
        request_hash=text,
        **more,
    )
    return RunTurn(turn=turn, new=True)
