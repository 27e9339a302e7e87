"""What sessions tell afterwards, from their traces and from the calls of their models. Spec: platform-api 4.5, 5.7."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import datetime

from actors.archive import wire_event
from actors.desks import ExportFilter, GenerationFilter, History, UsageFigures
from actors.history import Histories
from actors.runtime import Page, SessionRef
from domain.analytics import EventQuery
from domain.clock import Clock, iso_ms, parse_iso
from domain.errors import NotFound
from domain.ids import event_id
from domain.json_values import JsonObject
from domain.limits import EXPORT_ROWS_MAX, INSIGHT_EVENTS_MAX
from domain.session_analysis import session_analysis
from domain.session_findings import SessionAnalysis
from domain.session_metrics import SaidAt, SessionMetrics, session_metrics
from domain.trace_export import COLUMNS, csv_lines, event_row
from domain.traces import TraceEvent, TraceType
from storage.database import Database
from storage.repositories.analytics import Analytics, CostRow
from storage.repositories.analytics_catching_up import CatchingUp
from storage.repositories.model_calls import CallQuery, ModelCall, ModelCalls
from storage.repositories.sessions import SessionRecord, Sessions
from storage.repositories.traces import ExportQuery, Traces
from storage.repositories.transcripts import Transcripts
from storage.turn_end import TraceRow


class StoredInsight:
    """Satisfies `actors.desks.Insight`."""

    def __init__(self, database: Database, clock: Clock, *, events_max: int = INSIGHT_EVENTS_MAX) -> None:
        self._events_max = events_max
        self._sessions = Sessions(database)
        self._traces = Traces(database)
        self._transcripts = Transcripts(database)
        self._histories = Histories(self._transcripts)
        self._calls = ModelCalls(database)
        self._analytics = Analytics(database)
        self._counting = CatchingUp(database)
        self._clock = clock

    async def resolve(self, session: SessionRef) -> SessionRef:
        """Return the session under its stable id, with its project. Raises NotFound."""
        record = await self._found(session)
        return SessionRef(session.tenant_id, record.project_id, record.session_id)

    async def _found(self, session: SessionRef) -> SessionRecord:
        record = await self._sessions.find(session.tenant_id, session.session_id)
        if record is None or session.project_id not in ("", record.project_id):
            raise NotFound("Session not found")
        return record

    async def children(self, session: SessionRef, span_id: str) -> list[JsonObject]:
        """Return the direct children of a span in time order, each with `childCount`.

        They are at most `INSIGHT_EVENTS_MAX`, the first ones. Raises NotFound for a span that is not there.
        """
        found = await self.resolve(session)
        children: list[TraceRow] = []
        counts: Counter[str] = Counter()
        is_there = False
        async with aclosing(self._traces.turns(found.tenant_id, found.session_id)) as turns:
            async for turn in turns:
                counts.update(row.parent_span_id for row in turn)
                is_there = is_there or any(row.span_id == span_id for row in turn)
                own = [row for row in turn if row.parent_span_id == span_id]
                children += own[: INSIGHT_EVENTS_MAX - len(children)]
        if not children and not is_there:
            raise NotFound("Span not found")
        return [{**wire_event(found.session_id, row), "childCount": counts[row.span_id]} for row in children]

    async def metrics(self, session: SessionRef) -> SessionMetrics:
        """Return the figures of a session."""
        found = await self.resolve(session)
        events, is_truncated = await self._events(found)
        return session_metrics(found.session_id, events, await self._said(found), is_truncated=is_truncated)

    async def analysis(self, session: SessionRef) -> SessionAnalysis:
        """Return what stands out in a session."""
        found = await self.resolve(session)
        events, is_truncated = await self._events(found)
        now, said = iso_ms(self._clock.now()), await self._said(found)
        return session_analysis(found.session_id, now, events, said, is_truncated=is_truncated)

    async def history(self, session: SessionRef, *, limit: int, cursor: str, descending: bool) -> History:
        """Return messages of a session behind a cursor, which is the number of the last one that was shown."""
        record = await self._found(session)
        found = SessionRef(session.tenant_id, record.project_id, record.session_id)
        return await self._histories.read(found, record, limit=limit, cursor=cursor, descending=descending)

    async def generations(self, tenant_id: str, project_id: str, wanted: GenerationFilter) -> Page:
        """Return model calls of a project's agents."""
        query = CallQuery(
            since=wanted.since,
            until=wanted.until,
            model=wanted.model or None,
            agent_name=wanted.agent_name or None,
            session_id=await self._stable(tenant_id, project_id, wanted.session_id),
        )
        await self._counting.catch_up(tenant_id, project_id, self._clock.now())
        calls, total = await self._calls.list(tenant_id, project_id, query, limit=wanted.limit, offset=wanted.offset)
        return Page(rows=tuple(map(_generation, calls)), total=total)

    async def export(self, tenant_id: str, project_id: str, wanted: ExportFilter) -> AsyncGenerator[str]:
        """Yield trace events of a project as CSV, at most `EXPORT_ROWS_MAX` of them."""
        query = ExportQuery(
            since=wanted.since,
            until=wanted.until,
            session_id=wanted.session_id or None,
            status=wanted.status or None,
            channel=wanted.channel or None,
        )
        yield csv_lines([list(COLUMNS)])
        left = EXPORT_ROWS_MAX
        async with aclosing(self._traces.of_project(tenant_id, project_id, query)) as turns:
            async for session_id, rows in turns:
                events = [wire_event(session_id, row) for row in rows if _is_wanted(row, wanted)][:left]
                left -= len(events)
                if events:
                    yield csv_lines([event_row(event) for event in events])
                if not left:
                    return

    async def usage(self, tenant_id: str, project_id: str, since: datetime, until: datetime) -> UsageFigures:
        """Return what all model calls of a project used."""
        return _usage(await self._used(tenant_id, project_id, since, until))

    async def usage_by_model(
        self, tenant_id: str, project_id: str, since: datetime, until: datetime
    ) -> tuple[UsageFigures, ...]:
        """Return the same for each model."""
        figures = [_usage([row], row) for row in await self._used(tenant_id, project_id, since, until)]
        return tuple(sorted(figures, key=lambda one: (-one.total_tokens, one.model_id, one.provider)))

    async def _used(self, tenant_id: str, project_id: str, since: datetime, until: datetime) -> list[CostRow]:
        await self._counting.catch_up(tenant_id, project_id, self._clock.now())
        return await self._analytics.costs(tenant_id, project_id, EventQuery(since=since, until=until))

    async def _events(self, session: SessionRef) -> tuple[list[TraceEvent], bool]:
        """Return the first events of a session, whole turns, and whether there are more."""
        events: list[TraceEvent] = []
        async with aclosing(self._traces.turns(session.tenant_id, session.session_id)) as turns:
            async for turn in turns:
                if events and len(events) + len(turn) > self._events_max:
                    return events, True
                events += map(event_of, turn)
        return events, False

    async def _said(self, session: SessionRef) -> dict[int, SaidAt]:
        times = await self._transcripts.times(session.tenant_id, session.session_id)
        return {turn: SaidAt(*both) for turn, both in times.items()}

    async def _stable(self, tenant_id: str, project_id: str, session_id: str) -> str | None:
        """Return the stable id of a session that is named by either of its ids; None when none is named."""
        if not session_id:
            return None
        record = await self._sessions.find(tenant_id, session_id)
        return record.session_id if record is not None and record.project_id == project_id else session_id


