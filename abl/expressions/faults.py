"""What the readers of expressions and templates find: faults with offsets relative to the text they were given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from abl.expressions.tree import Node

Edit = tuple[int, int, str]
"""Offset, number of characters replaced, new text."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One finding; `code` and `arguments` are those of the diagnostics catalogue.

    Attributes:
        code: Key into the catalogue.
        start, length: The span, relative to the text that was analysed.
        arguments: Named arguments of the message.
        fix: The one edit that mends it, when known.
        title: Imperative sentence that names the fix.
    """

    code: str
    start: int
    length: int
    arguments: Mapping[str, str] = field(default_factory=dict)
    fix: Edit | None = None
    title: str = ""

    def moved(self, offset: int) -> Fault:
        """Return the same fault in a text that has `offset` more characters in front."""
        fix = (self.fix[0] + offset, self.fix[1], self.fix[2]) if self.fix else None
        return replace(self, start=self.start + offset, fix=fix)


@dataclass(frozen=True, slots=True)
class Analysis:
    """A tree and everything that is wrong with its text."""

    node: Node
    faults: tuple[Fault, ...] = ()


def apply(text: str, edit: Edit) -> str:
    """Return `text` with `edit` made."""
    start, length, new = edit
    return text[:start] + new + text[start + length :]
