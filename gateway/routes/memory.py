"""`POST /api/v1/memory`: the memory stores of a session, for code that runs elsewhere. Spec: platform-api 7.3."""

from __future__ import annotations

from fastapi import Response

from actors.runtime import SessionRef
from domain.errors import InvalidInput, Unauthenticated
from domain.json_values import JsonObject
from gateway.access import Admitted, caller
from gateway.bodies.memory import MemoryBody, MemoryReply
from gateway.envelope import json_response
from gateway.errors import missing
from gateway.guarded import guarded_router
from gateway.services import Serving

SET = "set"
MISSING = "Missing action or memoryStoreName"

router = guarded_router("/api/v1", "memory")


@router.post(
    "/memory",
    response_model=MemoryReply,
    dependencies=[caller("sandbox", replay="reply", repeatable=True)],
)
async def use_memory(body: MemoryBody, admitted: Admitted, services: Serving) -> Response:
    """Get, set (replace) or delete a memory store of the session that the sandbox token is for.

    It is done in order with the session's turns, in the midst of the one that runs. An `Idempotency-Key` makes a
    repeated request answer with the first one's reply.
    """
    claims = admitted.sandbox
    if claims is None:
        raise Unauthenticated("Invalid or expired token")
    given = {"action": body.action, "memoryStoreName": body.memory_store_name}
    if lacking := [name for name, value in given.items() if not value]:
        raise missing(MISSING, *lacking)
    if not isinstance(body.action, str) or not isinstance(body.memory_store_name, str):
        raise InvalidInput(MISSING)
    session = SessionRef(claims.tenant_id, claims.project_id, claims.session_id)
    content = _content(body) if body.action == SET else None
    data = await services.runtime.use_memory(session, body.action, body.memory_store_name, content)
    return json_response({"success": True} if body.action == SET else {"success": True, "data": data})


def _content(body: MemoryBody) -> JsonObject:
    content = body.payload.get("content") if isinstance(body.payload, dict) else None
    if not isinstance(content, dict):
        raise InvalidInput("payload.content must be an object")
    return content
