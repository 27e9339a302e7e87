"""Writes whole documents of every kind: header, then the sections in their canonical order. Spec: abl-language 11.2."""

from __future__ import annotations

from collections.abc import Callable

from abl.parser.reader import SCALARS
from abl.printer.nodes import is_absent, rows_of, write_extras, write_remarks, write_row
from abl.printer.page import Page
from abl.printer.tools import put_tools
from abl.syntax.document import Document
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.profile import Profile

INLINE_PROFILE = ("priority", "when", "instructions", "conversation")
"""What a profile inside an agent may say, in the order in which it is written."""


_SHORT = SCALARS | {Kind.LIST, Kind.PROFILES}


def is_short(row: Prop) -> bool:
    """Return whether a section is a short one such as GOAL: two of these need no blank line between them."""
    return row.kind in _SHORT


class Sections:
    """Top-level sections with one blank line between them; short ones of one line stay together."""

    def __init__(self) -> None:
        self.page = Page()
        self._tall = False

    def add(self, write: Callable[[Page], None], *, short: bool = True) -> None:
        """Add what `write` writes as one section."""
        own = Page()
        write(own)
        if not own.lines:
            return
        tall = not short or len(own.lines) > 1
        if self.page.lines and (tall or self._tall):
            self.page.gap()
        self.page.lines.extend(own.lines)
        self._tall = tall

    def add_row(self, node: Node, row: Prop) -> None:
        """Add the section of one property."""
        self.add(lambda page: write_row(page, 0, node, row), short=is_short(row))

    def open_profile(self, name: str) -> None:
        """Add the header of a profile; its sections follow."""
        self.add(lambda page: page.put(0, f"BEHAVIOR_PROFILE: {name}"), short=False)
        self._tall = False

    def close_profile(self) -> None:
        """See to it that the next section stands apart from those of a profile."""
        self._tall = True


def document_text(document: Document) -> str:
    """Return the canonical text of a document."""
    sections = Sections()
    _WRITERS.get(document.kind, _write_agent)(sections, document)
    sections.add(lambda page: write_remarks(page, 0, document))
    return str(sections.page)


def _write_agent(sections: Sections, document: Document) -> None:
    head = "SUPERVISOR" if document.kind == "supervisor" else "AGENT"
    sections.add(lambda page: page.put(0, f"{head}: {document.name}"))
    for row in rows_of(Document):
        if row.field == "tools":
            _add_tools(sections, document)
        elif row.field == "behavior_profiles":
            for profile in document.behavior_profiles:
                _add_inline_profile(sections, profile)
        elif not is_absent(document, row.field):
            sections.add_row(document, row)


def _add_tools(sections: Sections, document: Document) -> None:
    if document.tools or document.tool_imports is not None or document.tool_defaults is not None:
        sections.add(_tools_of(document), short=False)


def _tools_of(document: Document) -> Callable[[Page], None]:
    return lambda page: put_tools(page, 0, document.tools, document.tool_imports, document.tool_defaults)


def _add_inline_profile(sections: Sections, profile: Profile) -> None:
    sections.open_profile(profile.name)
    for name in INLINE_PROFILE:
        if not is_absent(profile, name):
            sections.add_row(profile, Profile.BY_FIELD[name])
    sections.add(lambda page: write_extras(page, 0, profile))
    sections.close_profile()


def _write_profile(sections: Sections, document: Document) -> None:
    for profile in document.behavior_profiles:
        sections.open_profile(profile.name)
        for row in rows_of(Profile):
            if not is_absent(profile, row.field):
                sections.add_row(profile, row)
        sections.add(lambda page, one=profile: write_extras(page, 0, one))  # type: ignore[misc]


def _write_library(sections: Sections, document: Document) -> None:
    sections.add(_tools_of(document), short=False)


_WRITERS: dict[str, Callable[[Sections, Document], None]] = {"profile": _write_profile, "tools": _write_library}
