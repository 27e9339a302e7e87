"""Model calls without an agent, streamed and whole, and what a project used. Spec: platform-api 4.3, 4.4, 4.5."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta
from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response

from actors.desks import CompletionEvent, CompletionRequest
from domain import limits
from domain.permissions import Permission
from gateway.access import Admission, Admitted, admission_of, caller
from gateway.asking import count_message
from gateway.bodies.completions import (
    CompletionBody,
    CompletionReply,
    UsageReply,
    completion_body,
    files_named,
    messages_of,
    tools_of,
    usage_of_model,
    usage_summary,
)
from gateway.bodies.moments import window_of
from gateway.bodies.texts import Id, QueryMoment
from gateway.gate import check_any_permission
from gateway.guarded import guarded_router
from gateway.services import Services, Serving, services_of
from gateway.sse import DESCRIBED, Event, EventStream

EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "metadata, then text_delta, tool_call_start, tool_call_delta, tool_call_end and usage as they "
        "come, then complete or error; a comment whenever 15 s pass without one",
        "content": DESCRIBED,
    }
}

router = guarded_router("/api/v1/chat", "completions")


@router.post(
    "/stream",
    status_code=200,
    response_class=EventStream,
    responses=EVENTS,
    dependencies=[caller("api_key", "user", permission=Permission.SESSION_EXECUTE)],
)
async def stream_completion(body: CompletionBody, request: Request) -> Response:
    """Ask a model and send its answer while it comes; a client that leaves ends the call."""
    admitted, services = admission_of(request), services_of(request)
    wanted = await _request(body, request, admitted, services)
    events = await services.desks.completions.stream(wanted)
    return EventStream(_told(events), services.settings.sse_heartbeat_s)


@router.post(
    "/complete",
    response_model=CompletionReply,
    dependencies=[caller("api_key", "user", permission=Permission.SESSION_EXECUTE, replay="reply")],
)
async def complete(body: CompletionBody, request: Request, admitted: Admitted, services: Serving) -> CompletionReply:
    """Ask a model and return its whole answer."""
    wanted = await _request(body, request, admitted, services)
    return completion_body(await services.desks.completions.complete(wanted))


@router.get("/usage", response_model=UsageReply, dependencies=[caller("api_key", "user")])
async def get_usage(
    admitted: Admitted,
    services: Serving,
    project_id: Annotated[Id, Query(alias="projectId")],
    start_date: Annotated[QueryMoment, Query(alias="startDate")] = "",
    end_date: Annotated[QueryMoment, Query(alias="endDate")] = "",
    group_by: Annotated[Literal["model"] | None, Query(alias="groupBy")] = None,
) -> UsageReply:
    """Return what the model calls of a project used, those of its agents and completions; the last 30 days."""
    await services.gate.check_project(admitted.caller, project_id)
    check_any_permission(admitted.caller, (Permission.USAGE_READ, Permission.PROJECT_READ), project_id)
    window = window_of(start_date, end_date, services.clock.now(), timedelta(days=limits.USAGE_WINDOW_DAYS))
    insight, tenant_id = services.desks.insight, admitted.caller.tenant_id
    models = await insight.usage_by_model(tenant_id, project_id, *window) if group_by else ()
    return UsageReply(
        summary=usage_summary(await insight.usage(tenant_id, project_id, *window)),
        by_model=[usage_of_model(used) for used in models],
    )


async def _request(
    body: CompletionBody, request: Request, admitted: Admission, services: Services
) -> CompletionRequest:
    """Return the call that a body asks for, within what its caller may ask."""
    tenant_id = admitted.caller.tenant_id
    await services.gate.check_project(admitted.caller, body.project_id, Permission.SESSION_EXECUTE)
    if body.session_id is not None:
        await count_message(request, services, tenant_id, body.session_id, body.project_id)
    named = files_named(body)
    texts = await services.desks.files.texts(tenant_id, body.project_id, named) if named else {}
    return CompletionRequest(
        tenant_id=tenant_id,
        project_id=body.project_id,
        messages=messages_of(body, texts),
        tools=tools_of(body),
        model_id=body.model_id or "",
        tier=body.tier or "",
        temperature=body.temperature,
        max_tokens=body.max_tokens,
        deadline_s=services.settings.turn_deadline_s,
    )


async def _told(events: AsyncGenerator[CompletionEvent]) -> AsyncGenerator[Event]:
    async with aclosing(events):
        async for event in events:
            yield Event(event.name, event.data)
