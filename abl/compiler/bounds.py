"""How much one agent may hold when it is compiled and checked: memory in proportion to its text.

An agent of an ordinary size, and a large one whose entries are of an ordinary length, never comes near these bounds.
"""

from __future__ import annotations

from abl.compiler.places import Unit
from abl.parser.bounds import MIN_CHARS, UNBOUNDED, Full

__all__ = ["CONDITION_BYTES", "RECORD_BYTES", "Full", "room_of"]

RECORD_BYTES = 500
"""What one object of the IR takes, with what the checks remember of it."""
CONDITION_BYTES = 1_000
"""What a condition takes beside, with its tree."""
BYTES_PER_CHAR = 23
"""What the objects and conditions of an agent may take for each character of its text, by these estimates."""
OLD_BYTES_PER_CHAR = 8
"""The same for the numbered grammar, whose documents are held in two forms."""


def room_of(unit: Unit) -> int:
    """Return how many bytes an agent may take."""
    if unit.source is None:
        return UNBOUNDED
    factor = OLD_BYTES_PER_CHAR if unit.document.format == "legacy" else BYTES_PER_CHAR
    return factor * max(len(unit.source.text), MIN_CHARS)
