"""What hover says: of a name where it is declared, of a function, of a property."""

from __future__ import annotations

import re
from dataclasses import dataclass

from abl.editor.describe import function_text, property_text, symbol_text
from abl.editor.readings import File
from abl.editor.workspace import Workspace
from abl.expressions.library import find
from abl.outline import Role

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown about `length` characters at `offset`."""

    text: str
    offset: int
    length: int


def hover(workspace: Workspace, path: str, offset: int) -> Hover | None:
    """Return what is known of the thing at `offset`, None when nothing is."""
    file = workspace.file(path)
    if file is None:
        return None
    one = file.occurrence(offset)
    if one is not None:
        known = workspace.definitions(path, offset, one.symbol, one.name)
        count = sum(1 for _ in workspace.places(path, offset, one.symbol, one.name))
        if known:
            return Hover(symbol_text(known[0][1], count), one.offset, one.length)
    if file.is_yaml:
        return None
    return _function(file, offset) or _property(file, offset)


def _function(file: File, offset: int) -> Hover | None:
    start = file.text.rfind("\n", 0, offset) + 1
    stop = file.text.find("\n", offset)
    for found in _WORD.finditer(file.text, start, stop if stop >= 0 else len(file.text)):
        if found.start() <= offset <= found.end() and file.text[found.end() :][:1] == "(":
            entry = find(found[0])
            return Hover(function_text(entry), found.start(), len(found[0])) if entry is not None else None
    return None


def _property(file: File, offset: int) -> Hover | None:
    made = file.outline
    lines = made.lines
    number = file.source.pos(offset).line
    for k, line in enumerate(lines.numbers):
        if line != number:
            continue
        entry = made.entries[k]
        at = offset - lines.offsets[k]
        if entry.row is None or entry.role in (Role.NAME, Role.TOOL, Role.ITEM, Role.TEXT):
            return None
        if entry.start <= at <= entry.stop:
            return Hover(property_text(entry.cls, entry.row), lines.offsets[k] + entry.start, entry.stop - entry.start)
        if at >= entry.value and entry.row.choices:
            length = len(lines.texts[k]) - entry.value
            return Hover(property_text(entry.cls, entry.row), lines.offsets[k] + entry.value, length)
        return None
    return None
