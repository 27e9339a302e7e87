"""What a diagnostic is: a finding with a code, a place and, where one is known, a fix.

`ParseError` and `ValidationDiagnostic` of the public API are this one class. Spec: abl-language 2.4, 13.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `length` characters at `offset` of the normalised text by `text`."""

    offset: int
    length: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that mends the fault; `title` is an imperative sentence such as "write `GOAL:`"."""

    title: str
    edits: tuple[Edit, ...] = ()

    def apply(self, text: str) -> str:
        """Return `text` with all edits made (they never overlap)."""
        for edit in sorted(self.edits, key=lambda one: one.offset, reverse=True):
            text = text[: edit.offset] + edit.text + text[edit.offset + edit.length :]
        return text


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: Key into the catalogue, e.g. `UNKNOWN_SECTION` or `E601`.
        message: One sentence, complete without the source.
        severity: `error`, `warning` or `info`.
        line, column, offset: Where, when known (1-based, 1-based, 0-based).
        length: Characters covered by the span; 0 means "a point".
        fix: The change that mends it, when one is known.
        agent: Name of the agent concerned.
        path: Place in the IR or document, e.g. `flow.definitions.ask.then`.
        file: Path of the file in a project.
    """

    code: str
    message: str
    severity: Severity
    line: int | None = None
    column: int | None = None
    offset: int | None = None
    length: int = 0
    fix: Fix | None = None
    agent: str | None = None
    path: str | None = None
    file: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether this makes the text unusable as it stands."""
        return self.severity == "error"

    def in_file(self, file: str | None) -> Diagnostic:
        """Return the same finding, said of `file`."""
        return replace(self, file=file)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form without the members that are not known."""
        plain: dict[str, object] = {"code": self.code, "message": self.message, "severity": self.severity}
        for name in ("line", "column", "offset", "agent", "path", "file"):
            value = getattr(self, name)
            if value is not None:
                plain[name] = value
        if self.length:
            plain["length"] = self.length
        if self.fix is not None:
            plain["fix"] = {
                "title": self.fix.title,
                "edits": [{"offset": e.offset, "length": e.length, "text": e.text} for e in self.fix.edits],
            }
        return plain
