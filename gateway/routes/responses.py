"""OpenAI's Responses API with agents in the place of models: `/v1/responses`.

A response is one turn; `previous_response_id` finds its session. Spec: OpenAI's API reference. Decision: 0053.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import count
from typing import Final

from fastapi import Response
from starlette.requests import Request

from actors.conversation_desk import Asked, MessageRow
from actors.runtime import SessionRef, StreamEvent
from domain.errors import NotFound
from domain.json_values import JsonObject
from domain.permissions import Permission
from gateway.access import Admission, admission_of, caller
from gateway.bodies.openai import CompletionUsage, usage_of
from gateway.bodies.responses import (
    AgentResponse,
    ConversationId,
    DeletedResponse,
    InputItems,
    ResponseBody,
    ResponseFault,
    ResponseUsage,
    asked_in,
    input_items_of,
    message_id_of,
    output_of,
    part_of,
    response_id_of,
)
from gateway.bodies.texts import QueryText
from gateway.envelope import json_response
from gateway.guarded import guarded_router
from gateway.idempotency import mark_of
from gateway.openai_turns import PROJECT_PARAMETER, Carried, Spoken, carried_by, head_named, project_of
from gateway.services import Services, services_of
from gateway.sse import DESCRIBED, Event, EventStream
from gateway.telling import Telling
from gateway.threads import Line, start_at

EARLIER_MAX: Final = 200
"""How many messages before a response a conversation is told that goes another way from there."""
DESCRIPTION: Final = "The response, or with `stream` its events as they come"
KEPT: Final = {"created_at", "metadata", "model", "previous_response_id", "usage", "user"}
"""What is kept of a stored response beside its text."""
READER = caller("api_key", "user", permission=Permission.SESSION_READ, errors="openai")
SPEAKER = caller("api_key", "user", permission=Permission.SESSION_EXECUTE, replay="turn", errors="openai")
OF_PROJECT: Final[JsonObject] = {"parameters": [PROJECT_PARAMETER]}

router = guarded_router("/v1/responses", "openai")


@router.post(
    "",
    response_model=AgentResponse,
    responses={200: {"description": DESCRIPTION, "content": DESCRIBED}},
    dependencies=[SPEAKER],
    openapi_extra=OF_PROJECT,
)
async def create_response(body: ResponseBody, request: Request) -> Response:
    """Ask an agent in the form of OpenAI's Responses API; `model` is an agent, `agent@environment` or deployment."""
    services, admitted = services_of(request), admission_of(request)
    before, message = asked_in(body)
    start, earlier = b"", tuple[Line, ...]()
    if body.previous_response_id:
        start = start_at(body.previous_response_id)
        earlier = await _earlier(request, services, admitted, body.previous_response_id)
    person = body.safety_identifier or ""
    spoken = Spoken(body.model, before, message, body.session_id, body.user or "", person, start, earlier)
    carried = await carried_by(request, services, spoken, keeps_user=False)
    about = AgentResponse(
        id="",
        created_at=int(services.clock.now().timestamp()),
        status="in_progress",
        metadata=body.metadata or {},
        model=body.model,
        previous_response_id=body.previous_response_id,
        store=body.store,
        user=body.user,
    )
    if body.stream:
        events = await carried.events()
        about = about.model_copy(update={"model": await carried.model_name()})
        told, marks = _told(events, carried, about), mark_of(carried.is_repeated)
        return EventStream(told, services.settings.sse_heartbeat_s, headers=marks)
    reply = await carried.reply()
    named = {"id": response_id_of(reply.message_id), "model": await carried.model_name()}
    about = about.model_copy(update=named)
    whole = _whole(about, reply.session_id, reply.message_id, reply.response, usage_of(reply.trace_events))
    await _answered(carried, whole, reply.response)
    marks = mark_of(carried.is_repeated)
    return json_response(whole.model_dump(), headers={"X-Session-Id": reply.session_id, **marks})


@router.get("/{response_id}", response_model=AgentResponse, dependencies=[READER], openapi_extra=OF_PROJECT)
async def get_response(response_id: QueryText, request: Request) -> AgentResponse:
    """Return a response that was stored, as it was told."""
    services, admitted = services_of(request), admission_of(request)
    project_id = await project_of(request, admitted, services, Permission.SESSION_READ)
    place = await _place(services, admitted, project_id, response_id)
    said, *_ = await _said(services, admitted, place, response_id, 1)
    view = await services.runtime.session(SessionRef(admitted.caller.tenant_id, project_id, place.session_id))
    about = AgentResponse(
        id=response_id, created_at=int(said.at.timestamp()), status="in_progress", model=view.entry_agent_name
    )
    whole = _whole(about, place.session_id, said.message_id, said.content, None)
    at = head_named(admitted, project_id, response_id)
    kept = await services.desks.conversations.about(at, place.session_id)
    return AgentResponse.model_validate({**whole.model_dump(), **kept})


@router.get("/{response_id}/input_items", response_model=InputItems, dependencies=[READER], openapi_extra=OF_PROJECT)
async def list_input_items(response_id: QueryText, request: Request) -> InputItems:
    """Return what a response answers: the user's message of its turn."""
    services, admitted = services_of(request), admission_of(request)
    project_id = await project_of(request, admitted, services, Permission.SESSION_READ)
    place = await _place(services, admitted, project_id, response_id)
    said, *before = await _said(services, admitted, place, response_id, 2)
    return input_items_of([one for one in before if one.role == "user" and one.turn == said.turn])


