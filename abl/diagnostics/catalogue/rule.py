"""What a row of the catalogue is: one kind of finding with its message and its explanation. Spec: abl-language 13."""

from __future__ import annotations

from dataclasses import dataclass

from abl.diagnostics.model import Severity

ARGUMENTS = (
    "name",
    "value",
    "known",
    "expected",
    "section",
    "property",
    "agent",
    "step",
    "tool",
    "variable",
    "line",
    "detail",
    "suggestion",
)
"""Names a message template may use. `suggestion` is a whole sentence with a trailing space, or empty."""

AGENT_HEAD = 'AGENT: Parcel_Desk\nGOAL: "Help people find their parcels"\n'


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding.

    Attributes:
        code: The key, e.g. `UNKNOWN_SECTION` or `E601`.
        severity: How grave it is by default.
        title: Short noun phrase for lists.
        message: `str.format` template over `ARGUMENTS`; a part in `[[…]]` is left out when an argument in it is empty.
        explanation: Why this is a problem and how to mend it; 2 to 10 lines.
        wrong: A complete text that gives exactly this code (besides those of `also`).
        right: The same text mended. Several documents in one text are headed `=== path/of/file.agent.abl`.
        strict: Severity under `strict=True` when it differs.
        needs: What else must be given for `wrong` to show the finding (an option, a function), empty when nothing.
        also: Codes that may come along with `wrong`.
        example_note: Said in place of an example that cannot be written as a short text.
    """

    code: str
    severity: Severity
    title: str
    message: str
    explanation: str
    wrong: str
    right: str
    strict: Severity | None = None
    needs: str = ""
    also: tuple[str, ...] = ()
    example_note: str = ""

    def severity_when(self, strict: bool) -> Severity:
        """Return the severity in lenient or strict mode."""
        return self.strict if strict and self.strict is not None else self.severity


def rule(
    code: str,
    severity: Severity,
    title: str,
    *,
    message: str,
    explanation: str,
    wrong: str,
    right: str,
    strict: Severity | None = None,
    needs: str = "",
    also: tuple[str, ...] = (),
    example_note: str = "",
) -> Rule:
    """Return a row whose texts are written as indented blocks; `wrong` and `right` are complete documents."""
    return Rule(
        code,
        severity,
        title,
        message,
        flush(explanation).rstrip("\n"),
        flush(wrong),
        flush(right),
        strict,
        needs,
        also,
        example_note,
    )


def agent_rule(
    code: str,
    severity: Severity,
    title: str,
    *,
    message: str,
    explanation: str,
    wrong: str,
    right: str,
    strict: Severity | None = None,
    needs: str = "",
    also: tuple[str, ...] = (),
) -> Rule:
    """Return a row whose examples are what follows `AGENT_HEAD` in an agent document."""
    return Rule(
        code,
        severity,
        title,
        message,
        flush(explanation).rstrip("\n"),
        AGENT_HEAD + flush(wrong),
        AGENT_HEAD + flush(right),
        strict,
        needs,
        also,
    )


def flush(block: str) -> str:
    """Return an indented block without its first line end and without the indent of its first line."""
    lines = block.lstrip("\n").rstrip(" \n").split("\n")
    margin = len(lines[0]) - len(lines[0].lstrip(" "))
    return "\n".join(line[margin:] for line in lines) + "\n" if lines != [""] else ""
