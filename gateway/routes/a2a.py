"""`/a2a`: the agents of a project as servers of Agent2Agent, each with its card.

Spec: a2a-protocol.org, 0.3 and 1.0, JSON-RPC binding. Decision: 0054.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from json import JSONDecodeError
from typing import Final
from urllib.parse import quote

from fastapi import Request, Response

from actors.agent_cards import AgentCard
from actors.agent_models import AT
from domain.errors import AppError, InvalidInput, Overloaded
from domain.json_values import JsonObject, JsonValue
from domain.permissions import Permission
from gateway.a2a.card import card_form
from gateway.a2a.tasks import AgentTasks
from gateway.a2a.words import (
    INTERNAL,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    METHODS,
    PARSE_ERROR,
    VERSION,
    Dialect,
    RpcFault,
)
from gateway.access import Admission, Admitted, caller
from gateway.addresses import address_of
from gateway.bodies.a2a import A2aAnswer, A2aCard, A2aRequest
from gateway.envelope import ErrorBody, json_bytes, json_response
from gateway.errors import MalformedRequest, answer, sentence_of
from gateway.guarded import guarded_router
from gateway.headers import headers_of
from gateway.mcp import tool_name
from gateway.named_agents import named_agent
from gateway.services import Services, Serving
from gateway.sse import DESCRIBED, Event, EventStream

CARD: Final = "/.well-known/agent-card.json"
VERSION_HEADER: Final = "a2a-version"
VERSIONS: Final = ("0.3", "1.0")
STREAMS: Final = ("stream", "subscribe")
NO_PROJECT: Final = "This credential is good for several projects: use /a2a/<projectId>/agents/<agent>"
DOMAIN: Final = "abl-runtime"
ASKED: Final[JsonObject] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": A2aRequest.model_json_schema(by_alias=True)}},
    }
}
STREAMED: Final[dict[int | str, JsonObject]] = {
    200: {"description": "The answer, or of a method that streams its answers as events", "content": DESCRIBED}
}
SEVERAL: Final[dict[int | str, JsonObject]] = {
    400: {"model": ErrorBody, "description": "The credential is good for several projects"}
}
MAY_TALK: Final = [caller("api_key", "user", permission=Permission.SESSION_EXECUTE, replay="turn")]
MAY_LOOK: Final = [caller("api_key", "user", permission=Permission.SESSION_EXECUTE)]

router = guarded_router("", "a2a")


@router.get(CARD, response_model=A2aCard, responses=SEVERAL, dependencies=MAY_LOOK)
async def get_entry_card(request: Request, admitted: Admitted, services: Serving) -> Response:
    """Return the card of the agent that a message to the caller's project reaches."""
    return await _card(request, admitted, services, _project(admitted), "")


@router.get("/a2a/{project_id}" + CARD, response_model=A2aCard, dependencies=MAY_LOOK)
async def get_project_card(project_id: str, request: Request, admitted: Admitted, services: Serving) -> Response:
    """Return the card of the agent that a message to a project reaches."""
    return await _card(request, admitted, services, project_id, "")


@router.get("/a2a/{project_id}/agents/{agent}" + CARD, response_model=A2aCard, dependencies=MAY_LOOK)
async def get_agent_card(
    project_id: str, agent: str, request: Request, admitted: Admitted, services: Serving
) -> Response:
    """Return the card of an agent; `agent@environment` is that of its active deployment there."""
    return await _card(request, admitted, services, project_id, agent)


@router.post("/a2a", response_model=A2aAnswer, responses=STREAMED, dependencies=MAY_TALK, openapi_extra=ASKED)
async def ask_entry_agent(request: Request, admitted: Admitted, services: Serving) -> Response:
    """Answer a request of an Agent2Agent client to the agent that a message to the caller's project reaches."""
    return await _answered(request, admitted, services, _project(admitted), "")


@router.post(
    "/a2a/{project_id}", response_model=A2aAnswer, responses=STREAMED, dependencies=MAY_TALK, openapi_extra=ASKED
)
async def ask_project_agent(project_id: str, request: Request, admitted: Admitted, services: Serving) -> Response:
    """Answer a request of an Agent2Agent client to the agent that a message to a project reaches."""
    return await _answered(request, admitted, services, project_id, "")


@router.post(
    "/a2a/{project_id}/agents/{agent}",
    response_model=A2aAnswer,
    responses=STREAMED,
    dependencies=MAY_TALK,
    openapi_extra=ASKED,
)
async def ask_agent(project_id: str, agent: str, request: Request, admitted: Admitted, services: Serving) -> Response:
    """Answer a request of an Agent2Agent client to an agent; `agent@environment` is its active deployment there."""
    return await _answered(request, admitted, services, project_id, agent)


