"""An OpenAI-compatible endpoint: agents and deployments as models of `POST /v1/chat/completions`.

The project is that of the key, else the one that the header `OpenAI-Project` names (`project=` of OpenAI's clients).
Spec: OpenAI's API reference (Chat Completions, Models, error codes).
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from time import perf_counter
from typing import Any

from fastapi import Response
from starlette.requests import Request

from actors.agent_models import AT, ModelTarget
from actors.runtime import ChatTurn, NewSession, SessionRef, StreamEvent
from domain.audit import Initiator
from domain.errors import InvalidInput
from domain.json_values import JsonObject
from domain.permissions import Permission
from gateway.access import Admission, admission_of, caller
from gateway.asking import Target, check_chat_project, counted_turn, target_of
from gateway.audited import initiator_of
from gateway.bodies.openai import (
    ID_PREFIX,
    ChatCompletion,
    ChatCompletionBody,
    ModelItem,
    ModelList,
    check_offered,
    completion_of,
    message_of,
    model_item,
    usage_of,
)
from gateway.bodies.texts import QueryText
from gateway.envelope import json_bytes, json_response
from gateway.guarded import guarded_router
from gateway.headers import headers_of
from gateway.idempotency import checked_key
from gateway.measured import measured
from gateway.opening import opened_session
from gateway.services import Services, services_of
from gateway.sse import MEDIA_TYPE, Event, EventStream

PROJECT_HEADER = "openai-project"
NO_PROJECT = "Say which project: use a key of one project, or the header OpenAI-Project"
CHUNK, DONE, ERROR = "chunk", "done", "error"
ENDED = "ended"
DONE_LINE = b"data: [DONE]\n\n"
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer, or with `stream` its chunks as they come and then `[DONE]`",
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
    }
}
PROJECT_PARAMETER: JsonObject = {
    "name": "OpenAI-Project",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "Id of the project, for keys that are not bound to one",
}
READER = caller("api_key", "user", permission=Permission.AGENT_READ, errors="openai")

router = guarded_router("/v1", "openai")


@router.post(
    "/chat/completions",
    response_model=ChatCompletion,
    responses=STREAMED,
    dependencies=[
        caller("api_key", "user", permission=Permission.SESSION_EXECUTE, replay="turn", errors="openai"),
    ],
    openapi_extra={"parameters": [PROJECT_PARAMETER]},
)
async def create_chat_completion(body: ChatCompletionBody, request: Request) -> Response:
    """Ask an agent in the form of OpenAI's chat completions; `model` is an agent, `agent@environment` or deployment."""
    services, admitted = services_of(request), admission_of(request)
    check_offered(body)
    project_id = await _project(request, admitted, services, Permission.SESSION_EXECUTE)
    model = await services.desks.agent_models.resolve(admitted.caller.tenant_id, project_id, body.model)
    turn = await _turn(body, request, services, project_id, model)
    turn = await counted_turn(request, services, turn)
    name = await _answering(body, turn, model, services)
    created, began = int(services.clock.now().timestamp()), perf_counter()
    if not body.stream:
        reply = await services.runtime.chat(turn)
        services.metrics.turn("json", perf_counter() - began)
        told = completion_of(reply, name, created)
        return json_response(told.model_dump(), headers={"X-Session-Id": reply.session_id})
    events = measured(services.runtime.stream(turn), services.metrics, "sse", began)
    first = await anext(events, None)
    chunks = _chunks(events, first, body, {"created": created, "model": name})
    return EventStream(chunks, services.settings.sse_heartbeat_s, write=_written)


@router.get(
    "/models", response_model=ModelList, dependencies=[READER], openapi_extra={"parameters": [PROJECT_PARAMETER]}
)
async def list_models(request: Request) -> ModelList:
    """Return what can be asked for as a model: agents, agents in environments, deployments."""
    admitted, services = admission_of(request), services_of(request)
    project_id = await _project(request, admitted, services, Permission.AGENT_READ)
    models = await services.desks.agent_models.list(admitted.caller.tenant_id, project_id)
    return ModelList(data=[model_item(one) for one in models])


@router.get(
    "/models/{model}",
    response_model=ModelItem,
    dependencies=[READER],
    openapi_extra={"parameters": [PROJECT_PARAMETER]},
)
async def get_model(model: QueryText, request: Request) -> ModelItem:
    """Return one model."""
    admitted, services = admission_of(request), services_of(request)
    project_id = await _project(request, admitted, services, Permission.AGENT_READ)
    tenant_id = admitted.caller.tenant_id
    await services.desks.agent_models.resolve(tenant_id, project_id, model)
    listed = {one.name: one for one in await services.desks.agent_models.list(tenant_id, project_id)}
    if model in listed:
        return model_item(listed[model])
    return ModelItem(id=model, created=int(services.clock.now().timestamp()))


async def _project(request: Request, admitted: Admission, services: Services, permission: Permission) -> str:
    """Return the project that is asked. Raises InvalidInput, NotFound, Forbidden."""
    named = headers_of(request.scope).get(PROJECT_HEADER, "") or admitted.caller.project_id
    if not named:
        raise InvalidInput(NO_PROJECT)
    if permission is Permission.SESSION_EXECUTE:
        await check_chat_project(services, admitted, named)
    else:
        await services.gate.check_project(admitted.caller, named, permission)
    return named


