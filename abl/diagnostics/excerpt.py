"""One source line as a terminal shows it: tabs and control characters made plain, cut to a width around a span.

Columns are those of the terminal: wide characters take two, combining ones none.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

TAB_WIDTH = 4
ELLIPSIS = "…"
MIN_COLUMNS = 20

_LONGEST_TAIL = 400  # characters of a caret line that can matter, whatever the width


class Excerpt(NamedTuple):
    """A shown line, and where the span lies in it (terminal columns)."""

    text: str
    column: int
    columns: int


def plain(text: str) -> str:
    """Return `text` without characters that a terminal would act on, such as escape and bell."""
    if text.isprintable():
        return text
    return "".join(_shown(char, 0) for char in text)


def excerpt(line: str, start: int, length: int, columns: int) -> Excerpt:
    """Return `line` cut to `columns` terminal columns around the `length` characters at `start`.

    The span is clipped to the line, and to what is shown; an empty span is one column wide.
    """
    columns = max(columns, MIN_COLUMNS)
    start = min(max(start, 0), len(line))
    stop = min(max(start + length, start), len(line))
    first = _window_start(line, start, stop - start, columns)
    lead = ELLIPSIS if first else ""
    room = columns - len(lead)
    shown: list[str] = []
    width = 0
    before = at_stop = 0
    for index in range(first, len(line)):
        before = width if index == start else before
        at_stop = width if index == stop else at_stop
        cell = _shown(line[index], width)
        wide = columns_of(cell)
        if width + wide > room or len(shown) > columns + _LONGEST_TAIL:
            shown, width = _with_ellipsis(shown, width, room)
            break
        shown.append(cell)
        width += wide
    else:
        before = width if start == len(line) else before
        at_stop = width if stop == len(line) else at_stop
    if stop > start and at_stop <= before:
        at_stop = width
    return Excerpt(lead + "".join(shown), len(lead) + before, max(at_stop - before, 1))


def columns_of(text: str) -> int:
    """Return how many terminal columns `text` takes."""
    if text.isascii():
        return len(text)
    return sum(_width(char) for char in text)


def _width(char: str) -> int:
    """Return the terminal columns of one character: 0, 1 or 2."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _shown(char: str, column: int) -> str:
    """Return what is printed for one character that stands at `column`."""
    if char == "\t":
        return " " * (TAB_WIDTH - column % TAB_WIDTH)
    if char == " " or char.isprintable():
        return char
    category = unicodedata.category(char)
    if category == "Zs":
        return " "
    return char if category == "Cf" and char in "\u200c\u200d" else "\ufffd"


def _window_start(line: str, start: int, length: int, columns: int) -> int:
    """Return the index of the first character shown: 0 when the span is near enough to the line's start."""
    if len(line) <= columns + _LONGEST_TAIL and columns_of(line) + line.count("\t") * TAB_WIDTH <= columns:
        return 0
    keep = columns - 2 - min(max(length, 1), columns // 2)
    width = 0
    for index in range(start - 1, -1, -1):
        width += TAB_WIDTH if line[index] == "\t" else _width(line[index])
        if width > keep or start - index > columns + _LONGEST_TAIL:
            return index + 1
    return 0


def _with_ellipsis(shown: list[str], width: int, room: int) -> tuple[list[str], int]:
    """Make place for an ellipsis at the end of a line that is too long."""
    while shown and width >= room:
        width -= columns_of(shown.pop())
    return [*shown, ELLIPSIS], width
