"""`POST /api/v1/feedback`: what somebody thinks of an answer. Spec: platform-api 5.10."""

from __future__ import annotations

from fastapi import Response

from actors.desks import GivenFeedback
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.bodies.feedback import FeedbackBody, FeedbackReply
from gateway.envelope import json_response
from gateway.guarded import guarded_router
from gateway.sdk_sessions import visible_session
from gateway.services import Serving

CREATED, REPLACED = 201, 200

router = guarded_router("/api/v1", "feedback")


@router.post(
    "/feedback",
    status_code=CREATED,
    response_model=FeedbackReply,
    responses={REPLACED: {"model": FeedbackReply, "description": "It replaces what the author had said before"}},
    dependencies=[
        caller("api_key", "user", "sdk", permission=Permission.SESSION_EXECUTE, replay="reply", repeatable=True)
    ],
)
async def give_feedback(body: FeedbackBody, admitted: Admitted, services: Serving) -> Response:
    """Keep what the caller thinks of an answer, in the place of what the caller said of it before."""
    session = await visible_session(services, admitted, body.session_id, Permission.SESSION_EXECUTE)
    given = GivenFeedback(
        message_id=body.message_id,
        author=admitted.caller.subject,
        rating=body.rating if isinstance(body.rating, str) else None,
        stars=body.rating if isinstance(body.rating, int) else None,
        comment=body.comment,
    )
    kept = await services.desks.feedback.give(session, given)
    return json_response({"success": True, "feedbackId": kept.id}, CREATED if kept.is_new else REPLACED)
