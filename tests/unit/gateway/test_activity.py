from __future__ import annotations

from typing import Any

from actors.runtime import StreamEvent
from gateway.activity import Activity
from gateway.frames import Marks

MARKS = Marks("sess_1", 3, "2026-03-02T09:00:00.000Z")


def traced(kind: str, **data: Any) -> StreamEvent:
    return StreamEvent(seq=3, turn=1, kind="trace_event", data={"event": {"type": kind, "data": data}})


def told(activity: Activity, *events: StreamEvent) -> list[tuple[str, str, str]]:
    frames = [frame for event in events for frame in activity.frames(event, MARKS)]
    return [(type(frame).__name__, frame.text, frame.operation) for frame in frames]  # type: ignore[attr-defined]


def calls(name: str) -> StreamEvent:
    return traced("tool_call", toolCallId=f"c_{name}", toolName=name)


def returns(name: str) -> StreamEvent:
    return traced("tool_result", toolCallId=f"c_{name}", toolName=name, success=True)


def test_a_tool_that_runs_is_a_status_until_it_has_ended() -> None:
    assert told(Activity(), calls("find"), returns("find")) == [
        ("StatusUpdate", "Using find", "tool_call"),
        ("StatusClear", "Using find", "tool_call"),
    ]


def test_of_several_at_once_the_last_that_is_out_stands() -> None:
    asks = traced("decision", decisionKind="delegation", decision="Desk")
    answers = traced("delegate", fromAgent="Front", toAgent="Desk")
    assert told(Activity(), calls("find"), asks, returns("find"), answers) == [
        ("StatusUpdate", "Using find", "tool_call"),
        ("StatusUpdate", "Asking Desk", "delegate"),
        ("StatusUpdate", "Asking Desk", "delegate"),
        ("StatusClear", "Asking Desk", "delegate"),
    ]


def test_what_stands_when_the_turn_ends_is_cleared_and_nothing_else() -> None:
    done = StreamEvent(seq=4, turn=1, kind="complete", data={})
    assert told(Activity(), calls("send"), done, done) == [
        ("StatusUpdate", "Using send", "tool_call"),
        ("StatusClear", "Using send", "tool_call"),
    ]


def test_a_socket_that_came_when_the_tool_ran_is_told_that_it_has_ended() -> None:
    assert told(Activity(), returns("find")) == [("StatusClear", "", "tool_call")]


def test_what_an_earlier_socket_was_told_is_cleared_once_by_the_one_that_comes_back() -> None:
    done = StreamEvent(seq=4, turn=1, kind="complete", data={})
    back = Activity(resumed=True)
    assert told(back, done, done) == [("StatusClear", "", "tool_call")]
    assert told(Activity(resumed=True), calls("send"), done) == [
        ("StatusUpdate", "Using send", "tool_call"),
        ("StatusClear", "Using send", "tool_call"),
    ]


def test_other_events_tell_nothing_of_activity() -> None:
    others = [traced("llm_call", model="m"), traced("decision", decisionKind="routing", decision="Desk")]
    assert told(Activity(), *others, StreamEvent(seq=1, turn=1, kind="response_start", data={})) == []
