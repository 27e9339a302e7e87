"""`POST /api/v1/chat/send`: one turn, with files. Spec: platform-api 4.2."""

from __future__ import annotations

from time import perf_counter

from fastapi import Response
from starlette.requests import Request

from actors.runtime import ChatTurn, SessionRef
from domain import limits
from domain.errors import InvalidInput
from domain.permissions import Permission
from gateway.access import Admission, admission_of, caller
from gateway.asking import Target, check_chat_project, counted_turn, target_of
from gateway.bodies.chat_agent import reply_body
from gateway.bodies.chat_send import ChatSendBody, ChatSendReply
from gateway.bodies.texts import checked_metadata
from gateway.envelope import json_response
from gateway.guarded import guarded_router
from gateway.idempotency import checked_key, mark_of, sent_key
from gateway.services import Services, services_of

router = guarded_router("/api/v1/chat", "chat")


@router.post(
    "/send",
    response_model=ChatSendReply,
    response_model_exclude_none=True,
    dependencies=[caller("api_key", "user", "sdk", permission=Permission.SESSION_EXECUTE, replay="turn")],
)
async def send_message(body: ChatSendBody, request: Request) -> Response:
    """Send a message with files to a session, or to a new one of a project, and return the answer."""
    admitted, services = admission_of(request), services_of(request)
    attachment_ids = tuple(body.attachment_ids or ())
    if len(attachment_ids) > limits.ATTACHMENTS_PER_MESSAGE:
        raise InvalidInput("Too many attachments")
    project_id = await _project_of(body, admitted, services)
    await check_chat_project(services, admitted, project_id)
    metadata = checked_metadata(body.metadata)  # before a session is opened: what is refused leaves none
    idempotency_key = checked_key(sent_key(request.scope))
    target = await target_of(services, admitted, project_id, Target(body.session_id or ""))
    caller_ = admitted.caller
    turn = ChatTurn(
        tenant_id=caller_.tenant_id,
        project_id=project_id,
        message=body.message,
        session_id=target.session_id,
        opens=target.opens,
        idempotency_key=idempotency_key,
        deployment_id=target.deployment_id,
        environment=target.environment,
        user_id=caller_.subject if caller_.kind != "api_key" else "",
        user_kind=caller_.kind,
        metadata=metadata,
        attachment_ids=attachment_ids,
        deadline_s=services.settings.turn_deadline_s,
    )
    turn = await counted_turn(request, services, turn)
    began = perf_counter()
    reply = await services.runtime.chat(turn)
    services.metrics.turn("json", perf_counter() - began)
    told = reply_body(reply, with_traces=caller_.may_see_traces)
    return json_response({**told, "userMessageId": reply.user_message_id}, headers=mark_of(reply.repeated))


async def _project_of(body: ChatSendBody, admitted: Admission, services: Services) -> str:
    """Return the project of the message: the one that is named, else that of the session. Raises NotFound."""
    own = admitted.caller.project_id
    if body.project_id is not None or (own and admitted.claims is not None):
        return body.project_id or own
    session = SessionRef(admitted.caller.tenant_id, own, body.session_id or "")
    return (await services.desks.insight.resolve(session)).project_id
