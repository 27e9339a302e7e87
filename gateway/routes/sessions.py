"""Sessions of a project: open, list, look at, reset, delete, and their traces. Spec: platform-api 5.1 to 5.7."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Literal

from fastapi import Query, Request, Response

from actors.runtime import NewSession, SessionFilter, SessionRef, TraceFilter
from domain import limits
from domain.clock import iso_ms
from domain.errors import InvalidInput
from domain.json_values import JsonObject
from domain.permissions import Permission
from domain.request_keys import owned_key, owner_of_key
from domain.traces import DecisionKind, TraceType
from gateway.access import Admitted, caller
from gateway.asking import Target, bound_target
from gateway.audited import Asking
from gateway.bodies.session_insight import SessionMetrics
from gateway.bodies.sessions import (
    Channel,
    CreatedSession,
    CreatedSessionReply,
    DeletedSessionReply,
    NewSessionBody,
    ResetSession,
    ResetSessionReply,
    SessionListReply,
    SessionReply,
    Status,
    TraceSource,
    TracesReply,
    session_detail,
    session_item,
)
from gateway.bodies.texts import QueryMoment, QueryText
from gateway.envelope import Offset, PageLimit, json_response
from gateway.guarded import guarded_router
from gateway.idempotency import checked_key, sent_key
from gateway.sdk_sessions import visible_session
from gateway.services import Services, Serving

WORKING_COPY = "working-copy"
RANGE_UNITS_S = {"h": 3_600, "d": 86_400}
RANGE_PATTERN = r"^[1-9][0-9]{0,3}[hd]$"
TRACE_SOURCE = "journal"

router = guarded_router("/api/projects/{project_id}/sessions", "sessions")


@router.post(
    "",
    status_code=201,
    response_model=CreatedSessionReply,
    dependencies=[caller("api_key", "user", permission=Permission.SESSION_EXECUTE, replay="reply", repeatable=True)],
)
async def create_session(
    project_id: str,
    body: NewSessionBody,
    request: Request,
    admitted: Admitted,
    services: Serving,
) -> CreatedSessionReply:
    """Open a session; its agent speaks at the first message. Runs the working copy unless a target is given."""
    await services.throttle.new_session(admitted.caller.tenant_id, project_id)
    asked = Target("", body.deployment_id or "", body.environment or "")
    target = await bound_target(services, admitted.caller, project_id, asked)
    if body.contact_id is not None:
        await services.desks.contacts.find(admitted.caller.tenant_id, body.contact_id)
    targeted = target.environment or target.deployment_id
    view = await services.runtime.create_session(
        NewSession(
            tenant_id=admitted.caller.tenant_id,
            project_id=project_id,
            agent=body.agent_id,
            environment=target.environment if targeted else WORKING_COPY,
            deployment_id=target.deployment_id,
            channel=body.channel,
            contact_id=body.contact_id or "",
            variables=body.variables or {},
            idempotency_key=checked_key(sent_key(request.scope)),
            key_owner=owner_of_key(admitted.caller.kind, admitted.caller.subject, body.contact_id or ""),
        )
    )
    session = CreatedSession(
        id=view.id,
        agent_id=str(view.detail["agentId"] or view.agent_name),
        agent_name=view.agent_name,
        created_at=view.created_at,
        runtime_session_id=view.runtime_session_id,
    )
    return CreatedSessionReply(session=session)


@router.get(
    "",
    response_model=SessionListReply,
    dependencies=[caller("api_key", "user", permission=Permission.SESSION_READ)],
)
async def list_sessions(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
    status: Status | None = None,
    channel: Channel | None = None,
    agent_name: Annotated[QueryText, Query(alias="agentName")] = "",
    environment: QueryText = "",
    q: QueryText = "",
    since: Annotated[QueryMoment, Query(alias="from")] = "",
    until: Annotated[QueryMoment, Query(alias="to")] = "",
    span: Annotated[str | None, Query(alias="range", pattern=RANGE_PATTERN)] = None,
    sort_by: Annotated[
        Literal["lastActivityAt", "createdAt", "messageCount", "durationMs"], Query(alias="sortBy")
    ] = "lastActivityAt",
    sort_dir: Annotated[Literal["asc", "desc"], Query(alias="sortDir")] = "desc",
) -> SessionListReply:
    """Return sessions of a project, the most recently active first; `q` looks through the newest ones."""
    wanted = SessionFilter(
        status=status or "",
        channel=channel or "",
        agent_name=agent_name,
        environment=environment,
        q=q,
        since=_since(services, span) if span else since,
        until=until,
        sort_by=sort_by,
        descending=sort_dir == "desc",
        limit=limit,
        offset=offset,
    )
    page = await services.runtime.sessions(admitted.caller.tenant_id, project_id, wanted)
    rows = [session_item(view) for view in page.rows]
    return SessionListReply(
        sessions=rows,
        total=page.total,
        total_is_exact=page.total_is_exact,
        searched_from=page.searched_from or None,
        limit=limit,
        offset=offset,
    )


def _since(services: Services, span: str) -> str:
    seconds = int(span[:-1]) * RANGE_UNITS_S[span[-1]]
    return iso_ms(services.clock.now() - timedelta(seconds=seconds))


@router.get(
    "/{session_id}",
    response_model=SessionReply,
    dependencies=[caller("api_key", "user", permission=Permission.SESSION_READ)],
)
async def get_session(
    project_id: str,
    session_id: str,
    admitted: Admitted,
    services: Serving,
    include: Literal["messages"] | None = None,
) -> Response:
    """Return one session with the state of its agents."""
    messages = limits.SESSION_MESSAGES_SHOWN if include == "messages" else 0
    session = SessionRef(admitted.caller.tenant_id, project_id, session_id)
    view = await services.runtime.session(session, messages=messages)
    return json_response({"success": True, "session": session_detail(view)})


@router.delete(
    "/{session_id}",
    response_model=DeletedSessionReply,
    dependencies=[caller("api_key", "user", "sdk", permission=Permission.SESSION_READ)],
)
async def delete_session(
    project_id: str, session_id: str, admitted: Admitted, services: Serving, asking: Asking
) -> DeletedSessionReply:
    """End a session and remove what it left: any credential that may see it may; an SDK token sees its own.

    That is noted first: once it has begun nothing brings the session back, also when it breaks off.
    """
    visible = await visible_session(services, admitted, session_id, Permission.SESSION_READ, project_id)
    found = await services.desks.insight.resolve(visible)
    await services.desks.audit.note_session(found, "delete", asking)
    await services.runtime.delete_session(found)
    return DeletedSessionReply(id=session_id)


@router.post(
    "/{session_id}/reset",
    response_model=ResetSessionReply,
    dependencies=[
        caller("api_key", "user", "sdk", permission=Permission.SESSION_READ, replay="reply", repeatable=True)
    ],
)
async def reset_session(
    project_id: str, session_id: str, request: Request, admitted: Admitted, services: Serving, asking: Asking
) -> ResetSessionReply:
    """Put a session back to its start: who may delete it may; its transcript and traces stay.

    An SDK token resets its own. A request that comes again under its `Idempotency-Key` within 24 hours finds it reset
    and changes nothing.
    """
    caller_ = admitted.caller
    owner = owner_of_key(caller_.kind, caller_.subject, caller_.subject)
    key = owned_key("reset", owner, checked_key(sent_key(request.scope)))
    visible = await visible_session(services, admitted, session_id, Permission.SESSION_READ, project_id)
    view = await services.runtime.reset_session(visible, key)
    await services.desks.audit.note_session(SessionRef(visible.tenant_id, project_id, view.id), "reset", asking)
    session = ResetSession(
        id=view.id,
        runtime_session_id=view.runtime_session_id,
        status=view.status,
        reset_at=view.last_activity_at or iso_ms(services.clock.now()),
    )
    return ResetSessionReply(session=session)


@router.get(
    "/{session_id}/traces",
    response_model=TracesReply,
    dependencies=[caller("api_key", "user", permission=Permission.SESSION_READ)],
)
async def list_traces(
    project_id: str,
    session_id: str,
    admitted: Admitted,
    services: Serving,
    event_type: Annotated[str, Query(alias="eventType", description="one type, or several with commas")] = "",
    event_types: Annotated[str, Query(alias="eventTypes", description="another spelling of `eventType`")] = "",
    decision_kind: Annotated[DecisionKind | None, Query(alias="decisionKind")] = None,
    span_id: Annotated[QueryText, Query(alias="spanId")] = "",
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
    order: Literal["asc", "desc"] = "asc",
    include: Literal["metrics"] | None = None,
) -> Response:
    """Return trace events of a session, with its figures when they are asked for."""
    wanted = TraceFilter(
        event_types=trace_types(event_type, "/eventType") + trace_types(event_types, "/eventTypes"),
        decision_kind=decision_kind or "",
        span_id=span_id,
        limit=limit,
        offset=offset,
        descending=order == "desc",
    )
    session = SessionRef(admitted.caller.tenant_id, project_id, session_id)
    page = await services.runtime.traces(session, wanted)
    figures = await services.desks.insight.metrics(session) if include else None
    meta = TraceSource(
        source=TRACE_SOURCE,
        event_count=len(page.rows),
        is_truncated=offset + len(page.rows) < page.total,
        source_chain=[TRACE_SOURCE],
    )
    reply: JsonObject = {
        "success": True,
        "total": page.total,
        "offset": offset,
        "limit": limit,
        "traces": page.rows,
        "_meta": meta.model_dump(),
    }
    if figures is not None:
        reply["metrics"] = SessionMetrics.model_validate(figures).model_dump(by_alias=True)
    return json_response(reply)


def trace_types(words: str, place: str) -> tuple[TraceType, ...]:
    """Return the types of events that a query names, separated by commas; raises InvalidInput."""
    types = [word.strip() for word in words.split(",") if word.strip()]
    unknown = [word for word in types if word not in tuple(TraceType)]
    if unknown:
        message = f"{unknown[0]} is none of {', '.join(TraceType)}"
        raise InvalidInput(
            f"Unknown eventType: {unknown[0]}", details={"fields": [{"path": place, "message": message}]}
        )
    return tuple(map(TraceType, types))
