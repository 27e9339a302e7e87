"""What a session does with each message. It is one-at-a-time: the grain sees to that."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from actors.messages import (
    CallbackReady,
    CancelTurn,
    DelegateTask,
    DiscardSession,
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
from actors.session.activity import CHILD_DONE
from actors.session.commit import commit, joined
from actors.session.driver import Turn, TurnStopped, longest_s
from actors.session.ending import RESET, end, reset, was_reset
from actors.session.failing import store_failure
from actors.session.family import recall_work
from actors.session.finishing import TAKEN_UP_DEADLINE_S, Loaded, brought_to_end
from actors.session.kept import CANCELLED, ENDED
from actors.session.linking import link
from actors.session.live import LiveSession
from actors.session.offering import answering
from actors.session.opening import begun, facts_of, found, pin_of_child, pin_of_new, pin_of_turn
from actors.session.output import TurnOutput
from actors.session.records import OWN_KEY, TurnOpening, UnknownSchema
from actors.session.remembering import remember, remember_meanwhile
from actors.session.repeating import check_young, derived_id, kept_reply, own_reply
from actors.session.replies import refusal
from actors.session.resuming import FromOutside, fact_of, is_quiet
from actors.session.services import Services
from actors.session.snapshot import UnreadableSnapshot
from actors.session.store import NewPin, SessionMoved, StoreLost
from actors.session.stream import Listener
from actors.session.telling import missed
from actors.session.unspoken import GONE, is_discarded, is_forsaken, is_undone
from actors.session.views import view_of
from actors.session.waking import load
from domain.clock import iso_ms
from domain.errors import AppError, Conflict, InvalidInput, NotFound
from domain.ids import PREFIXES
from engine import AnyFact, SuspensionExpired, UserSpoke

MOVED = Failed(kind="Unavailable", message="The session is served by another host.", moved=True)


class SessionBody:
    """One session in a host: asleep (nothing loaded) until its first message.

    Attributes:
        live: What is loaded; None asleep.
        is_left: There is a turn whose host died, which a look has left as it was.
    """

    __slots__ = (
        "_ends_by_s",
        "_given_up_next",
        "_interrupted",
        "_is_unwanted",
        "_running",
        "_services",
        "_shown_seq",
        "_turn",
        "is_left",
        "live",
        "session_id",
        "tenant_id",
    )

    def __init__(self, tenant_id: str, session_id: str, services: Services) -> None:
        self.tenant_id = tenant_id
        self.session_id = session_id
        self.live: LiveSession | None = None
        self._services = services
        self._turn: Turn | None = None
        self._shown_seq = 0
        self._running = ("", "")
        self._ends_by_s: float | None = None
        self._given_up_next = ""
        self._interrupted = False
        self._is_unwanted = False
        self.is_left = False

    def is_running(self, name: str) -> bool:
        """Whether the turn that runs has this reply or idempotency key; "" is any turn."""
        names = (name, derived_id(self.session_id, name))
        return self._turn is not None and (not name or any(one in self._running for one in names))

    def ends_within_s(self) -> float:
        """Return within how many seconds the turn that runs has ended for certain, if the store answers."""
        if self._ends_by_s is None:  # that of a host that died, or one that has not begun
            return longest_s(TAKEN_UP_DEADLINE_S)
        return max(0.0, self._ends_by_s - time.monotonic())

    def interrupt(self, reason: str, *, for_good: bool = False) -> None:
        """Have the running turn cancelled, or broken off when the host lets go of the session.

        `for_good`: one that is still to begin does not begin either.
        """
        self._is_unwanted |= for_good
        if self._turn is None:
            return
        if reason == ForgetSession.__name__:
            self._turn.stop(reason)
        else:
            self._interrupted = True
            self._turn.give_up(CANCELLED if reason == CancelTurn.__name__ else reason)

    def give_up_next(self, key: str) -> None:
        """Have the turn under this key, which is about to run, cancelled as it begins."""
        self._given_up_next = key

    async def meanwhile(self, message: UseMemory) -> HostAnswer | None:
        """Carry a message out in the midst of the turn that runs; None when none does."""
        return await remember_meanwhile(self._turn, self.live, message)

    async def known_reset(self, message: ResetSession) -> HostAnswer | None:
        """Return the answer to a reset that has been, also while a turn runs; None to carry it out."""
        live = self.live
        if live is None:
            return None
        try:
            found(live, message.tenant_id, message.project_id)
            return Viewed(view=view_of(live)) if await was_reset(live, message.key) else None
        except (AppError, StoreLost):
            return None  # what is wrong is told when it is carried out

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
        self.is_left = False

    async def recall(self, after: int) -> None:
        """Hold the output of ended turns again, as it was, when a listener wants what is held no more."""
        if self.live is not None and not self.live.stream.holds(after):
            events, whole_after = await missed(self.live, after)
            self.live.stream.recall(events, whole_after)

    async def go_on(self) -> HostAnswer:
        """Bring the turn to its end that a look has left as it was, as if somebody wanted its output."""
        self.is_left = False
        return await self.handle(
            Follow(tenant_id=self.tenant_id, session_id=self.session_id, after=self._shown_seq), None
        )

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
        except StoreLost as lost:
            self.fall_asleep()
            return store_failure(lost)
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
                return await self._chat_or_undo(message, listener if message.follow else None)
            case OpenSession():
                live = await self._awake(await pin_of_new(message.session_id, message.wanted, self._services))
                if message.wanted.idempotency_key:
                    check_young(live, self._services.clock.now())
                return Viewed(view=view_of(live))
            case DelegateTask():
                return await self._delegated(message)
            case CallbackReady() | SuspensionDue() | TaskClosed() | TimerDue():
                return await self._resumed(message)
            case EndSession() | DiscardSession():
                return await self._end(message)
            case ResetSession():
                return await self._reset(message)
            case CancelTurn():
                return await self._cancelled(message)
            case UseMemory():
                return await remember(found(await self._awake(), message.tenant_id, message.project_id), message)
            case LinkContact():
                live = found(await self._awake(), message.tenant_id, message.project_id)
                return await link(live, message, self._services.clock)
            case Look():
                return self._shown(await self._found(message))
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
        live = found(self.live or await self._awake_for(message), asked.tenant_id, asked.project_id)
        key, is_own = asked.idempotency_key, asked.idempotency_key.startswith(OWN_KEY)
        message_id = derived_id(self.session_id, key) or services.ids.new(PREFIXES["message"])
        if message.may_be_known or (live.last is not None and live.last.message_id == message_id):
            known = await (own_reply(live, key) if is_own else kept_reply(live, key, asked.request_hash))
            if known is not None:
                return Replied(reply=known)
            if message.new and not is_own and live.seq:  # where nothing was written, nothing can be repeated
                check_young(live, services.clock.now())
        if live.seq and message.life not in ("", live.pin.runtime_session_id):
            return RESET  # where nothing is written nothing was reset: its life was removed, as nothing was said in it
        if live.status == "ended":
            raise Conflict("Session has ended", details={"reason": "SESSION_ENDED"})
        if asked.test_context is not None and live.state is not None:
            raise InvalidInput("testContext is only for the first message of a session")
        asked, answers = await answering(live, asked)
        facts = await facts_of(live, asked, services, message_id)
        if message.attempt > 1:
            live.stream.jump(services.number_from())
        output = TurnOutput(live, message_id, live.next_turn, message.attempt, listener, answers=answers)
        return Replied(reply=await self._run(live, output, facts, live.pin.turn_s or asked.deadline_s, key))

    async def _awake_for(self, message: RunTurn) -> LiveSession:
        """Return the session of a message, made where it is not there and the message says as what."""
        if not message.new:
            with suppress(NotFound):
                return await self._awake()
        return await self._awake(await pin_of_turn(message, self._services))

    async def _chat_or_undo(self, message: RunTurn, listener: Listener | None) -> HostAnswer:
        """Answer a message; leave no session behind one that was to begin it and is refused."""
        was_there = self.live is not None
        try:
            return await self._chat(message, listener)
        except AppError:
            if not was_there and await is_undone(self.live, message):
                self.fall_asleep()
            raise

    async def _delegated(self, task: DelegateTask) -> HostAnswer:
        live = self.live or await self._awake(await pin_of_child(task, self._services))
        if (known := await kept_reply(live, task.effect_key)) is not None:
            return Replied(reply=known)
        if live.state is not None or live.status == ENDED:
            raise Conflict("The delegated session has ended without an answer")
        message_id = self._services.ids.new(PREFIXES["message"])
        opening = TurnOpening("begin", message_id, task.effect_key)
        fact = await begun(live, self._services, message_id, agent=task.agent, task=task.task, given=task.context)
        if self._is_unwanted:
            await end(live, CHILD_DONE)
            raise Conflict("The delegating session waits for it no more")
        output = TurnOutput(live, message_id, 0)
        return Replied(reply=await self._run(live, output, [(fact, opening)], TAKEN_UP_DEADLINE_S))

    async def _cancelled(self, message: CancelTurn) -> HostAnswer:
        """Say whether a turn was given up; what a child does that nobody waits for, or was to do, is given up here."""
        if message.for_good:
            self._is_unwanted = True
            live = await self._at_rest(await self._found(message), CANCELLED)
            if live.state is None:
                await end(live, CHILD_DONE)
        else:
            found(await self._awake(), message.tenant_id, message.project_id)
        was, self._interrupted = self._interrupted, False
        self._given_up_next = ""
        return Done(note=CANCELLED if was else "")

    async def _resumed(self, message: FromOutside) -> HostAnswer:
        live = found(self.live or await self._awake(), message.tenant_id)
        fact = await fact_of(message, live, iso_ms(self._services.clock.now()))
        if fact is None:
            return Done(note="not waiting")
        message_id = self._services.ids.new(PREFIXES["message"])
        output = TurnOutput(live, message_id, live.next_turn)
        if isinstance(fact, SuspensionExpired):
            await recall_work(live, self._services.performer, fact.suspension_id)
        reply = await self._run(live, output, [(fact, TurnOpening("resume", message_id))], TAKEN_UP_DEADLINE_S)
        if suspension_id := getattr(fact, "suspension_id", ""):
            await live.store.close_waits(
                live.pin, live.epoch, suspension_id, expired=isinstance(fact, SuspensionExpired)
            )
        return Replied(reply=reply)

    async def _end(self, message: EndSession | DiscardSession) -> HostAnswer:
        """End the session; one that has only been quiet first goes on with what its host had begun, or is removed."""
        if isinstance(message, DiscardSession) or message.quiet_since:
            live = found(await self._awake(), message.tenant_id, message.project_id)
            if isinstance(message, EndSession) and not is_quiet(live, message.quiet_since):
                return Done(note="in use")
            if await (is_forsaken(live) if isinstance(message, EndSession) else is_discarded(live)):
                self.fall_asleep()
                return Done(note=GONE)
            if isinstance(message, DiscardSession):
                return Done()
        live = await self._at_rest(await self._found(message), EndSession.__name__)
        await recall_work(live, self._services.performer)
        await end(live, message.reason)
        return Viewed(view=view_of(live))

    async def _reset(self, message: ResetSession) -> HostAnswer:
        loaded = await self._found(message)
        if await was_reset(loaded[0], message.key):
            return self._shown(loaded)
        live = await self._at_rest(loaded, ResetSession.__name__)
        await reset(live, self._services, message.key)
        return Viewed(view=view_of(live))

    async def _awake(self, new: NewPin | None = None) -> LiveSession:
        """Return the session, loaded under this host's lease; a turn whose host died is brought to its end first."""
        if self.live is not None:
            return self.live
        loaded = await self._load(new)
        return await brought_to_end(loaded, self._load, self._services, self._hold)

    async def _found(self, message: EndSession | ResetSession | CancelTurn | Look) -> Loaded:
        """Return the session as it stands, with a turn whose host died. Raises NotFound."""
        loaded = (self.live, None) if self.live is not None else await self._load()
        found(loaded[0], message.tenant_id, message.project_id)
        return loaded

    async def _at_rest(self, loaded: Loaded, reason: str) -> LiveSession:
        """Return the session of a message that ends what runs: a turn whose host died is given up, not gone on with."""
        live = await brought_to_end(loaded, self._load, self._services, self._hold, reason)
        self._interrupted = False
        return live

    def _shown(self, loaded: Loaded) -> HostAnswer:
        """Show what stands; a turn whose host died goes on afterwards, see `go_on`."""
        live, unfinished = loaded
        view = view_of(live)
        if unfinished is not None:
            self.fall_asleep()
            self.is_left = True
        return Viewed(view=view)

    async def _load(self, new: NewPin | None = None) -> Loaded:
        self.fall_asleep()
        live, stored, unfinished = await load(self._services, self.tenant_id, self.session_id, new)
        live.stream.last_seq = max(live.stream.last_seq, self._shown_seq)
        comes_back = live.is_new and new is not None and new.is_named
        if stored.is_taken_over or unfinished is not None or comes_back:
            live.stream.jump(self._services.number_from())
        self.live = live
        if unfinished is not None:
            self._services.takes_over(stored)
        return live, unfinished

    def _hold(self, turn: Turn | None) -> None:
        self._turn = turn
        if turn is not None:
            self._running = (turn.output.message_id, "")  # its key names the same id

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
        self._ends_by_s = time.monotonic() + len(facts) * longest_s(deadline_s)
        if key and key == self._given_up_next:
            self.interrupt(CancelTurn.__name__)
        try:
            ends = []
            for fact, opening in facts:
                ends.append(await turn.run(fact, opening, deadline_s=deadline_s))
                if ends[-1].status == CANCELLED:
                    break
            fact, opening = facts[len(ends) - 1][0], facts[-1][1]
            spoke = fact if isinstance(fact, UserSpoke) else None
            end = joined(ends[0] if len(ends) > 1 else None, ends[-1])
            if live.pin.parent_session_id:
                await recall_work(live, services.performer)  # it has this one turn, and waits for nothing behind it
            return await commit(live, output, opening, end, spoke, iso_ms(services.clock.now()))
        finally:
            self._turn = self._ends_by_s = None
