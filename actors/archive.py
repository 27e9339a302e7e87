"""What the gateway reads without waking a session: rows of the store, spelled as on the wire."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from actors.callbacks import CallbackDesk
from actors.clocks import SystemClock
from actors.deliveries import CallbackDelivery, CallbackResult
from actors.files import files_of_message
from actors.health import OK
from actors.human_tasks import TaskDesk
from actors.probing import WriteProbe
from actors.runtime import (
    Caller,
    Page,
    SessionFilter,
    SessionPage,
    SessionRef,
    SessionView,
    TraceFilter,
)
from actors.uncounted import UncountedTurns
from domain.clock import iso_ms, parse_iso
from domain.errors import NotFound
from domain.human_tasks import HumanTask
from domain.ids import event_id
from domain.json_values import JsonObject
from domain.messages import Attachment
from storage.coordination import Coordination
from storage.database import Database
from storage.repositories.agents import Agents
from storage.repositories.api_keys import ApiKeys
from storage.repositories.attachments import Attachments
from storage.repositories.callbacks import CallbackRecord
from storage.repositories.deployments import Deployments
from storage.repositories.memory_stores import MemoryStores
from storage.repositories.sessions import SessionQuery, SessionRecord, Sessions
from storage.repositories.traces import Traces
from storage.repositories.transcripts import Transcripts
from storage.turn_end import MessageRow, TraceRow

ForgetFiles = Callable[[str, str], Awaitable[None]]
"""Tenant and session -> the bytes of its files are gone."""


class StoredArchive:
    """Satisfies `actors.session_runtime.Archive`."""

    def __init__(
        self,
        database: Database,
        coordination: Coordination | None,
        desk: CallbackDesk,
        forget_files: ForgetFiles | None = None,
        disk: Path | None = None,
    ) -> None:
        self._database = database
        self._probe = WriteProbe(database, disk)
        self._uncounted = UncountedTurns(database)
        self._clock = SystemClock()
        self._coordination = coordination
        self._desk = desk
        self._agents = Agents(database)
        self._deployments = Deployments(database)
        self._keys = ApiKeys(database)
        self._sessions = Sessions(database)
        self._traces = Traces(database)
        self._transcripts = Transcripts(database)
        self._stores = MemoryStores(database)
        self._tasks = TaskDesk(database, self._clock)
        self._attachments = Attachments(database)
        self._forget_files = forget_files

    async def caller(self, api_key: str) -> Caller | None:
        """Return who brings an API key."""
        key = await self._keys.find_by_plaintext(api_key)
        if key is None or key.kind != "secret":
            return None
        await self._keys.note_use(key, self._clock.now())
        return Caller(
            tenant_id=key.tenant_id,
            subject=key.key_id,
            permissions=frozenset(key.scopes),
            project_id=key.project_id or "",
            rate_key=key.key_id,
            environments=key.environments,
        )

    async def resolve(self, session: SessionRef) -> SessionRef:
        """Return the session under its stable id. Raises NotFound when it is not of that tenant and project."""
        record = await self._record(session)
        return SessionRef(session.tenant_id, record.project_id, record.session_id)

    async def view(self, session: SessionRef) -> SessionView:
        """Return the row of a session."""
        return _view(await self._record(session))

    async def sessions(self, tenant_id: str, project_id: str, wanted: SessionFilter) -> SessionPage:
        """Return sessions of a project."""
        query = SessionQuery(
            status=wanted.status or None,
            channel=wanted.channel or None,
            agent_name=wanted.agent_name or None,
            environment=wanted.environment or None,
            words=wanted.q or None,
            since=_moment(wanted.since),
            until=_moment(wanted.until),
            sort_by=wanted.sort_by,
            descending=wanted.descending,
            limit=wanted.limit,
            offset=wanted.offset,
        )
        page = await self._sessions.list(tenant_id, project_id, query)
        return SessionPage(
            rows=tuple(_view(row) for row in page.rows),
            total=page.total,
            total_is_exact=page.is_exact,
            searched_from=_rounded_up(page.searched_from) if page.searched_from is not None else "",
        )

    async def traces(self, session: SessionRef, wanted: TraceFilter) -> Page:
        """Return trace events."""
        rows, total = await self._traces.list(
            session.tenant_id,
            session.session_id,
            types=wanted.event_types,
            decision_kind=wanted.decision_kind,
            span_id=wanted.span_id,
            limit=wanted.limit,
            offset=wanted.offset,
            descending=wanted.descending,
        )
        return Page(rows=tuple(wire_event(session.session_id, row) for row in rows), total=total)

    async def transcript(self, session: SessionRef, *, limit: int, offset: int, last: bool = False) -> Page:
        """Return lines of the transcript, oldest first; with `last` the last ones."""
        if last:
            rows = (await self._transcripts.before(session.tenant_id, session.session_id, None, limit))[::-1]
            return Page(rows=tuple(map(wire_line, rows)), total=len(rows))
        page, total = await self._transcripts.list(session.tenant_id, session.session_id, limit=limit, offset=offset)
        return Page(rows=tuple(map(wire_line, page)), total=total)

    async def children(self, session: SessionRef, limit: int) -> Sequence[SessionRef]:
        """Return sessions in which other agents work for this one."""
        ids = await self._sessions.children(session.tenant_id, session.session_id, limit)
        return [SessionRef(session.tenant_id, session.project_id, one) for one in ids]

    async def delete(self, session: SessionRef) -> None:
        """Remove what a session left, its files first: what breaks off can be asked for again. Raises NotFound."""
        if self._forget_files is not None:
            await self._forget_files(session.tenant_id, session.session_id)
        if not await self._sessions.delete(session.tenant_id, session.session_id):
            raise NotFound("Session not found")

    async def attachments(self, session: SessionRef, attachment_ids: tuple[str, ...]) -> tuple[Attachment, ...]:
        """Return the files that a message names; from now on they are in use. Raises NotFound."""
        return await files_of_message(self._attachments, session, attachment_ids)

    async def take_callback(self, delivery: CallbackDelivery) -> tuple[CallbackResult, str, str]:
        """Check and claim a callback; return the result, the tenant and the session to wake."""
        return await self._desk.take(delivery)

    async def callbacks(self, tenant_id: str, project_id: str, *, status: str, limit: int, offset: int) -> Page:
        """Return callbacks without their secrets."""
        return await self._desk.page(tenant_id, project_id, status=status, limit=limit, offset=offset)

    async def outside(self, session: SessionRef) -> JsonObject:
        """Return what the detail of a session says that stands outside of it. Spec: platform-api 5.3."""
        names = await self._stores.names(session.tenant_id, session.session_id)
        waiting = await self._desk.open_of(session.tenant_id, session.session_id)
        tasks = await self._tasks.open_of(session.tenant_id, session.project_id, session.session_id)
        return {"memoryStores": list(names), "suspension": _suspension(waiting, tasks)}

    async def agent_name(self, tenant_id: str, project_id: str, agent_id: str) -> str:
        """Return the name of an agent. Raises NotFound."""
        found = await self._agents.name_of(tenant_id, project_id, agent_id)
        if found is None:
            raise NotFound("Agent not found")
        return found

    async def agent(self, tenant_id: str, view: SessionView) -> JsonObject:
        """Return `agentId` and `agentVersion` of the agent that a session is with. Spec: platform-api 5.3.

        A draft has no version; of an agent that is no more in the project no id is known.
        """
        agent_id = await self._agents.id_of(tenant_id, view.project_id, view.agent_name)
        version = None
        if view.deployment_id:
            deployment = await self._deployments.get(tenant_id, view.deployment_id)
            version = deployment.agent_version_manifest.get(view.agent_name)
        return {"agentId": agent_id, "agentVersion": version}

    async def parts(self) -> dict[str, str]:
        """Return the state of each server behind the runtime."""
        parts = {"store": await self._probe.state()}
        if self._coordination is not None:
            parts["coordination"] = (
                OK if await self._coordination.is_there() else "The coordination store does not answer."
            )
        return parts

    async def uncounted(self) -> tuple[int, str]:
        """Return how many turns cannot be counted, and "ok" or why."""
        return await self._uncounted.count(), await self._uncounted.state()

    async def count_active(self, tenant_id: str) -> int | None:
        """Return how many sessions of a tenant are active."""
        return await self._sessions.count_active(tenant_id)

    async def _record(self, session: SessionRef) -> SessionRecord:
        record = await self._sessions.find(session.tenant_id, session.session_id)
        if record is None or (session.project_id and record.project_id != session.project_id):
            raise NotFound("Session not found")
        return record


def _moment(text: str) -> datetime | None:
    return parse_iso(text) if text else None


def wire_event(session_id: str, row: TraceRow) -> JsonObject:
    """Return a stored trace event as it goes over the wire. Spec: platform-api 5.7."""
    event: JsonObject = {
        "id": event_id(session_id, row.seq),
        "sessionId": session_id,
        "type": row.type,
        "timestamp": row.at,
        "agentName": row.agent_name,
        "turn": row.turn,
        "seq": row.seq,
        "spanId": row.span_id,
        "data": row.data,
    }
    if row.parent_span_id:
        event["parentSpanId"] = row.parent_span_id
    if row.duration_ms is not None:
        event["durationMs"] = row.duration_ms
    return event


def _suspension(waiting: Sequence[CallbackRecord], tasks: Sequence[HumanTask]) -> JsonObject | None:
    task = tasks[0] if tasks else None
    if not waiting:
        return None
    callback = waiting[0]
    return {
        "callbackId": callback.callback_id,
        "taskId": task.task_id if task is not None and task.place == callback.suspension_id else None,
        "reason": task.title if task is not None else callback.tool_name,
        "createdAt": iso_ms(callback.created_at),
        "expiresAt": iso_ms(callback.expires_at),
    }


def wire_line(row: MessageRow) -> JsonObject:
    """Return a line of the transcript as it goes over the wire. Spec: platform-api 5.9."""
    line: JsonObject = {
        "id": row.message_id,
        "role": row.role,
        "content": row.content,
        "timestamp": iso_ms(row.at),
        "turn": row.turn,
    }
    if row.agent_name:
        line["agentName"] = row.agent_name
    if row.extra:
        line.update(msgspec.json.decode(row.extra))
    return line


def _rounded_up(moment: datetime) -> str:
    """Return a moment as it goes over the wire, not before it: what was created until then has been looked at."""
    return iso_ms(moment + timedelta(microseconds=999))


def _cost_of(row: SessionRecord) -> float | None:
    """Return what a session cost: None where no price is known, 0 where no model was used. Spec: platform-api 14.5."""
    if row.estimated_cost is None and not row.input_tokens + row.output_tokens:
        return 0.0
    return row.estimated_cost


def _view(row: SessionRecord) -> SessionView:
    return SessionView(
        id=row.session_id,
        runtime_session_id=row.runtime_session_id,
        project_id=row.project_id,
        agent_name=row.agent_name,
        entry_agent_name=row.entry_agent_name,
        status="ended" if row.status == "ended" else "active",
        execution_state=row.execution_state,
        channel=row.channel,
        transport=row.transport,
        environment=row.environment,
        deployment_id=row.deployment_id,
        created_at=iso_ms(row.created_at),
        last_activity_at=iso_ms(row.last_activity_at),
        ended_at=iso_ms(row.ended_at) if row.ended_at is not None else "",
        end_reason=row.end_reason,
        message_count=row.message_count,
        trace_event_count=row.trace_count,
        token_count=row.input_tokens + row.output_tokens,
        estimated_cost=_cost_of(row),
        error_count=row.error_count,
        duration_ms=row.duration_ms,
        handoff_count=row.handoff_count,
        source=row.source,
        detail={
            "userId": row.user_id,
            "contactId": row.contact_id,
            "delegateCount": row.delegate_count,
            "lastError": row.last_error,
            "tokenUsage": {
                "inputTokens": row.input_tokens,
                "outputTokens": row.output_tokens,
                "totalTokens": row.input_tokens + row.output_tokens,
            },
        },
    )