async def _turn(
    body: ChatCompletionBody, request: Request, services: Services, project_id: str, model: ModelTarget
) -> ChatTurn:
    """Return the turn that a conversation asks for, in the session that it names or belongs to."""
    admitted = admission_of(request)
    caller_ = admitted.caller
    wanted = Target(body.session_id, model.deployment_id, model.environment)
    target = await target_of(services, admitted, project_id, wanted)
    session_id = target.session_id
    user_id = caller_.subject if caller_.kind != "api_key" else body.user or ""
    if not session_id and body.user is not None:
        new = NewSession(
            tenant_id=caller_.tenant_id,
            project_id=project_id,
            agent=model.agent,
            environment=target.environment,
            deployment_id=target.deployment_id,
            channel="api",
            user_id=user_id,
            user_kind=caller_.kind,
            name=_conversation(project_id, caller_.subject, body.model, body.user),
        )
        session_id = await _session_of_user(services, new, initiator_of(request))
    return ChatTurn(
        tenant_id=caller_.tenant_id,
        project_id=project_id,
        message=message_of(body, is_known=bool(session_id)),
        session_id=session_id,
        idempotency_key=checked_key(headers_of(request.scope).get("idempotency-key", "")),
        agent="" if session_id else model.agent,
        deployment_id=target.deployment_id,
        environment=target.environment,
        user_id=user_id,
        user_kind=caller_.kind,
        deadline_s=services.settings.turn_deadline_s,
    )


async def _answering(body: ChatCompletionBody, turn: ChatTurn, model: ModelTarget, services: Services) -> str:
    """Return the name of the model that answers: a session that the body names goes on with its own."""
    if not body.session_id:
        return body.model
    session = await services.runtime.session(SessionRef(turn.tenant_id, turn.project_id, turn.session_id))
    own = (session.entry_agent_name, session.environment, session.deployment_id)
    if all(asked in ("", has) for asked, has in zip(model, own, strict=True)):
        return body.model
    return f"{session.entry_agent_name}{AT}{session.environment}" if session.deployment_id else session.entry_agent_name


async def _session_of_user(services: Services, new: NewSession, asking: Initiator) -> str:
    """Return the session of a user with a model; one that has ended starts again, and counts as a new one."""
    view = await opened_session(services, new)
    if view.status == ENDED:
        await services.throttle.new_session(new.tenant_id, new.project_id)
        session = SessionRef(new.tenant_id, new.project_id, view.id)
        await services.runtime.reset_session(session)
        await services.desks.audit.note_session(session, "reset", asking)
    return view.id


def _conversation(project_id: str, subject: str, model: str, user: str) -> str:
    digest = hashlib.sha256(repr((project_id, subject, model, user)).encode()).hexdigest()
    return f"openai:{digest}"


async def _chunks(
    events: AsyncGenerator[StreamEvent], first: StreamEvent | None, body: ChatCompletionBody, about: JsonObject
) -> AsyncGenerator[Event]:
    """Yield the chunks of an answer as they come; one that begins again goes on in a new paragraph."""
    base: JsonObject = {"object": "chat.completion.chunk", **about}
    has_said = has_begun = False
    async with aclosing(_all(events, first)) as told:
        async for event in told:
            match event.kind:
                case "session_start":
                    base["session_id"] = event.data["sessionId"]
                case "response_start":
                    base["id"] = ID_PREFIX + event.data["messageId"]
                    if not has_begun:
                        yield _chunk(base, {"role": "assistant", "content": ""})
                    has_begun = True
                case "response_restart" if has_said:
                    yield _chunk(base, {"content": "\n\n"})
                case "response_chunk":
                    has_said = True
                    yield _chunk(base, {"content": event.data["chunk"]})
                case "complete":
                    yield _chunk(base, {}, "stop")
                    if body.wants_usage:
                        used = usage_of(event.data.get("traceEvents") or ()).model_dump()
                        yield Event(CHUNK, {**base, "choices": [], "usage": used})
                    yield Event(DONE, {})
                    return
                case "error":
                    yield Event(ERROR, event.data)
                    return


def _chunk(base: JsonObject, delta: JsonObject, finish_reason: str | None = None) -> Event:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return Event(CHUNK, {**base, "choices": [choice]})


async def _all(events: AsyncGenerator[StreamEvent], first: StreamEvent | None) -> AsyncGenerator[StreamEvent]:
    async with aclosing(events):
        if first is not None:
            yield first
        async for event in events:
            yield event


def _written(event: Event) -> bytes:
    """Return the bytes of one event of an OpenAI stream, which have no names."""
    if event.name == DONE:
        return DONE_LINE
    if event.name == ERROR:
        code = str(event.data.get("code", "INTERNAL_ERROR"))
        error = {"message": event.data["error"], "type": "server_error", "param": None, "code": code}
        return b"data: %s\n\n" % json_bytes({"error": error})
    return b"data: %s\n\n" % json_bytes(event.data)