@router.delete("/{response_id}", response_model=DeletedResponse, dependencies=[SPEAKER], openapi_extra=OF_PROJECT)
async def delete_response(response_id: QueryText, request: Request) -> DeletedResponse:
    """Forget the id of a response; what was said stays in its session, which `DELETE` of sessions removes."""
    services, admitted = services_of(request), admission_of(request)
    project_id = await project_of(request, admitted, services, Permission.SESSION_EXECUTE)
    if not await services.desks.conversations.remove(head_named(admitted, project_id, response_id)):
        raise _unknown(response_id)
    return DeletedResponse(id=response_id)


async def _place(services: Services, admitted: Admission, project_id: str, response_id: str) -> Asked:
    place = await services.desks.conversations.find(head_named(admitted, project_id, response_id))
    if place is None:
        raise _unknown(response_id)
    return place


async def _said(
    services: Services, admitted: Admission, place: Asked, response_id: str, limit: int
) -> tuple[MessageRow, ...]:
    """Return the message of a response and those before it, newest first. Raises NotFound."""
    tenant_id, message_id = admitted.caller.tenant_id, message_id_of(response_id)
    said = await services.desks.conversations.said_until(tenant_id, place.session_id, message_id, limit)
    if not said:
        raise _unknown(response_id)
    return tuple(said)


async def _earlier(request: Request, services: Services, admitted: Admission, response_id: str) -> tuple[Line, ...]:
    """Return what was said until a response, for a session that knows nothing of it. Raises NotFound."""
    project_id = await project_of(request, admitted, services, Permission.SESSION_EXECUTE)
    place = await _place(services, admitted, project_id, response_id)
    said = await _said(services, admitted, place, response_id, EARLIER_MAX)
    return tuple(Line("user" if one.role == "user" else "assistant", one.content) for one in reversed(said))


def _unknown(response_id: str) -> NotFound:
    return NotFound(f"Response with id '{response_id}' not found")


async def _answered(carried: Carried, whole: AgentResponse, *texts: str) -> None:
    """Write where the conversation stands, and what of a stored response its transcript does not have."""
    kept = whole.model_dump(mode="json", include=KEPT)
    await carried.answered(*texts, name=whole.id if whole.store else "", about=kept)


def _whole(
    about: AgentResponse, session_id: str, message_id: str, text: str, used: CompletionUsage | None
) -> AgentResponse:
    usage = used and ResponseUsage(
        input_tokens=used.prompt_tokens, output_tokens=used.completion_tokens, total_tokens=used.total_tokens
    )
    done = {"status": "completed", "conversation": ConversationId(id=session_id), "usage": usage}
    return about.model_copy(update={**done, "output": [output_of(message_id, text)]})


class _Events:
    """Numbers the events of one response."""

    def __init__(self, message_id: str) -> None:
        self._numbers = count()
        self._item: JsonObject = {"item_id": message_id, "output_index": 0, "content_index": 0}

    def of(self, kind: str, *, in_text: bool = False, **data: object) -> Event:
        """Return the next event."""
        place = self._item if in_text else {}
        return Event(kind, {"type": kind, "sequence_number": next(self._numbers), **place, **data})


async def _told(events: AsyncGenerator[StreamEvent], carried: Carried, about: AgentResponse) -> AsyncGenerator[Event]:
    """Yield the events of a response as they come, no text twice."""
    telling, message_id, numbered = Telling(), "", _Events("")
    async with aclosing(events) as told:
        async for event in told:
            if event.kind in ("response_start", "complete") and not message_id:
                message_id = event.data["messageId"]
                numbered = _Events(message_id)
                conversation = ConversationId(id=carried.session_id)
                about = about.model_copy(update={"id": response_id_of(message_id), "conversation": conversation})
                for first in _begun(numbered, about, message_id):
                    yield first
            elif event.kind in ("response_start", "response_restart"):
                telling.begin_again()
            match event.kind:
                case "response_chunk":
                    if text := telling.add(event.data["chunk"]):
                        yield numbered.of("response.output_text.delta", in_text=True, delta=text, logprobs=[])
                case "complete":
                    if text := telling.rest(event.data["response"]):
                        yield numbered.of("response.output_text.delta", in_text=True, delta=text, logprobs=[])
                    used = usage_of(event.data.get("traceEvents") or ())
                    whole = _whole(about, carried.session_id, message_id, telling.text, used)
                    await _answered(carried, whole, event.data["response"], telling.text)
                    for last in _ended(numbered, whole, telling.text):
                        yield last
                    return
                case "error":
                    fault = ResponseFault(code="server_error", message=str(event.data["error"]))
                    failed = about.model_copy(update={"status": "failed", "error": fault})
                    yield numbered.of("response.failed", response=failed.model_dump())
                    return


def _begun(numbered: _Events, about: AgentResponse, message_id: str) -> list[Event]:
    opened = {"id": message_id, "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    return [
        numbered.of("response.created", response=about.model_dump()),
        numbered.of("response.in_progress", response=about.model_dump()),
        numbered.of("response.output_item.added", output_index=0, item=opened),
        numbered.of("response.content_part.added", in_text=True, part=part_of("")),
    ]


def _ended(numbered: _Events, whole: AgentResponse, text: str) -> list[Event]:
    return [
        numbered.of("response.output_text.done", in_text=True, text=text, logprobs=[]),
        numbered.of("response.content_part.done", in_text=True, part=part_of(text)),
        numbered.of("response.output_item.done", output_index=0, item=whole.output[0].model_dump()),
        numbered.of("response.completed", response=whole.model_dump()),
    ]
