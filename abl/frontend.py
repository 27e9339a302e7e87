"""Reading a text of any kind: which grammar it is handed to, and the parse functions of the public API.

Spec: abl-language 2.2 to 2.4.
"""

from __future__ import annotations

from typing import Any

from abl.diagnostics.model import Diagnostic
from abl.diagnostics.reporter import finding
from abl.parser.detect import detect, first_line, is_legacy, is_yaml_format
from abl.parser.document import open_text, read_opened
from abl.source import normalise
from abl.syntax.document import Document
from abl.syntax.result import ParseResult

TYPES = ("supervisor", "agent", "agent-based", "yaml", "tools")
"""Types a caller may name."""

_MAY_BE_NUMBERED = frozenset({"agent", "supervisor", "agent-based"})
_HEADLESS = frozenset({"UNDETECTED_TYPE", "MISSING_AGENT"})


def parse(text: str, type: str | None = None, *, strict: bool = False) -> ParseResult:  # noqa: A002 - the word of the API
    """Return the document in `text` with what was found on the way; no text makes it raise (spec 2.2, 2.3).

    `type` is `supervisor`, `agent`, `agent-based`, `yaml` or `tools`; without it the first line decides. With
    `strict` the warnings about older forms are errors.

    Raises:
        ValueError: `type` is none of these.

    >>> result = parse("AGENT: Parcel_Desk\\nGOAL: Help people find their parcels\\n")
    >>> result.document.name, result.document.kind, result.errors
    ('Parcel_Desk', 'agent', [])
    >>> [error.code for error in parse("Help people find their parcels").errors]
    ['UNDETECTED_TYPE']
    """
    if type is not None and type not in TYPES:
        raise ValueError(f"there is no type {type!r}; the argument type takes {', '.join(TYPES)}, or None to look")
    value: object = text
    if not isinstance(value, str):
        return _not_text(value)
    kind = type or detect(text)
    if kind == "yaml":
        return _yaml(text, strict=strict)
    opened = open_text(text, strict=strict)
    if kind in _MAY_BE_NUMBERED and type != "agent-based" and opened.may_be_numbered and is_legacy(text):
        del opened  # the text is cut again, and its lines need not be held twice
        from abl.legacy import parse_legacy  # noqa: PLC0415 - loaded for texts of the numbered grammar only

        return parse_legacy(text, strict=strict)
    return read_opened(opened, kind)


def parse_agent(text: str, *, strict: bool = False) -> ParseResult:
    """Return the agent in `text`; a text of another kind gives no document and the error EXPECTED_AGENT (spec 2.4).

    >>> parse_agent("AGENT: Parcel_Desk\\nGOAL: Help\\n").document.name
    'Parcel_Desk'
    >>> parse_agent("TOOLS:\\n  find() -> object\\n").errors[0].message
    'Expected AGENT: at the start of the text, found TOOLS:.'
    """
    return _of_kind(text, "agent", "EXPECTED_AGENT", strict)


def parse_supervisor(text: str, *, strict: bool = False) -> ParseResult:
    """Return the supervisor in `text`; another kind gives no document and EXPECTED_SUPERVISOR (spec 2.4).

    >>> parse_supervisor("SUPERVISOR: Front_Desk\\nGOAL: Route\\n").document.kind
    'supervisor'
    >>> parse_supervisor("AGENT: Parcel_Desk\\nGOAL: Help\\n").document is None
    True
    """
    return _of_kind(text, "supervisor", "EXPECTED_SUPERVISOR", strict)


def parse_agent_based_abl(text: str, *, strict: bool = False) -> Document | None:
    """Return the document in a text of the modern grammar, or of the YAML form; None when there is none (spec 2.4).

    What is wrong in it is said by `parse(text, "agent-based")` or `parse(text, "yaml")`.

    >>> parse_agent_based_abl("AGENT: Parcel_Desk\\nMODE: reasoning\\nGOAL: Help\\n").mode
    'reasoning'
    """
    value: object = text
    if isinstance(value, str) and is_yaml_format(value):
        return parse_yaml_abl(value, strict=strict)
    return parse(text, "agent-based", strict=strict).document


def parse_yaml_abl(text: str, *, strict: bool = False) -> Document | None:
    """Return the document in a text of the YAML form, None when there is none (spec 2.4, 9).

    What is wrong in it is said by `parse(text, "yaml")`.

    >>> parse_yaml_abl("agent: Parcel_Desk\\ngoal: Help people find their parcels\\n").name
    'Parcel_Desk'
    """
    return _yaml(text, strict=strict).document


def _yaml(text: str, *, strict: bool) -> ParseResult:
    value: object = text
    if not isinstance(value, str):
        return _not_text(value)
    from abl.yaml_form import parse_yaml  # noqa: PLC0415 - PyYAML is loaded for YAML texts only

    return parse_yaml(text, strict=strict)


def validate(text: str, *, strict: bool = False) -> list[Diagnostic]:
    """Return the errors of reading `text`, none for a valid text (spec 2.4).

    Only the form is looked at; `validate_abl` also checks what the text means.

    >>> [(error.code, error.line) for error in validate("AGENT: Parcel_Desk\\nGAOL: Help\\n")]
    [('UNKNOWN_SECTION', 2)]
    """
    return parse(text, strict=strict).errors


def is_valid(text: str, *, strict: bool = False) -> bool:
    """Return whether `text` can be read without an error (spec 2.4).

    >>> is_valid("AGENT: Parcel_Desk\\nGOAL: Help people find their parcels\\n")
    True
    """
    return bool(parse(text, strict=strict))


def _not_text(value: object) -> ParseResult:
    return ParseResult(None, [finding("NOT_TEXT", line=1, column=1, offset=0, name=type(value).__name__)])


def _of_kind(text: Any, kind: str, code: str, strict: bool) -> ParseResult:
    """Return the parse of `text` if it is a document of `kind`, else the error `code` at its first line."""
    result = parse(text, strict=strict)
    document = result.document
    if document is not None and document.kind == kind:
        return result
    if not isinstance(text, str) or (document is None and any(one.code not in _HEADLESS for one in result.errors)):
        return ParseResult(None, result.errors)
    return ParseResult(None, [_expected(normalise(text), code)])


def _expected(text: str, code: str) -> Diagnostic:
    first = first_line(text)
    word, colon, _ = first.partition(":")
    name = word + colon if colon and word.replace("_", "").isalpha() else ""
    offset = max(text.find(first), 0)
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return finding(code, line=line, column=column, offset=offset, length=len(name or first[:40]), name=name)
