"""The figures of one session, computed from its trace events. Spec: platform-api 5.7, `metrics`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from domain.clock import MILLISECONDS_PER_SECOND, iso_ms, parse_iso
from domain.json_values import JsonObject, JsonValue
from domain.metrics import mean, percentile, rate, total_usd
from domain.traces import FIRST_TURN, TraceEvent, TraceType

P95 = 0.95
BLOCK = "block"


class SaidAt(Struct, frozen=True):
    """When a turn was asked for and answered, where the transcript says so."""

    began: datetime | None = None
    ended: datetime | None = None


class TurnFigures(Struct, frozen=True, kw_only=True):
    """One turn; `latency_ms` from the user's message, or else the first event, to the last thing that happened."""

    turn: int
    started_at: str
    latency_ms: int
    first_token_ms: int | None
    llm_call_count: int
    tool_call_count: int
    input_tokens: int
    output_tokens: int
    agent_name: str


class ModelCallFigures(Struct, frozen=True, kw_only=True):
    """One call of a model."""

    span_id: str
    turn: int
    model: str
    input_tokens: int
    output_tokens: int
    latency_ms: int


class TokenUsage(Struct, frozen=True):
    """Tokens of all calls."""

    input_tokens: int
    output_tokens: int
    total_tokens: int


class SessionMetrics(Struct, frozen=True, kw_only=True):
    """All figures; rates are 0..1, and None when nothing was counted. When it is cut, only the first events count."""

    session_id: str
    is_truncated: bool
    total_latency_ms: int
    avg_turn_latency_ms: float | None
    p95_turn_latency_ms: float | None
    turn_count: int
    turns: tuple[TurnFigures, ...]
    llm_calls: tuple[ModelCallFigures, ...]
    token_usage: TokenUsage
    estimated_cost: float | None
    llm_call_count: int
    tool_call_count: int
    tool_success_count: int
    tool_success_rate: float | None
    guardrail_evaluation_count: int
    guardrail_block_count: int
    guardrail_block_rate: float | None
    handoff_count: int
    delegate_count: int
    error_count: int


def session_metrics(
    session_id: str,
    events: Sequence[TraceEvent],
    said: Mapping[int, SaidAt] | None = None,
    *,
    is_truncated: bool = False,
) -> SessionMetrics:
    """Return the figures of a session.

    Args:
        session_id: Whose they are.
        events: Its trace events, all of them unless it is cut.
        said: Turn -> when its message came and its reply was ready, by the transcript.
        is_truncated: There are more events than these.
    """
    turns = tuple(
        _turn_figures(number, of_turn, (said or {}).get(number, SaidAt()))
        for number, of_turn in sorted(by_turn(events).items())
    )
    calls = [event for event in events if event.type == TraceType.LLM_CALL]
    results = [event for event in events if event.type == TraceType.TOOL_RESULT]
    succeeded = sum(event.data.get("success") is True for event in results)
    guarded = [event for event in events if event.type == TraceType.GUARDRAIL_EVAL]
    blocked = sum(event.data.get("result") == BLOCK for event in guarded)
    latencies = [turn.latency_ms for turn in turns]
    figures = tuple(map(_call_figures, calls))
    inputs, outputs = sum(one.input_tokens for one in figures), sum(one.output_tokens for one in figures)
    return SessionMetrics(
        session_id=session_id,
        is_truncated=is_truncated,
        total_latency_ms=sum(latencies),
        avg_turn_latency_ms=mean(latencies),
        p95_turn_latency_ms=percentile(latencies, P95),
        turn_count=len(turns),
        turns=turns,
        llm_calls=figures,
        token_usage=TokenUsage(inputs, outputs, inputs + outputs),
        estimated_cost=total_usd([_cost(event.data) for event in calls]),
        llm_call_count=len(calls),
        tool_call_count=_count(events, TraceType.TOOL_CALL),
        tool_success_count=succeeded,
        tool_success_rate=rate(succeeded, len(results)),
        guardrail_evaluation_count=len(guarded),
        guardrail_block_count=blocked,
        guardrail_block_rate=rate(blocked, len(guarded)),
        handoff_count=_count(events, TraceType.HANDOFF),
        delegate_count=_count(events, TraceType.DELEGATE),
        error_count=_count(events, TraceType.ERROR),
    )


def by_turn(events: Iterable[TraceEvent]) -> dict[int, list[TraceEvent]]:
    """Return the events of each turn, in their order; the start of the session belongs to its first turn."""
    turns: dict[int, list[TraceEvent]] = {}
    for event in events:
        turns.setdefault(max(event.turn, FIRST_TURN), []).append(event)
    return turns


def turn_latency_ms(events: Sequence[TraceEvent], said: SaidAt | None = None) -> int:
    """Return how long a turn took: from its message, or else its first event, to the last thing that happened."""
    began, ended = _bounds(events, said or SaidAt())
    return max(round((ended - began).total_seconds() * MILLISECONDS_PER_SECOND), 0)


def _bounds(events: Sequence[TraceEvent], said: SaidAt) -> tuple[datetime, datetime]:
    """Return when a turn began and ended; an event that took a while stands at its end."""
    ends = [parse_iso(event.at) for event in events]
    starts = [end - timedelta(milliseconds=event.duration_ms or 0) for end, event in zip(ends, events, strict=True)]
    began = said.began if said.began is not None else min(starts)
    return began, max([*ends, *([said.ended] if said.ended is not None else [])])


def _turn_figures(number: int, events: Sequence[TraceEvent], said: SaidAt) -> TurnFigures:
    calls = [_call_figures(event) for event in events if event.type == TraceType.LLM_CALL]
    return TurnFigures(
        turn=number,
        started_at=iso_ms(_bounds(events, said)[0]),
        latency_ms=turn_latency_ms(events, said),
        first_token_ms=_first_token_ms(events),
        llm_call_count=len(calls),
        tool_call_count=_count(events, TraceType.TOOL_CALL),
        input_tokens=sum(one.input_tokens for one in calls),
        output_tokens=sum(one.output_tokens for one in calls),
        agent_name=events[-1].agent,
    )


def _first_token_ms(events: Sequence[TraceEvent]) -> int | None:
    """Return how long the first token of a reply took, as its event says or else the first model call."""
    for kind, name in ((TraceType.RESPONSE, "firstTokenMs"), (TraceType.LLM_CALL, "timeToFirstTokenMs")):
        for event in events:
            if event.type == kind and event.data.get(name) is not None:
                return _whole(event.data[name])
    return None


def _call_figures(event: TraceEvent) -> ModelCallFigures:
    usage = event.data.get("usage")
    tokens: JsonObject = usage if isinstance(usage, dict) else {}
    return ModelCallFigures(
        span_id=event.span,
        turn=max(event.turn, FIRST_TURN),
        model=str(event.data.get("model") or ""),
        input_tokens=_whole(tokens.get("inputTokens")),
        output_tokens=_whole(tokens.get("outputTokens")),
        latency_ms=_whole(event.data.get("latencyMs", event.duration_ms)),
    )


def _cost(data: JsonObject) -> float | None:
    cost = data.get("estimatedCost")
    return float(cost) if isinstance(cost, int | float) else None


def _whole(value: JsonValue) -> int:
    """Return a number as a whole one, 0 for what is none."""
    return round(value) if isinstance(value, int | float) else 0


def _count(events: Iterable[TraceEvent], kind: TraceType) -> int:
    return sum(event.type == kind for event in events)
