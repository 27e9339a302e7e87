"""What a session does with each message. It is one-at-a-time: the grain sees to that."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from actors.messages import (
    CallbackReady,
    DelegateTask,
    Done,
    EndSession,
    Failed,
    Follow,
    ForgetSession,
    HostAnswer,
    HostMessage,
    Look,
    OpenSession,
    Replied,
    ResetSession,
    RunTurn,
    SuspensionDue,
    Viewed,
)
from actors.runtime import ChatTurn, TurnReply
from actors.session.activity import activity_of, ended_activity, reset_activity, transcript_of
from actors.session.driver import Turn, TurnStopped
from actors.session.live import LiveSession
from actors.session.opening import begun, found, pin_of_child, pin_of_new, pin_of_turn
from actors.session.output import BETWEEN_TEXTS, TurnOutput
from actors.session.records import TurnOpening, UnknownSchema
from actors.session.replies import decode_reply, encode_reply, refusal, reply_of, wire_form
from actors.session.services import Services
from actors.session.snapshot import UnreadableSnapshot, encode_snapshot
from actors.session.store import SessionMoved, SessionPin, Stored, StoreLost, TurnCommit
from actors.session.stream import Listener
from actors.session.views import view_of
from actors.session.waking import Unfinished, wake
from domain.clock import iso_ms
from domain.errors import AppError, Conflict, NotFound, Unavailable
from domain.ids import PREFIXES
from engine import AnyFact, CallbackArrived, EndTurn, Say, SuspensionExpired, UserSpoke

TAKEN_UP_DEADLINE_S = 120.0
"""How long a turn that was taken up after a crash, or woken from outside, may take."""
MOVED = Failed(kind="Unavailable", message="The session is served by another host.", moved=True)
DEADLINE = "deadline"
ID_DIGEST_BYTES = 12


class SessionBody:
    """One session in a host: asleep (nothing loaded) until its first message."""

    __slots__ = ("_services", "_turn", "live", "session_id", "tenant_id")

    def __init__(self, tenant_id: str, session_id: str, services: Services) -> None:
        self.tenant_id = tenant_id
        self.session_id = session_id
        self.live: LiveSession | None = None
        self._services = services
        self._turn: Turn | None = None

    def interrupt(self, reason: str) -> None:
        """Have the running turn cancelled, or broken off when the host lets go of the session."""
        if self._turn is None:
            return
        if reason == ForgetSession.__name__:
            self._turn.stop(reason)
        else:
            self._turn.give_up(reason)

    def fall_asleep(self) -> None:
        """Let go of everything that is loaded; what matters is in the store."""
        if self.live is not None:
            self.live.stream.abandon()
        self.live = None

    async def handle(self, message: HostMessage, listener: Listener | None) -> HostAnswer:
        """Carry one message out and return the answer."""
        try:
            return await self._handle(message, listener)
        except AppError as error:
            if self.live is not None and self.live.is_ahead:
                self.fall_asleep()  # the state has run ahead of the journal: the next message folds it again
            return refusal(error)
        except SessionMoved as moved:
            self.fall_asleep()
            return msgspec.structs.replace(MOVED, details={"owner": moved.owner})
        except TurnStopped:
            self.fall_asleep()
            return MOVED
        except StoreLost:
            self.fall_asleep()
            return Failed(kind="Unavailable", message="The store does not answer.", retry_after_ms=1_000)
        except (UnknownSchema, UnreadableSnapshot) as error:
            self.fall_asleep()
            return Failed(kind="Unavailable", message=str(error))

    async def _handle(self, message: HostMessage, listener: Listener | None) -> HostAnswer:
        match message:
            case RunTurn():
                return await self._chat(message, listener if message.follow else None)
            case OpenSession():
                live = await self._awake(await pin_of_new(message, self._services))
                return Viewed(view=view_of(live))
            case DelegateTask():
                return await self._delegated(message)
            case CallbackReady() | SuspensionDue():
                return await self._resumed(message)
            case EndSession():
                return await self._end(found(await self._awake(), message.tenant_id, message.project_id), message)
            case ResetSession():
                return await self._reset(found(await self._awake(), message.tenant_id, message.project_id))
            case Look():
                return Viewed(view=view_of(found(await self._awake(), message.tenant_id, message.project_id)))
            case Follow():
                await self._awake()
                return Done()
            case ForgetSession():
                self.fall_asleep()
                return Done()

    # -- messages -------------------------------------------------------------------------------------------------

    async def _chat(self, message: RunTurn, listener: Listener | None) -> HostAnswer:
        asked = message.turn
        live = self.live
        if live is None:
            live = await self._awake(await pin_of_turn(asked, self._services) if message.new else None)
        live = found(live, asked.tenant_id, asked.project_id)
        if asked.idempotency_key and message.may_be_known and (known := await self._known(live, asked)) is not None:
            return Replied(reply=known)
        if live.status == "ended":
            raise Conflict("Session has ended", details={"reason": "SESSION_ENDED"})
        services = self._services
        message_id = reply_id(live.pin.session_id, asked.idempotency_key) or services.ids.new(PREFIXES["message"])
        opening = TurnOpening("user", message_id, asked.idempotency_key, asked.request_hash)
        facts: list[tuple[AnyFact, TurnOpening]] = []
        if live.state is None:
            facts.append((begun(live, services, agent=asked.agent), TurnOpening("begin", message_id)))
        spoke = UserSpoke(
            at=iso_ms(services.clock.now()),
            text=asked.message,
            message_id=services.ids.new(PREFIXES["message"]),
            metadata=asked.metadata,
            agent=asked.agent if live.state is not None else "",
        )
        facts.append((spoke, opening))
        output = TurnOutput(live, message_id, message.attempt, listener)
        return Replied(reply=await self._run(live, output, facts, asked.deadline_s))

    async def _known(self, live: LiveSession, asked: ChatTurn) -> TurnReply | None:
        known = await self._services.store.known_turn(live.pin, asked.idempotency_key)
        if known is None:
            return None
        if known.request_hash != asked.request_hash:
            raise Conflict(
                "The Idempotency-Key was used with another request", details={"reason": "IDEMPOTENCY_KEY_REUSED"}
            )
        return decode_reply(known.reply)

    async def _delegated(self, task: DelegateTask) -> HostAnswer:
        live = self.live or await self._awake(await pin_of_child(task, self._services))
        known = await self._services.store.known_turn(live.pin, task.effect_key)
        if known is not None:
            return Replied(reply=decode_reply(known.reply))
        if live.state is not None:
            raise Conflict("The delegated session is already under way")
        message_id = self._services.ids.new(PREFIXES["message"])
        opening = TurnOpening("begin", message_id, task.effect_key)
        fact = begun(live, self._services, agent=task.agent, task=task.task, given=task.context)
        output = TurnOutput(live, message_id)
        return Replied(reply=await self._run(live, output, [(fact, opening)], TAKEN_UP_DEADLINE_S))

    async def _resumed(self, message: CallbackReady | SuspensionDue) -> HostAnswer:
        live = found(self.live or await self._awake(), message.tenant_id)
        waiting = await self._services.store.callback(message.callback_id)
        if live.state is None or waiting is None or waiting.suspension_id not in live.state.suspensions:
            return Done(note="not waiting")
        at = iso_ms(self._services.clock.now())
        fact: AnyFact
        if isinstance(message, CallbackReady):
            fact = CallbackArrived(at=at, suspension_id=waiting.suspension_id, payload=waiting.payload)
        else:
            fact = SuspensionExpired(at=at, suspension_id=waiting.suspension_id)
        message_id = self._services.ids.new(PREFIXES["message"])
        output = TurnOutput(live, message_id)
        opening = TurnOpening("resume", message_id)
        return Replied(reply=await self._run(live, output, [(fact, opening)], TAKEN_UP_DEADLINE_S))

    async def _end(self, live: LiveSession, message: EndSession) -> HostAnswer:
        if live.status != "ended":
            live.note_end(message.reason)
            snapshot = encode_snapshot(live.state, live.stream.last_seq, live.messages, live.traces)
            await live.write(TurnCommit(snapshot=snapshot, activity=ended_activity(message.reason)))
            live.status, live.end_reason = "ended", message.reason
        return Viewed(view=view_of(live))

    async def _reset(self, live: LiveSession) -> HostAnswer:
        live.note_reset()
        runtime_session_id = self._services.ids.new("")
        snapshot = encode_snapshot(None, live.stream.last_seq, live.messages, live.traces)
        await live.write(TurnCommit(snapshot=snapshot, activity=reset_activity(live)))
        await self._services.store.revive(live.pin, runtime_session_id)
        live.pin = msgspec.structs.replace(live.pin, runtime_session_id=runtime_session_id)
        live.state, live.status, live.end_reason = None, "active", ""
        return Viewed(view=view_of(live))

    # -- waking ---------------------------------------------------------------------------------------------------

    async def _awake(self, new: SessionPin | None = None) -> LiveSession:
        """Return the session, loaded under this host's lease; a turn whose host died is brought to its end first."""
        if self.live is not None:
            return self.live
        services = self._services
        epoch = await services.store.claim(self.tenant_id, self.session_id)
        stored = await services.store.load(self.tenant_id, self.session_id) if epoch is not None else None
        if stored is None and new is not None:
            epoch = await services.store.create(new)
            stored = Stored(pin=new, status="active", end_reason="", snapshot=None, records=(), seq=0)
        if stored is None or epoch is None:
            raise NotFound("Session not found")
        program = await services.programs.get(self.tenant_id, stored.pin.project_id, stored.pin.program_id)
        live = LiveSession(
            stored.pin, program, services.store, epoch, status=stored.status, end_reason=stored.end_reason
        )
        unfinished = wake(live, stored)
        live.is_ahead = unfinished is not None
        self.live = live
        if unfinished is not None:
            await self._finish(live, unfinished)
        return live

    async def _finish(self, live: LiveSession, unfinished: Unfinished) -> None:
        opening = unfinished.opening
        output = TurnOutput(live, opening.message_id, unfinished.attempt)
        output.open(live.state.turn.number if live.state is not None else 0)
        if unfinished.before:
            output.show_delta(unfinished.before)
        for shown in unfinished.shown:
            if isinstance(shown, Say):
                output.say(shown)
            else:
                output.trace(shown.event)
        turn = self._turn = Turn(live, self._services.performer, self._services.clock, output)
        try:
            end = unfinished.end
            if end is None:
                end = await turn.take_up(unfinished.effects, deadline_s=TAKEN_UP_DEADLINE_S)
            await self._commit(live, output, opening, _joined([unfinished.before], end), unfinished.spoke)
        finally:
            self._turn = None

    # -- turns ----------------------------------------------------------------------------------------------------

    async def _run(
        self,
        live: LiveSession,
        output: TurnOutput,
        facts: Sequence[tuple[AnyFact, TurnOpening]],
        deadline_s: float,
    ) -> TurnReply:
        turn = self._turn = Turn(live, self._services.performer, self._services.clock, output)
        try:
            ends = [await turn.run(fact, opening, deadline_s=deadline_s) for fact, opening in facts]
            fact, opening = facts[-1]
            spoke = fact if isinstance(fact, UserSpoke) else None
            end = _joined([one.reply for one in ends[:-1]], ends[-1])
            return await self._commit(live, output, opening, end, spoke)
        finally:
            self._turn = None

    async def _commit(
        self, live: LiveSession, output: TurnOutput, opening: TurnOpening, end: EndTurn, spoke: UserSpoke | None
    ) -> TurnReply:
        """Make the end of a turn durable, and only then show it."""
        state = live.state
        number = state.turn.number if state is not None else 0
        timed_out = end.status == "cancelled" and end.error == DEADLINE
        last_seq = output.settle(end.reply)
        reply = reply_of(live, output, number, end, last_seq)
        now = iso_ms(self._services.clock.now())
        lines = transcript_of(live, spoke, end, output, now)
        commit = TurnCommit(
            number=number,
            key="" if timed_out else opening.key,
            request_hash=opening.request_hash,
            reply=encode_reply(reply) if opening.key else b"",
            snapshot=encode_snapshot(state, last_seq, live.messages + len(lines), live.traces + len(output.traces)),
            transcript=lines,
            traces=tuple(output.traces),
            activity=activity_of(live, end, output),
        )
        await live.write(commit)
        live.messages += len(lines)
        live.traces += len(output.traces)
        if end.status == "ended":
            live.status = "ended"
        if timed_out:
            output.fail("Turn timed out", "SERVICE_UNAVAILABLE")
            raise Unavailable("Turn timed out")
        output.close(end, wire_form(reply))
        return reply


def reply_id(session_id: str, key: str) -> str:
    """Return the id of the message that answers the request under a key: the same one in every attempt; "" without."""
    if not key:
        return ""
    digest = blake2b(f"{session_id}\0{key}".encode(), digest_size=ID_DIGEST_BYTES).hexdigest()
    return f"{PREFIXES['message']}_c{digest}"


def _joined(before: Sequence[str], end: EndTurn) -> EndTurn:
    """Return the end of a turn that began with the session's own start: what was said there stands first."""
    texts = [text for text in (*before, end.reply) if text]
    return end if len(texts) < 2 and end.reply else msgspec.structs.replace(end, reply=BETWEEN_TEXTS.join(texts))
