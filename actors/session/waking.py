"""How a session wakes: load the snapshot, fold what came after it, and find what an unfinished turn still waits for."""

from __future__ import annotations

from dataclasses import dataclass, field

from actors.session.driver import changes_the_world, fold, stands_beyond
from actors.session.live import LiveSession
from actors.session.records import Record, TurnOpening, decode_record
from actors.session.services import Services
from actors.session.snapshot import decode_snapshot
from actors.session.store import NewPin, Stored
from domain.errors import NotFound
from engine import AnyEffect, EndTurn, Fact, Say, Trace, UserSpoke, expects_outcome


@dataclass(slots=True)
class Unfinished:
    """A turn whose host died.

    Attributes:
        effects: What was asked for and has no outcome, in the order in which it was asked.
        shown: What had been said and traced, to be shown again; also at the session's own start, if that is part of it.
        attempt: Which attempt begins now.
        spoke: The message it answers, None when it is not the answer to one.
        before: The end of the session's own start, just before this turn and not yet committed.
        beyond: What the turn has set up that outlives it; perhaps not all of it was done.
    """

    opening: TurnOpening
    effects: list[AnyEffect]
    shown: list[Say | Trace]
    attempt: int
    end: EndTurn | None = None
    before: EndTurn | None = None
    spoke: UserSpoke | None = None
    beyond: list[AnyEffect] = field(default_factory=list)


@dataclass(slots=True)
class _Folding:
    opening: TurnOpening | None = None
    asked: dict[str, AnyEffect] = field(default_factory=dict)
    shown: list[Say | Trace] = field(default_factory=list)
    attempt: int = 1
    end: EndTurn | None = None
    before: EndTurn | None = None
    spoke: UserSpoke | None = None
    beyond: list[AnyEffect] = field(default_factory=list)

    def take(self, live: LiveSession, record: Record) -> None:
        """Fold one record."""
        if record.reset:
            live.state = None
            self.forget()
        if record.attempt:
            self.attempt = record.attempt
        if record.fact is None:
            return
        if record.opens is not None:
            if self.end is not None and self.opening is not None and self.opening.kind == "begin":
                self.before = self.end  # committed together with this turn
            else:
                self.forget()
            self.opening = record.opens
            self.spoke = record.fact if isinstance(record.fact, UserSpoke) else None
        self.settle(record.fact)
        step = fold(live, record.fact)
        for effect in step.effects:
            if changes_the_world(effect):
                live.acted_in = step.state.turn_number
            match effect:
                case EndTurn():
                    self.end = effect
                    self.asked.clear()
                case Say() | Trace():
                    self.shown.append(effect)
                case _ if stands_beyond(effect):
                    self.beyond.append(effect)
                case _ if expects_outcome(effect):
                    self.asked[effect.id] = effect
                case _:
                    continue

    def settle(self, fact: Fact) -> None:
        """An outcome is known."""
        self.asked.pop(getattr(fact, "effect_id", ""), None)
        self.end = None

    def forget(self) -> None:
        """A turn begins."""
        self.opening, self.end, self.attempt, self.before = None, None, 1, None
        self.spoke = None
        self.asked.clear()
        self.shown.clear()
        self.beyond.clear()


async def load(
    services: Services, tenant_id: str, session_id: str, new: NewPin | None = None
) -> tuple[LiveSession, Stored, Unfinished | None]:
    """Return a session under this host's lease, as it stands in the store, and the turn that was running.

    `new` is what it is made from when there is none.

    Raises:
        NotFound: There is none, or it was deleted.
        UnreadableSnapshot, UnknownSchema: It was written by a newer version.
        SessionMoved, StoreLost: As `SessionStore` says.
    """
    store = services.store
    woken = None if new is not None and new.is_fresh else await store.wake(tenant_id, session_id)
    is_new = woken is None
    if woken is None:
        if new is None:
            raise NotFound("Session not found")
        stored = Stored(pin=new.pin, status="active", end_reason="", snapshot=None, records=(), seq=0)
        woken = (await store.create(new.pin, reopens=new.reopens), stored)
    epoch, stored = woken
    pin = stored.pin
    program = await services.programs.get(tenant_id, pin.project_id, pin.program_id)
    live = LiveSession(pin, program, store, epoch, status=stored.status, end_reason=stored.end_reason, is_new=is_new)
    unfinished = wake(live, stored)
    live.is_ahead = unfinished is not None
    return live, stored, unfinished


def wake(live: LiveSession, stored: Stored) -> Unfinished | None:
    """Bring a session's state up to its journal; return the turn that was running, None when none was.

    Raises:
        UnreadableSnapshot, UnknownSchema: The session was written by a newer version.
    """
    if stored.snapshot is not None:
        found = decode_snapshot(stored.snapshot)
        live.state, live.stream.last_seq = found.state, found.last_seq
        live.messages, live.traces, live.last = found.messages, found.traces, found.last
    folding = _Folding()
    for _, raw in stored.records:
        folding.take(live, decode_record(raw))
    live.seq = stored.seq
    if not stored.records or folding.opening is None:
        return None
    return Unfinished(
        folding.opening,
        list(folding.asked.values()),
        list(folding.shown),
        folding.attempt + 1,
        folding.end,
        folding.before,
        folding.spoke,
        folding.beyond,
    )
