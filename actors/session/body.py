"""What a session does with each message. It is one-at-a-time: the grain sees to that."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from actors.messages import (
    CallbackReady,
    CancelTurn,
    DelegateTask,
    Done,
    EndSession,
    Failed,
    Follow,
    ForgetSession,
    HostAnswer,
    HostMessage,
    LinkContact,
    Look,
    OpenSession,
    Replied,
    ResetSession,
    RunTurn,
    SuspensionDue,
    TaskClosed,
    TimerDue,
    UseMemory,
    Viewed,
)
from actors.runtime import TurnReply
from actors.session.commit import commit, joined
from actors.session.driver import Turn, TurnStopped
from actors.session.ending import end, reset
from actors.session.finishing import TAKEN_UP_DEADLINE_S, finished
from actors.session.kept import CANCELLED, KeptTurn, decode_kept, reply_of_kept
from actors.session.linking import link
from actors.session.live import LiveSession
from actors.session.opening import action_of, begun, found, pin_of_child, pin_of_new, pin_of_turn
from actors.session.output import TurnOutput
from actors.session.records import OWN_KEY, TurnOpening, UnknownSchema
from actors.session.remembering import remember, remember_meanwhile, settle_stores
from actors.session.replies import refusal, refused
from actors.session.resuming import FromOutside, fact_of, is_quiet
from actors.session.services import Services
from actors.session.snapshot import UnreadableSnapshot
from actors.session.store import SessionMoved, SessionPin, Stored, StoreLost
from actors.session.stream import Listener
from actors.session.telling import missed
from actors.session.views import view_of
from actors.session.waking import Unfinished, wake
from domain.clock import iso_ms
from domain.errors import AppError, Conflict, InvalidInput, NotFound, Unavailable
from domain.ids import PREFIXES
from engine import AnyFact, Say, SuspensionExpired, UserSpoke

MOVED = Failed(kind="Unavailable", message="The session is served by another host.", moved=True)
SUSPENDED = "suspended"
ID_DIGEST_BYTES = 12


class SessionBody:
    """One session in a host: asleep (nothing loaded) until its first message."""

    __slots__ = ("_interrupted", "_running", "_services", "_shown_seq", "_turn", "live", "session_id", "tenant_id")

    def __init__(self, tenant_id: str, session_id: str, services: Services) -> None:
        self.tenant_id = tenant_id
        self.session_id = session_id
        self.live: LiveSession | None = None
        self._services = services
        self._turn: Turn | None = None
        self._shown_seq = 0
        self._running = ("", "")
        self._interrupted = False

    def is_running(self, name: str) -> bool:
        """Whether the turn that runs has this reply or idempotency key; "" is any turn."""
        return self._turn is not None and (not name or name in self._running)

    def interrupt(self, reason: str) -> None:
        """Have the running turn cancelled, or broken off when the host lets go of the session."""
        if self._turn is None:
            return
        if reason == ForgetSession.__name__:
            self._turn.stop(reason)
        else:
            self._interrupted = True
            self._turn.give_up(CANCELLED if reason == CancelTurn.__name__ else reason)

    async def meanwhile(self, message: UseMemory) -> HostAnswer | None:
        """Carry a message out in the midst of the turn that runs; None when none does."""
        return await remember_meanwhile(self._turn, self.live, message)

    def doze(self) -> bool:
        """Take little room until something happens; return whether output stays held for a page that may come back."""
        if self.live is None:
            return False
        self.live.doze()
        return not self.live.stream.is_empty

    def fall_asleep(self) -> None:
        """Let go of everything that is loaded; what matters is in the store."""
        if self.live is not None:
            self.live.stream.abandon()
            self._shown_seq = self.live.stream.last_seq  # no number is given twice, also of a turn that was not written
        self.live = None

    async def recall(self, after: int) -> None:
        """Hold the output of ended turns again, as it was, when a listener wants what is held no more."""
        if self.live is not None and not self.live.stream.holds(after):
            events, whole_after = await missed(self.live, after)
            self.live.stream.recall(events, whole_after)

    async def handle(self, message: HostMessage, listener: Listener | None) -> HostAnswer:
        """Carry one message out and return the answer."""
        try:
            return await self._handle(message, listener)
        except AppError as error:
            if self.live is not None and self.live.is_ahead:
                self.fall_asleep()  # the state has run ahead of the journal: the next message folds it again
            return refusal(error)
        except SessionMoved as moved:
            return self._moved(moved.owner)
        except TurnStopped:
            return self._moved("")
        except StoreLost:
            self.fall_asleep()
            return Failed(kind="Unavailable", message="The store does not answer.", retry_after_ms=1_000)
        except (UnknownSchema, UnreadableSnapshot) as error:
            self.fall_asleep()
            return Failed(kind="Unavailable", message=str(error))

    def _moved(self, owner: str) -> Failed:
        begun = self.live is not None and self.live.is_ahead
        self.fall_asleep()
        return msgspec.structs.replace(MOVED, details={"owner": owner, "begun": begun})

    async def _handle(self, message: HostMessage, listener: Listener | None) -> HostAnswer:
        match message:
            case RunTurn():
                return await self._chat(message, listener if message.follow else None)
            case OpenSession():
                live = await self._awake(await pin_of_new(message, self._services))
                return Viewed(view=view_of(live))
            case DelegateTask():
                return await self._delegated(message)
            case CallbackReady() | SuspensionDue() | TaskClosed() | TimerDue():
                return await self._resumed(message)
            case EndSession():
                return await self._end(found(await self._awake(), message.tenant_id, message.project_id), message)
            case ResetSession():
                return await self._reset(found(await self._awake(), message.tenant_id, message.project_id))
            case CancelTurn():
                found(await self._awake(), message.tenant_id, message.project_id)
                was, self._interrupted = self._interrupted, False
                return Done(note=CANCELLED if was else "")
            case UseMemory():
                return await remember(found(await self._awake(), message.tenant_id, message.project_id), message)
            case LinkContact():
                live = found(await self._awake(), message.tenant_id, message.project_id)
                return await link(live, message, self._services.clock)
            case Look():
                return Viewed(view=view_of(found(await self._awake(), message.tenant_id, message.project_id)))
            case Follow():
                found(await self._awake(), message.tenant_id)
                await self.recall(message.after)
                return Done()
            case ForgetSession():
                self.fall_asleep()
                return Done()

    # -- messages -------------------------------------------------------------------------------------------------

    async def _chat(self, message: RunTurn, listener: Listener | None) -> HostAnswer:
        asked, services = message.turn, self._services
        live = self.live
        if live is None:
            new = await pin_of_turn(asked, services) if message.new else None
            live = await self._awake(new, is_fresh=message.new and not message.may_be_known)
        live = found(live, asked.tenant_id, asked.project_id)
        key, is_own = asked.idempotency_key, asked.idempotency_key.startswith(OWN_KEY)
        message_id = derived_id(self.session_id, key) or services.ids.new(PREFIXES["message"])
        if message.may_be_known or (live.last is not None and live.last.message_id == message_id):
            known = await (self._known_own(live, key) if is_own else self._known(live, key, asked.request_hash))
            if known is not None:
                return Replied(reply=known)
        if live.status == "ended":
            raise Conflict("Session has ended", details={"reason": "SESSION_ENDED"})
        if asked.test_context is not None and live.state is not None:
            raise InvalidInput("testContext is only for the first message of a session")
        is_first = live.state is None
        facts: list[tuple[AnyFact, TurnOpening]] = []
        if is_first:
            fact = await begun(live, services, agent=asked.agent, test_context=asked.test_context)
            facts.append((fact, TurnOpening("begin", message_id)))
        spoke = UserSpoke(
            at=iso_ms(services.clock.now()),
            text=asked.message,
            message_id=spoken_id(self.session_id, key) or services.ids.new(PREFIXES["message"]),
            metadata=asked.metadata,
            action=action_of(asked.action),
            agent="" if is_first else asked.agent,
            opening_unseen=is_first,
            reply_id=message_id,
            attachments=asked.attachments,
        )
        opening = (
            TurnOpening("user", message_id) if is_own else TurnOpening("user", message_id, key, asked.request_hash)
        )
        facts.append((spoke, opening))
        if message.attempt > 1:
            live.stream.jump(services.clock.now())
        output = TurnOutput(live, message_id, next_turn(live), message.attempt, listener)
        return Replied(reply=await self._run(live, output, facts, live.pin.turn_s or asked.deadline_s, key))

    async def _known(self, live: LiveSession, key: str, request_hash: str = "") -> TurnReply | None:
        """Return the reply of the turn that was ended under a key, None when there was none."""
        if not key or not live.knows_key(key):
            return None
        known = await live.store.known_turn(live.pin, key)
        if known is None:
            return None
        if known.request_hash != request_hash:
            raise Conflict(
                "The Idempotency-Key was used with another request", details={"reason": "IDEMPOTENCY_KEY_REUSED"}
            )
        return await self._told(live, decode_kept(known.reply))

    async def _known_own(self, live: LiveSession, key: str) -> TurnReply | None:
        """Return the reply of a turn without a key of its caller: the last one, or what the transcript tells."""
        message_id = derived_id(self.session_id, key)
        last = live.last
        if last is not None and last.message_id == message_id:
            return await self._told(live, last)
        spoken = await live.store.line(live.pin, spoken_id(self.session_id, key))
        if spoken is None:
            return None
        said = await live.store.line(live.pin, message_id)
        return TurnReply(
            session_id=self.session_id,
            message_id=message_id,
            turn=spoken.turn,
            response=said.content if said is not None else "",
            action={"type": "continue"},
            agent_name=said.agent_name if said is not None else "",
            repeated=True,
        )

    async def _told(self, live: LiveSession, kept: KeptTurn) -> TurnReply:
        if kept.failed:
            raise refused(kept.failed)
        traces = await live.store.trace_events(live.pin, kept.fact_seq) if kept.fact_seq else []
        return reply_of_kept(self.session_id, kept, traces)

    async def _delegated(self, task: DelegateTask) -> HostAnswer:
        live = self.live or await self._awake(await pin_of_child(task, self._services))
        if (known := await self._known(live, task.effect_key)) is not None:
            return Replied(reply=known)
        if live.state is not None:
            raise Conflict("The delegated session has ended without an answer")
        message_id = self._services.ids.new(PREFIXES["message"])
        opening = TurnOpening("begin", message_id, task.effect_key)
        fact = await begun(live, self._services, agent=task.agent, task=task.task, given=task.context)
        output = TurnOutput(live, message_id, 0)
        reply = await self._run(live, output, [(fact, opening)], TAKEN_UP_DEADLINE_S)
        if reply.status == SUSPENDED:
            await live.store.close_waits(live.pin)
        return Replied(reply=reply)

    async def _resumed(self, message: FromOutside) -> HostAnswer:
        live = found(self.live or await self._awake(), message.tenant_id)
        fact = await fact_of(message, live, iso_ms(self._services.clock.now()))
        if fact is None:
            return Done(note="not waiting")
        message_id = self._services.ids.new(PREFIXES["message"])
        output = TurnOutput(live, message_id, next_turn(live))
        reply = await self._run(live, output, [(fact, TurnOpening("resume", message_id))], TAKEN_UP_DEADLINE_S)
        if suspension_id := getattr(fact, "suspension_id", ""):
            await live.store.close_waits(live.pin, suspension_id, expired=isinstance(fact, SuspensionExpired))
        return Replied(reply=reply)

    async def _end(self, live: LiveSession, message: EndSession) -> HostAnswer:
        self._interrupted = False
        if message.quiet_since and not is_quiet(live, message.quiet_since):
            return Done(note="in use")
        await end(live, message.reason)
        return Viewed(view=view_of(live))

    async def _reset(self, live: LiveSession) -> HostAnswer:
        self._interrupted = False
        await reset(live, self._services)
        return Viewed(view=view_of(live))

    # -- waking ---------------------------------------------------------------------------------------------------

    async def _awake(self, new: SessionPin | None = None, *, is_fresh: bool = False) -> LiveSession:
        """Return the session, loaded under this host's lease; a turn whose host died is brought to its end first.

        `is_fresh` says that nobody else can have made the session.
        """
        if self.live is not None:
            return self.live
        store = self._services.store
        woken = None if is_fresh else await store.wake(self.tenant_id, self.session_id)
        is_new = woken is None and new is not None
        if woken is None:
            if new is None:
                raise NotFound("Session not found")
            stored = Stored(pin=new, status="active", end_reason="", snapshot=None, records=(), seq=0)
            woken = (await store.create(new), stored)
        epoch, stored = woken
        program = await self._services.programs.get(self.tenant_id, stored.pin.project_id, stored.pin.program_id)
        live = LiveSession(
            stored.pin, program, store, epoch, status=stored.status, end_reason=stored.end_reason, is_new=is_new
        )
        unfinished = wake(live, stored)
        await settle_stores(live)
        live.is_ahead = unfinished is not None
        live.stream.last_seq = max(live.stream.last_seq, self._shown_seq)
        if stored.is_taken_over or unfinished is not None:
            live.stream.jump(self._services.clock.now())
        self.live = live
        if unfinished is not None:
            self._services.takes_over(stored)
            await self._finish(live, unfinished)
        return live

    async def _finish(self, live: LiveSession, unfinished: Unfinished) -> None:
        opening = unfinished.opening
        number = live.state.turn_number if live.state is not None else 0
        output = TurnOutput(live, opening.message_id, number, unfinished.attempt)
        output.open()
        for shown in unfinished.shown:
            if isinstance(shown, Say):
                output.say(shown)
            else:
                output.trace(shown.event)
        services = self._services
        turn, last = (Turn(live, services.performer, services.clock, output) for _ in range(2))
        self._turn = turn
        try:
            live.note_attempt(unfinished.attempt)
            await live.write()
            end = await finished(unfinished, turn, last)
            at = iso_ms(services.clock.now())
            await commit(live, output, opening, joined([unfinished.before], end), unfinished.spoke, at)
        except Unavailable:
            if live.is_ahead:
                raise
            # the turn has ended without a reply, which is no answer to the message that has woken the session
        finally:
            self._turn = None

    # -- turns ----------------------------------------------------------------------------------------------------

    async def _run(
        self,
        live: LiveSession,
        output: TurnOutput,
        facts: Sequence[tuple[AnyFact, TurnOpening]],
        deadline_s: float,
        key: str = "",
    ) -> TurnReply:
        self._interrupted = False
        services = self._services
        turn = self._turn = Turn(live, services.performer, services.clock, output)
        self._running = (output.message_id, key)
        try:
            ends = []
            for fact, opening in facts:
                ends.append(await turn.run(fact, opening, deadline_s=deadline_s))
                if ends[-1].status == CANCELLED:
                    break
            fact, opening = facts[len(ends) - 1][0], facts[-1][1]
            spoke = fact if isinstance(fact, UserSpoke) else None
            end = joined([one.reply for one in ends[:-1]], ends[-1])
            return await commit(live, output, opening, end, spoke, iso_ms(services.clock.now()))
        finally:
            self._turn = None


def next_turn(live: LiveSession) -> int:
    """Return the number of the turn that begins now."""
    return (live.state.turn_number if live.state is not None else 0) + 1


def derived_id(session_id: str, key: str, part: str = "") -> str:
    """Return the id of the message that answers the request under a key: the same one in every attempt; "" without."""
    if not key:
        return ""
    digest = blake2b(f"{session_id}\0{key}{part}".encode(), digest_size=ID_DIGEST_BYTES).hexdigest()
    return f"{PREFIXES['message']}_c{digest}"


def spoken_id(session_id: str, key: str) -> str:
    """Return the id of the user's message of the request under a key."""
    return derived_id(session_id, key, "\0user")
