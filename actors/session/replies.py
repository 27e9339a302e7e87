"""The end of a turn as the caller sees it, as the store keeps it, and as the transcript tells it."""

from __future__ import annotations

from typing import Any

import msgspec

from actors.messages import Failed
from actors.runtime import TurnReply
from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from domain.errors import AppError, Overloaded
from domain.json_values import JsonObject
from engine import EndTurn

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(TurnReply)


def encode_reply(reply: TurnReply) -> bytes:
    """Return the bytes under which a reply is stored with its idempotency key."""
    return _ENCODER.encode(reply)


def decode_reply(raw: bytes) -> TurnReply:
    """Return a stored reply, marked as repeated."""
    return msgspec.structs.replace(_DECODER.decode(raw), repeated=True)


def reply_of(live: LiveSession, output: TurnOutput, number: int, end: EndTurn, last_seq: int) -> TurnReply:
    """Return what the caller of a turn gets."""
    return TurnReply(
        session_id=live.pin.session_id,
        message_id=output.message_id,
        turn=number,
        response=end.reply,
        action=end.action,
        agent_name=end.agent,
        state=end.state,
        trace_events=tuple(output.traces),
        voice_config=end.voice or None,
        rich_content=end.rich_content or None,
        actions=end.actions or None,
        first_seq=output.first_seq,
        last_seq=last_seq,
        outcome=child_outcome(end) if live.pin.parent_session_id else {},
    )


def child_outcome(end: EndTurn) -> JsonObject:
    """Return what the parent of a delegated child learns beside the text."""
    return {"values": end.values, "status": end.status, "error": end.error}


def wire_form(reply: TurnReply) -> JsonObject:
    """Return the body of platform-api 4.1 without `success`."""
    body: dict[str, Any] = {
        "sessionId": reply.session_id,
        "messageId": reply.message_id,
        "response": reply.response,
        "action": reply.action,
        "state": reply.state,
        "agentName": reply.agent_name,
    }
    if reply.trace_events:
        body["traceEvents"] = list(reply.trace_events)
    optional = {"voiceConfig": reply.voice_config, "richContent": reply.rich_content, "actions": reply.actions}
    body.update({name: value for name, value in optional.items() if value})
    return body


def refusal(error: AppError) -> Failed:
    """Return an error of the platform as an answer."""
    return Failed(
        kind=type(error).__name__,
        message=error.message,
        retry_after_ms=error.retry_after_ms if isinstance(error, Overloaded) else 0,
        details=error.details,
    )