def _project(admitted: Admission) -> str:
    if not admitted.caller.project_id:
        raise InvalidInput(NO_PROJECT)
    return admitted.caller.project_id


async def _card(request: Request, admitted: Admission, services: Services, project_id: str, agent: str) -> Response:
    card, _, name = await named_agent(services, admitted, project_id, agent)
    return json_response(_card_of(request, services, card, name, project_id))


def _card_of(request: Request, services: Services, card: AgentCard, name: str, project_id: str) -> JsonObject:
    base = address_of(request, services)
    agent, at, environment = name.rpartition(AT) if AT in name else (name, "", "")
    url = f"{base}/a2a/{project_id}/agents/{quote(tool_name(agent), safe='')}{at}{environment}"
    return card_form(card, name, url, services.settings.version)


async def _answered(request: Request, admitted: Admission, services: Services, project_id: str, agent: str) -> Response:
    """Return the answer to one request, or its stream."""
    card, target, name = await named_agent(services, admitted, project_id, agent)
    try:
        message = await request.json()
    except (JSONDecodeError, UnicodeDecodeError, MalformedRequest) as error:
        told = error.message if isinstance(error, MalformedRequest) else "The request is not JSON"
        return _refused(None, RpcFault(PARSE_ERROR, told))
    request_id = message.get("id") if isinstance(message, dict) else None
    if isinstance(request_id, bool) or not isinstance(request_id, str | int | None):
        request_id = None
    try:
        action, dialect, params = _read(message, headers_of(request.scope).get(VERSION_HEADER, ""))
        if action == "card":
            result = _card_of(request, services, card, name, project_id)
            return json_response({"jsonrpc": "2.0", "id": request_id, "result": result})
        tasks = AgentTasks(request, services, admitted, project_id, name, target, dialect)
        if action in STREAMS:
            events = await getattr(tasks, action)(params)
            return EventStream(_sent(request_id, events), services.settings.sse_heartbeat_s, write=_written)
        return json_response({"jsonrpc": "2.0", "id": request_id, "result": await getattr(tasks, action)(params)})
    except RpcFault as fault:
        return _refused(request_id, fault)
    except AppError as error:
        return _refused(request_id, _fault_of(error))


def _read(message: JsonValue, version: str) -> tuple[str, Dialect, JsonObject]:
    """Return what is asked, in which spelling, and with what. Raises RpcFault."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RpcFault(INVALID_REQUEST, "One JSON-RPC 2.0 request is expected; batches are not taken")
    method, params = message.get("method"), message.get("params") or {}
    if not isinstance(method, str) or not isinstance(params, dict):
        raise RpcFault(INVALID_REQUEST, "The request has no method, or params that are no object")
    if version and version.split(".")[:2] not in [one.split(".") for one in VERSIONS]:
        raise RpcFault(VERSION, f"A2A-Version {version!r} is not spoken here, but {' and '.join(VERSIONS)}")
    if method not in METHODS:
        raise RpcFault(METHOD_NOT_FOUND, f"There is no method {method!r} here")
    return *METHODS[method], params


def _fault_of(error: AppError) -> RpcFault:
    """Return how an error of the platform is told: its code and its wait stand in the data."""
    told = answer(error)
    metadata: JsonObject = {"code": told.code, "status": str(told.status)}
    if isinstance(error, Overloaded):
        metadata["retryAfterMs"] = str(error.retry_after_ms)
    data: JsonObject = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": told.code,
        "domain": DOMAIN,
        "metadata": metadata,
    }
    is_ours = told.status >= 500 or isinstance(error, Overloaded)
    return RpcFault(INTERNAL if is_ours else INVALID_PARAMS, sentence_of(error), data)


def _error(request_id: str | int | None, fault: RpcFault) -> JsonObject:
    error: JsonObject = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        error["data"] = [fault.data]
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def _refused(request_id: str | int | None, fault: RpcFault) -> Response:
    return json_response(_error(request_id, fault))


async def _sent(request_id: str | int | None, events: AsyncGenerator[JsonObject]) -> AsyncGenerator[Event]:
    async with aclosing(events) as told:
        try:
            async for event in told:
                yield Event("", {"jsonrpc": "2.0", "id": request_id, "result": event})
        except RpcFault as fault:
            yield Event("", _error(request_id, fault))
        except AppError as error:
            yield Event("", _error(request_id, _fault_of(error)))


def _written(event: Event) -> bytes:
    """Return the bytes of one event, which has no name."""
    return b"data: %s\n\n" % json_bytes(event.data)
