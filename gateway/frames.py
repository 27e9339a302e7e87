"""What a socket is told of the session's output and of errors: one frame for each. Spec: platform-api 12.4, 12.7."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from actors.runtime import StreamEvent
from domain.errors import AppError, Overloaded
from domain.json_values import JsonObject
from gateway import wire
from gateway.errors import answer

ENDED = "ended"
TOLD_AS: Mapping[str, str] = MappingProxyType({"CONFLICT": "BAD_REQUEST", "GONE": wire.SESSION_ENDED})
"""Codes that HTTP has and sockets have not."""


class Marks(NamedTuple):
    """What every frame of the server carries."""

    session_id: str
    seq: int
    timestamp: str


def frame_of(event: StreamEvent, marks: Marks, *, show_activity: bool) -> wire.ServerFrame | None:
    """Return the frame of an event, None for events that sockets are not told."""
    named, data = marks._asdict(), event.data
    match event.kind:
        case "response_start" | "response_restart":
            agent, attempt = data.get("agentName", ""), data.get("attempt", 1)
            return wire.ResponseStart(**named, message_id=data["messageId"], agent_name=agent, attempt=attempt)
        case "response_chunk":
            return wire.ResponseChunk(**named, message_id=data["messageId"], chunk=data["chunk"])
        case "response_end":
            return wire.ResponseEnd(
                **named,
                message_id=data["messageId"],
                full_text=data["fullText"],
                action=data.get("action"),
                rich_content=data.get("richContent"),
                actions=data.get("actions"),
                voice_config=data.get("voiceConfig"),
                metadata=data.get("metadata"),
                interrupted=data.get("interrupted", False),
            )
        case "error":
            return wire.ErrorFrame(
                **named,
                code=data.get("code", "INTERNAL_ERROR"),
                message=data["error"],
                fatal=False,
                message_id=data.get("messageId"),
                retry_after_ms=data.get("retryAfterMs"),
            )
        case "complete":
            return wire.SessionEnd(**named, reason=data.get("endReason", "")) if data.get("status") == ENDED else None
        case "trace_event":
            return _activity(data.get("event", {}), marks) if show_activity else None
        case "resume_gap":
            return wire.ResumeGap(**named, from_seq=data["fromSeq"], to_seq=data["toSeq"])
        case "session_start":
            return None


def _activity(event: JsonObject, marks: Marks) -> wire.ServerFrame | None:
    if event.get("type") != "handoff":
        return None
    data = event.get("data", {})
    metadata = {"fromAgent": data["fromAgent"], "toAgent": data["toAgent"]}
    return wire.Handoff(**marks._asdict(), metadata=metadata)


def error_frame(
    error: AppError, marks: Marks, *, fatal: bool, message_id: str | None = None, reply_to: str | None = None
) -> wire.ErrorFrame:
    """Return the frame that tells an error, with the WebSocket's own code where there is one."""
    reason, code = error.details.get("reason"), answer(error).code
    return wire.ErrorFrame(
        **marks._asdict(),
        code=reason if reason in wire.SOCKET_CODES else TOLD_AS.get(code, code),
        message=error.message,
        fatal=fatal,
        message_id=message_id,
        reply_to=reply_to,
        retry_after_ms=error.retry_after_ms if isinstance(error, Overloaded) else None,
    )
