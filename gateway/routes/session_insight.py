"""What sessions tell afterwards: children of spans, metrics, analysis, generations, export. Spec: platform-api 5.7.

`generations` and `export` are words in the place of a session id, so these routes come before those of sessions.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Final, Literal

from fastapi import Query, Response
from fastapi.responses import StreamingResponse

from actors.desks import ExportFilter, GenerationFilter
from actors.runtime import SessionRef
from domain import limits
from domain.json_values import JsonObject
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.bodies.moments import moment_of, window_of
from gateway.bodies.session_insight import (
    ChildEvent,
    ChildrenReply,
    CsvFormat,
    Generation,
    GenerationsReply,
    HistoryReply,
    SessionAnalysis,
    SessionAnalysisReply,
    SessionMetrics,
    SessionMetricsReply,
)
from gateway.bodies.sessions import Channel, Status
from gateway.bodies.texts import QueryMoment, QueryText
from gateway.envelope import Offset, PageLimit, json_response
from gateway.guarded import guarded_router
from gateway.routes.sessions import trace_types
from gateway.sdk_sessions import visible_session
from gateway.services import Serving
from gateway.started import started

CSV: Final = "text/csv"
CSV_REPLY: dict[int | str, dict[str, Any]] = {
    200: {"description": "One line for each trace event", "content": {CSV: {"schema": {"type": "string"}}}}
}

router = guarded_router("/api/projects/{project_id}/sessions", "sessions")


@router.get(
    "/generations",
    response_model=GenerationsReply,
    dependencies=[caller("api_key", "user", permission=Permission.SESSION_READ)],
)
async def list_generations(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
    since: Annotated[QueryMoment, Query(alias="from")] = "",
    until: Annotated[QueryMoment, Query(alias="to")] = "",
    model: QueryText = "",
    agent_name: Annotated[QueryText, Query(alias="agentName")] = "",
    session_id: Annotated[QueryText, Query(alias="sessionId")] = "",
) -> GenerationsReply:
    """Return the model calls of a project's agents, the newest first; those of the last day unless times are given.

    `model` is a name as it stands in a generation, or with its provider before it: `openai/gpt-x`.
    """
    window = window_of(since, until, services.clock.now(), timedelta(seconds=limits.GENERATIONS_WINDOW_S))
    wanted = GenerationFilter(
        since=window.since,
        until=window.until,
        model=model,
        agent_name=agent_name,
        session_id=session_id,
        limit=limit,
        offset=offset,
    )
    page = await services.desks.insight.generations(admitted.caller.tenant_id, project_id, wanted)
    rows = [Generation.model_validate(row) for row in page.rows]
    return GenerationsReply(generations=rows, total=page.total, limit=limit, offset=offset)


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses=CSV_REPLY,
    dependencies=[caller("api_key", "user", permission=Permission.SESSION_READ)],
)
async def export_traces(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    format_: Annotated[CsvFormat, Query(alias="format")],
    since: Annotated[QueryMoment, Query(alias="from")] = "",
    until: Annotated[QueryMoment, Query(alias="to")] = "",
    session_id: Annotated[QueryText, Query(alias="sessionId")] = "",
    status: Status | None = None,
    channel: Channel | None = None,
    event_type: Annotated[str, Query(alias="eventType", description="one type, or several with commas")] = "",
) -> Response:
    """Send the trace events of a project's sessions as CSV, while they are read."""
    wanted = ExportFilter(
        since=moment_of(since),
        until=moment_of(until),
        session_id=session_id,
        status=status or "",
        channel=channel or "",
        event_types=trace_types(event_type, "/eventType"),
    )
    lines = await started(services.desks.insight.export(admitted.caller.tenant_id, project_id, wanted))
    name = f"traces-{services.clock.now():%Y-%m-%d}.{format_}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(lines, media_type=f"{CSV}; charset=utf-8", headers=headers)


@router.get(
    "/{session_id}/messages",
    response_model=HistoryReply,
    dependencies=[caller("api_key", "user", "sdk", permission=Permission.SESSION_READ)],
)
async def list_messages(
    project_id: str,
    session_id: str,
    admitted: Admitted,
    services: Serving,
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    cursor: QueryText = "",
    direction: Literal["asc", "desc"] = "asc",
) -> Response:
    """Return messages of a session page by page, from the first one or the last one on.

    `lastSeq` is the number of the session's output up to which the page goes: a WebSocket with that `?lastSeq=` tells
    what comes after it, nothing twice. `actionState` of a message with buttons or a form says whether they can be
    pressed, and `answer` how they were answered.
    """
    session = await visible_session(services, admitted, session_id, Permission.SESSION_READ, project_id)
    page = await services.desks.insight.history(session, limit=limit, cursor=cursor, descending=direction == "desc")
    more = page.next_cursor is not None
    where: JsonObject = {"nextCursor": page.next_cursor, "hasMore": more, "lastSeq": page.last_seq}
    told = {"success": True, "messages": page.rows, **where, "openActions": page.open_actions}
    return json_response(told)


@router.get(
    "/{session_id}/traces/{span_id}/children",
    response_model=ChildrenReply,
    response_model_exclude_none=True,
    dependencies=[caller("api_key", "user", permission=Permission.SESSION_READ)],
)
async def list_children(
    project_id: str, session_id: str, span_id: str, admitted: Admitted, services: Serving
) -> ChildrenReply:
    """Return the direct children of a span in time order; the span of a turn is `turn-` and its number."""
    session = SessionRef(admitted.caller.tenant_id, project_id, session_id)
    children = await services.desks.insight.children(session, span_id)
    return ChildrenReply(span_id=span_id, children=[ChildEvent.model_validate(child) for child in children])


@router.get(
    "/{session_id}/metrics",
    response_model=SessionMetricsReply,
    dependencies=[caller("api_key", "user", permission=Permission.SESSION_READ)],
)
async def get_metrics(project_id: str, session_id: str, admitted: Admitted, services: Serving) -> SessionMetricsReply:
    """Return the figures of a session, computed from its trace events."""
    found = await services.desks.insight.metrics(SessionRef(admitted.caller.tenant_id, project_id, session_id))
    return SessionMetricsReply(metrics=SessionMetrics.model_validate(found))


@router.get(
    "/{session_id}/analysis",
    response_model=SessionAnalysisReply,
    dependencies=[caller("api_key", "user", permission=Permission.SESSION_READ)],
)
async def get_analysis(project_id: str, session_id: str, admitted: Admitted, services: Serving) -> SessionAnalysisReply:
    """Return what stands out in a session, by fixed rules: the same session gives the same findings."""
    found = await services.desks.insight.analysis(SessionRef(admitted.caller.tenant_id, project_id, session_id))
    return SessionAnalysisReply(analysis=SessionAnalysis.model_validate(found))
