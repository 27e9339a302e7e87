"""What a socket is told of the session's output and of errors: one frame for each. Spec: platform-api 12.4, 12.7."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from actors.runtime import StreamEvent
from domain.errors import AppError, Overloaded
from gateway import wire
from gateway.bodies.conversation import action_for_pages
from gateway.errors import answer

ENDED = "ended"
TOLD_AS: Mapping[str, str] = MappingProxyType({"CONFLICT": "BAD_REQUEST", "GONE": wire.SESSION_ENDED})
"""Codes that HTTP has and sockets have not."""


class Marks(NamedTuple):
    """What every frame of the server carries."""

    session_id: str
    seq: int
    timestamp: str


def frame_of(event: StreamEvent, marks: Marks) -> wire.ServerFrame | None:
    """Return the frame of an event, None for events that sockets are not told; activity is `gateway.activity`'s."""
    named, data = marks._asdict(), event.data
    match event.kind:
        case "response_start":
            return wire.ResponseStart(
                **named,
                message_id=data["messageId"],
                agent_name=data.get("agentName", ""),
                attempt=data.get("attempt", 1),
                answers=data.get("answers"),
            )
        case "response_restart":
            return wire.ResponseRestart(**named, message_id=data["messageId"], attempt=data["attempt"])
        case "response_chunk":
            return wire.ResponseChunk(**named, message_id=data["messageId"], chunk=data["chunk"])
        case "response_end":
            return wire.ResponseEnd(
                **named,
                message_id=data["messageId"],
                full_text=data["fullText"],
                action=action_for_pages(data.get("action")),
                rich_content=data.get("richContent"),
                actions=data.get("actions"),
                open_actions=data.get("openActions"),
                voice_config=data.get("voiceConfig"),
                metadata=data.get("metadata"),
                interrupted=data.get("interrupted", False),
            )
        case "error":
            return wire.ErrorFrame(
                **named,
                code=_code(data.get("code", "INTERNAL_ERROR"), data.get("details", {}).get("reason")),
                message=data["error"],
                fatal=False,
                reason=data.get("details", {}).get("reason"),
                message_id=data.get("messageId"),
                open_actions=data.get("openActions"),
                retry_after_ms=data.get("retryAfterMs"),
            )
        case "complete":
            return wire.SessionEnd(**named, reason=data.get("endReason", "")) if data.get("status") == ENDED else None
        case "resume_gap":
            return wire.ResumeGap(**named, from_seq=data["fromSeq"], to_seq=data["toSeq"])
        case "session_start" | "trace_event":
            return None


def restart_before(event: StreamEvent, marks: Marks) -> wire.ResponseRestart | None:
    """Return the frame that says, before a turn is shown from its beginning a second time, that the first is void.

    A host that takes a turn over shows it again from its start. Its number is that of the turn's `session_start`, which
    sockets are not told.
    """
    attempt = event.data.get("attempt", 1)
    if event.kind != "response_start" or attempt <= 1:
        return None
    named = marks._replace(seq=event.seq - 1)._asdict()
    return wire.ResponseRestart(**named, message_id=event.data["messageId"], attempt=attempt)


def error_frame(
    error: AppError, marks: Marks, *, fatal: bool, message_id: str | None = None, reply_to: str | None = None
) -> wire.ErrorFrame:
    """Return the frame that tells an error."""
    return wire.ErrorFrame(
        **marks._asdict(),
        code=_code(answer(error).code, error.details.get("reason")),
        message=error.message,
        fatal=fatal,
        reason=error.details.get("reason"),
        message_id=message_id,
        reply_to=reply_to,
        retry_after_ms=error.retry_after_ms if isinstance(error, Overloaded) else None,
    )


def _code(code: str, reason: str | None) -> str:
    """Return what a socket is told: the WebSocket's own code where the reason is one, else that of HTTP."""
    return reason if reason in wire.SOCKET_CODES else TOLD_AS.get(code, code)
