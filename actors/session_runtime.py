"""The runtime behind the gateway: sends what concerns one session to its host, and reads lists from the store."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Protocol

import msgspec

from actors.directory import Directory
from actors.messages import (
    CallbackReady,
    EndSession,
    ForgetSession,
    HostAnswer,
    HostMessage,
    HostStats,
    Look,
    OpenSession,
    Replied,
    ResetSession,
    RunTurn,
    Viewed,
)
from actors.raising import error_of
from actors.router import Router
from actors.runtime import (
    CallbackDelivery,
    CallbackResult,
    Caller,
    ChatTurn,
    Health,
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
from actors.turn_stream import followed, turn_events
from domain.clock import IdSource
from domain.errors import Unavailable
from domain.ids import PREFIXES

OWN_KEY = "own:"
"""Begins the idempotency keys that are made here for requests that bring none."""
ID_DIGEST_BYTES = 12
DRAIN_S = 30.0


class Archive(Protocol):
    """What the store tells without asking a host."""

    async def caller(self, api_key: str) -> Caller | None:
        """Return who brings an API key."""
        ...

    async def resolve(self, session: SessionRef) -> SessionRef:
        """Return the session under its stable id. Raises NotFound when it is not of that tenant and project."""
        ...

    async def view(self, session: SessionRef) -> SessionView:
        """Return the row of a session. Raises NotFound."""
        ...

    async def sessions(self, tenant_id: str, project_id: str, wanted: SessionFilter) -> SessionPage:
        """Return sessions of a project."""
        ...

    async def traces(self, session: SessionRef, wanted: TraceFilter) -> Page:
        """Return trace events."""
        ...

    async def transcript(self, session: SessionRef, *, limit: int, offset: int, last: bool = False) -> Page:
        """Return lines of the transcript, oldest first; with `last` the last ones."""
        ...

    async def delete(self, session: SessionRef) -> None:
        """Remove what a session left."""
        ...

    async def take_callback(self, delivery: CallbackDelivery) -> tuple[CallbackResult, str, str]:
        """Check and claim a callback; return the result, the tenant and the session to wake."""
        ...

    async def callbacks(self, tenant_id: str, project_id: str, *, status: str, limit: int, offset: int) -> Page:
        """Return callbacks without their secrets."""
        ...

    async def parts(self) -> dict[str, str]:
        """Return the state of each server behind the runtime; "ok" is well."""
        ...


class SessionRuntime:
    """Satisfies `actors.runtime.Runtime`."""

    def __init__(
        self,
        directory: Directory,
        archive: Archive,
        ids: IdSource,
        *,
        local_stats: Callable[[], HostStats] | None = None,
        on_drain: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._directory = directory
        self._router = Router(directory)
        self._archive = archive
        self._ids = ids
        self._local_stats = local_stats
        self._on_drain = on_drain
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

    # -- turns ----------------------------------------------------------------------------------------------------

    async def chat(self, turn: ChatTurn) -> TurnReply:
        """Run one turn to its end and return its committed reply."""
        message = await self._message(turn, follow=False)
        task = asyncio.get_running_loop().create_task(self._router.ask(message))
        self._keep(task)
        answer = await asyncio.shield(task)
        if isinstance(answer, Replied):
            return answer.reply
        self._failures += 1
        raise error_of(answer)

    async def stream(self, turn: ChatTurn) -> AsyncIterator[StreamEvent]:
        """Run one turn and yield its output as it comes."""
        message = await self._message(turn, follow=True)
        async for event in turn_events(self._router, message, self._keep):
            yield event

    async def resume(self, session: SessionRef, after: int) -> AsyncIterator[StreamEvent]:
        """Yield the session's output above a number, to the end of the turn that is running or was last."""
        found = await self._archive.resolve(session)
        async for event in followed(self._router, found.tenant_id, found.session_id, after):
            yield event

    async def _message(self, turn: ChatTurn, *, follow: bool) -> RunTurn:
        if self._draining:
            raise Unavailable("The runtime is shutting down")
        self._turns += 1
        key = turn.idempotency_key
        new = not turn.session_id
        if new:
            session_id = self._session_id(turn.tenant_id, turn.project_id, key)
        else:
            ref = SessionRef(turn.tenant_id, turn.project_id, turn.session_id)
            session_id = (await self._archive.resolve(ref)).session_id
        prepared = msgspec.structs.replace(
            turn,
            session_id=session_id,
            idempotency_key=key or OWN_KEY + self._ids.new(""),
            request_hash=turn.request_hash or request_hash(turn),
        )
        return RunTurn(turn=prepared, new=new, follow=follow, may_be_known=bool(key))

    def _session_id(self, tenant_id: str, project_id: str, key: str) -> str:
        """Return the id of a new session; the same one for the same idempotency key."""
        if not key:
            return self._ids.new(PREFIXES["session"])
        text = f"{tenant_id}\0{project_id}\0{key}"
        digest = hashlib.blake2b(text.encode(), digest_size=ID_DIGEST_BYTES).hexdigest()
        return f"{PREFIXES['session']}_c{digest}"

    def _keep(self, task: asyncio.Task[Any]) -> None:
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    # -- sessions -------------------------------------------------------------------------------------------------

    async def create_session(self, wanted: NewSession) -> SessionView:
        """Open a session that has not spoken yet."""
        session_id = self._session_id(wanted.tenant_id, wanted.project_id, wanted.idempotency_key)
        return _viewed(await self._router.ask(OpenSession(session_id=session_id, wanted=wanted)))

    async def session(self, session: SessionRef, *, messages: int = 0) -> SessionView:
        """Return a session with its detail."""
        found = await self._archive.resolve(session)
        row = await self._archive.view(found)
        live = _viewed(await self._router.ask(Look(**_names(found))))
        detail = {**row.detail, **live.detail}
        if messages:
            page = await self._archive.transcript(found, limit=messages, offset=0, last=True)
            detail["messages"] = list(page.rows)
        return msgspec.structs.replace(
            row, agent_name=live.agent_name, execution_state=live.execution_state, detail=detail
        )

    async def sessions(self, tenant_id: str, project_id: str, wanted: SessionFilter) -> SessionPage:
        """Return sessions of a project."""
        return await self._archive.sessions(tenant_id, project_id, wanted)

    async def end_session(self, session: SessionRef, reason: str = "api") -> SessionView:
        """End a session; doing so again changes nothing."""
        found = await self._archive.resolve(session)
        _viewed(await self._router.ask(EndSession(**_names(found), reason=reason)))
        return await self._archive.view(found)

    async def reset_session(self, session: SessionRef) -> SessionView:
        """Put a session back to its start, under a new runtime session id."""
        found = await self._archive.resolve(session)
        _viewed(await self._router.ask(ResetSession(**_names(found))))
        return await self._archive.view(found)

    async def delete_session(self, session: SessionRef) -> None:
        """End a session and remove what it left."""
        found = await self._archive.resolve(session)
        await self._router.ask(EndSession(**_names(found), reason="api"))
        await self._archive.delete(found)
        await self._router.ask(ForgetSession(tenant_id=found.tenant_id, session_id=found.session_id))

    async def traces(self, session: SessionRef, wanted: TraceFilter) -> Page:
        """Return trace events of a session."""
        return await self._archive.traces(await self._archive.resolve(session), wanted)

    async def transcript(self, session: SessionRef, *, limit: int = 50, offset: int = 0) -> Page:
        """Return messages of a session, oldest first."""
        return await self._archive.transcript(await self._archive.resolve(session), limit=limit, offset=offset)

    # -- callbacks ------------------------------------------------------------------------------------------------

    async def deliver_callback(self, delivery: CallbackDelivery) -> CallbackResult:
        """Hand an outside answer to the session that waits for it, at most once."""
        result, tenant_id, session_id = await self._archive.take_callback(delivery)
        if result == "accepted":
            message = CallbackReady(tenant_id=tenant_id, session_id=session_id, callback_id=delivery.callback_id)
            self._keep(asyncio.get_running_loop().create_task(self._router.ask(message)))
        return result

    async def callbacks(self, tenant_id: str, project_id: str, *, status: str, limit: int, offset: int) -> Page:
        """Return callbacks without their secrets."""
        return await self._archive.callbacks(tenant_id, project_id, status=status, limit=limit, offset=offset)

    # -- the runtime itself ---------------------------------------------------------------------------------------

    async def health(self) -> Health:
        """Return how the runtime is."""
        parts = await self._archive.parts()
        parts["hosts"] = "ok" if self._directory.host_ids else "no session host is alive"
        stats = self._local_stats() if self._local_stats is not None else None
        return Health(
            ready=not self._draining and all(state == "ok" for state in parts.values()),
            draining=self._draining,
            hosts=len(self._directory.host_ids),
            live_sessions=stats.live_sessions if stats else 0,
            waiting_turns=stats.waiting_turns if stats else 0,
            parts=parts,
        )

    async def metrics(self) -> Sequence[tuple[str, dict[str, str], float]]:
        """Return counters and gauges."""
        rows: list[tuple[str, dict[str, str], float]] = [
            ("abl_turns_total", {}, float(self._turns)),
            ("abl_turns_failed_total", {}, float(self._failures)),
            ("abl_turns_running", {}, float(len(self._running))),
            ("abl_hosts", {}, float(len(self._directory.host_ids))),
        ]
        if self._local_stats is not None:
            stats = self._local_stats()
            labels = {"host": stats.host_id}
            rows.append(("abl_host_live_sessions", labels, float(stats.live_sessions)))
            rows.append(("abl_host_running_turns", labels, float(stats.running_turns)))
            rows.append(("abl_host_resident_bytes", labels, float(stats.rss_bytes)))
        return rows

    async def drain(self) -> None:
        """Take no new turns, let the running ones finish within their bound."""
        self._draining = True
        if self._running:
            await asyncio.wait(set(self._running), timeout=DRAIN_S)
        if self._on_drain is not None:
            await self._on_drain()


def request_hash(turn: ChatTurn) -> str:
    """Return what tells two requests under one idempotency key apart."""
    asked = (turn.project_id, turn.session_id, turn.message, turn.agent, turn.metadata, turn.test_context)
    return hashlib.sha256(msgspec.json.encode(asked, order="deterministic")).hexdigest()


def _names(session: SessionRef) -> dict[str, str]:
    return {
        "tenant_id": session.tenant_id,
        "project_id": session.project_id,
        "session_id": session.session_id,
    }


def _viewed(answer: HostAnswer) -> SessionView:
    if isinstance(answer, Viewed):
        return answer.view
    raise error_of(answer)
