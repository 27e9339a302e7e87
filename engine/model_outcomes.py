"""What came of a model call, as a trace event."""

from __future__ import annotations

from domain.json_values import JsonObject
from domain.traces import TraceType
from engine.run import Run
from engine.state import Outcome


def trace_call(run: Run, effect_id: str, outcome: Outcome) -> None:
    """Record an `llm_call`, and an `error` when it failed."""
    extra: JsonObject = outcome.extra
    value: JsonObject = outcome.value if isinstance(outcome.value, dict) else {}
    usage = extra.get("usage") or {}
    run.trace(
        TraceType.LLM_CALL,
        span=effect_id,
        duration_ms=outcome.duration_ms,
        model=extra.get("model", ""),
        provider=extra.get("provider") or None,
        usage={"inputTokens": usage.get("input_tokens", 0), "outputTokens": usage.get("output_tokens", 0)},
        latencyMs=outcome.duration_ms,
        timeToFirstTokenMs=extra.get("first_token_ms") or None,
        finishReason=extra.get("finish_reason", "error"),
        operationType=extra.get("operation") or None,
        streamingUsed=bool(extra.get("stream")),
        toolCallCount=len(value.get("tool_calls") or ()),
        retryAttempt=int(extra.get("attempts", 1)) - 1,
        response=str(value.get("text", ""))[:2_000] or None,
    )
    if not outcome.ok:
        run.fault(outcome.kind, outcome.message, origin="llm", retryable=outcome.kind != "llm_content_filter")
