"""Offsets and the positions of editors."""

from __future__ import annotations

import pytest

from abl.editor.positions import Position, offset_of, position_of, range_of, units, whole
from abl.source import Source

TEXT = Source("ab\n🚚é x\n")


@pytest.mark.parametrize(("encoding", "character"), [("utf-16", 3), ("utf-32", 2), ("utf-8", 6)])
def test_characters_are_counted_in_code_units(encoding: str, character: int) -> None:
    assert position_of(TEXT, 5, encoding) == Position(1, character)
    assert offset_of(TEXT, 1, character, encoding) == 5


def test_a_position_within_a_character_is_its_beginning() -> None:
    assert offset_of(TEXT, 1, 1) == 3


@pytest.mark.parametrize(("line", "character", "offset"), [(-1, 0, 0), (0, 99, 2), (1, 99, 7), (9, 0, 8), (0, -4, 0)])
def test_positions_outside_are_clamped(line: int, character: int, offset: int) -> None:
    assert offset_of(TEXT, line, character) == offset


def test_every_offset_comes_back() -> None:
    for encoding in ("utf-8", "utf-16", "utf-32"):
        for offset in range(len(TEXT.text) + 1):
            assert offset_of(TEXT, *position_of(TEXT, offset, encoding), encoding) == offset


def test_line_ends_of_any_kind_are_one() -> None:
    assert position_of(Source("a\r\nb\rc"), 4) == Position(2, 0)


def test_ranges() -> None:
    assert range_of(TEXT, 3, 2) == (Position(1, 0), Position(1, 3))
    assert whole(TEXT) == (Position(0, 0), Position(2, 0))
    assert units("") == 0
