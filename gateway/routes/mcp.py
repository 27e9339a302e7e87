"""`/mcp`: the agents of a project as tools of an MCP server; without a stream of its own, so GET is 405.

Spec: Model Context Protocol 2025-11-25, streamable HTTP. Decision: 0017.
"""

from __future__ import annotations

from json import JSONDecodeError

from fastapi import Request, Response

from actors.runtime import ChatTurn, TurnReply
from domain.errors import InvalidInput
from domain.json_values import JsonObject
from domain.permissions import Permission
from gateway.access import Admission, Admitted, caller
from gateway.asking import Target, bound_target, counted_turn
from gateway.bodies.mcp import RpcAnswer, RpcRefusal
from gateway.bodies.texts import checked_metadata
from gateway.envelope import json_response
from gateway.guarded import guarded_router
from gateway.headers import headers_of
from gateway.idempotency import checked_key, sent_key
from gateway.mcp import PARSE_ERROR, Question, answer_to, answers_to, error_to, takes_batches
from gateway.services import Services, Serving

TRANSPORT = "mcp"
VERSION_HEADER = "mcp-protocol-version"
LIST_TOOLS: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
_ASKED: JsonObject = {"schema": {"type": "object"}, "example": LIST_TOOLS}
MESSAGE: JsonObject = {
    "requestBody": {"required": True, "content": {"application/json": _ASKED}},
    "responses": {"202": {"description": "A notification was taken"}},
}
REFUSED: dict[int | str, JsonObject] = {400: {"model": RpcRefusal, "description": "The message breaks a rule"}}

router = guarded_router("/mcp", "mcp")
may_talk = [caller("api_key", permission=Permission.SESSION_EXECUTE)]


@router.post("", response_model=RpcAnswer, dependencies=may_talk, openapi_extra=MESSAGE, responses=REFUSED)
async def speak(request: Request, admitted: Admitted, services: Serving) -> Response:
    """Answer one message of an MCP client; the API key is bound to the project whose agents it may ask."""
    project_id = admitted.caller.project_id
    if not project_id:
        raise InvalidInput("This API key is good for several projects: use /mcp/<projectId>")
    return await _answered(request, admitted, services, project_id)


@router.post("/{project_id}", response_model=RpcAnswer, dependencies=may_talk, openapi_extra=MESSAGE, responses=REFUSED)
async def speak_with_project(project_id: str, request: Request, admitted: Admitted, services: Serving) -> Response:
    """Answer one message of an MCP client that asks the agents of a project."""
    return await _answered(request, admitted, services, project_id)


async def _answered(request: Request, admitted: Admission, services: Services, project_id: str) -> Response:
    try:
        message = await request.json()
    except (JSONDecodeError, UnicodeDecodeError):
        return json_response(error_to(None, PARSE_ERROR, "The message is not JSON"), 400)
    key = sent_key(request.scope)

    async def ask(question: Question) -> TurnReply:
        asked = Target(question.session_id)
        target = await bound_target(services, admitted.caller, project_id, asked)
        turn = _turn(question, admitted, services, project_id, key, target.environment)
        return await services.runtime.chat(await counted_turn(request, services, turn))

    cards = await services.agent_cards.cards(admitted.caller.tenant_id, project_id)
    version = services.settings.version
    is_batch = isinstance(message, list) and takes_batches(headers_of(request.scope).get(VERSION_HEADER, ""))
    answer = await (answers_to if is_batch else answer_to)(message, cards, ask, version)
    if answer is None:
        return Response(status_code=202)
    return json_response(answer, 400 if isinstance(answer, dict) and answer.get("id") is None else 200)


def _turn(
    question: Question, admitted: Admission, services: Services, project_id: str, key: str, environment: str
) -> ChatTurn:
    """Return the turn a question asks for; a session that goes on is not moved to another agent."""
    return ChatTurn(
        tenant_id=admitted.caller.tenant_id,
        project_id=project_id,
        message=question.message,
        session_id=question.session_id,
        environment=environment,
        agent="" if question.session_id else question.agent,
        idempotency_key=checked_key(question.request_id or key),
        transport=TRANSPORT,
        user_kind=admitted.caller.kind,
        metadata=checked_metadata(question.metadata),
        deadline_s=services.settings.turn_deadline_s,
    )
