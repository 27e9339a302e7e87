"""Server-sent events."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers import sse
from providers.sse import EventTooLarge, SseReader

STREAM = (
    b": hello\r\n\r\ndata: one\n\nevent: x\nid: 3\ndata:two\ndata:  three\n\ndata: \xc3\xa4\r\n\r\ndata: [DONE]\n\n"
)
EVENTS = [b"one", b"two\n three", b"\xc3\xa4", b"[DONE]"]


def test_reads_data_and_nothing_else() -> None:
    assert SseReader().feed(STREAM) == EVENTS


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_it_does_not_matter_where_the_stream_is_cut(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    reader = SseReader()
    events = [event for begin, end in itertools.pairwise(places) for event in reader.feed(STREAM[begin:end])]
    assert events == EVENTS


def test_the_last_event_needs_no_empty_line() -> None:
    reader = SseReader()
    assert reader.feed(b"data: a\n\ndata: b") == [b"a"]
    assert reader.finish() == [b"b"]
    assert reader.finish() == []


@pytest.mark.parametrize("piece", [b"data: " + b"x" * 50, b"data: xxxxxxxxx\n", b": " + b"x" * 50])
def test_an_endless_event_is_stopped(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 40)
    reader = SseReader()

    def feed() -> None:
        for _ in range(10):
            reader.feed(piece)

    with pytest.raises(EventTooLarge):
        feed()
