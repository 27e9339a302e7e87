"""An answer is told once, however often it begins again."""

from __future__ import annotations

import pytest

from gateway.telling import Telling


def told(*pieces: str | None) -> str:
    """Return what a client has read; None is the beginning of another attempt."""
    telling, read = Telling(), ""
    for piece in pieces:
        if piece is None:
            telling.begin_again()
        else:
            read += telling.add(piece)
    assert read == telling.text
    return read


@pytest.mark.parametrize(
    ("pieces", "read"),
    [
        (("It is ", "sunny"), "It is sunny"),
        (("It is ", None, "It ", "is ", "sunny"), "It is sunny"),
        (("It is ", None, "It", None, "It is sunny", "!"), "It is sunny!"),
        ((None, "It is", None, "It is"), "It is"),
        (("It is ", None, "It was ", "sunny"), "It is \n\nIt was sunny"),
        (("It is ", None, "It was ", None, "It is \n\nIt was cold"), "It is \n\nIt was cold"),
    ],
)
def test_no_text_is_told_twice(pieces: tuple[str | None, ...], read: str) -> None:
    assert told(*pieces) == read


def test_what_was_not_told_in_pieces_is_told_at_the_end() -> None:
    telling = Telling()
    telling.add("It is ")
    assert (telling.rest("It is sunny"), telling.rest("It is sunny"), telling.text) == ("sunny", "", "It is sunny")
    assert telling.rest("Something else") == ""
