"""Source text and places in it.

Offsets are 0-based character indexes into the *normalised* text (BOM dropped, every line end is `\\n`);
lines and columns are 1-based. Spec: abl-language 1.1.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import accumulate, count
from operator import add
from typing import NamedTuple

_DOS_END = "\x1a"
_LAST_CHARS = 3
"""Characters at the end of a text that are looked at for a Ctrl-Z: itself, and line ends after it."""
_CHUNK = 4096
"""Characters between two places whose line is remembered: an index of all lines would take more than the text."""


class Pos(NamedTuple):
    """A place in a text: 1-based line and column, 0-based offset."""

    line: int
    column: int
    offset: int


new_tuple = tuple.__new__
"""Makes a named tuple, such as a Pos, in half the time of its own constructor; every node has one."""


def normalise(text: str) -> str:
    """Return `text` with `\\n` as the only line end; TypeError when it is no text.

    A leading BOM is dropped, and the Ctrl-Z with which old editors end a file.
    """
    given: object = text
    if not isinstance(given, str):
        raise TypeError(f"a text is expected, not {type(given).__name__}")
    if text.startswith("\ufeff"):
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _DOS_END in text[-_LAST_CHARS:]:
        text = text[:-_LAST_CHARS] + text[-_LAST_CHARS:].replace(_DOS_END, "")
    return text


def places(text: str, sign: str) -> Iterator[int]:
    """Yield where one `sign` stands in `text`: looking for a rare one takes a tenth of looking for a whole word."""
    at = text.find(sign)
    while at >= 0:
        yield at
        at = text.find(sign, at + 1)


class Source:
    """One text with its lines and an index of their starts (built on first use)."""

    __slots__ = ("_begins", "_lines", "_rows", "_starts", "path", "text")

    def __init__(self, text: str, path: str | None = None) -> None:
        self.text = normalise(text)
        self.path = path
        self._lines: list[str] | None = None
        self._rows: array[int] | None = None
        self._begins: array[int] = array("q")
        self._starts: list[int] | None = None

    @property
    def lines(self) -> list[str]:
        """All lines without their line ends; a text that ends with one has an empty last line."""
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines

    @property
    def starts(self) -> list[int]:
        """Offset of the first character of every line."""
        if self._starts is None:
            lengths = accumulate(map(len, self.lines), initial=0)
            self._starts = list(map(add, lengths, count()))
            self._starts.pop()
        return self._starts

    def pos(self, offset: int) -> Pos:
        """Return the place of `offset`; offsets outside the text are clamped to it."""
        offset = min(max(offset, 0), len(self.text))
        rows = self._rows or self._index()
        chunk = offset // _CHUNK
        begin = chunk * _CHUNK
        last = self.text.rfind("\n", begin, offset)
        start = last + 1 if last >= 0 else self._begins[chunk]
        return Pos(rows[chunk] + self.text.count("\n", begin, offset), offset - start + 1, offset)

    def _index(self) -> array[int]:
        """Remember for the first character of each chunk the number of its line and where that begins."""
        text = self.text
        rows = self._rows = array("q")
        row, start = 1, 0
        for begin in range(0, len(text) + 1, _CHUNK):
            rows.append(row)
            self._begins.append(start)
            row += text.count("\n", begin, begin + _CHUNK)
            start = text.rfind("\n", begin, begin + _CHUNK) + 1 or start
        return rows

    def first_lines(self, most: int) -> tuple[list[str], int]:
        """Return the first `most` lines, and where the rest begins (-1 when that is all of them)."""
        if self._lines is not None and len(self._lines) <= most:
            return self._lines, -1
        lines = self.text.split("\n", most)
        if len(lines) <= most:
            self._lines = lines
            return lines, -1
        return lines, len(self.text) - len(lines.pop())

    def line(self, number: int) -> str:
        """Return the text of the 1-based line `number` without its line end, empty if there is none."""
        starts = self.starts
        if not 1 <= number <= len(starts):
            return ""
        stop = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : stop]
