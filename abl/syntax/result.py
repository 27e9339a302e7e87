"""What parsing gives back. Spec: abl-language 2.4."""

from __future__ import annotations

from dataclasses import dataclass, field

from abl.diagnostics.model import Diagnostic
from abl.syntax.document import Document


@dataclass(slots=True)
class ParseResult:
    """A document, if a name could be read, and what was found on the way.

    Attributes:
        document: None only for wrong types, failed detection, or no readable header.
        errors: Findings that make the text unusable as it stands.
        warnings: All other findings, warnings and notes, in text order.
    """

    document: Document | None = None
    errors: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Whether there is a document and no error."""
        return self.document is not None and not self.errors

    @property
    def findings(self) -> list[Diagnostic]:
        """Errors, then warnings."""
        return [*self.errors, *self.warnings]
