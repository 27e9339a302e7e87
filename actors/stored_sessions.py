"""The store as one host's sessions see it, said with the tables of `storage`."""

from __future__ import annotations

import msgspec

from actors.archive import wire_event
from actors.callbacks import CallbackDesk
from actors.clocks import SystemClock
from actors.hosts.tenancy import Epoch
from actors.human_tasks import TaskDesk
from actors.memories import inheritance
from actors.messages import DelegateTask
from actors.session.announcing import started
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
from actors.suspensions import BETWEEN, callback_id_of
from actors.system_events import SystemEvents
from actors.webhooks import HookedProjects, emit
from domain.clock import parse_iso
from domain.errors import LastingOutage, NotFound, Overloaded, Unavailable
from domain.json_values import JsonObject
from storage.activation import Activations
from storage.beside import Beside
from storage.database import Database
from storage.errors import OwnedElsewhere, SequenceConflict, StaleEpoch, TurnRepeated
from storage.journal import Journal
from storage.leases import Leases
from storage.repositories.callbacks import WORK_JOB
from storage.repositories.jobs import Jobs
from storage.repositories.memory_stores import MemoryStores
from storage.repositories.sessions import NewSession, Sessions
from storage.repositories.traces import Traces
from storage.repositories.transcripts import Transcripts
from storage.repositories.turns import Turns
from storage.turn_end import KeyedReply, MessageRow, SaidTurn, TraceRow, TurnEnd

AWAY = (Unavailable, Overloaded)
TIMER_JOB = "session.timer"


