"""Each rule of the analysis against a session in which its fault is planted, and against one without it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from domain.clock import iso_ms
from domain.session_analysis import session_analysis
from domain.session_findings import SessionAnalysis
from domain.session_metrics import SaidAt, session_metrics
from domain.traces import TraceEvent, TraceType

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Told:
    """Events in order, each with a span of its own unless one is given."""

    def __init__(self) -> None:
        self.events: list[TraceEvent] = []
        self._numbers = count(1)

    def add(
        self, kind: TraceType, turn: int = 1, *, at_ms: int = 0, took_ms: int | None = None, span: str = "",
        agent: str = "desk", **data: Any,
    ) -> str:  # fmt: skip
        number = next(self._numbers)
        span = span or f"s{number}"
        at = iso_ms(START + timedelta(minutes=turn, milliseconds=at_ms))
        self.events.append(TraceEvent(kind, at, agent, turn, number, span, f"turn-{turn}", took_ms, data))
        return span

    def model(self, took_ms: int, turn: int = 1, **data: Any) -> str:
        data = {"model": "big", "latencyMs": took_ms, "usage": {"inputTokens": 10, "outputTokens": 5}, **data}
        return self.add(TraceType.LLM_CALL, turn, at_ms=took_ms, took_ms=took_ms, **data)

    def analysis(self, said: dict[int, SaidAt] | None = None) -> SessionAnalysis:
        return session_analysis("sess_1", "2026-03-02T10:00:00.000Z", self.events, said)


def lasting(ms: int, turn: int = 1) -> dict[int, SaidAt]:
    began = START + timedelta(minutes=turn)
    return {turn: SaidAt(began, began + timedelta(milliseconds=ms))}


@pytest.mark.parametrize(
    ("took_ms", "turn_ms", "threshold_ms"),
    [(2_001, 9_000, 2_000), (2_000, 9_000, None), (601, 1_000, 600), (600, 1_000, None)],
)
def test_a_model_call_is_slow_over_two_seconds_or_60_percent_of_its_turn(
    took_ms: int, turn_ms: int, threshold_ms: int | None
) -> None:
    told = Told()
    span = told.model(took_ms)
    found = told.analysis(lasting(turn_ms)).slow_spans
    assert [(one.span_id, one.type, one.name, one.threshold_ms) for one in found] == (
        [(span, "llm_call", "big", threshold_ms)] if threshold_ms else []
    )
    assert all(one.share_of_turn == took_ms / turn_ms for one in found)


def test_tools_have_three_seconds_and_the_longest_stands_first() -> None:
    told = Told()
    told.add(TraceType.TOOL_RESULT, took_ms=3_000, toolName="fast", success=True)
    slow = told.add(TraceType.TOOL_RESULT, took_ms=3_001, toolName="slow", success=True)
    model = told.model(4_000)
    found = told.analysis(lasting(20_000))
    assert [one.span_id for one in found.slow_spans] == [model, slow]
    assert [one.related_span_ids for one in found.suggestions] == [(model,), (slow,)]
    assert "The tool slow is slow" in {one.title for one in found.suggestions}
    assert slow in found.suggestions[1].detail


def test_errors_are_grouped_and_name_the_span_that_failed() -> None:
    told = Told()
    failed = []
    for turn in (1, 2, 3):
        span = told.add(
            TraceType.TOOL_RESULT, turn, toolName="pay", success=False, error={"code": "500", "message": "no"}
        )
        told.add(TraceType.ERROR, turn, code="tool_error", message="no", origin="tool", details={"tool": "pay"})
        failed.append(span)
    call = told.model(10, 3, finishReason="error")
    told.add(TraceType.ERROR, 3, code="llm_timeout", message="late", origin="llm")
    tools, models = told.analysis(lasting(90_000)).error_patterns
    assert (tools.code, tools.origin, tools.count, tools.names) == ("500", "tool", 3, ("pay",))
    assert tools.span_ids == tuple(failed)
    assert (tools.first_at, tools.last_at) == (told.events[0].at, told.events[4].at)
    assert (models.code, models.span_ids, models.sample_message) == ("llm_timeout", (call,), "late")
    suggestions = told.analysis(lasting(90_000)).suggestions
    assert suggestions[0].related_span_ids == tuple(failed)
    assert (suggestions[0].severity, failed[-1] in suggestions[0].detail) == ("error", True)


def test_an_error_of_no_call_is_its_own_span() -> None:
    told = Told()
    span = told.add(TraceType.ERROR, code="unknown_step", message="There is no step x", origin="flow")
    assert told.analysis().error_patterns[0].span_ids == (span,)


def anomalies(told: Told) -> list[tuple[str, str]]:
    return [(one.kind, one.span_id) for one in told.analysis().decision_anomalies]


@pytest.mark.parametrize(
    ("turns", "direction", "is_found"), [(2, "forward", True), (3, "forward", False), (1, "return", False)]
)
def test_a_handoff_back_within_three_turns_is_a_loop_unless_it_was_promised(
    turns: int, direction: str, is_found: bool
) -> None:
    told = Told()
    told.add(TraceType.HANDOFF, 1, fromAgent="desk", toAgent="sales", direction="forward")
    told.add(TraceType.HANDOFF, 1 + turns, fromAgent="sales", toAgent="desk", direction=direction)
    assert anomalies(told) == ([("handoff_loop", "s2")] if is_found else [])


def test_the_same_call_three_times_in_a_turn_is_odd() -> None:
    told = Told()
    for turn, order in ((1, "A"), (1, "A"), (1, "B"), (2, "A"), (2, "A"), (2, "A")):
        told.add(TraceType.TOOL_CALL, turn, toolName="look_up", parameters={"order": order})
    assert anomalies(told) == [("repeated_tool_call", "s6")]
    assert told.analysis().suggestions[0].related_span_ids == ("s4", "s5", "s6")


def test_a_choice_without_a_candidate_is_odd_but_a_declined_question_is_not() -> None:
    told = Told()
    told.add(TraceType.DECISION, decisionKind="routing", decision="buy", matched=True)
    told.add(TraceType.DECISION, decisionKind="resume", decision="consent", matched=False)
    told.add(TraceType.DECISION, decisionKind="flow_transition", decision="pay", outcome="no match", matched=False)
    assert anomalies(told) == [("no_matching_candidate", "s3")]
    assert told.analysis().decision_anomalies[0].description.endswith("at pay: no match")


def test_a_question_that_is_asked_three_times_is_odd() -> None:
    told = Told()
    for turn in (1, 2):
        told.add(TraceType.RESPONSE, turn, text="Which city?")
    told.add(TraceType.RESPONSE, 3, text="Hello")
    told.add(TraceType.RESPONSE, 4, text="Hello")
    told.add(TraceType.RESPONSE, 5, text="Hello")
    assert anomalies(told) == []
    told.add(TraceType.RESPONSE, 6, text="which city? ")
    assert anomalies(told) == [("repeated_question", "s6")]
    gathering = Told()
    gathering.add(TraceType.STATE_CHANGE, 1, scope="gather", key="name")
    for turn in (1, 2, 3):
        gathering.add(TraceType.RESPONSE, turn, text="Your order number, please.")
    assert anomalies(gathering) == [("repeated_question", "s4")]


def test_what_a_guardrail_blocked_and_is_said_again_is_an_error() -> None:
    told = Told()
    block = told.add(TraceType.GUARDRAIL_EVAL, 1, guardrail="no_prices", result="block")
    told.add(TraceType.RESPONSE, 1, text="I cannot say that.")
    assert anomalies(told) == []
    told.add(TraceType.RESPONSE, 2, text="I cannot say that.")
    assert anomalies(told) == [("repeated_after_block", block)]
    assert told.analysis().decision_anomalies[0].severity == "error"


def test_a_session_without_faults_has_no_findings_and_an_empty_one_neither() -> None:
    told = Told()
    told.model(100)
    told.add(TraceType.RESPONSE, at_ms=1_000, text="Here it is.")
    for events in (told, Told()):
        found = events.analysis(lasting(1_000) if events is told else None)
        assert (found.slow_spans, found.error_patterns, found.decision_anomalies, found.suggestions) == ((), (), (), ())


def test_metrics_are_what_the_events_say() -> None:
    told = Told()
    told.model(400, 1, estimatedCost=0.25, timeToFirstTokenMs=40)
    told.add(TraceType.TOOL_CALL, 1, toolName="a")
    told.add(TraceType.TOOL_RESULT, 1, at_ms=700, took_ms=300, toolName="a", success=True)
    told.add(TraceType.TOOL_RESULT, 1, at_ms=800, took_ms=100, toolName="a", success=False)
    told.add(TraceType.GUARDRAIL_EVAL, 1, result="pass")
    told.add(TraceType.GUARDRAIL_EVAL, 1, result="block")
    told.model(200, 2)
    told.add(TraceType.RESPONSE, 2, at_ms=250, text="ok", firstTokenMs=90, agent="sales")
    found = session_metrics("sess_1", told.events, lasting(5_000, 2))
    assert [turn.latency_ms for turn in found.turns] == [800, 5_000]
    assert (found.total_latency_ms, found.avg_turn_latency_ms, found.p95_turn_latency_ms) == (5_800, 2_900, 5_000)
    assert [(turn.first_token_ms, turn.agent_name, turn.llm_call_count) for turn in found.turns] == [
        (40, "desk", 1),
        (90, "sales", 1),
    ]
    assert (found.tool_success_rate, found.guardrail_block_rate, found.estimated_cost) == (0.5, 0.5, 0.25)
    assert (found.token_usage.total_tokens, found.llm_call_count, found.tool_call_count) == (30, 2, 1)


def test_the_start_of_a_session_belongs_to_its_first_turn() -> None:
    told = Told()
    told.add(TraceType.DECISION, 0, decisionKind="flow_transition", decision="greet", matched=True)
    told.add(TraceType.RESPONSE, 1, text="Hello")
    found = session_metrics("sess_1", told.events)
    assert [turn.turn for turn in found.turns] == [1]


def test_of_nothing_the_rates_are_null() -> None:
    found = session_metrics("sess_1", [])
    assert (found.tool_success_rate, found.guardrail_block_rate, found.avg_turn_latency_ms) == (None, None, None)
    assert (found.turn_count, found.estimated_cost) == (0, 0)
