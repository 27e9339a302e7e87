"""What was said in a session, and its end: routes that name it without its project. Spec: platform-api 5.6, 5.9."""

from __future__ import annotations

from fastapi import Response

from domain import limits
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.bodies.sessions import EndedSession, EndedSessionReply, EndSessionBody, TranscriptReply
from gateway.envelope import Offset, PageLimit, Totals, json_response
from gateway.guarded import guarded_router
from gateway.sdk_sessions import visible_session
from gateway.services import Serving

router = guarded_router("/api/v1/sessions", "transcripts")


@router.get(
    "/{session_id}/transcripts",
    response_model=TranscriptReply,
    dependencies=[caller("api_key", "user", "sdk", permission=Permission.SESSION_READ)],
)
async def list_transcript(
    session_id: str,
    admitted: Admitted,
    services: Serving,
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> Response:
    """Return the messages of a session, oldest first."""
    session = await visible_session(services, admitted, session_id, Permission.SESSION_READ)
    page = await services.runtime.transcript(session, limit=limit, offset=offset)
    where = Totals(total=page.total, limit=limit, offset=offset)
    return json_response({"success": True, "pagination": where.model_dump(), "messages": page.rows})


@router.post(
    "/{session_id}/end",
    response_model=EndedSessionReply,
    dependencies=[
        caller("api_key", "user", "sdk", permission=Permission.SESSION_WRITE, replay="reply", repeatable=True)
    ],
)
async def end_session(
    session_id: str, admitted: Admitted, services: Serving, body: EndSessionBody | None = None
) -> EndedSessionReply:
    """End a session; doing so again changes nothing."""
    session = await visible_session(services, admitted, session_id, Permission.SESSION_WRITE)
    reason = body.reason if body is not None else EndSessionBody().reason
    view = await services.runtime.end_session(session, reason)
    ended = EndedSession(id=view.id, status="ended", ended_at=view.ended_at, end_reason=view.end_reason)
    return EndedSessionReply(session=ended)
