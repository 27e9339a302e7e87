"""What a gate lets through while a model writes."""

from __future__ import annotations

from engine import SessionBegun, begin
from engine.pii import register
from engine.state import SessionState
from engine.streaming import Gate
from engine.testing import program_of

AT = "2026-03-02T09:00:00.000Z"
RULES = program_of(
    {
        "a.abl": """
AGENT: Desk
GOAL: "Help"
GUARDRAILS:
  no_numbers:
    kind: output
    check: input MATCHES "\\d{6,}"
    action: redact
    streaming: true
  no_insults:
    kind: output
    check: input CONTAINS "stupid"
    action: block
    message: "No."
    streaming: true
"""
    }
)
PLAIN = program_of({"a.abl": 'AGENT: Desk\nGOAL: "Help"\n'})


def state_of(program) -> SessionState:
    return begin(program, SessionBegun(at=AT, session_id="s")).state


def passed(gate: Gate, *deltas: str) -> list[str]:
    return [*(gate.add(delta) for delta in deltas), gate.close()]


def test_without_rules_everything_passes_at_once() -> None:
    assert passed(Gate(PLAIN, state_of(PLAIN), "Desk"), "Hel", "lo.") == ["Hel", "lo.", ""]


def test_a_sentence_passes_when_it_is_whole() -> None:
    assert passed(Gate(RULES, state_of(RULES), "Desk"), "It is he", "re. And", " there") == [
        "",
        "It is here.",
        "",
        " And there",
    ]


def test_a_number_in_two_pieces_is_redacted_before_it_is_shown() -> None:
    assert passed(Gate(RULES, state_of(RULES), "Desk"), "Your number is 123", "4567. Bye", ".") == [
        "",
        "Your number is [REDACTED].",
        "",
        " Bye.",
    ]


def test_nothing_passes_after_a_sentence_that_is_blocked() -> None:
    assert passed(Gate(RULES, state_of(RULES), "Desk"), "Fine. You are stupid. Sorry. ", "Bye.") == ["", "", ""]
    assert passed(Gate(RULES, state_of(RULES), "Desk"), "Fine. ", "You are stupid. ", "Bye.") == ["Fine.", "", "", ""]


def test_values_come_back_in_place_of_their_stand_ins() -> None:
    state = state_of(PLAIN)
    register(state, {"name": "iban", "sensitive": True}, "AT611904300234573201")
    assert passed(Gate(PLAIN, state, "Desk"), "To [[IB", "AN_1]] it goes. ") == [
        "",
        "To AT611904300234573201 it goes.",
        " ",
    ]


def test_a_gate_leaves_the_state_as_it_was() -> None:
    state = state_of(RULES)
    before = state.trace_count, state.count
    passed(Gate(RULES, state, "Desk"), "One. Two. ")
    assert (state.trace_count, state.count) == before
