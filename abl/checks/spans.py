"""A part of a written text -> its place in the source, and the edit there that mends it."""

from __future__ import annotations

import re
from typing import Any

from abl.checks.written import Written
from abl.compiler.places import Place, locate
from abl.diagnostics.model import Edit, Fix
from abl.expressions.faults import Edit as RelativeEdit

MAX_KEY_CHARS = 400
"""Characters before a value in which its key is looked for."""

_KEYWORD = re.compile(r"([A-Z_]++)\s*+:\s*+\"?\Z")

MAX_SEARCH = 20_000
"""Characters behind a node in which a text without a recorded place is looked for."""


def span(written: Written, start: int, length: int) -> dict[str, Any]:
    """Return line, column, offset, length and file of a part of a text, as exactly as the document knows."""
    node, unit = written.place.node, written.place.unit
    where = locate(written.place, written.field, start, length)
    if written.field in node.at or unit.source is None or node.pos is None:
        return where
    begin = node.pos.offset
    found = unit.source.text.find(written.text, begin, begin + MAX_SEARCH)
    if found < 0:
        return where
    at = unit.source.pos(found + start)
    return {**where, "line": at.line, "column": at.column, "offset": at.offset, "length": length}


def key_span(place: Place, field: str, key: str) -> dict[str, Any]:
    """Return the span of a key of a map, `field` being the place of its value; empty when `key` is not that key."""
    source, offset = place.unit.source, place.node.at.get(field)
    if source is None or offset is None or not key or not field.endswith(f".{key}"):
        return {}
    line = source.text.rfind("\n", max(offset - MAX_KEY_CHARS, 0), offset) + 1 or max(offset - MAX_KEY_CHARS, 0)
    found = re.search(rf"(?<![\w.-]){re.escape(key)}(?=[\"']?\s*(?:[:=]|->)\s*[\"']?\Z)", source.text[line:offset])
    if found is None:
        return {}
    at = source.pos(line + found.start())
    file = {"file": place.unit.path} if place.unit.path else {}
    return {**file, "line": at.line, "column": at.column, "offset": at.offset, "length": len(key)}


def written_keyword(place: Place | None, field: str) -> str:
    """Return the keyword that stands before the value of a field in the text, e.g. `ON_FAIL`; empty when unknown."""
    where = locate(place, field)
    if place is None or place.unit.source is None or not where.get("length"):
        return ""
    text, offset = place.unit.source.text, where["offset"]
    first = max(offset - MAX_KEY_CHARS, 0)
    found = _KEYWORD.search(text, max(text.rfind("\n", first, offset) + 1, first), offset)
    return found[1] if found else ""


def fix_at(written: Written, where: dict[str, Any], start: int, edit: RelativeEdit | None, title: str) -> Fix | None:
    """Return the edit of a fault in the source, if the text there is the one that was read.

    `where` is the span of the fault, whose offset in the written text is `start`.
    """
    source, offset = written.place.unit.source, where.get("offset")
    if edit is None or source is None or not isinstance(offset, int):
        return None
    begin, length, new = edit
    low, high = min(start, begin), max(start + int(where.get("length", 0)), begin + length)
    if source.text[offset + low - start : offset + high - start] != written.text[low:high]:
        return None
    return Fix(title or f"write `{new}`", (Edit(offset + begin - start, length, new),))
