"""What stands out in a session: slow spans, errors that come again, odd decisions, and what to do about them.

Rules and nothing else: the same events give the same findings, and no model is asked. Spec: platform-api 5.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from domain.decision_anomalies import decision_anomalies
from domain.json_values import JsonObject
from domain.session_findings import ErrorPattern, SessionAnalysis, SlowSpan, SpanType
from domain.session_metrics import SaidAt, by_turn, turn_latency_ms
from domain.suggestions import suggestions_of
from domain.traces import TraceEvent, TraceType

SLOW_MODEL_MS = 2_000
SLOW_TOOL_MS = 3_000
SLOW_SHARE = 0.6


class _Timed(Struct, frozen=True):
    """A kind of event that closes a span: the type of the span, what names it, and its limit (None: its share only)."""

    type: SpanType
    name_key: str
    threshold_ms: int | None


TIMED: Mapping[TraceType, _Timed] = MappingProxyType(
    {
        TraceType.LLM_CALL: _Timed("llm_call", "model", SLOW_MODEL_MS),
        TraceType.TOOL_RESULT: _Timed("tool_call", "toolName", SLOW_TOOL_MS),
        TraceType.DELEGATE: _Timed("delegate", "toAgent", None),
    }
)


def session_analysis(
    session_id: str,
    generated_at: str,
    events: Sequence[TraceEvent],
    said: Mapping[int, SaidAt] | None = None,
    *,
    is_truncated: bool = False,
) -> SessionAnalysis:
    """Return what stands out.

    Args:
        session_id: The session.
        generated_at: Now, ISO 8601.
        events: Its trace events, all of them unless it is cut.
        said: Turn -> when its message came and its reply was ready, by the transcript.
        is_truncated: There are more events than these.
    """
    slow = slow_spans(events, said or {})
    errors = error_patterns(events)
    anomalies = decision_anomalies(events)
    return SessionAnalysis(
        session_id=session_id,
        is_truncated=is_truncated,
        generated_at=generated_at,
        slow_spans=slow,
        error_patterns=errors,
        decision_anomalies=anomalies,
        suggestions=suggestions_of(slow, errors, anomalies),
    )


def slow_spans(events: Sequence[TraceEvent], said: Mapping[int, SaidAt]) -> tuple[SlowSpan, ...]:
    """Return what took longer than the limit of its kind or more than 60 % of its turn, the longest first."""
    found = [
        slow
        for number, of_turn in by_turn(events).items()
        for slow in _slow_of_turn(of_turn, turn_latency_ms(of_turn, said.get(number)))
    ]
    return tuple(sorted(found, key=lambda one: -one.duration_ms))


def _slow_of_turn(events: Sequence[TraceEvent], turn_ms: int) -> Iterator[SlowSpan]:
    for event in events:
        timed = TIMED.get(event.type)
        if timed is None or not event.duration_ms:
            continue
        own = timed.threshold_ms if timed.threshold_ms is not None and event.duration_ms > timed.threshold_ms else None
        if own is None and event.duration_ms <= SLOW_SHARE * turn_ms:
            continue
        yield SlowSpan(
            span_id=event.span,
            type=timed.type,
            name=str(event.data.get(timed.name_key) or ""),
            agent_name=event.agent,
            duration_ms=event.duration_ms,
            threshold_ms=own if own is not None else round(SLOW_SHARE * turn_ms),
            share_of_turn=min(event.duration_ms / turn_ms, 1.0) if turn_ms else None,
            turn=event.turn,
        )


class _Failure(Struct, frozen=True):
    """One error: what failed, and how."""

    code: str
    origin: str
    at: str
    message: str
    span: str
    name: str = ""


def error_patterns(events: Sequence[TraceEvent]) -> tuple[ErrorPattern, ...]:
    """Return the errors by code and origin, the most frequent first; the spans are those that failed."""
    kinds: dict[tuple[str, str], list[_Failure]] = {}
    for failure in _failures(events):
        kinds.setdefault((failure.code, failure.origin), []).append(failure)
    patterns = [
        ErrorPattern(
            code=code,
            origin=origin,
            count=len(same),
            first_at=same[0].at,
            last_at=same[-1].at,
            sample_message=same[-1].message,
            span_ids=tuple(dict.fromkeys(one.span for one in same)),
            names=tuple(dict.fromkeys(one.name for one in same if one.name)),
        )
        for (code, origin), same in kinds.items()
    ]
    return tuple(sorted(patterns, key=lambda one: -one.count))


def _failures(events: Sequence[TraceEvent]) -> Iterator[_Failure]:
    """Yield errors. A failed call of a tool counts by itself; the `error` event of the same call adds nothing."""
    last: dict[TraceType, TraceEvent] = {}
    for event in events:
        if event.type == TraceType.TOOL_RESULT and event.data.get("success") is False:
            error: JsonObject = event.data.get("error") or {}
            name = str(event.data.get("toolName") or "")
            yield _Failure(
                str(error.get("code", "")), "tool", event.at, str(error.get("message", "")), event.span, name
            )
        elif event.type == TraceType.ERROR:
            origin = str(event.data.get("origin", ""))
            tool, call = last.get(TraceType.TOOL_RESULT), last.get(TraceType.LLM_CALL)
            if origin == "tool" and tool is not None and _is_of(event, tool):
                continue
            of_call = origin == "llm" and call is not None and call.turn == event.turn
            span = call.span if of_call and call is not None else event.span
            name = str(call.data.get("model") or "") if of_call and call is not None else ""
            code, message = str(event.data.get("code", "")), str(event.data.get("message", ""))
            yield _Failure(code, origin, event.at, message, span, name)
        last[event.type] = event


def _is_of(error: TraceEvent, result: TraceEvent) -> bool:
    """Return whether an `error` event tells of the failed call that came before it."""
    details = error.data.get("details")
    named = details.get("tool") if isinstance(details, dict) else None
    return result.turn == error.turn and result.data.get("success") is False and named == result.data.get("toolName")
