"""`POST /api/v1/chat/agent`: one turn, as one JSON body or as events while it runs. Spec: platform-api 4.1."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from time import perf_counter
from typing import Literal

from fastapi import Response
from msgspec.structs import replace
from starlette.requests import Request

from actors.runtime import ChatTurn, SessionRef, StreamEvent
from domain.errors import InvalidInput
from domain.json_values import JsonObject
from domain.permissions import Permission, insufficient
from gateway.access import Admission, admission_of, caller
from gateway.asking import Target, check_chat_project, counted_turn, target_of
from gateway.auth.public_keys import MAY_NAME_AGENTS
from gateway.bodies.chat_agent import ChatAgentBody, ChatReply, reply_body, shown_with
from gateway.bodies.conversation import action_for_pages
from gateway.bodies.texts import checked_metadata
from gateway.envelope import json_response
from gateway.gate import check_permission
from gateway.guarded import guarded_router
from gateway.headers import headers_of
from gateway.idempotency import checked_key, mark_of, sent_key
from gateway.measured import measured
from gateway.sdk_sessions import check_own_session
from gateway.services import Services, services_of
from gateway.sse import DESCRIBED, Event, EventId, EventStream, parse_event_id, wants_events

LAST_EVENTS = frozenset({"complete", "error"})
NOTHING_SHOWN = shown_with(None, None)
RELEASED_ENVIRONMENTS = frozenset({"staging", "production"})

LAST_EVENT_ID: JsonObject = {
    "name": "Last-Event-ID",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "The id of the last event that was seen: the stream goes on after it, and no new turn begins",
}

router = guarded_router("/api/v1/chat", "chat")


@router.post(
    "/agent",
    response_model=ChatReply,
    responses={200: {"content": DESCRIBED}},
    dependencies=[caller("api_key", "user", "sdk", permission=Permission.SESSION_EXECUTE, replay="turn")],
    openapi_extra={"parameters": [LAST_EVENT_ID]},
)
async def chat_with_agent(body: ChatAgentBody, request: Request) -> Response:
    """Run one turn of an agent; with `Accept: text/event-stream` its events as they come.

    A pressed button or a sent form comes as `action`: it is the turn, and `message` may then be left out.
    An `Idempotency-Key` makes a repeated request answer with the first one's reply. `Last-Event-ID` continues a stream
    that was cut: with the key of the cut request, or by itself for the run that its session carries on.
    """
    # The busiest route takes headers and services from the request itself: as parameters they cost 60 us each call.
    admitted, services, headers = admission_of(request), services_of(request), headers_of(request.scope)
    idempotency_key, last_event_id = sent_key(request.scope), headers.get("last-event-id", "")
    await check_chat_project(services, admitted, body.project_id)
    if last_event_id and not idempotency_key:
        return await _resumed(body, admitted, services, last_event_id)
    turn = await _turn(body, admitted, services, idempotency_key)
    turn = await counted_turn(request, services, turn)
    began = perf_counter()
    if not wants_events(headers.get("accept", "")):
        reply = await services.runtime.chat(turn)
        services.metrics.turn("json", perf_counter() - began)
        told = reply_body(reply, with_traces=admitted.caller.may_see_traces, for_page=_is_page(admitted))
        return json_response(told, headers=mark_of(reply.repeated))
    after = parse_event_id(last_event_id, body.session_id).seq if last_event_id else 0
    events = measured(services.runtime.stream(turn), services.metrics, "sse", began)
    return await _streamed(events, admitted, services, turn.session_id, after)


async def _turn(body: ChatAgentBody, admitted: Admission, services: Services, idempotency_key: str) -> ChatTurn:
    """Return the turn that a body asks for, within what its caller may ask."""
    caller_ = admitted.caller
    session_id, agent = body.session_id or "", body.agent_id or ""
    deployment_id, environment = body.deployment_id or "", str(body.environment or "")
    if body.test_context is not None:
        _check_test_context(admitted, body.project_id, environment)
    if agent and admitted.key is not None and not admitted.key.allow_agent_override:
        raise insufficient(MAY_NAME_AGENTS)
    metadata = checked_metadata(body.metadata)  # before a session is opened: what is refused leaves none
    idempotency_key = checked_key(idempotency_key)
    target = await target_of(services, admitted, body.project_id, Target(session_id, deployment_id, environment))
    opens = replace(target.opens, agent=agent) if agent and target.opens is not None else target.opens
    return ChatTurn(
        tenant_id=caller_.tenant_id,
        project_id=body.project_id,
        message=body.message or (body.action.value if body.action is not None else "") or "",
        session_id=target.session_id,
        opens=opens,
        idempotency_key=idempotency_key,
        agent=agent,
        deployment_id=target.deployment_id,
        environment=target.environment,
        user_id=caller_.subject if caller_.kind != "api_key" else "",
        user_kind=caller_.kind,
        metadata=metadata,
        test_context=body.test_context.model_dump(by_alias=True, exclude_none=True) if body.test_context else None,
        attachment_ids=tuple(body.attachment_ids or ()),
        action=body.action.model_dump(by_alias=True, exclude_none=True) if body.action is not None else None,
        deadline_s=services.settings.turn_deadline_s,
    )


def _check_test_context(admitted: Admission, project_id: str, environment: str) -> None:
    if admitted.caller.kind == "sdk":
        raise insufficient(Permission.AGENT_WRITE)
    check_permission(admitted.caller, Permission.AGENT_WRITE, project_id)
    if environment in RELEASED_ENVIRONMENTS:
        raise InvalidInput("testContext is for development only")


async def _resumed(body: ChatAgentBody, admitted: Admission, services: Services, last_event_id: str) -> Response:
    """Return what a session said after an event, turn after turn; no new turn begins."""
    at = parse_event_id(last_event_id, body.session_id)
    check_own_session(services, admitted, at.session_id)
    session = SessionRef(admitted.caller.tenant_id, body.project_id, at.session_id)
    events = services.runtime.resume(session, at.seq)
    return await _streamed(events, admitted, services, at.session_id, at.seq, turns="all")


async def _streamed(
    events: AsyncIterator[StreamEvent],
    admitted: Admission,
    services: Services,
    session_id: str,
    after: int,
    *,
    turns: Literal["one", "all"] = "one",
) -> Response:
    """Return the stream of one turn or of all; what goes wrong before its first event is an ordinary error."""
    first = await anext(events, None)
    for_page = _is_page(admitted)
    with_traces = admitted.caller.may_see_traces
    told = _told(events, first, session_id, after, with_traces=with_traces, for_page=for_page, turns=turns)
    again = mark_of(first is not None and first.repeated)
    return EventStream(told, services.settings.sse_heartbeat_s, headers=again)


async def _told(
    events: AsyncIterator[StreamEvent],
    first: StreamEvent | None,
    session_id: str,
    after: int,
    *,
    with_traces: bool,
    for_page: bool,
    turns: Literal["one", "all"],
) -> AsyncGenerator[Event]:
    """Yield events as a client sees them, to the one that ends the turn, or the last of all turns.

    Whoever comes back for a turn has not seen its end, so the end is told whatever its number: after a crash the turn
    may have been run again under lower numbers than those that were shown. Before it begins again from its start after
    a crash, `response_restart` says that what was shown of it is void; that has no id of its own to come back to.
    """
    has_shown = after > 0
    async with aclosing(_from_first(events, first)) as all_events:
        async for event in all_events:
            session_id = event.data.get("sessionId", session_id) if event.kind == "session_start" else session_id
            ends = event.kind in LAST_EVENTS
            is_for_sockets = event.kind == "resume_gap"  # a stream of events has no word for what is gone
            if (event.seq > after or ends) and (with_traces or event.kind != "trace_event") and not is_for_sockets:
                seq = max(event.seq, after + 1)
                if event.kind == "response_start":
                    is_again = turns == "one" and event.seq > after + 1  # numbers jump where another host begins
                    if has_shown and (is_again or event.data.get("attempt", 1) > 1):
                        yield Event("response_restart", event.data)
                    has_shown = True
                yield Event(*_wire_event(event, with_traces=with_traces, for_page=for_page), EventId(session_id, seq))
            if ends and turns == "one":
                return


async def _from_first(events: AsyncIterator[StreamEvent], first: StreamEvent | None) -> AsyncGenerator[StreamEvent]:
    if first is None:
        return
    yield first
    async for event in events:
        yield event


def _is_page(admitted: Admission) -> bool:
    return admitted.caller.kind == "sdk"


def _wire_event(event: StreamEvent, *, with_traces: bool, for_page: bool) -> tuple[str, JsonObject]:
    """Return name and data of an event."""
    data = event.data
    if for_page and data.get("action"):
        data = {**data, "action": action_for_pages(data["action"])}
    match event.kind:
        case "response_end":
            return event.kind, {**NOTHING_SHOWN, "openActions": None, **data}
        case "complete":
            hidden = () if with_traces else ("traceEvents",)
            kept = {k: v for k, v in data.items() if k not in hidden}
            return event.kind, {"success": True, **NOTHING_SHOWN, **kept}
        case _:
            return event.kind, data
