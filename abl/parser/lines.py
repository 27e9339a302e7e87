"""Text to significant lines: indentation, nesting and block texts in one pass. Spec: abl-language 1.1 to 1.4.

Blank lines and comments are left out; the body of a `|` block is not looked into. All arrays have one element per
significant line, so the rest of the parser works on small integers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from abl.parser.bounds import ELEMENT_BYTES, LONG_LINE_CHARS, LONG_LINES_CHECKED, UNBOUNDED, elements, most_lines, room
from abl.source import Source

_BLOCK = re.compile(r"(?:^|:|-|^[A-Z][A-Z_]*)\s*[|>][-+]?\s*(?:#.*)?$")
ODD_STARTS = frozenset("#/`-]})")
"""First characters of lines that may not be significant, or that close what an earlier line opened."""
_BARE_BLOCK = re.compile(r"-?\s*[|>][-+]?\s*(?:#.*)?$")


@dataclass(slots=True)
class Lines:
    """The significant lines of a text.

    Attributes:
        source: The text they come from.
        raw: All raw lines.
        texts, indents, columns, offsets, numbers: Trimmed text, indent relative to the document's own, raw indent,
            offset of the first character, and 1-based raw line number.
        ends: `ends[k]` is the first later line that is not nested in line `k`.
        blocks: Line -> raw line range of its block text (0-based, half open).
        fences: Offsets of markdown fences, which are skipped.
        tab: Offset of the first tab in an indent, or -1.
        room: Bytes that nodes may take; see `bounds`.
        left: Offset of what is not read because there is too much of it, or -1.
    """

    source: Source
    raw: list[str]
    texts: list[str] = field(default_factory=list)
    indents: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    blocks: dict[int, tuple[int, int]] = field(default_factory=dict)
    fences: list[int] = field(default_factory=list)
    tab: int = -1
    room: int = UNBOUNDED
    left: int = -1

    def __len__(self) -> int:
        """Return the number of significant lines."""
        return len(self.texts)

    def block_text(self, k: int) -> str:
        """Return the text of the block under line `k`: cut by its base indent, trimmed at both ends."""
        first, stop = self.blocks[k]
        return dedent(self.raw[first:stop])

    def block_offset(self, k: int) -> int:
        """Return the offset of the first character of that text."""
        first, stop = self.blocks[k]
        start = self.offsets[k] - self.columns[k] + len(self.raw[first - 1]) + 1
        for number in range(first, stop):
            line = self.raw[number]
            bare = line.lstrip()
            if bare:
                return start + len(line) - len(bare)
            start += len(line) + 1
        return self.offsets[k]

    def raw_between(self, first: int, stop: int) -> list[str]:
        """Return the raw lines from significant line `first` up to `stop`, comments and blank lines included."""
        if first >= stop:
            return []
        return self.raw[self.numbers[first] - 1 : self.last_raw(stop)]

    def last_raw(self, stop: int) -> int:
        """Return the raw line after the last one that belongs to the lines before `stop`."""
        last = stop - 1
        if last in self.blocks:
            return self.blocks[last][1]
        return self.numbers[last]


def dedent(raw: list[str]) -> str:
    """Return lines cut by the indent of the first that is not blank, joined and trimmed."""
    base = 0
    for line in raw:
        bare = line.lstrip()
        if bare:
            base = len(line) - len(bare)
            break
    if base:
        raw = [line[base:] if not line[:base].strip() else line.lstrip() for line in raw]
    return "\n".join([line.rstrip() for line in raw]).strip()


def scan_within_bounds(source: Source) -> Lines:
    """Return the significant lines of `source`, or as many as one document may have, and the room left for nodes."""
    chars = len(source.text)
    raw, left = source.first_lines(most_lines(chars))
    lines = _scan(source, raw)
    lines.left = left
    lines.room = room(chars, len(lines))
    if chars > LONG_LINE_CHARS * LONG_LINES_CHECKED and max(map(len, raw)) > LONG_LINE_CHARS:
        _leave_crowded_lines(lines)
    return lines


def _leave_crowded_lines(lines: Lines) -> None:
    """Leave out what follows from the first long line on that holds more elements than there is room for."""
    left = lines.room
    for k, text in enumerate(lines.texts):
        if len(text) > LONG_LINE_CHARS:
            left -= ELEMENT_BYTES * elements(text)
            if left < 0:
                lines.left = lines.offsets[k]
                for one in (lines.texts, lines.indents, lines.columns, lines.offsets, lines.numbers):
                    del one[k:]
                lines.ends = nesting(lines.indents)
                lines.blocks = {at: block for at, block in lines.blocks.items() if at < k}
                return


def scan(source: Source) -> Lines:
    """Return the significant lines of `source`; linear in its length."""
    return _scan(source, source.lines)


def _scan(source: Source, raw_lines: list[str]) -> Lines:
    lines = Lines(source, raw_lines)
    texts, columns, offsets, numbers, blocks = lines.texts, lines.columns, lines.offsets, lines.numbers, lines.blocks
    add_text, add_column, add_offset, add_number = texts.append, columns.append, offsets.append, numbers.append
    tabs = "\t" in source.text
    noted = "#" in source.text
    closing: list[int] = []
    start = skip_to = 0
    for number, raw in enumerate(raw_lines, 1):
        here = start
        start += len(raw) + 1
        body = raw.strip()
        if not body or number <= skip_to:
            continue
        head = body[0]
        if head in ODD_STARTS:
            if head == "#" or body == "---":
                continue
            if head == "/" and body[1:2] in ("/", "*"):
                if body[1] == "*" and "*/" not in body:
                    skip_to = _comment_end(raw_lines, number)
                continue
            if body.startswith("```"):
                lines.fences.append(here + raw.index("`"))
                continue
            if head in "]})":
                closing.append(len(texts))
        column = raw.find(head)
        if tabs and lines.tab < 0 and "\t" in raw[:column]:
            lines.tab = here + raw.index("\t")
        if (body[-1] in "|>-+" or (noted and " #" in body and ("|" in body or ">" in body))) and _BLOCK.search(body):
            skip_to = _block_end(raw_lines, number, column, body)
            blocks[len(texts)] = (number, skip_to)
        add_text(body)
        add_column(column)
        add_offset(here + column)
        add_number(number)
    base = columns[0] if columns else 0
    lines.indents = [column - base if column > base else 0 for column in columns] if base else columns.copy()
    for k in closing:
        if k:
            lines.indents[k] = max(lines.indents[k], lines.indents[k - 1] + (texts[k - 1][-1] in "[{(")) or 1
    lines.ends = nesting(lines.indents)
    return lines


def _comment_end(raw: list[str], first: int) -> int:
    """Return the raw line after the `/*` comment that is still open at raw line `first`."""
    for at in range(first, len(raw)):
        if raw[at].rstrip().endswith("*/"):
            return at + 1
    return len(raw)


def nesting(indents: list[int]) -> list[int]:
    """Return for each line the first later one that is not nested in it."""
    count = len(indents)
    ends = [count] * count
    open_lines: list[int] = []
    push, pull = open_lines.append, open_lines.pop
    last = -1
    for k, indent in enumerate(indents):
        if indent == last:
            ends[k - 1] = k
            open_lines[-1] = k
            continue
        if indent < last:
            while open_lines and indents[open_lines[-1]] >= indent:
                ends[pull()] = k
        push(k)
        last = indent
    return ends


def _block_end(raw: list[str], first: int, column: int, body: str) -> int:
    """Return the raw line after the block text that begins at raw line `first`.

    A block ends at a line indented less than its base and not deeper than the key; for a dash item the key is what
    stands after the dash, so a block that is indented no deeper than that key ends with its own indentation.
    """
    count = len(raw)
    at = first
    while at < count and not raw[at].strip():
        at += 1
    if at == count:
        return first
    base = len(raw[at]) - len(raw[at].lstrip())
    if base <= column:
        return first
    limit = column
    if body[0] == "-" and not _BARE_BLOCK.match(body):
        limit += len(body) - len(body[1:].lstrip())
        if base <= limit:
            limit = base - 1
    stop = at
    while at < count:
        line = raw[at]
        bare = line.lstrip()
        if bare:
            indent = len(line) - len(bare)
            if indent < base and indent <= limit:
                break
            stop = at + 1
        at += 1
    return stop
