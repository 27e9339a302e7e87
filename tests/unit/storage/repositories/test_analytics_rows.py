"""What stands in the row of an event, and what in that of its kind."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from domain.analytics import EventCategory, NewEvent
from domain.turn_events import EndedTurn, events_of_turn
from storage.repositories.analytics_rows import LABEL_MAX_CHARS, Kept, Kind, kept_of_turn, parted, written
from storage.turn_end import TraceRow

AT = datetime(2026, 3, 2, 9, 0, 1, tzinfo=UTC)


def an_event(**metadata: Any) -> NewEvent:
    return NewEvent(category=EventCategory.LLM, event_type="llm_call", project_id="c1", at=AT, metadata=metadata)


def a_call(seq: int, at: str, model: str, **data: Any) -> TraceRow:
    said = {"model": model, "operationType": "reasoning", **data}
    return TraceRow(seq=seq, turn=2, type="llm_call", at=at, agent_name="Desk", span_id=f"2.{seq}", data=said)


def test_few_words_stand_with_the_kind_and_figures_and_all_else_with_the_event() -> None:
    long = "m" * (LABEL_MAX_CHARS + 1)
    metadata = {"model": long, "provider": "p", "tokens_in": 3, "cost": 0.5, "status": 200, "feedback_id": "f"}
    kind, rest = parted(Kept("ten_1", an_event(**metadata)))
    assert kind.labels == (("provider", "p"),)
    assert rest == {"model": long, "status": 200, "feedback_id": "f"}


def test_a_kind_is_the_same_in_one_project_alone() -> None:
    event = an_event(model="m", status="stop")
    kept = [
        Kept("ten_1", event),
        Kept("ten_1", replace(event, at=AT.replace(hour=10), metadata={"status": "stop", "model": "m"})),
        Kept("ten_2", event),
        Kept("ten_1", replace(event, project_id="c2")),
        Kept("ten_1", event, operation="reasoning"),
    ]
    keys = [parted(one)[0].key() for one in kept]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4
    assert all(-(2**63) <= key < 2**63 for key in keys)


def test_an_event_of_a_call_knows_the_place_of_its_own_trace() -> None:
    traces = (
        a_call(7, "2026-03-02T09:00:00.900Z", "late", promptMessages=4, timeToFirstTokenMs=1e300),
        TraceRow(seq=8, turn=2, type="response", at="2026-03-02T09:00:00.100Z", agent_name="Desk", span_id="2"),
        a_call(9, "2026-03-02T09:00:00.200Z", "early"),
        a_call(10, "2026-03-02T09:00:00.900Z", "last", systemPromptHash="abc"),
    )
    turn = EndedTurn(
        project_id="c1", session_id="sess_1", channel="api", environment="", is_first=False, is_child=False,
        spoke_at=AT, answered_at=None, answered_by="Desk", traces=traces,
    )  # fmt: skip
    kept = kept_of_turn("ten_1", events_of_turn(turn), traces, "sess_2")
    told = {one.event.metadata["model"]: one for one in kept if one.call is not None}
    assert {model: one.call.seq for model, one in told.items() if one.call} == {"early": 9, "late": 7, "last": 10}
    assert {one.operation for one in told.values()} == {"reasoning"}
    late, last = told["late"].call, told["last"].call
    assert late is not None
    assert last is not None
    assert (late.prompt_messages, late.first_token_ms, late.child_session_id) == (4, 2**31 - 1, "sess_2")
    assert (last.system_prompt_hash, last.prompt_messages) == ("abc", None)
    assert [one.operation for one in kept if one.call is None] == [""]


def test_kinds_with_one_number_are_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kind, "key", lambda _: 7)
    later = replace(an_event(model="n"), at=AT.replace(hour=10))
    (_, kinds), (_, events) = written([Kept("ten_1", an_event(model="m")), Kept("ten_1", later)])
    assert (kinds["kind_keys"], kinds["last_ats"]) == ([7], [later.at])
    assert events["kind_keys"] == [7, 7]
