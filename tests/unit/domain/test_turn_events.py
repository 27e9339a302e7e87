"""What turns tell analytics. Spec: platform-api 8.1."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain.analytics import EVENT_TYPES, EventCategory, NewEvent, event_name, rating_of
from domain.turn_events import EndedTurn, events_of_turn
from storage.turn_end import TraceRow

AT = datetime(2026, 3, 2, 9, 0, 1, tzinfo=UTC)


def a_trace(kind: str, span: str = "1.1", agent: str = "Desk", took: int | None = None, **data: Any) -> TraceRow:
    at = "2026-03-02T09:00:00.500Z"
    return TraceRow(seq=1, turn=1, type=kind, at=at, agent_name=agent, span_id=span, duration_ms=took, data=data)


def a_turn(*traces: TraceRow, **fields: Any) -> EndedTurn:
    given: dict[str, Any] = {
        "project_id": "c1", "session_id": "sess_1", "channel": "api", "environment": "staging", "is_first": False,
        "is_child": False, "spoke_at": AT - timedelta(seconds=1), "answered_at": AT, "answered_by": "Desk",
        "traces": traces,
    }  # fmt: skip
    return EndedTurn(**{**given, **fields})


def told(*traces: TraceRow, **fields: Any) -> list[NewEvent]:
    """Return what traces tell, without the messages around them."""
    return [one for one in events_of_turn(a_turn(*traces, **fields)) if one.category is not EventCategory.MESSAGE]


def kinds(events: list[NewEvent]) -> list[str]:
    return [one.event_type for one in events]


def test_a_turn_has_a_message_on_both_sides() -> None:
    received, sent = events_of_turn(a_turn(a_trace("decision", agent="Front")))
    assert (received.event_type, received.agent_name, received.at) == (
        "message_received",
        "Front",
        AT - timedelta(seconds=1),
    )
    assert (sent.event_type, sent.agent_name, sent.duration_ms, sent.at) == ("message_sent", "Desk", 1_000, AT)
    assert (sent.channel, sent.environment, sent.session_id, sent.error) == ("api", "staging", "sess_1", None)


def test_a_turn_nobody_asked_for_has_no_duration_and_one_without_reply_fails_at_its_message() -> None:
    (sent,) = events_of_turn(a_turn(spoke_at=None))
    assert (sent.event_type, sent.duration_ms) == ("message_sent", None)
    (received,) = events_of_turn(a_turn(a_trace("error", code="llm_down", handled=True), answered_at=None))
    assert (received.event_type, received.error) == ("message_received", "llm_down")
    _, sent = events_of_turn(
        a_turn(a_trace("error", code="a", handled=True), a_trace("error", code="b", handled=False))
    )
    assert sent.error == "b"


def test_a_delegated_child_has_no_messages() -> None:
    assert events_of_turn(a_turn(is_child=True)) == []


def test_the_first_turn_enters_the_agent_that_begins() -> None:
    (entered,) = told(a_trace("decision"), is_first=True)
    assert (entered.event_type, entered.agent_name, entered.metadata) == ("agent_entered", "Desk", {"by": "start"})


def test_a_model_call_has_its_tokens_and_what_went_wrong() -> None:
    usage = {"inputTokens": 21, "outputTokens": 16}
    said = {
        "model": "m",
        "provider": "p",
        "usage": usage,
        "latencyMs": 40,
        "finishReason": "stop",
        "estimatedCost": 0.5,
    }
    (call,) = told(a_trace("llm_call", **said))
    assert call.metadata == {
        "model": "m", "provider": "p", "tokens_in": 21, "tokens_out": 16, "cost": 0.5, "status": "stop",
    }  # fmt: skip
    assert (call.duration_ms, call.error, call.tokens, call.cost) == (40, None, 37, 0.5)
    failed = a_trace("llm_call", finishReason="error", model="m")
    assert [one.error for one in told(failed, a_trace("error", code="llm_timeout", handled=True))] == ["llm_timeout"]
    assert [one.error for one in told(failed)] == ["error"]


@pytest.mark.parametrize(
    ("mocked", "result", "kind", "error", "status"),
    [
        (False, {"success": True}, "tool_call", None, "ok"),
        (True, {"success": True}, "tool_mocked", None, "ok"),
        (False, {"success": False, "error": {"code": "timeout"}}, "tool_call", "timeout", "failed"),
        (False, {"success": False}, "tool_call", "error", "failed"),
        (False, {"success": False, "executionSkipped": True}, "tool_call", None, "skipped"),
        (
            False,
            {"success": False, "executionSkipped": True, "error": {"code": "declined"}},
            "tool_call",
            None,
            "skipped",
        ),
        (
            False,
            {"success": False, "executionSkipped": True, "error": {"code": "guardrail"}},
            "tool_call",
            "guardrail",
            "skipped",
        ),
    ],
)
def test_a_tool_call_counts_when_its_result_is_known(
    mocked: bool, result: dict[str, Any], kind: str, error: str | None, status: str
) -> None:
    call = a_trace("tool_call", "1.4", toolName="look_up", mocked=mocked)
    (event,) = told(call, a_trace("tool_result", "1.4", toolName="look_up", latencyMs=7, **result))
    assert (event.event_type, event.error, event.duration_ms) == (kind, error, 7)
    assert event.metadata == {"tool": "look_up", "status": status}
    assert told(call) == []


def test_control_that_moves_is_told_on_both_sides() -> None:
    there = a_trace("handoff", fromAgent="Desk", toAgent="Clerk", direction="forward")
    back = a_trace("handoff", agent="Clerk", fromAgent="Clerk", toAgent="Desk", direction="return")
    events = told(there, back)
    assert [(one.event_type, one.agent_name, one.metadata) for one in events] == [
        ("handoff", "Desk", {"to": "Clerk"}),
        ("agent_entered", "Clerk", {"by": "handoff", "from": "Desk"}),
        ("agent_entered", "Desk", {"by": "return", "from": "Clerk"}),
    ]


def test_delegation_and_guardrails() -> None:
    delegated = a_trace(
        "delegate", fromAgent="Desk", toAgent="Clerk", success=False, error={"code": "late"}, duration_ms=9
    )
    passed, blocked = (a_trace("guardrail_eval", guardrail="g", stage="input", result=one) for one in ("pass", "block"))
    first, second = told(delegated, passed, blocked)
    assert (first.event_type, first.error, first.duration_ms, first.metadata) == (
        "delegate",
        "late",
        9,
        {"to": "Clerk"},
    )
    assert (second.event_type, second.metadata) == ("guardrail_block", {"guardrail": "g", "stage": "input"})


def test_flows_and_fields() -> None:
    def decision(of: str, word: str, outcome: str) -> TraceRow:
        return a_trace("decision", decisionKind=of, decision=word, outcome=outcome)

    offered, refused = decision("extraction", "amount", "user"), decision("extraction", "amount", "rejected")
    taken = a_trace("state_change", key="amount", newValue=4, scope="gather")
    cleared = a_trace("state_change", key="amount", newValue=None, scope="gather")
    assert kinds(told(offered, taken)) == ["field_collected"]
    assert kinds(told(offered, refused, offered, taken)) == ["field_rejected", "field_collected"]
    (rejected,) = told(refused)
    assert (rejected.event_type, rejected.metadata) == ("field_rejected", {"field": "amount"})
    assert told(cleared, a_trace("state_change", key="x", newValue=1, scope="session")) == []
    steps = (decision("flow_transition", "ask", "entered"), decision("flow_transition", "COMPLETE", "terminal"))
    assert kinds(told(*steps, decision("completion", "Desk", "completed"))) == [
        "step_entered", "flow_completed", "agent_completed",
    ]  # fmt: skip


def test_a_gather_is_complete_when_its_agent_goes_on_with_what_was_collected() -> None:
    def collected(name: str, agent: str = "Desk") -> TraceRow:
        return a_trace("state_change", agent=agent, key=name, newValue=4, scope="gather")

    def decided(of: str, word: str, outcome: str, agent: str = "Desk", **more: Any) -> TraceRow:
        trace = a_trace("decision", agent=agent, decisionKind=of, decision=word, outcome=outcome)
        trace.data.update(more)
        return trace

    def completed(*traces: TraceRow) -> list[tuple[str, Any]]:
        events = [one for one in told(*traces) if one.event_type == "gather_completed"]
        return [(one.agent_name, one.metadata["fields"]) for one in events]

    goes_on = decided("flow_transition", "pay", "entered")
    assert completed(collected("amount")) == [], "something else is still missing"
    assert completed(collected("amount"), collected("iban"), goes_on, goes_on) == [("Desk", ["amount", "iban"])]
    assert completed(collected("amount"), decided("flow_transition", "COMPLETE", "terminal")) == [("Desk", ["amount"])]
    assert completed(collected("amount"), decided("completion", "Desk", "completed")) == [("Desk", ["amount"])]
    assert completed(goes_on, collected("amount"), decided("flow_transition", "pay", "entered", "Clerk")) == []
    given_up = decided("stop", "iban", "too many invalid answers")
    assert completed(collected("amount"), given_up, goes_on) == []
    confirmed = decided("resume", "amount, iban", "confirmed", kind="readback")
    assert completed(confirmed, goes_on) == [("Desk", ["amount", "iban"])]
    assert completed(collected("amount"), decided("resume", "amount", "declined", kind="readback"), goes_on) == []


def test_every_category_but_audit_has_its_types_and_an_id_tells_nothing() -> None:
    assert set(EVENT_TYPES) == set(EventCategory)
    assert [one for one in EventCategory if not EVENT_TYPES[one]] == [EventCategory.AUDIT]
    assert event_name("ten_1", 7) != event_name("ten_2", 7)
    assert len(event_name("ten_1", 7)) == len("evt_") + 25


@pytest.mark.parametrize(
    ("word", "stars", "rating"),
    [("positive", None, "positive"), ("neutral", None, "neutral"), (None, 5, "positive"), (None, 4, "positive"),
     (None, 3, "neutral"), (None, 2, "negative"), (None, 1, "negative")],
)  # fmt: skip
def test_stars_are_words_too(word: str | None, stars: int | None, rating: str) -> None:
    assert rating_of(word, stars) == rating
