"""Offsets <-> the editor's positions: 0-based lines, and characters counted in code units of an encoding.

The only module that knows of UTF-16, which is what editors count in unless they agree on something else. Columns of
the language itself count characters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from abl.source import Source

_ASTRAL = 0x10000
WIDTHS: Mapping[str, Callable[[str], int]] = MappingProxyType(
    {
        "utf-8": lambda sign: len(sign.encode("utf-8", "surrogatepass")),
        "utf-16": lambda sign: 2 if ord(sign) >= _ASTRAL else 1,
        "utf-32": lambda sign: 1,
    }
)
"""Encoding -> code units of one character."""
UTF16 = "utf-16"


class Position(NamedTuple):
    """A 0-based line and a 0-based character in code units."""

    line: int
    character: int


class Range(NamedTuple):
    """From one position up to, not including, another."""

    start: Position
    end: Position


def units(text: str, encoding: str = UTF16) -> int:
    """Return how many code units `text` takes.

    >>> units("a\\U0001f69a"), units("a\\U0001f69a", "utf-8")
    (3, 5)
    """
    return len(text) if text.isascii() else sum(map(WIDTHS[encoding], text))


def position_of(source: Source, offset: int, encoding: str = UTF16) -> Position:
    """Return the editor's position of an offset in the normalised text."""
    line, column, _ = source.pos(offset)
    start = source.starts[line - 1]
    return Position(line - 1, units(source.text[start : start + column - 1], encoding))


def range_of(source: Source, offset: int, length: int, encoding: str = UTF16) -> Range:
    """Return the editor's range of `length` characters at `offset`."""
    return Range(position_of(source, offset, encoding), position_of(source, offset + length, encoding))


def offset_of(source: Source, line: int, character: int, encoding: str = UTF16) -> int:
    """Return the offset of an editor's position; what lies outside the text or within a character is clamped."""
    if line < 0:
        return 0
    if line >= len(source.starts):
        return len(source.text)
    start = source.starts[line]
    text = source.line(line + 1)
    if text.isascii():
        return start + min(max(character, 0), len(text))
    width = WIDTHS[encoding]
    at = 0
    for sign in text:
        wide = width(sign)
        if character < wide:
            break
        character -= wide
        at += 1
    return start + at


def whole(source: Source, encoding: str = UTF16) -> Range:
    """Return the range of a whole text."""
    return Range(Position(0, 0), position_of(source, len(source.text), encoding))
