"""An OpenAI-compatible endpoint: agents and deployments as models of `POST /v1/chat/completions`.

The project is that of the key, else the one that the header `OpenAI-Project` names (`project=` of OpenAI's clients).
Spec: OpenAI's API reference (Chat Completions, Models, error codes).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi import Response
from starlette.requests import Request

from actors.runtime import StreamEvent
from domain.json_values import JsonObject
from domain.permissions import Permission
from gateway.access import admission_of, caller
from gateway.bodies.openai import (
    ID_PREFIX,
    ChatCompletion,
    ChatCompletionBody,
    ModelItem,
    ModelList,
    check_offered,
    completion_of,
    model_item,
    question_of,
    usage_of,
)
from gateway.bodies.texts import QueryText
from gateway.envelope import json_bytes, json_response
from gateway.guarded import guarded_router
from gateway.idempotency import mark_of
from gateway.openai_turns import PROJECT_PARAMETER, Carried, Spoken, carried_by, project_of
from gateway.services import services_of
from gateway.sse import MEDIA_TYPE, Event, EventStream
from gateway.telling import Telling

CHUNK, DONE, ERROR = "chunk", "done", "error"
DONE_LINE = b"data: [DONE]\n\n"
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer, or with `stream` its chunks as they come and then `[DONE]`",
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
    }
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
    services = services_of(request)
    check_offered(body)
    before, message = question_of(body)
    spoken = Spoken(body.model, before, message, body.session_id, body.user or "", body.safety_identifier or "")
    carried = await carried_by(request, services, spoken, keeps_user=True)
    created = int(services.clock.now().timestamp())
    if not body.stream:
        reply = await carried.reply()
        await carried.answered(reply.response)
        told = completion_of(reply, await carried.model_name(), created)
        marks = mark_of(carried.is_repeated)
        return json_response(told.model_dump(), headers={"X-Session-Id": reply.session_id, **marks})
    events = await carried.events()
    chunks = _chunks(events, carried, body, {"created": created, "model": await carried.model_name()})
    marks = mark_of(carried.is_repeated)
    return EventStream(chunks, services.settings.sse_heartbeat_s, headers=marks, write=_written)


@router.get(
    "/models", response_model=ModelList, dependencies=[READER], openapi_extra={"parameters": [PROJECT_PARAMETER]}
)
async def list_models(request: Request) -> ModelList:
    """Return what can be asked for as a model: agents, agents in environments, deployments."""
    admitted, services = admission_of(request), services_of(request)
    project_id = await project_of(request, admitted, services, Permission.AGENT_READ)
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
    project_id = await project_of(request, admitted, services, Permission.AGENT_READ)
    tenant_id = admitted.caller.tenant_id
    await services.desks.agent_models.resolve(tenant_id, project_id, model)
    listed = {one.name: one for one in await services.desks.agent_models.list(tenant_id, project_id)}
    if model in listed:
        return model_item(listed[model])
    return ModelItem(id=model, created=int(services.clock.now().timestamp()))


async def _chunks(
    events: AsyncGenerator[StreamEvent], carried: Carried, body: ChatCompletionBody, about: JsonObject
) -> AsyncGenerator[Event]:
    """Yield the chunks of an answer as they come, no text twice."""
    base: JsonObject = {"object": "chat.completion.chunk", **about}
    telling, has_begun = Telling(), False
    async with aclosing(events) as told:
        async for event in told:
            match event.kind:
                case "session_start":
                    base["session_id"] = event.data["sessionId"]
                case "response_start":
                    base["id"] = ID_PREFIX + event.data["messageId"]
                    if has_begun:
                        telling.begin_again()
                    else:
                        yield _chunk(base, {"role": "assistant", "content": ""})
                    has_begun = True
                case "response_restart":
                    telling.begin_again()
                case "response_chunk":
                    if text := telling.add(event.data["chunk"]):
                        yield _chunk(base, {"content": text})
                case "complete":
                    if text := telling.rest(event.data["response"]):
                        yield _chunk(base, {"content": text})
                    await carried.answered(event.data["response"], telling.text)
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


def _written(event: Event) -> bytes:
    """Return the bytes of one event of an OpenAI stream, which have no names."""
    if event.name == DONE:
        return DONE_LINE
    if event.name == ERROR:
        code = str(event.data.get("code", "INTERNAL_ERROR"))
        error = {"message": event.data["error"], "type": "server_error", "param": None, "code": code}
        return b"data: %s\n\n" % json_bytes({"error": error})
    return b"data: %s\n\n" % json_bytes(event.data)
