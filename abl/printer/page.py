"""The page a document is written on: lines with an indent, dash items, blank lines in the right places."""

from __future__ import annotations

STEP = 2
"""Columns of one level of nesting."""


class Page:
    """Lines that grow; nothing is ever taken away again."""

    __slots__ = ("lines",)

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __str__(self) -> str:
        """Return the text, with one line end at its end."""
        return "\n".join(self.lines).strip("\n") + "\n"

    def put(self, indent: int, text: str) -> None:
        """Add one line."""
        self.lines.append(" " * indent + text)

    def block(self, indent: int, text: str) -> None:
        """Add the lines of a text, each cut where it ends, blank ones empty."""
        pad = " " * indent
        for line in text.split("\n"):
            self.lines.append((pad + line).rstrip())

    def dash(self, start: int, indent: int) -> None:
        """Make one list item of all lines since `start`: its first line, two columns deeper, gets the dash."""
        if start == len(self.lines):
            self.put(indent, "-")
        else:
            first = self.lines[start]
            self.lines[start] = " " * indent + "- " + first[indent + STEP :]

    def gap(self) -> None:
        """Add a blank line, unless the page is empty or one stands there already."""
        if self.lines and self.lines[-1]:
            self.lines.append("")