class StoredSessions:
    """Satisfies `actors.session.store.SessionStore` for the host of one epoch."""

    def __init__(
        self,
        database: Database,
        journal: Journal,
        epoch: Epoch,
        desk: CallbackDesk,
        hooked: HookedProjects | None = None,
        system: SystemEvents | None = None,
    ) -> None:
        self._database = database
        self._hooked = hooked if hooked is not None else HookedProjects(database)
        self._journal = journal
        self._epoch = epoch
        self._desk = desk
        self._system = system
        self._activations = Activations(database)
        self._leases = Leases(database)
        self._sessions = Sessions(database)
        self._turns = Turns(database)
        self._transcripts = Transcripts(database)
        self._traces = Traces(database)
        self._stores = MemoryStores(database)
        self._jobs = Jobs(database)
        self._tasks = TaskDesk(database, SystemClock())

    async def wake(self, tenant_id: str, session_id: str) -> tuple[int, Stored] | None:
        """Make this host the session's owner; return the epoch to write under and what the store holds of it."""
        woken = await self._claim(tenant_id, session_id)
        if woken is not None:
            self._note(woken[1].pin)
        return woken

    async def _release(self, tenant_id: str, session_id: str, epoch: int) -> None:
        """Give back a session that cannot be read here; another host may have the key."""
        try:
            await self._leases.release_session(tenant_id, session_id, epoch)
        except AWAY as error:
            raise StoreLost from error

    def _note(self, pin: SessionPin) -> None:
        if self._system is not None:
            self._system.serves(pin)

    async def _claim(self, tenant_id: str, session_id: str) -> tuple[int, Stored] | None:
        epoch = self._epoch.value
        try:
            found = await self._activations.activate(tenant_id, session_id, epoch)
        except OwnedElsewhere as error:
            raise SessionMoved(error.host_id) from error
        except StaleEpoch as error:
            raise SessionMoved("") from error
        except NotFound:
            return None
        except LastingOutage as error:
            await self._release(tenant_id, session_id, epoch)
            raise StoreLost from error
        except AWAY as error:
            raise StoreLost from error
        stored = Stored(
            pin=msgspec.convert(found.pin, SessionPin),
            status=found.status,
            end_reason=found.end_reason,
            snapshot=found.snapshot.state if found.snapshot is not None else None,
            records=found.facts,
            seq=found.last_seq,
            is_taken_over=found.is_taken_over,
        )
        return epoch, stored

    async def load(self, tenant_id: str, session_id: str) -> Stored | None:
        """Return what the store holds of a session; None when there is none."""
        try:
            record = await self._sessions.find(tenant_id, session_id)
            head = await self._journal.head(tenant_id, session_id)
            if record is None or head is None:
                return None
            after = head.snapshot.seq if head.snapshot is not None else 0
            records = await self._journal.read(tenant_id, session_id, after) if head.last_seq > after else []
        except AWAY as error:
            raise StoreLost from error
        return Stored(
            pin=msgspec.convert(record.pin, SessionPin),
            status=record.status,
            end_reason=record.end_reason,
            snapshot=head.snapshot.state if head.snapshot is not None else None,
            records=tuple(records),
            seq=head.last_seq,
        )

    async def create(self, pin: SessionPin, *, reopens: bool = False) -> int:
        """Create the session's row, owned by this host, and return the epoch to write under. Raises NotFound."""
        epoch = self._epoch.value
        if self._system is not None:
            self._system.serves(pin)
        session = NewSession(
            session_id=pin.session_id,
            project_id=pin.project_id,
            runtime_session_id=pin.runtime_session_id,
            entry_agent_name=pin.entry_agent,
            pin=_pin(pin),
            channel=pin.channel,
            transport=pin.transport,
            environment=pin.environment,
            deployment_id=pin.deployment_id,
            contact_id=pin.contact_id,
            user_id=pin.user_id,
            parent_session_id=pin.parent_session_id,
            created_at=parse_iso(pin.created_at) if pin.created_at else None,
            reopens=reopens,
        )
        try:
            made = await self._create(pin, session, epoch)
        except AWAY as error:
            raise StoreLost from error
        if not made:
            raise SessionMoved("")
        return epoch

    async def _create(self, pin: SessionPin, session: NewSession, epoch: int) -> bool:
        news = started(pin)
        if not news or not await self._hooked.has(pin.tenant_id, pin.project_id):
            return await self._sessions.create(pin.tenant_id, session, epoch=epoch)
        async with self._database.transaction() as connection:
            made = await self._sessions.create_within(connection, pin.tenant_id, session, epoch=epoch)
            for one in news if made else ():
                await emit(connection, pin.tenant_id, pin.project_id, one.event, one.data)
        return made

    async def discard(self, pin: SessionPin, epoch: int, key: str = "") -> bool:
        """Remove a session that nothing was said in; return whether it is gone."""
        try:
            return await self._sessions.discard(pin.tenant_id, pin.session_id, epoch, key)
        except StaleEpoch as error:
            raise SessionMoved from error
        except AWAY as error:
            raise StoreLost from error

    async def append(
        self,
        pin: SessionPin,
        epoch: int,
        records: list[bytes],
        *,
        expect_seq: int,
        end: TurnCommit | None = None,
        stores: JsonObject | None = None,
    ) -> int:
        """Append records behind `expect_seq`, with what ends the turn and the memory stores that they set."""
        try:
            if end is not None and end.announced and not await self._hooked.has(pin.tenant_id, pin.project_id):
                end = msgspec.structs.replace(end, announced=())
            return await self._journal.append(
                pin.tenant_id,
                pin.session_id,
                epoch,
                records,
                expect_seq=expect_seq,
                turn=_turn_end(end) if end is not None else None,
                beside=_beside(pin, end, stores or {}),
            )
        except (StaleEpoch, SequenceConflict, TurnRepeated, NotFound) as error:
            raise SessionMoved from error
        except AWAY as error:
            raise StoreLost from error

    async def known_turn(self, pin: SessionPin, key: str) -> KnownTurn | None:
        """Return the turn that was ended under a key in the last 24 hours."""
        try:
            known = await self._turns.find(pin.tenant_id, pin.session_id, key)
        except AWAY as error:
            raise StoreLost from error
        return KnownTurn(known.request_hash, known.reply) if known is not None else None

    async def line(self, pin: SessionPin, message_id: str) -> MessageRow | None:
        """Return the line of the transcript with this id; None when there is none."""
        try:
            return await self._transcripts.find(pin.tenant_id, pin.session_id, message_id)
        except AWAY as error:
            raise StoreLost from error

    async def said_turn(self, pin: SessionPin, message_id: str) -> SaidTurn | None:
        """Return the newest turn of the transcript that has a line with this id; None when there is none."""
        try:
            return await self._transcripts.turn_of(pin.tenant_id, pin.session_id, message_id)
        except AWAY as error:
            raise StoreLost from error

    async def said_turns(self, pin: SessionPin, before: int | None, limit: int) -> tuple[SaidTurn, ...]:
        """Return turns of the transcript whose last record is below `before` (None: the last ones), newest first."""
        try:
            return await self._transcripts.turns(pin.tenant_id, pin.session_id, before, limit)
        except AWAY as error:
            raise StoreLost from error

    async def trace_events(self, pin: SessionPin, fact_seq: int) -> list[JsonObject]:
        """Return the trace events of the turn whose last record has this number, as they went over the wire."""
        try:
            rows = await self._traces.of_turn(pin.tenant_id, pin.session_id, fact_seq)
        except AWAY as error:
            raise StoreLost from error
        return [wire_event(pin.session_id, row) for row in rows]

    async def start_timer(self, pin: SessionPin, epoch: int, effect_id: str, delay_s: float) -> None:
        """Have the session told after a while, whatever happens to this host; asking again changes nothing."""
        payload = {
            "session_id": pin.session_id,
            "runtime_session_id": pin.runtime_session_id,
            "effect_id": effect_id,
        }
        await self._enqueue(pin, epoch, TIMER_JOB, BETWEEN.join(payload.values()), dict(payload), delay_s)

    async def start_work(self, pin: SessionPin, epoch: int, suspension_id: str, work: DelegateTask) -> None:
        """Have a child do its work and the suspension answered with what it brings, whatever happens to this host."""
        callback_id = callback_id_of(pin, suspension_id)
        payload = {"callback_id": callback_id, "session_id": pin.session_id, "work": msgspec.to_builtins(work)}
        await self._enqueue(pin, epoch, WORK_JOB, callback_id, payload)

    async def _enqueue(
        self, pin: SessionPin, epoch: int, kind: str, name: str, payload: JsonObject, delay_s: float = 0.0
    ) -> None:
        named = (pin.tenant_id, pin.session_id, epoch)
        try:
            await self._jobs.enqueue_held(*named, kind, name, payload, delay_s=delay_s)
        except StaleEpoch as error:
            raise SessionMoved from error
        except AWAY as error:
            raise StoreLost from error

    async def open_task(self, pin: SessionPin, wanted: WantedTask) -> str:
        """Return the id of the human task of a suspension, made when first asked for."""
        return await self._tasks.open(pin, wanted)

    async def task(self, pin: SessionPin, task_id: str) -> ClosedTask | None:
        """Return a human task that is closed; None when it is open or not there."""
        return await self._tasks.closed(pin, task_id)

    async def close_waits(self, pin: SessionPin, epoch: int, suspension_id: str = "", *, expired: bool = False) -> None:
        """Close the open callback and task of one suspension, or of all of them, as cancelled or expired."""
        await self._tasks.close_waits(pin, epoch, suspension_id, expired=expired)

    async def read_store(self, pin: SessionPin, name: str) -> JsonObject:
        """Return the content of one memory store of the session, empty when it was never set."""
        try:
            return await self._stores.read(pin.tenant_id, pin.session_id, name)
        except AWAY as error:
            raise StoreLost from error

    async def store_names(self, pin: SessionPin) -> frozenset[str]:
        """Return the names of the session's memory stores."""
        try:
            return frozenset(await self._stores.names(pin.tenant_id, pin.session_id))
        except AWAY as error:
            raise StoreLost from error

    async def link_contact(self, pin: SessionPin, epoch: int, contact_id: str) -> None:
        """Say in the session's row and pin whose it is, and give the contact what was remembered in it."""
        given = inheritance(pin, contact_id)
        try:
            await self._sessions.link_contact(pin.tenant_id, pin.session_id, epoch, contact_id, given)
        except StaleEpoch as error:
            raise SessionMoved from error
        except AWAY as error:
            raise StoreLost from error

    async def open_callback(
        self, pin: SessionPin, *, suspension_id: str, agent: str, tool: str, expires_s: float | None
    ) -> CallbackTicket:
        """Return the callback of a suspension, made when first asked for."""
        return await self._desk.issue(pin, suspension_id=suspension_id, agent=agent, tool=tool, expires_s=expires_s)

    async def callback(self, callback_id: str) -> WaitingCallback | None:
        """Return a callback with what was delivered under it; None when it is known no more."""
        return await self._desk.waiting(callback_id)


