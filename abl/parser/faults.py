"""What a reader of a piece of text finds wrong in it, before it is known which line that is."""

from __future__ import annotations

from dataclasses import dataclass, field

from abl.diagnostics.model import Diagnostic, Edit, Fix
from abl.diagnostics.reporter import finding
from abl.source import Source


@dataclass(frozen=True, slots=True)
class Fault:
    """One finding at a place of the normalised text.

    Attributes:
        code: Key into the catalogue.
        offset, length: The span.
        arguments: Named arguments of the message.
        fix: The change that mends it, when one is known.
    """

    code: str
    offset: int
    length: int = 0
    arguments: dict[str, str] = field(default_factory=dict)
    fix: Fix | None = None

    def located(self, source: Source, *, strict: bool = False) -> Diagnostic:
        """Return the finding with its message, line and column."""
        pos = source.pos(self.offset)
        return finding(
            self.code,
            strict=strict,
            line=pos.line,
            column=pos.column,
            offset=pos.offset,
            length=self.length,
            fix=self.fix,
            **self.arguments,
        )


def one_edit(title: str, offset: int, length: int, text: str) -> Fix:
    """Return the fix that replaces `length` characters at `offset` by `text`."""
    return Fix(title, (Edit(offset, length, text),))
