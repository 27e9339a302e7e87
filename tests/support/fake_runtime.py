"""A `Runtime` in memory for tests of the gateway: it echoes, keeps what it said, and can be told to wait or to refuse."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from actors.deliveries import CallbackDelivery, CallbackResult
from actors.health import Health
from actors.runtime import (
    Caller,
    ChatTurn,
    NewSession,
    Page,
    SessionFilter,
    SessionPage,
    SessionRef,
    SessionView,
    StreamEvent,
    TraceFilter,
    TurnReply,
)
from domain.clock import CountingIds
from domain.errors import AppError, Conflict, NotFound
from tests.support.fake_callbacks import A_CALLBACK, FakeCallback
from tests.support.fake_forms import AT, TRACE, detail_of, message_of
from tests.support.fake_session import FakeSession


class FakeRuntime:
    """Sessions that echo.

    Attributes:
        refuse: Raised by the next turn before its first event.
        chunks: The pieces of a reply.
        gate: When set, each chunk waits until it is set.
        asked: Every turn that was asked for.
    """

    def __init__(self) -> None:
        self.callers: dict[str, Caller] = {}
        self.sessions_by_id: dict[str, FakeSession] = {}
        self.stores: dict[tuple[str, str], dict[str, Any]] = {}
        self.callbacks_by_id: dict[str, FakeCallback] = {}
        self.replies: dict[tuple[str, str], tuple[ChatTurn, TurnReply]] = {}
        self.opened: dict[tuple[str, ...], str] = {}
        self.asked: list[ChatTurn] = []
        self.wanted: list[NewSession] = []
        self.refuse: AppError | None = None
        self.crash: Exception | None = None
        self.action: dict[str, Any] = {"type": "respond"}
        self.chunks: tuple[str, ...] = ()
        self.trace: dict[str, Any] = dict(TRACE)
        self.gate: asyncio.Event | None = None
        self.health_now = Health(ready=True, hosts=1, parts={"store": "ok"})
        self.resumed: list[tuple[str, str]] = []
        self.drained, self.linked = False, dict[str, str]()
        self._ids = CountingIds()
        self._one_by_one: dict[tuple[str, str], asyncio.Lock] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def authenticate(self, api_key: str) -> Caller | None:
        return self.callers.get(api_key)

    async def chat(self, turn: ChatTurn) -> TurnReply:
        async for event in self.stream(turn):
            if event.kind == "complete":
                return msgspec.structs.replace(self._reply(event), repeated=event.repeated)
        raise AssertionError("a turn ends with complete")

    def new_session_id(self, turn: ChatTurn) -> str:
        owner = (turn.tenant_id, turn.project_id, turn.user_kind, turn.user_id, turn.idempotency_key)
        fresh = self._ids.new("sess")
        return self.opened.setdefault(owner, fresh) if turn.idempotency_key else fresh

    async def stream(self, turn: ChatTurn) -> AsyncIterator[StreamEvent]:
        if self.crash is not None:
            raise self.crash
        if self.refuse is not None:
            raise self.refuse
        scope = f"{turn.session_id or turn.project_id} of {turn.user_kind} {turn.user_id}"
        if turn.idempotency_key:
            async with self._one_by_one.setdefault((scope, turn.idempotency_key), asyncio.Lock()):
                async for event in self._begin(turn, scope):
                    yield event
            return
        async for event in self._begin(turn, scope):
            yield event

    async def accept(self, turn: ChatTurn, *, interrupts: bool = False) -> AsyncIterator[StreamEvent]:
        if interrupts and turn not in self.asked:
            await self.cancel_turn(SessionRef(turn.tenant_id, turn.project_id, turn.session_id))
        return self.stream(turn)

    async def _begin(self, turn: ChatTurn, scope: str) -> AsyncIterator[StreamEvent]:
        session = self._session_of(turn, scope)
        stored = self.replies.get((scope, turn.idempotency_key)) if turn.idempotency_key else None
        if stored is not None:
            if stored[0] != turn:
                raise Conflict("Used for another request", details={"reason": "IDEMPOTENCY_KEY_REUSED"})
            for event in session.events[stored[1].first_seq - 1 : stored[1].last_seq]:
                yield msgspec.structs.replace(event, repeated=True)
            return
        self.asked.append(turn)
        after = len(session.events)
        task = asyncio.create_task(self._run(session, turn, scope))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        number: int | None = None
        async for event in self._events(session, after, until_idle=False):
            number = number or event.turn
            if event.turn == number:
                yield event
            if event.turn == number and event.kind in ("complete", "error"):
                return

    async def resume(self, session: SessionRef, after: int) -> AsyncIterator[StreamEvent]:
        async for event in self._events(self._found(session), after, until_idle=True):
            yield event

    async def follow(self, session: SessionRef, after: int) -> AsyncIterator[StreamEvent]:
        async for event in self._events(self._found(session), after, until_idle=False):
            yield event
        raise Conflict("Session has ended", details={"reason": "SESSION_ENDED"})

    async def take_back(self, turn: ChatTurn) -> bool:
        session = SessionRef(turn.tenant_id, turn.project_id, turn.session_id)
        is_named = self._found(session).running_key == turn.idempotency_key
        return is_named and await self.cancel_turn(session)

    async def cancel_turn(self, session: SessionRef, message_id: str = "") -> bool:
        found = self._found(session)
        if message_id not in ("", found.running_key):
            return False
        was_running, found.cancelled = found.running, found.running
        if self.gate is not None:
            self.gate.set()
        return was_running

    async def task_closed(self, tenant_id: str, session_id: str, task_id: str) -> None:
        self.resumed.append((session_id, task_id))

    async def link_contact(self, session: SessionRef, contact_id: str) -> None:
        self.linked[self._found(session).id] = contact_id

    async def create_session(self, wanted: NewSession) -> SessionView:
        if self.refuse is not None:
            raise self.refuse
        self.wanted.append(wanted)
        name = _name_of(wanted)
        if name in self.opened:
            return self._view(self.sessions_by_id[self.opened[name]])
        return self._view(self._opened_as(wanted))

    def _opened_as(self, wanted: NewSession) -> FakeSession:
        name, is_named = _name_of(wanted), bool(wanted.name)
        agent, session_id = wanted.agent or "entry", self.named_session_id(wanted) if is_named else ""
        session = self._open(wanted.tenant_id, wanted.project_id, agent, wanted.transport, session_id)
        session.environment = wanted.environment
        if is_named or wanted.idempotency_key:
            self.opened[name] = session.id
        return session

    def named_session_id(self, wanted: NewSession) -> str:
        name = _name_of(wanted)
        return self.opened.get(name) or "sess_" + sha256(repr(name).encode()).hexdigest()[:24]

    async def discard_session(self, session: SessionRef) -> bool:
        found = self._found(session)
        if found.turns:
            return False
        del self.sessions_by_id[found.id]
        self.opened = {name: one for name, one in self.opened.items() if one != found.id}
        return True

    async def is_open(self, wanted: NewSession) -> bool:
        return _name_of(wanted) in self.opened

    async def session(self, session: SessionRef, *, messages: int = 0, at_once: bool = False) -> SessionView:
        return self._view(self._found(session), messages)

    async def sessions(self, tenant_id: str, project_id: str, wanted: SessionFilter) -> SessionPage:
        mine = [
            self._view(session)
            for session in self.sessions_by_id.values()
            if (session.tenant_id, session.project_id) == (tenant_id, project_id)
            and wanted.status in ("", session.status)
        ]
        rows = mine[::-1] if wanted.descending else mine
        return SessionPage(rows=tuple(rows[wanted.offset : wanted.offset + wanted.limit]), total=len(rows))

    async def end_session(self, session: SessionRef, reason: str = "api") -> SessionView:
        found = self._found(session)
        if found.status == "active":
            async with found.changed:
                found.status, found.end_reason = "ended", reason
                found.changed.notify_all()
        return self._view(found)

    async def reset_session(self, session: SessionRef, key: str = "") -> SessionView:
        found = self._found(session)
        found.status, found.end_reason, found.runtime_id = "active", "", self._ids.new("")
        return self._view(found)

    async def delete_session(self, session: SessionRef) -> None:
        del self.sessions_by_id[self._found(session).id]

    async def traces(self, session: SessionRef, wanted: TraceFilter) -> Page:
        found = self._found(session).traces
        rows = [row for row in found if not wanted.event_types or row["type"] in wanted.event_types]
        rows = rows[::-1] if wanted.descending else rows
        return Page(rows=tuple(rows[wanted.offset : wanted.offset + wanted.limit]), total=len(rows))

    async def transcript(self, session: SessionRef, *, limit: int = 50, offset: int = 0) -> Page:
        rows = [{**row, "channel": "api"} for row in self._found(session).messages]
        return Page(rows=tuple(rows[offset : offset + limit]), total=len(rows))

    async def use_memory(self, session: SessionRef, action: str, store: str, content: dict[str, Any] | None) -> Any:
        if self._found(session).status == "ended":
            raise NotFound("Session not found")
        name = (session.session_id, store)
        if action == "delete":
            return {"deleted": self.stores.pop(name, None) is not None}
        return self.stores.update({name: content}) if content is not None else self.stores.get(name, {})

    async def deliver_callback(self, delivery: CallbackDelivery) -> CallbackResult:
        callback = self.callbacks_by_id.get(delivery.callback_id)
        if callback is None:
            return "not_found"
        signed = "sha256=" + hmac.new(callback.secret.encode(), delivery.raw, sha256).hexdigest()
        if callback.secret and not hmac.compare_digest(signed, delivery.signature.lower()):
            return "invalid_signature"
        if callback.status == "processed":
            return "already_processed"
        if callback.status != "pending":
            return "expired"
        if callback.enqueue_fails:
            return "unavailable"
        callback.status, callback.body = "processed", delivery.body
        return "accepted"

    async def callbacks(self, tenant_id: str, project_id: str, *, status: str, limit: int, offset: int) -> Page:
        rows = [
            {**A_CALLBACK, "id": key, "status": callback.status}
            for key, callback in self.callbacks_by_id.items()
            if (callback.tenant_id, callback.project_id, callback.status) == (tenant_id, project_id, status)
        ]
        return Page(rows=tuple(rows[offset : offset + limit]), total=len(rows))

    async def health(self) -> Health:
        return self.health_now

    async def metrics(self) -> Sequence[tuple[str, dict[str, str], float]]:
        return [("abl_live_sessions", {"host": "one"}, float(len(self.sessions_by_id)))]

    async def drain(self) -> None:
        self.drained = True

    async def say(self, session_id: str, text: str) -> None:
        """Let a session say something by itself, as after a callback."""
        session = self.sessions_by_id[session_id]
        await self._run(session, ChatTurn(tenant_id="", project_id="", message=text), session_id)

    def _session_of(self, turn: ChatTurn, scope: str) -> FakeSession:
        if turn.opens is not None and turn.session_id not in self.sessions_by_id:
            self.wanted.append(turn.opens)
            return self._opened_as(turn.opens)
        if turn.session_id:
            session = self._found(SessionRef(turn.tenant_id, turn.project_id, turn.session_id))
            if session.status == "ended":
                raise Conflict("Session has ended", details={"reason": "SESSION_ENDED"})
            return session
        stored = self.replies.get((scope, turn.idempotency_key)) if turn.idempotency_key else None
        if stored is not None:
            return self.sessions_by_id[stored[1].session_id]
        return self._open(turn.tenant_id, turn.project_id, turn.agent or "entry", turn.transport, turn.new_session_id)

    def _open(self, tenant_id: str, project_id: str, agent: str, transport: str, session_id: str = "") -> FakeSession:
        session = FakeSession(session_id or self._ids.new("sess"), tenant_id, project_id, agent, transport)
        session.runtime_id = self._ids.new("")
        self.sessions_by_id[session.id] = session
        return session

    def _found(self, wanted: SessionRef) -> FakeSession:
        session = self.sessions_by_id.get(wanted.session_id)
        if session is None or session.tenant_id != wanted.tenant_id:
            raise NotFound("Session not found")
        if wanted.project_id not in ("", session.project_id):
            raise NotFound("Session not found")
        return session

    async def _run(self, session: FakeSession, turn: ChatTurn, scope: str) -> None:
        async with session.lock:
            session.turns += 1
            session.running, session.running_key = True, turn.idempotency_key
            number, message_id = session.turns, self._ids.new("msg")
            first = len(session.events) + 1
            said: list[str] = []
            chunks = self.chunks or (f"you said: {turn.message}",)
            await self._emit(session, number, "session_start", {"sessionId": session.id})
            await self._emit(session, number, "response_start", {"messageId": message_id, "attempt": 1})
            await self._emit(session, number, "trace_event", {"event": self.trace})
            session.traces.append({**self.trace, "id": self._ids.new("evt"), "sessionId": session.id})
            for chunk in chunks:
                if self.gate is not None:
                    await self.gate.wait()
                if session.cancelled:
                    break
                said.append(chunk)
                await self._emit(session, number, "response_chunk", {"messageId": message_id, "chunk": chunk})
            text, interrupted = "".join(said), {"interrupted": True} if session.cancelled else {}
            session.cancelled = False
            closing = {"messageId": message_id, "fullText": text, "action": self.action, **interrupted}
            await self._emit(session, number, "response_end", closing)
            reply = TurnReply(
                session_id=session.id,
                message_id=message_id,
                turn=number,
                response=text,
                action=self.action,
                agent_name=session.agent,
                state={"currentStep": "greet"},
                trace_events=(self.trace,),
                first_seq=first,
                last_seq=len(session.events) + 1,
            )
            if turn.idempotency_key:
                self.replies[scope, turn.idempotency_key] = (turn, reply)
            session.messages += [
                message_of(self._ids.new("msg"), "user", turn.message, number),
                message_of(message_id, "assistant", text, number),
            ]
            session.running = False
            await self._emit(session, number, "complete", _complete(reply))

    async def _emit(self, session: FakeSession, turn: int, kind: Any, data: dict[str, Any]) -> None:
        async with session.changed:
            session.events.append(StreamEvent(seq=len(session.events) + 1, turn=turn, kind=kind, data=data))
            session.changed.notify_all()

    async def _events(self, session: FakeSession, after: int, *, until_idle: bool) -> AsyncIterator[StreamEvent]:
        while True:
            while after < len(session.events):
                event = session.events[after]
                after += 1
                yield event
            if (until_idle and not session.running) or session.status == "ended":
                return
            async with session.changed:
                if after >= len(session.events):
                    await session.changed.wait()

    def _reply(self, event: StreamEvent) -> TurnReply:
        data = event.data
        return TurnReply(
            session_id=data["sessionId"],
            message_id=data["messageId"],
            turn=event.turn,
            response=data["response"],
            action=data["action"],
            agent_name=data["agentName"],
            state=data["state"],
            trace_events=tuple(data["traceEvents"]),
        )

    def _view(self, session: FakeSession, messages: int = 0) -> SessionView:
        detail = detail_of(session.agent, len(session.events))
        if messages:
            detail["messages"] = session.messages[-messages:]
        return SessionView(
            id=session.id,
            runtime_session_id=session.runtime_id,
            project_id=session.project_id,
            agent_name=session.agent,
            entry_agent_name=session.agent,
            status="ended" if session.status == "ended" else "active",
            execution_state="ended" if session.status == "ended" else "idle",
            channel="api",
            transport=session.transport,
            created_at=AT,
            last_activity_at=AT,
            ended_at=AT if session.status == "ended" else "",
            end_reason=session.end_reason,
            message_count=len(session.messages),
            detail=detail,
        )


def _name_of(wanted: NewSession) -> tuple[str, ...]:
    return (wanted.project_id, wanted.name, wanted.key_owner, wanted.idempotency_key)


def _complete(reply: TurnReply) -> dict[str, Any]:
    return {
        "sessionId": reply.session_id,
        "messageId": reply.message_id,
        "response": reply.response,
        "action": reply.action,
        "state": reply.state,
        "agentName": reply.agent_name,
        "traceEvents": list(reply.trace_events),
    }
