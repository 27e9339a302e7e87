"""What came of a model call, as a trace event."""

from __future__ import annotations

from hashlib import blake2b

from domain.json_values import JsonObject
from domain.limits import TRACE_TEXT_MAX_CHARS
from domain.model_calls import BUDGET_EXCEEDED, ENDS, ModelRequest
from domain.traces import TraceType
from engine.run import Run
from engine.state import Outcome

NEVER_RETRIED = frozenset({"llm_content_filter", BUDGET_EXCEEDED})
"""Failures that the same question meets again."""


def asked_notes(run: Run, request: ModelRequest, operation: str, *, stream: bool = False) -> JsonObject:
    """Return what the event of a call tells about its question; the prompt itself only where the session wants it."""
    messages = request.messages
    known: JsonObject = {
        "operation": operation,
        "messages": len(messages),
        "characters": sum(len(one.content) for one in messages),
    }
    if messages and messages[0].role == "system":
        known["system"] = blake2b(messages[0].content.encode(), digest_size=8).hexdigest()
    if stream:
        known["stream"] = True
    if run.state.begun.trace_prompts:
        known["prompt"] = [{"role": one.role, "content": one.content} for one in messages]
    return known


def trace_call(run: Run, effect_id: str, outcome: Outcome, *, ends_turn: bool = False) -> None:
    """Record an `llm_call` if a model was asked, and an `error` when there is no answer.

    Args:
        run: Where.
        effect_id: The span of the call.
        outcome: What came of it.
        ends_turn: A failure is not handled: the turn ends with it.
    """
    if outcome.ok or outcome.extra.get("model"):
        _trace_answer(run, effect_id, outcome)
    if not outcome.ok:
        retryable = outcome.kind not in NEVER_RETRIED
        run.fault(outcome.kind, outcome.message, origin="llm", retryable=retryable, handled=not ends_turn)


def _trace_answer(run: Run, effect_id: str, outcome: Outcome) -> None:
    extra: JsonObject = outcome.extra
    value: JsonObject = outcome.value if isinstance(outcome.value, dict) else {}
    usage = extra.get("usage") or {}
    finish = extra.get("finish_reason", "error")
    text = str(value.get("text", ""))
    response = text[:TRACE_TEXT_MAX_CHARS]
    prompt, is_cut = _cut(extra["prompt"]) if "prompt" in extra else (None, False)
    run.trace(
        TraceType.LLM_CALL,
        span=effect_id,
        took_ms=outcome.duration_ms,
        model=extra.get("model", ""),
        provider=extra.get("provider") or None,
        usage=_usage(usage),
        latencyMs=outcome.duration_ms,
        estimatedCost=extra.get("estimated_cost"),
        timeToFirstTokenMs=extra.get("first_token_ms") or None,
        finishReason=ENDS.get(finish, finish),
        operationType=extra.get("operation") or None,
        streamingUsed=bool(extra.get("stream")),
        toolCallCount=len(value.get("tool_calls") or ()),
        retryAttempt=max(int(extra.get("attempts", 1)) - 1, 0),
        promptMessages=extra.get("messages"),
        promptCharacters=extra.get("characters"),
        systemPromptHash=extra.get("system"),
        prompt=prompt,
        response=response or None,
        truncated=is_cut or len(text) > TRACE_TEXT_MAX_CHARS or None,
    )


def _usage(usage: JsonObject) -> JsonObject:
    shown = {"inputTokens": usage.get("input_tokens", 0), "outputTokens": usage.get("output_tokens", 0)}
    return {**shown, "cachedTokens": usage["cached_tokens"]} if usage.get("cached_tokens") else shown


def _cut(messages: list[JsonObject]) -> tuple[list[JsonObject], bool]:
    """Return the messages of a prompt with at most 32 KiB of text, the last ones whole, and whether any was cut."""
    left, kept = TRACE_TEXT_MAX_CHARS, []
    for one in reversed(messages):
        text = one["content"][:left]
        left -= len(text)
        kept.append({"role": one["role"], "content": text})
    kept.reverse()
    return kept, any(len(one["content"]) != len(was["content"]) for one, was in zip(kept, messages, strict=True))