def event_of(row: TraceRow) -> TraceEvent:
    """Return a stored event in the words of the domain."""
    return TraceEvent(
        type=TraceType(row.type),
        at=row.at,
        agent=row.agent_name,
        turn=row.turn,
        seq=row.seq,
        span=row.span_id,
        parent_span=row.parent_span_id,
        duration_ms=row.duration_ms,
        data=row.data,
    )


def _is_wanted(row: TraceRow, wanted: ExportFilter) -> bool:
    if wanted.event_types and row.type not in wanted.event_types:
        return False
    if wanted.since is None and wanted.until is None:
        return True
    at = parse_iso(row.at)
    return (wanted.since is None or at >= wanted.since) and (wanted.until is None or at < wanted.until)


def _generation(call: ModelCall) -> JsonObject:
    return {
        "id": event_id(call.session_id, call.seq),
        "sessionId": call.session_id,
        "spanId": call.span_id,
        "turn": call.turn,
        "agentName": call.agent_name,
        "model": call.model,
        "provider": call.provider,
        "operationType": call.operation,
        "timestamp": iso_ms(call.at),
        "latencyMs": call.latency_ms,
        "timeToFirstTokenMs": call.first_token_ms,
        "inputTokens": call.input_tokens,
        "outputTokens": call.output_tokens,
        "totalTokens": call.input_tokens + call.output_tokens,
        "estimatedCost": call.estimated_cost,
        "finishReason": call.finish_reason,
        "success": call.success,
        "prompt": {
            "messageCount": call.prompt_messages,
            "characters": call.prompt_characters,
            "systemPromptHash": call.system_prompt_hash,
        },
    }


def _usage(rows: Sequence[CostRow], of: CostRow | None = None) -> UsageFigures:
    """Return what calls used together; of no calls the cost is known, it is 0."""
    timed = sum(row.timed for row in rows)
    is_known = not rows or any(row.priced for row in rows)
    return UsageFigures(
        total_tokens=sum(row.tokens_in + row.tokens_out for row in rows),
        total_cost=sum((row.cost for row in rows), 0.0) if is_known else None,
        request_count=sum(row.calls for row in rows),
        avg_latency_ms=sum(row.duration_ms for row in rows) / timed if timed else None,
        model_id=of.model if of else "",
        provider=of.provider if of else "",
    )
