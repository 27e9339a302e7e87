from __future__ import annotations

from actors.completion_events import CallTracker
from domain.model_calls import ModelDelta, ToolCallPart


def told(*deltas: ModelDelta) -> list[tuple[str, dict[str, object]]]:
    tracker = CallTracker()
    events = [event for delta in deltas for event in tracker.events(delta)]
    return [(event.name, event.data) for event in [*events, *tracker.end()]]


def part(index: int, *, id: str = "", name: str = "", arguments: str = "") -> ModelDelta:  # noqa: A002
    return ModelDelta(tool_call=ToolCallPart(index, id, name, arguments))


def test_text_comes_as_it_comes() -> None:
    assert told(ModelDelta(text="a"), ModelDelta(), ModelDelta(text="b")) == [
        ("text_delta", {"delta": "a"}),
        ("text_delta", {"delta": "b"}),
    ]


def test_calls_that_are_written_at_once_end_whole() -> None:
    events = told(
        part(0, id="c1", name="a"), part(1, id="c2", name="b"), part(0, arguments='{"x":'), part(1, arguments="{}"),
        part(0, arguments="1}"),
    )  # fmt: skip
    assert [name for name, _ in events] == ["tool_call_start"] * 2 + ["tool_call_delta"] * 3 + ["tool_call_end"] * 2
    assert events[-2:] == [
        ("tool_call_end", {"id": "c1", "name": "a", "arguments": '{"x":1}'}),
        ("tool_call_end", {"id": "c2", "name": "b", "arguments": "{}"}),
    ]


def test_a_call_without_arguments_ends_with_an_empty_object_and_one_without_an_id_has_one() -> None:
    assert told(part(0, name="a"))[-1] == ("tool_call_end", {"id": "call_0", "name": "a", "arguments": "{}"})
    ids = [
        data["id"]
        for name, data in told(part(0, id="c", name="a"), part(1, id="c", name="b"))
        if name == "tool_call_start"
    ]
    assert len(set(ids)) == 2


def test_arguments_before_the_name_are_kept() -> None:
    assert told(part(0, arguments="{"), part(0, name="a"), part(0, arguments="}"))[-1][1]["arguments"] == "{}"
