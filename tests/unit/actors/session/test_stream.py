import asyncio
import time
from datetime import timedelta

import pytest

from actors.runtime import StreamEvent
from actors.session.stream import MAX_HELD, NUMBERS_BEGAN_AT, NotHeld, OutputStream, never_shown
from domain.limits import RESUME_BUFFER_BYTES, RESUME_BUFFER_FRAMES, RESUME_BUFFER_KEPT_S


def collect(into: list[StreamEvent]):
    def listener(event: StreamEvent) -> bool:
        into.append(event)
        return True

    return listener


def a_turn(stream: OutputStream, number: int, chunks: int) -> None:
    stream.begin()
    for place in range(chunks):
        stream.emit(number, "response_chunk", {"chunk": str(place)})
    stream.emit(number, "complete", {})


def test_numbers_rise_by_one_over_turns() -> None:
    stream = OutputStream(last_seq=7)
    a_turn(stream, 1, 2)
    a_turn(stream, 2, 1)
    assert stream.last_seq == 12


def test_a_late_listener_gets_what_it_missed_and_what_comes() -> None:
    async def story() -> None:
        stream = OutputStream()
        stream.begin()
        for place in range(3):
            stream.emit(1, "response_chunk", {"chunk": str(place)})
        seen: list[StreamEvent] = []
        over = stream.listen(collect(seen), after=1)
        stream.emit(1, "complete", {})
        assert await over
        assert [event.seq for event in seen] == [2, 3, 4]

    asyncio.run(story())


@pytest.mark.parametrize("cut", range(0, 200, 13))
def test_a_stream_cut_anywhere_continues_without_a_gap(cut: int) -> None:
    async def story() -> None:
        stream = OutputStream()
        stream.begin()
        for place in range(199):
            stream.emit(1, "response_chunk", {"chunk": str(place)})
        stream.emit(1, "complete", {})
        seen: list[StreamEvent] = []
        assert await stream.listen(collect(seen), after=cut)
        assert [event.seq for event in seen] == list(range(cut + 1, 201))

    asyncio.run(story())


def test_a_listener_that_does_not_keep_up_is_let_go() -> None:
    async def story() -> None:
        stream = OutputStream()
        stream.begin()
        over = stream.listen(lambda _event: False)
        stream.emit(1, "response_chunk", {})
        assert not await over
        assert stream.listeners == 0

    asyncio.run(story())


def test_when_no_turn_runs_listening_is_over_at_once() -> None:
    async def story() -> None:
        stream = OutputStream(last_seq=5)
        assert await stream.listen(collect([]), after=5)

    asyncio.run(story())


def test_what_is_held_no_more_is_said_so() -> None:
    async def story() -> None:
        stream = OutputStream()
        a_turn(stream, 1, 3)
        a_turn(stream, 2, 3)
        a_turn(stream, 3, 3)
        with pytest.raises(NotHeld):
            stream.listen(collect([]), after=1)
        assert stream.holds(4)

    asyncio.run(story())


def test_memory_is_bounded() -> None:
    stream = OutputStream()
    stream.begin()
    for _ in range(MAX_HELD + 10):
        stream.emit(1, "response_chunk", {})
    assert not stream.holds(9)
    assert stream.holds(MAX_HELD // 4)


def test_a_jump_leaves_every_number_behind_that_an_earlier_jump_led_to() -> None:
    now = NUMBERS_BEGAN_AT + timedelta(days=300)
    first, second = OutputStream(last_seq=10), OutputStream(last_seq=10)
    first.jump(now)
    shown = [first.emit(1, "response_chunk", {}).seq for _ in range(200)]
    second.jump(now + timedelta(milliseconds=1))
    assert second.emit(1, "response_chunk", {}).seq > shown[-1] > 10


def test_a_jump_never_goes_back() -> None:
    stream = OutputStream(last_seq=2**50)
    stream.jump(NUMBERS_BEGAN_AT + timedelta(days=1))
    assert stream.last_seq == 2**50


def test_numbers_stay_exact_in_javascript_for_a_century() -> None:
    assert never_shown(NUMBERS_BEGAN_AT + timedelta(days=36_500)) < 2**53


def test_leaving_takes_the_listener_out() -> None:
    async def story() -> None:
        stream = OutputStream()
        stream.begin()
        over = stream.listen(collect([]))
        over.cancel()
        await asyncio.wait([over])
        await asyncio.sleep(0)
        assert stream.listeners == 0

    asyncio.run(story())


def test_when_the_host_lets_go_listeners_learn_of_it() -> None:
    async def story() -> None:
        stream = OutputStream()
        stream.begin()
        over = stream.listen(collect([]))
        stream.abandon()
        assert not await over

    asyncio.run(story())


def followed(stream: OutputStream) -> None:
    """A page has followed and lost its connection."""

    async def story() -> None:
        stream.listen(lambda _event: True, endless=True)
        stream.abandon()

    asyncio.run(story())


def test_a_page_that_comes_back_gets_the_turns_it_has_missed() -> None:
    stream = OutputStream()
    followed(stream)
    for number in range(1, 5):
        a_turn(stream, number, 3)
        stream.forget()
    assert stream.holds(3)
    seen: list[StreamEvent] = []

    async def back() -> None:
        await stream.listen(collect(seen), after=3)

    asyncio.run(back())
    assert [event.seq for event in seen] == list(range(4, 17))


def test_what_is_held_for_pages_is_bounded_in_frames_and_bytes_and_the_last_turn_stays() -> None:
    frames, sizes = OutputStream(), OutputStream()
    followed(frames)
    followed(sizes)
    for number in range(1, 100):
        a_turn(frames, number, 9)
        sizes.begin()
        sizes.emit(number, "response_chunk", {"chunk": "x" * (RESUME_BUFFER_BYTES // 4)})
        sizes.emit(number, "complete", {})
    frames.begin()
    sizes.begin()
    assert frames.holds(frames.last_seq - RESUME_BUFFER_FRAMES)
    assert not frames.holds(frames.last_seq - RESUME_BUFFER_FRAMES - 1)
    assert sizes.holds(sizes.last_seq - 2)
    assert not sizes.holds(sizes.last_seq - 12)


def test_nothing_is_held_for_a_page_that_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = OutputStream()
    followed(stream)
    a_turn(stream, 1, 3)
    later_s = time.monotonic() + RESUME_BUFFER_KEPT_S
    monkeypatch.setattr("actors.session.stream.time.monotonic", lambda: later_s)
    stream.forget()
    assert stream.is_empty
