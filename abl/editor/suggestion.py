"""One thing that may be typed next, and the ways to make it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from abl.editor.describe import property_text
from abl.syntax.node import Kind, Node, Prop

_STOPS = re.compile(r"\$(?:\{\d+(?::([^{}]*)|\|([^,{}|]*)[^{}]*\|)?\}|\d+)")


class Sort(StrEnum):
    """What is suggested; editors show a sign for it."""

    SECTION = "section"
    PROPERTY = "property"
    VALUE = "value"
    KEYWORD = "keyword"
    FUNCTION = "function"
    AGENT = "agent"
    TOOL = "tool"
    STEP = "step"
    VARIABLE = "variable"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One suggestion.

    Attributes:
        label: What the list shows.
        sort: What it is.
        offset, length: What it replaces.
        snippet: What is inserted, with tab stops (`$1`, `${1:text}`, `$0`).
        detail: A few words beside the label.
        documentation: Markdown.
    """

    label: str
    sort: Sort
    offset: int = 0
    length: int = 0
    snippet: str = ""
    detail: str = ""
    documentation: str = ""

    @property
    def text(self) -> str:
        """What is inserted where an editor knows no tab stops."""
        return plain(self.snippet or self.label)


def plain(snippet: str) -> str:
    """Return a snippet without its tab stops.

    >>> plain("GOAL: \\"${1:what to reach}\\"$0")
    'GOAL: "what to reach"'
    """
    return _STOPS.sub(lambda found: found[1] or found[2] or "", snippet).replace("\\}", "}").replace("\\$", "$")


def escaped(text: str) -> str:
    """Return a text as it stands in a snippet."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")


_QUOTED = frozenset({Kind.TEXT, Kind.RESPOND})
_NESTED = frozenset(
    {
        Kind.NODE, Kind.MAP, Kind.FREE, Kind.TOOLS, Kind.FLOW, Kind.FORMATS, Kind.TEMPLATES, Kind.FLAT, Kind.HUMAN,
        Kind.CONVERSATION, Kind.PARAMETERS, Kind.RULES, Kind.BRANCHES, Kind.ELEMENTS, Kind.STEP_GATHER, Kind.ENTRIES,
    }
)  # fmt: skip
_UNDER = {Kind.BRANCHES: "- IF: ${1:condition}\n    THEN: ${2:step}$0", Kind.RULES: "- REQUIRE ${1:condition}$0",
          Kind.HUMAN: "- IF ${1:condition}: ${2:COMPLETE}$0"}  # fmt: skip


def property_snippet(row: Prop, *, legible: bool = True) -> str:
    """Return what to insert for a property: its key, and a frame for its value."""
    key = row.key
    if row.kind is Kind.FLAG:
        return f"{key}:" if key == "ELSE" else f"{key}: true"
    if row.kind in _QUOTED:
        return f'{key}: "$1"$0'
    if row.kind is Kind.BOOL:
        return f"{key}: ${{1|true,false|}}$0"
    if row.kind is Kind.CHOICE and row.choices and legible:
        return f"{key}: ${{1|{','.join(row.choices)}|}}$0"
    if row.kind is Kind.LIST:
        return f"{key}: [$1]$0"
    if row.kind in _NESTED:
        dash = row.kind is Kind.ENTRIES and row.style == "dash"
        return f"{key}:\n  {_UNDER.get(row.kind, '- $0' if dash else '$0')}"
    return f"{key}: $0"


def of_property(cls: type[Node] | None, row: Prop, *, sort: Sort = Sort.PROPERTY) -> Suggestion:
    """Return the suggestion of a property of a class."""
    return Suggestion(row.key, sort, 0, 0, property_snippet(row), row.doc, property_text(cls, row))
