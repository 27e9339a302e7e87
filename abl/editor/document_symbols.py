"""The outline an editor shows: sections, and the named things in them; it needs no clean parse."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from abl.editor.readings import File
from abl.editor.suggestion import Sort
from abl.outline import Entry, Role
from abl.syntax.document import HEADERS

_YAML_KEY = re.compile(r"^([A-Za-z_]\w*):(?:[ \t]+([^\n]*))?$", re.MULTILINE)
_SHOWN = frozenset({Role.SECTION, Role.NAME, Role.STEP, Role.TOOL})


@dataclass(slots=True)
class Heading:
    """One thing of the outline.

    Attributes:
        name, detail: What is shown.
        sort: What it is.
        offset, length: All of it.
        name_offset, name_length: Its name.
        children: What it holds.
    """

    name: str
    detail: str
    sort: Sort
    offset: int
    length: int
    name_offset: int
    name_length: int
    children: list[Heading] = field(default_factory=list)


def document_symbols(file: File) -> list[Heading]:
    """Return the outline of a file."""
    if file.is_yaml:
        return _yaml(file)
    made = file.outline
    lines = made.lines
    ends = list(lines.ends)
    starts = [*made.sections, len(lines)]
    for k, stop in pairwise(starts):
        ends[k] = stop
    tops: list[Heading] = []
    shown: dict[int, Heading] = {}
    for k, entry in enumerate(made.entries):
        if not _is_shown(entry, lines.texts[k]):
            continue
        heading = _heading(file, k, entry, lines.last_raw(max(ends[k], k + 1)))
        shown[k] = heading
        above = next((shown[one] for one in made.ancestors(k) if one in shown), None)
        (above.children if above is not None else tops).append(heading)
    return tops


def _is_shown(entry: Entry, text: str) -> bool:
    if entry.role in _SHOWN:
        return entry.stop > entry.start
    main = entry.cls.MAIN if entry.cls is not None else ""
    is_first = text[0] == "-" and entry.role is Role.PROPERTY and entry.row is not None
    return is_first and main != "" and entry.row is not None and entry.row.field == main


def _heading(file: File, k: int, entry: Entry, last: int) -> Heading:
    made = file.outline
    lines = made.lines
    text, offset = lines.texts[k], lines.offsets[k]
    start, stop = entry.start, entry.stop
    detail = text[entry.value :].strip()
    if entry.role is Role.PROPERTY:
        start, stop, detail = entry.value, len(text), text[entry.start : entry.stop]
    section = made.sections.get(k)
    name = text[start:stop].strip("\"' ") or text
    if section is not None and section.word in (*HEADERS, "BEHAVIOR_PROFILE"):
        name, detail = detail.strip("\"' ") or name, section.word.lower()
    end = file.source.starts[last] - 1 if last < len(file.source.starts) else len(file.text)
    sort = {Role.SECTION: Sort.SECTION, Role.STEP: Sort.STEP, Role.TOOL: Sort.TOOL}.get(entry.role, Sort.NAME)
    if section is not None and section.word in HEADERS:
        sort = Sort.AGENT
    return Heading(name, detail[:80], sort, offset, max(end - offset, len(text)), offset + start, stop - start)


def _yaml(file: File) -> list[Heading]:
    found = list(_YAML_KEY.finditer(file.text))
    stops = [*(one.start() for one in found[1:]), len(file.text)][: len(found)]
    return [
        Heading(one[1], (one[2] or "")[:80], Sort.SECTION, one.start(), stop - one.start(), one.start(1), len(one[1]))
        for one, stop in zip(found, stops, strict=True)
    ]
