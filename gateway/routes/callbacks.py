"""Answers from outside to sessions that wait for them. Spec: platform-api 3.3, 7.1."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

import orjson
from fastapi import Header
from starlette.requests import Request

from actors.deliveries import CallbackDelivery, CallbackResult
from domain import limits
from domain.callback_signatures import StandardSignature
from domain.errors import AppError, Gone, NotFound, Unauthenticated, Unavailable
from domain.json_values import MAX_JSON_DEPTH, JsonObject, is_too_deep
from domain.permissions import Permission
from gateway.access import Admitted, anyone, caller
from gateway.bodies.callbacks import CallbackItem, CallbackListReply, CallbackReply
from gateway.envelope import Offset, PageLimit, Totals
from gateway.errors import MalformedRequest
from gateway.guarded import guarded_router
from gateway.reading import read_json
from gateway.services import Serving

REFUSALS: Mapping[CallbackResult, tuple[type[AppError], str]] = MappingProxyType(
    {
        "invalid_signature": (Unauthenticated, "Invalid signature"),
        "not_found": (NotFound, "Callback not found"),
        "expired": (Gone, "Callback expired"),
        "unavailable": (Unavailable, "Service temporarily unavailable"),
    }
)

RESULT: JsonObject = {"schema": {"type": "object"}, "example": {"status": "approved", "amount": 120}}
"""What a callback brings: whatever the agent that waits for it reads."""

router = guarded_router("", "callbacks")


@router.post(
    "/api/v1/callbacks/{callback_id}",
    response_model=CallbackReply,
    response_model_exclude_none=True,
    dependencies=[anyone(rated=False, errors="callback")],
    openapi_extra={"requestBody": {"required": True, "content": {"application/json": RESULT}}},
)
async def deliver_callback(
    callback_id: str,
    request: Request,
    services: Serving,
    x_callback_signature: Annotated[str, Header()] = "",
    webhook_id: Annotated[str, Header()] = "",
    webhook_timestamp: Annotated[str, Header()] = "",
    webhook_signature: Annotated[str, Header(description="`v1,<base64>`, as in Standard Webhooks")] = "",
) -> CallbackReply:
    """Hand an answer to the session that waits for it, at most once; the signature is over the raw body."""
    raw = await request.body()
    try:
        body = read_json(raw)
    except orjson.JSONDecodeError as error:
        raise MalformedRequest("Invalid JSON body") from error
    if not isinstance(body, dict):
        raise MalformedRequest("Invalid JSON body")
    if is_too_deep(body):
        raise MalformedRequest(f"The body may be nested at most {MAX_JSON_DEPTH} levels deep")
    standard = StandardSignature(webhook_id, webhook_timestamp, webhook_signature) if webhook_signature else None
    delivery = CallbackDelivery(
        callback_id=callback_id, raw=raw, body=body, signature=x_callback_signature, standard=standard
    )
    result = await services.runtime.deliver_callback(delivery)
    if result in REFUSALS:
        kind, message = REFUSALS[result]
        raise kind(message)
    return CallbackReply(status="already_processed" if result == "already_processed" else None)


@router.get(
    "/api/projects/{project_id}/callbacks",
    response_model=CallbackListReply,
    dependencies=[caller("api_key", "user", permission=Permission.SESSION_READ)],
)
async def list_callbacks(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    status: Literal["pending", "processed", "expired", "cancelled"] = "pending",
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> CallbackListReply:
    """Return what sessions of a project wait for; secrets are never listed."""
    page = await services.runtime.callbacks(
        admitted.caller.tenant_id, project_id, status=status, limit=limit, offset=offset
    )
    rows = [CallbackItem.model_validate(row) for row in page.rows]
    return CallbackListReply(callbacks=rows, pagination=Totals(total=page.total, limit=limit, offset=offset))
