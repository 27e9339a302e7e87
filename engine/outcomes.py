"""What a fact that answers an effect says, in the one form that operations read."""

from __future__ import annotations

import msgspec

from domain.json_values import JsonObject
from domain.tool_calls import ToolResult
from engine import facts as f
from engine.state import Outcome


def _tool_extra(result: ToolResult) -> JsonObject:
    if result.accepted:
        return {"accepted": True}
    return {"retryAfterMs": result.retry_after_ms} if result.retry_after_ms else {}


def _extra_of(fact: f.ChildReplied) -> JsonObject:
    told = {"text": fact.text, "conversation": fact.conversation, "changes": fact.changes}
    return {name: value for name, value in told.items() if value}


def outcome_of(fact: f.AnyFact) -> Outcome:
    """Return what a fact that answers an effect says, in the one form operations read."""
    match fact:
        case f.ModelAnswered():
            reply = fact.reply
            extra: JsonObject = {
                "usage": msgspec.to_builtins(reply.usage),
                "model": reply.model,
                "provider": reply.provider,
                "finish_reason": reply.finish_reason,
                "first_token_ms": reply.first_token_ms,
                "attempts": reply.attempts,
            }
            if reply.estimated_cost is not None:
                extra["estimated_cost"] = reply.estimated_cost
            value = {"text": reply.text, "tool_calls": msgspec.to_builtins(reply.tool_calls)}
            return Outcome(ok=True, value=value, duration_ms=reply.latency_ms, extra=extra)
        case f.ModelFailed():
            asked: JsonObject = {"model": fact.model, "provider": fact.provider} if fact.model else {}
            if fact.is_final:
                asked["final"] = True
            return Outcome(ok=False, kind=fact.kind, message=fact.message, duration_ms=fact.latency_ms, extra=asked)
        case f.Classified():
            return Outcome(ok=bool(fact.scores), kind="unclassified", value=fact.scores)
        case f.ToolReturned():
            result = fact.result
            return Outcome(
                ok=result.ok,
                value=result.value,
                kind="" if result.ok else result.error_kind or "tool_error",
                message=result.error_message,
                code=result.error_code,
                duration_ms=result.duration_ms,
                extra=_tool_extra(result),
            )
        case f.OutcomeUnknown():
            return Outcome(ok=False, kind="outcome_unknown", message=fact.message)
        case f.MemoryRead():
            return Outcome(ok=not fact.error, value=fact.values, kind="memory", message=fact.error)
        case f.MemoryWritten():
            return Outcome(ok=not fact.error, kind="memory", message=fact.error)
        case f.ChildReplied():
            return Outcome(
                ok=not fact.error,
                value=fact.values,
                kind=fact.error,
                message=fact.error_message,
                duration_ms=fact.duration_ms,
                extra=_extra_of(fact),
            )
        case _:
            return Outcome(ok=True)
