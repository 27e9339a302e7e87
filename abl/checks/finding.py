"""What a rule over the IR yields: a code, the object it is about, and the words of its message."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from abl.checks.blocks import Block
from abl.checks.written import Written


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One fault in an agent.

    Attributes:
        code: Key into the catalogue.
        block: The object of the IR it is about.
        field: Key of the value within that object; `tools.0` and `input.amount` name an item of a list or map.
        word: The word of that value that is meant; empty for the whole value.
        replacement: What should stand in place of `word`, when that is known.
        arguments: Named arguments of the message.
        written: The text of the document in which `word` stands, when the rule reads the document.
        start: Where in that text.
    """

    code: str
    block: Block
    field: str = ""
    word: str = ""
    replacement: str = ""
    arguments: Mapping[str, str] = dataclasses.field(default_factory=dict)
    written: Written | None = None
    start: int = 0

    @property
    def path(self) -> str:
        """Place in the IR, e.g. `flow.definitions.ask.then`, or in the document."""
        if self.written is not None:
            return self.written.path
        return ".".join(part for part in (self.block.path, self.field) if part)
