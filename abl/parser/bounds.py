"""How much one parse may hold: memory in proportion to the text, whatever stands in it.

A text of an ordinary size, and a large one whose lines are of an ordinary length, never comes near these bounds.
"""

from __future__ import annotations

MIN_CHARS = 256_000
"""Texts below this size have the bounds of a text of this size."""
CHARS_PER_LINE = 10
"""A text may have one line for so many of its characters; the lines of real files have about thirty."""
BYTES_PER_CHAR = 45
"""What lines and nodes may take for each character, by the estimates below."""
LINE_BYTES = 300
"""What one significant line takes: its texts, its places, and the value that is read from it."""
ITEM_BYTES = 250
"""What one element of a list, a map, an argument or a type takes."""
LONG_LINE_CHARS = 1_000
"""Lines of more than this are looked through for the elements that they may hold before they are read."""
ELEMENT_BYTES = 600
"""What an element of such a line may take: an assignment, a parameter with its type."""
LONG_LINES_CHECKED = 32
"""Texts that are shorter than so many long lines are not looked through."""
UNBOUNDED = 1 << 62
"""The room of a text whose lines are read for another purpose than to make a document."""


class Full(Exception):
    """Ends a parse that holds as much as it may; never leaves the parser."""


def most_lines(chars: int) -> int:
    """Return how many lines of a text of so many characters are read."""
    return max(chars, MIN_CHARS) // CHARS_PER_LINE


def room(chars: int, lines: int) -> int:
    """Return the bytes left for nodes in a text of so many characters and significant lines."""
    return BYTES_PER_CHAR * max(chars, MIN_CHARS) - LINE_BYTES * lines


def elements(line: str) -> int:
    """Return how many elements one long line may hold."""
    return line.count(",") + line.count("|") + line.count("->")
