import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.link.frames import MAX_FRAME_BYTES, BrokenFrame, Frame, FrameKind, FrameReader, frame

FRAMES = st.lists(st.tuples(st.sampled_from(FrameKind), st.integers(0, 2**64 - 1), st.binary(max_size=200)), max_size=8)


@given(FRAMES, st.integers(1, 50))
def test_frames_survive_being_cut_anywhere(sent: list[tuple[FrameKind, int, bytes]], size: int) -> None:
    wire = b"".join(frame(*one) for one in sent)
    reader = FrameReader()
    read = [one for start in range(0, len(wire), size) for one in reader.feed(wire[start : start + size])]
    assert read == [Frame(*one) for one in sent]


def test_a_length_that_cannot_be_is_refused() -> None:
    for length in (0, 8, MAX_FRAME_BYTES + 1):
        with pytest.raises(BrokenFrame):
            list(FrameReader().feed(struct.pack("<IBQ", length, 2, 1)))


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(BrokenFrame):
        list(FrameReader().feed(struct.pack("<IBQ", 9, 99, 1)))


def test_a_payload_that_is_too_large_is_refused_before_it_is_sent() -> None:
    with pytest.raises(BrokenFrame):
        frame(FrameKind.CALL, 1, bytes(MAX_FRAME_BYTES))
