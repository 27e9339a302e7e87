"""The runtime behind the gateway: sends what concerns one session to its host, and reads lists from the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from actors.archive_port import Archive
from actors.deliveries import CallbackDelivery, CallbackResult
from actors.directory import Directory
from actors.health import OK, Health, ModelHealth
from actors.host_numbers import HostNumbers
from actors.intake import Intake
from actors.messages import (
    CallbackReady,
    CancelTurn,
    DiscardSession,
    Done,
    EndSession,
    ForgetSession,
    HostAnswer,
    HostMessage,
    LinkContact,
    Look,
    MemoryUsed,
    OpenSession,
    Replied,
    ResetSession,
    RunTurn,
    TaskClosed,
    UseMemory,
)
from actors.raising import error_of, viewed
from actors.router import Router, Summon
from actors.runtime import (
    Caller,
    ChatTurn,
    JsonObject,
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
from actors.session.records import OWN_KEY
from actors.session.repeating import spoken_id
from actors.session_host import FULL_RETRY_MS, QUEUE_FULL
from actors.session_ids import opened_id, session_id_of
from actors.system_events import SystemEvents
from actors.tally import Tally
from actors.turn_keys import key_of, request_hash
from actors.turn_stream import FOLLOW_PAUSE_S, followed, listened, turn_events
from domain.clock import IdSource
from domain.errors import AppError, NotFound, QueueFull, Unavailable
from domain.ids import PREFIXES
from domain.limits import EXECUTION_QUEUE_TURNS
from domain.messages import Attachment
from storage.repositories.accepted import AcceptedMessages

STABLE = f"{PREFIXES['session']}_"
AGENT = f"{PREFIXES['agent']}_"
DRAIN_S = 30.0
CHILDREN_AT_ONCE = 100


class SessionRuntime:
    """Satisfies `actors.runtime.Runtime`."""

    def __init__(
        self,
        directory: Directory,
        archive: Archive,
        ids: IdSource,
        tally: Tally | None = None,
        system: SystemEvents | None = None,
        *,
        on_drain: Callable[[], Awaitable[None]] | None = None,
        accepted: AcceptedMessages | None = None,
        summon: Summon | None = None,
        max_waiting: int = EXECUTION_QUEUE_TURNS,
        model: Callable[[], ModelHealth] = ModelHealth,
    ) -> None:
        """`tally` is of what this process asks itself, `max_waiting` of turns in all hosts together.

        Without `accepted` no message is taken that is answered later; `model` is that of agents that name none.
        """
        self._system = system
        self._directory = directory
        self._router = Router(directory, summon)
        self.intake = Intake(accepted, self._router) if accepted is not None else None
        self._archive = archive
        self._ids = ids
        self._on_drain = on_drain
        self._tally = tally or Tally()
        self._numbers = HostNumbers()
        self._max_waiting = max_waiting
        self._model = model
        self._running: set[asyncio.Task[Any]] = set()
        self._draining = False
        self._turns = 0
        self._failures = 0

    async def authenticate(self, api_key: str) -> Caller | None:
        """Return who brings this API key; None when nobody does."""
        return await self._archive.caller(api_key)

    async def ask(self, message: HostMessage) -> HostAnswer:
        """Send a message to its session, wherever that is; for delegations and jobs."""
        return await self._router.ask(message)

    async def chat(self, turn: ChatTurn) -> TurnReply:
        """Run one turn to its end and return its committed reply."""
        message = await self._message(turn, follow=False)
        task = asyncio.get_running_loop().create_task(self._router.ask(message))
        self._keep(task)
        answer = await asyncio.shield(task)
        if isinstance(answer, Replied):
            user_message_id = spoken_id(message.turn.session_id, message.turn.idempotency_key)
            return msgspec.structs.replace(answer.reply, user_message_id=user_message_id)
        self._failures += 1
        raise self._noted(turn, error_of(answer))

    async def stream(self, turn: ChatTurn) -> AsyncIterator[StreamEvent]:
        """Run one turn and yield its output as it comes."""
        message = await self._message(turn, follow=True)
        try:
            async for event in turn_events(self._router, message, self._keep):
                self._failures += event.kind == "error"
                yield event
        except QueueFull as error:
            raise self._noted(turn, error) from error

    async def accept(self, turn: ChatTurn, *, interrupts: bool = False) -> AsyncIterator[StreamEvent]:
        """Take a turn, durably, and return its output; it begins with the first reading of that."""
        if self.intake is None:
            raise Unavailable("No messages are taken here that are answered later")
        message = await self.intake.take(await self._message(turn, follow=True), interrupts=interrupts)
        return self.intake.output(message, self._keep)

    async def resume(self, session: SessionRef, after: int) -> AsyncIterator[StreamEvent]:
        """Yield the session's output above a number, to the end of the turn that is running or was last."""
        found = await self._archive.resolve(session)
        async for event in followed(self._router, found.tenant_id, found.session_id, after):
            yield event

    async def follow(self, session: SessionRef, after: int) -> AsyncIterator[StreamEvent]:
        """Yield the session's output above a number, turn after turn, until the reader leaves."""
        found = await self._archive.resolve(session)
        async for event in followed(self._router, found.tenant_id, found.session_id, after):
            after = event.seq
            yield event
        while True:
            async for event in listened(self._router, found.tenant_id, found.session_id, after):
                after = event.seq
                yield event
            await asyncio.sleep(FOLLOW_PAUSE_S)
            await self._archive.resolve(found)  # a session that was deleted has no more to say

    async def cancel_turn(self, session: SessionRef, message_id: str = "") -> bool:
        """Give the running turn up; False when it was not running."""
        found = await self._archive.resolve(session)
        names = _names(found)
        answer = await self._router.ask(
            CancelTurn(
                tenant_id=names["tenant_id"],
                project_id=names["project_id"],
                session_id=names["session_id"],
                message_id=message_id,
            )
        )
        if isinstance(answer, Done):
            return bool(answer.note)
        raise error_of(answer)

    async def take_back(self, turn: ChatTurn) -> bool:
        """Give up a turn that was accepted, by its idempotency key: it never runs, or is interrupted."""
        found = await self._archive.resolve(SessionRef(turn.tenant_id, turn.project_id, turn.session_id))
        cancel = CancelTurn(
            tenant_id=found.tenant_id,
            project_id=found.project_id,
            session_id=found.session_id,
            message_id=key_of(turn),
        )
        answer = await (self._router.ask(cancel) if self.intake is None else self.intake.take_back(cancel))
        if isinstance(answer, Done):
            return bool(answer.note)
        raise error_of(answer)

    async def _message(self, turn: ChatTurn, *, follow: bool) -> RunTurn:
        if self._draining:
            raise Unavailable("The runtime is shutting down")
        if self._directory.waiting >= self._max_waiting:
            raise self._noted(turn, QueueFull(QUEUE_FULL, retry_after_ms=FULL_RETRY_MS))
        self._turns += 1
        key = key_of(turn)
        new = not turn.session_id
        if new:
            session_id = turn.new_session_id or self.new_session_id(turn)
        elif turn.session_id.startswith(STABLE):
            session_id = turn.session_id  # its host knows whose it is
        else:
            ref = SessionRef(turn.tenant_id, turn.project_id, turn.session_id)
            session_id = (await self._archive.resolve(ref)).session_id
        files: tuple[Attachment, ...] = ()
        if turn.attachment_ids:
            session = SessionRef(turn.tenant_id, turn.project_id, session_id)
            files = await self._archive.attachments(session, turn.attachment_ids)
        prepared = msgspec.structs.replace(
            turn,
            attachments=files,
            session_id=session_id,
            new_session_id="",
            idempotency_key=key or OWN_KEY + self._ids.new(""),
            request_hash=(turn.request_hash or request_hash(turn)) if key else "",
            agent=await self._agent_named(turn.tenant_id, turn.project_id, turn.agent),
            opens=await self._with_agent(turn.opens) if turn.opens is not None else None,
        )
        return RunTurn(turn=prepared, new=new, follow=follow, may_be_known=bool(key), asked_as=turn.idempotency_key)

    def new_session_id(self, turn: ChatTurn) -> str:
        """Return an id for the session that a turn opens."""
        return session_id_of(turn.tenant_id, turn.project_id, key_of(turn), self._ids)

    def _noted(self, turn: ChatTurn, error: AppError) -> AppError:
        """Return an error of a turn; that there was no room for it is told to analytics."""
        if isinstance(error, QueueFull) and self._system is not None:
            self._system.queue_full(turn.tenant_id, turn.project_id)
        return error

    def _keep(self, task: asyncio.Task[Any]) -> None:
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def create_session(self, wanted: NewSession) -> SessionView:
        """Open a session that has not spoken yet."""
        session_id = opened_id(wanted, self._ids)
        wanted = await self._with_agent(wanted)
        view = viewed(await self._router.ask(OpenSession(session_id=session_id, wanted=wanted)))
        detail = {**view.detail, **await self._archive.agent(wanted.tenant_id, view)}
        return msgspec.structs.replace(view, detail=detail)

    async def is_open(self, wanted: NewSession) -> bool:
        """Return whether the session of this name or idempotency key is there already, whatever its status."""
        named = SessionRef(wanted.tenant_id, wanted.project_id, opened_id(wanted, self._ids))
        try:
            await self._archive.resolve(named)
        except NotFound:
            return False
        return True

    def named_session_id(self, wanted: NewSession) -> str:
        """Return the id of the session of this name, whether it is there or not."""
        return opened_id(wanted, self._ids)

    async def discard_session(self, session: SessionRef) -> bool:
        """Remove a session to which nothing was said; return whether it is gone."""
        answer = await self._router.ask(DiscardSession(**_names(await self._archive.resolve(session))))
        if not isinstance(answer, Done):
            raise error_of(answer)
        return bool(answer.note)

    async def _with_agent(self, wanted: NewSession) -> NewSession:
        named = await self._agent_named(wanted.tenant_id, wanted.project_id, wanted.agent)
        return msgspec.structs.replace(wanted, agent=named)

    async def _agent_named(self, tenant_id: str, project_id: str, agent: str) -> str:
        """Return the name of an agent that is given by its id, name or path. Spec: platform-api 4.1, 5.1."""
        return await self._archive.agent_name(tenant_id, project_id, agent) if agent.startswith(AGENT) else agent

    async def session(self, session: SessionRef, *, messages: int = 0, at_once: bool = False) -> SessionView:
        """Return a session with its detail."""
        found = await self._archive.resolve(session)
        row = await self._archive.view(found)
        live = viewed(await self._router.ask(Look(**_names(found), at_once=at_once)))
        detail = {**row.detail, **await self._archive.outside(found), **live.detail}
        if messages:
            page = await self._archive.transcript(found, limit=messages, offset=0, last=True)
            detail["messages"] = list(page.rows)
        shown = msgspec.structs.replace(
            row, agent_name=live.agent_name, execution_state=live.execution_state, held_after=live.held_after
        )
        detail |= await self._archive.agent(found.tenant_id, shown)
        return msgspec.structs.replace(shown, detail=detail)

    async def sessions(self, tenant_id: str, project_id: str, wanted: SessionFilter) -> SessionPage:
        """Return sessions of a project."""
        return await self._archive.sessions(tenant_id, project_id, wanted)

    async def end_session(self, session: SessionRef, reason: str = "api") -> SessionView:
        """End a session; doing so again changes nothing."""
        found = await self._archive.resolve(session)
        viewed(await self._router.ask(EndSession(**_names(found), reason=reason)))
        return await self._archive.view(found)

    async def reset_session(self, session: SessionRef, key: str = "") -> SessionView:
        """Put a session back to its start, under a new runtime session id; once for each owned key."""
        found = await self._archive.resolve(session)
        message = ResetSession(**_names(found), key=key or OWN_KEY + self._ids.new(""))
        viewed(await self._router.ask(message))
        return await self._archive.view(found)

    async def link_contact(self, session: SessionRef, contact_id: str) -> None:
        """Say whose session it is, in order with its turns."""
        found = await self._archive.resolve(session)
        answer = await self._router.ask(LinkContact(**_names(found), contact_id=contact_id))
        if not isinstance(answer, Done):
            raise error_of(answer)

    async def delete_session(self, session: SessionRef) -> None:
        """End a session and remove what it left."""
        found = await self._archive.resolve(session)
        await self._router.ask(EndSession(**_names(found), reason="api"))
        while children := await self._archive.children(found, CHILDREN_AT_ONCE):
            for child in children:  # each deletes its own first; how deep they go is bounded by the engine
                with suppress(NotFound):  # the same deletion, asked for a second time, was there before
                    await self.delete_session(child)
        await self._archive.delete(found)
        await self._router.ask(ForgetSession(tenant_id=found.tenant_id, session_id=found.session_id))

    async def traces(self, session: SessionRef, wanted: TraceFilter) -> Page:
        """Return trace events of a session."""
        return await self._archive.traces(await self._archive.resolve(session), wanted)

    async def transcript(self, session: SessionRef, *, limit: int = 50, offset: int = 0) -> Page:
        """Return messages of a session and the channel they came by, oldest first. Spec: platform-api 5.9."""
        view = await self._archive.view(session)
        found = SessionRef(session.tenant_id, view.project_id, view.id)
        page = await self._archive.transcript(found, limit=limit, offset=offset)
        rows = tuple({**row, "channel": view.channel} for row in page.rows)
        return msgspec.structs.replace(page, rows=rows)

    async def use_memory(self, session: SessionRef, action: str, store: str, content: JsonObject | None) -> Any:
        """Use a memory store of a session."""
        found = await self._archive.resolve(session)
        answer = await self._router.ask(UseMemory(**_names(found), action=action, store=store, content=content))
        if isinstance(answer, MemoryUsed):
            return answer.value
        raise error_of(answer)

    async def deliver_callback(self, delivery: CallbackDelivery) -> CallbackResult:
        """Hand an outside answer to the session that waits for it, at most once."""
        result, tenant_id, session_id = await self._archive.take_callback(delivery)
        if result == "accepted":
            message = CallbackReady(tenant_id=tenant_id, session_id=session_id, callback_id=delivery.callback_id)
            self._keep(asyncio.get_running_loop().create_task(self._router.ask(message)))
        return result

    async def task_closed(self, tenant_id: str, session_id: str, task_id: str) -> None:
        """Have the session of a human task that was closed go on at once; its job would do so in a moment."""
        message = TaskClosed(tenant_id=tenant_id, session_id=session_id, task_id=task_id)
        self._keep(asyncio.get_running_loop().create_task(self._router.ask(message)))

    async def callbacks(self, tenant_id: str, project_id: str, *, status: str, limit: int, offset: int) -> Page:
        """Return callbacks without their secrets."""
        return await self._archive.callbacks(tenant_id, project_id, status=status, limit=limit, offset=offset)

    async def health(self) -> Health:
        """Return how the runtime is."""
        parts = await self._archive.parts()
        parts["cluster"] = OK if self._directory.host_ids else "No session host is alive."
        members, waiting = self._directory.members, self._directory.waiting
        queue, model = f"{waiting} turns wait, no more are taken.", self._model()
        parts |= {"queue": OK if waiting < self._max_waiting else queue, **model.needed}
        return Health(
            ready=not self._draining and all(state == OK for state in parts.values()),
            draining=self._draining,
            hosts=len(self._directory.host_ids),
            live_sessions=sum(one.sessions for one in members),
            waiting_turns=sum(one.waiting for one in members),
            parts=parts,
            lesser={**model.lesser, "analytics": (await self._archive.uncounted())[1]},
        )

    async def metrics(self) -> Sequence[tuple[str, dict[str, str], float]]:
        """Return counters and gauges."""
        rows: list[tuple[str, dict[str, str], float]] = [
            ("abl_turns_total", {}, float(self._turns)),
            ("abl_turns_failed_total", {}, float(self._failures)),
            ("abl_turns_running", {}, float(len(self._running))),
            ("abl_hosts", {}, float(len(self._directory.host_ids))),
            ("abl_queue_turns", {}, float(self._directory.waiting)),
            ("abl_uncounted_turns", {}, float((await self._archive.uncounted())[0])),
        ]
        return [*rows, *self._numbers.rows(self._directory.members, self._tally.counts())]

    async def drain(self) -> None:
        """Take no new turns, let the running ones finish within their bound."""
        self._draining = True
        if self._running:
            await asyncio.wait(set(self._running), timeout=DRAIN_S)
        if self._on_drain is not None:
            await self._on_drain()


def _names(session: SessionRef) -> dict[str, str]:
    return {
        "tenant_id": session.tenant_id,
        "project_id": session.project_id,
        "session_id": session.session_id,
    }
