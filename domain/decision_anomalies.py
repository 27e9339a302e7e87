"""Decisions that hardly anybody meant: five rules over the trace events of a session. Spec: platform-api 5.7."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from domain.json_values import JsonValue
from domain.session_findings import DecisionAnomaly
from domain.traces import TraceEvent, TraceType

LOOP_TURNS = 3
REPEATED_CALLS = 3
REPEATED_QUESTIONS = 3
CHOOSING = frozenset({"routing", "flow_transition", "handoff", "delegation"})
"""Kinds of decisions that look for a candidate; that a question was declined is no anomaly."""
QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")  # also those of Chinese, Arabic and Greek
_ENCODER = msgspec.json.Encoder(order="deterministic")


def decision_anomalies(events: Sequence[TraceEvent]) -> tuple[DecisionAnomaly, ...]:
    """Return what the five rules find in the events of a session, in the order of the events."""
    rules = (_handoff_loops, _repeated_calls, _unmatched, _repeated_questions, _repeated_after_block)
    found = [anomaly for rule in rules for anomaly in rule(events)]
    place = {event.span: number for number, event in reversed(list(enumerate(events)))}
    return tuple(sorted(found, key=lambda anomaly: place[anomaly.span_id]))


def _handoff_loops(events: Sequence[TraceEvent]) -> Iterator[DecisionAnomaly]:
    """Yield handoffs that give control back to where it came from within three turns; a promised return is none."""
    passed = [one for one in events if one.type == TraceType.HANDOFF and one.data.get("direction") != "return"]
    for place, second in enumerate(passed):
        back = second.data.get("toAgent"), second.data.get("fromAgent")
        for first in passed[:place]:
            there = first.data.get("fromAgent"), first.data.get("toAgent")
            if there == back and second.turn - first.turn < LOOP_TURNS:
                yield DecisionAnomaly(
                    kind="handoff_loop",
                    span_id=second.span,
                    description=f"{there[0]} handed over to {there[1]}, which handed back to {there[0]} "
                    f"{_turns_later(second.turn - first.turn)}",
                    severity="warning",
                    related=(first.span,),
                )
                break


def _turns_later(turns: int) -> str:
    return "in the same turn" if not turns else f"{turns} turn{'s' if turns > 1 else ''} later"


def _repeated_calls(events: Sequence[TraceEvent]) -> Iterator[DecisionAnomaly]:
    """Yield tools that were called three times or more in a turn with the same parameters."""
    calls: dict[tuple[int, str, bytes], list[TraceEvent]] = defaultdict(list)
    for one in events:
        if one.type == TraceType.TOOL_CALL:
            calls[one.turn, _text(one.data.get("toolName")), _ENCODER.encode(one.data.get("parameters"))].append(one)
    for (turn, tool, _), same in calls.items():
        if len(same) >= REPEATED_CALLS:
            yield DecisionAnomaly(
                kind="repeated_tool_call",
                span_id=same[-1].span,
                description=f"{tool} was called {len(same)} times with the same parameters in turn {turn}",
                severity="warning",
                related=tuple(one.span for one in same[:-1]),
            )


def _unmatched(events: Sequence[TraceEvent]) -> Iterator[DecisionAnomaly]:
    """Yield decisions for which nothing matched."""
    for one in events:
        kind = one.data.get("decisionKind")
        if one.type == TraceType.DECISION and kind in CHOOSING and one.data.get("matched") is False:
            outcome = _text(one.data.get("outcome"))
            yield DecisionAnomaly(
                kind="no_matching_candidate",
                span_id=one.span,
                description=f"No candidate matched the {str(kind).replace('_', ' ')} at "
                f"{_text(one.data.get('decision')) or one.agent}" + (f": {outcome}" if outcome else ""),
                severity="info",
            )


def _repeated_questions(events: Sequence[TraceEvent]) -> Iterator[DecisionAnomaly]:
    """Yield questions that an agent which gathers values has asked in three turns or more."""
    gathering = {one.agent for one in events if _gathers(one)}
    asked: dict[tuple[str, str], dict[int, TraceEvent]] = defaultdict(dict)
    for one in events:
        text = _text(one.data.get("text")).strip()
        if one.type == TraceType.RESPONSE and text and (one.agent in gathering or text.endswith(QUESTION_MARKS)):
            asked[one.agent, text.casefold()][one.turn] = one
    for (agent, _), turns in asked.items():
        same = list(turns.values())
        if len(same) >= REPEATED_QUESTIONS:
            yield DecisionAnomaly(
                kind="repeated_question",
                span_id=same[-1].span,
                description=f"{agent} asked {len(same)} times: {_shortened(_text(same[-1].data.get('text')))}",
                severity="warning",
                related=tuple(one.span for one in same[:-1]),
            )


def _gathers(event: TraceEvent) -> bool:
    return event.data.get("scope") == "gather" or event.data.get("decisionKind") == "extraction"


def _repeated_after_block(events: Sequence[TraceEvent]) -> Iterator[DecisionAnomaly]:
    """Yield guardrail blocks after which an agent said again what it had said where it was blocked."""
    blocked: dict[tuple[str, str], tuple[TraceEvent, int]] = {}
    open_block: TraceEvent | None = None
    for one in events:
        if one.type == TraceType.GUARDRAIL_EVAL and one.data.get("result") == "block":
            open_block = one
        text = _text(one.data.get("text"))
        if one.type != TraceType.RESPONSE or not text:
            continue
        known = blocked.pop((one.agent, text), None)
        if known is not None and one.turn > known[1]:
            block = known[0]
            yield DecisionAnomaly(
                kind="repeated_after_block",
                span_id=block.span,
                description=f"After the guardrail {_text(block.data.get('guardrail'))} had blocked, {one.agent} said "
                f"the same again in turn {one.turn}",
                severity="error",
                related=(one.span,),
            )
        if open_block is not None and open_block.turn == one.turn:
            blocked[one.agent, text] = (open_block, one.turn)


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _shortened(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN_CHARS else f"{text[:TEXT_SHOWN_CHARS]}..."


TEXT_SHOWN_CHARS = 120