def _pin(pin: SessionPin) -> JsonObject:
    written: JsonObject = msgspec.to_builtins(pin)
    return written


def _beside(pin: SessionPin, end: TurnCommit | None, stores: JsonObject) -> Beside | None:
    """Return what an append changes beside the journal; None for nearly all of them."""
    revived, closes_waits = (end.revived, end.closes_waits) if end is not None else ("", False)
    if not (stores or revived or closes_waits):
        return None
    renewed = _pin(msgspec.structs.replace(pin, runtime_session_id=revived)) if revived else {}
    return Beside(stores=stores, closes_waits=closes_waits, revived=revived, pin=renewed)


def _turn_end(end: TurnCommit) -> TurnEnd:
    lines = {line.role: line for line in end.transcript}
    return TurnEnd(
        turn=end.number,
        keyed=_keyed(end),
        snapshot=end.snapshot or None,
        spoke=lines.get("user"),
        answered=lines.get("assistant"),
        beside=end.beside,
        traces=tuple(_trace(row) for row in end.traces),
        activity=end.activity,
        announced=end.announced,
    )


def _keyed(end: TurnCommit) -> KeyedReply | None:
    """Return what is kept under the key of a request, and which accepted message waits no more."""
    if end.key:
        return KeyedReply(end.key, end.request_hash, end.reply)
    return KeyedReply(end.answers, end.request_hash, None) if end.answers else None


def _trace(row: JsonObject) -> TraceRow:
    return TraceRow(
        seq=row["seq"],
        turn=row["turn"],
        type=row["type"],
        at=row["timestamp"],
        agent_name=row["agentName"],
        span_id=row["spanId"],
        parent_span_id=row.get("parentSpanId", ""),
        duration_ms=row.get("durationMs"),
        data=row["data"],
    )
