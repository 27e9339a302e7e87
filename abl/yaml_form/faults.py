"""Texts that are no YAML at all: what is wrong, and the fixes for the two usual causes. Spec: abl-language 9."""

from __future__ import annotations

import re

from abl.diagnostics.model import Edit, Fix
from abl.source import Source
from abl.yaml_form.reader import YamlReader
from abl.yaml_form.tree import YamlFault, compose

TAB_WIDTH = 2
"""Spaces for one tab."""
TAB_FAULT = "a tab stands in the indent, and YAML indents with spaces only"

_BARE_VALUE = re.compile(r"(\s*(?:- +)*[\w-]+: +)([^\s'\"\[|>&#-].*?)\s*\Z")
_TAB_INDENT = re.compile(r"^[ \t]*\t[ \t]*", re.MULTILINE)


def report_fault(y: YamlReader, fault: YamlFault) -> None:
    """Add the finding about a text that cannot be read."""
    offset = min(fault.offset, len(y.source.text))
    detail, fix = fault.detail, None
    if fault.code == "YAML_INVALID":
        tab = _tab_of(y.source, offset)
        if tab is not None:
            offset, detail, fix = tab, TAB_FAULT, _spaces(y.source)
        else:
            fix = _quoted_value(y.source, offset)
    y.inner.report(fault.code, offset, 1, fix, detail=detail, value=detail)


def _tab_of(source: Source, offset: int) -> int | None:
    """Return the offset of the tab in the indent of the line at `offset`, None when there is none."""
    start = source.starts[source.pos(offset).line - 1]
    found = _TAB_INDENT.match(source.text, start)
    return source.text.index("\t", start) if found is not None else None


def _spaces(source: Source) -> Fix:
    """Return the fix that makes spaces of all tabs in indents."""
    edits = [
        Edit(found.start(), len(found[0]), found[0].replace("\t", " " * TAB_WIDTH))
        for found in _TAB_INDENT.finditer(source.text)
    ]
    return Fix("use spaces", tuple(edits))


def _quoted_value(source: Source, offset: int) -> Fix | None:
    """Return the fix for a colon, brace or sign in a value that has no quotes, if that is what is wrong."""
    line = source.pos(offset).line
    found = _BARE_VALUE.match(source.line(line))
    if found is None or "'" in found[2]:
        return None
    at = source.starts[line - 1] + found.start(2)
    quoted = f"'{found[2]}'"
    left = compose(Source(source.text[:at] + quoted + source.text[at + len(found[2]) :]))
    if isinstance(left, YamlFault) and left.offset <= at + len(quoted):
        return None
    return Fix("put the value in quotes", (Edit(at, len(found[2]), quoted),))
