"""Source text and places in it.

Offsets are 0-based character indexes into the *normalised* text (BOM dropped, every line end is `\\n`);
lines and columns are 1-based. Spec: abl-language 1.1.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, count
from operator import add
from typing import NamedTuple


class Pos(NamedTuple):
    """A place in a text: 1-based line and column, 0-based offset."""

    line: int
    column: int
    offset: int


def normalise(text: str) -> str:
    """Return `text` without a leading BOM and with `\\n` as the only line end; TypeError when it is no text."""
    given: object = text
    if not isinstance(given, str):
        raise TypeError(f"a text is expected, not {type(given).__name__}")
    if text.startswith("\ufeff"):
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


class Source:
    """One text with its lines and an index of their starts (built on first use)."""

    __slots__ = ("_lines", "_starts", "path", "text")

    def __init__(self, text: str, path: str | None = None) -> None:
        self.text = normalise(text)
        self.path = path
        self._lines: list[str] | None = None
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
        row = bisect_right(self.starts, offset) - 1
        return Pos(row + 1, offset - self.starts[row] + 1, offset)

    def line(self, number: int) -> str:
        """Return the text of the 1-based line `number` without its line end, empty if there is none."""
        starts = self.starts
        if not 1 <= number <= len(starts):
            return ""
        stop = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : stop]
