"""Offsets <-> the editor's positions: 0-based lines, and characters counted in UTF-16 code units.

The only module that knows of UTF-16. Columns of the language itself count characters.
"""

from __future__ import annotations

from typing import NamedTuple

from abl.source import Source

_ASTRAL = 0x10000


class Position(NamedTuple):
    """A 0-based line and a 0-based character in UTF-16 code units."""

    line: int
    character: int


class Range(NamedTuple):
    """From one position up to, not including, another."""

    start: Position
    end: Position


def units(text: str) -> int:
    """Return how many UTF-16 code units `text` takes."""
    return len(text) if text.isascii() else len(text) + sum(ord(sign) >= _ASTRAL for sign in text)


def position_of(source: Source, offset: int) -> Position:
    """Return the editor's position of an offset in the normalised text."""
    line, column, _ = source.pos(offset)
    start = source.starts[line - 1]
    return Position(line - 1, units(source.text[start : start + column - 1]))


def range_of(source: Source, offset: int, length: int) -> Range:
    """Return the editor's range of `length` characters at `offset`."""
    return Range(position_of(source, offset), position_of(source, offset + length))


def offset_of(source: Source, line: int, character: int) -> int:
    """Return the offset of an editor's position; what lies outside the text or within a pair is clamped."""
    if line < 0:
        return 0
    if line >= len(source.starts):
        return len(source.text)
    start = source.starts[line]
    text = source.line(line + 1)
    if text.isascii():
        return start + min(max(character, 0), len(text))
    at = 0
    for sign in text:
        width = 2 if ord(sign) >= _ASTRAL else 1
        if character < width:
            break
        character -= width
        at += 1
    return start + at


def whole(source: Source) -> Range:
    """Return the range of a whole text."""
    return Range(Position(0, 0), position_of(source, len(source.text)))
