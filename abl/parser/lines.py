"""Text to significant lines: indentation, nesting and block texts in one pass. Spec: abl-language 1.1 to 1.4.

Blank lines and comments are left out; the body of a `|` block is not looked into. All arrays have one element per
significant line, so the rest of the parser works on small integers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from abl.parser.bounds import ELEMENT_BYTES, LONG_LINE_CHARS, LONG_LINES_CHECKED, UNBOUNDED, elements, most_lines, room
from abl.parser.slashes import hashed
from abl.source import Source, places

_BLOCK = re.compile(r"(?:^|:|-|^[A-Z][A-Z_]*)\s*[|>][-+]?\s*(?:#.*)?$")
BULLETS = frozenset("*+\u2022\u2013\u2014")
"""Signs that people and word processors write for the dash of a list item."""
_ARROWS = frozenset("-=\u2192")
"""How an arrow begins: `* -> Desk` is a rule for all the rest."""
RULERS = frozenset("-=_*")
"""Signs of which a line that only separates is made."""
ODD_STARTS = frozenset("#/`~-]})") | BULLETS | RULERS
"""First characters of lines that may not be significant, or that close what an earlier line opened."""
FENCES = {"`": "```", "~": "~~~"}
"""First character of a line -> how a markdown fence that begins with it begins."""
_IGNORED = frozenset("/`~=_*")
"""First characters of other lines that may say nothing; a ruler of dashes does not either."""
_BEGINS = ("//", "/*", *FENCES.values())
_COMMENTS = ("#", "//", "/*")
_CLOSING = frozenset("]})")
_BLOCK_ENDS = frozenset("|>-+")
_MOST_SPACE = 16
"""Characters before a comment that are looked at for the sign of a block text; if all are space, there may be one."""
_MOST_BLANKS = 8
_SLASHES = re.compile(r"//(?<= //)")
"""The sign of a comment after a value: as it begins with a plain word, it is looked for in half the time of ` //`."""
_ANSWER = re.compile(r"(?:-\s*)?RESPOND:")
_ANSWER_PART = re.compile(r"(?:ACTIONS|FORMATS|RICH_CONTENT|VOICE|CAROUSEL):\s*$")
_PART_BEGINS = re.compile(r"-\s*(?:BUTTON|SELECT|INPUT|TITLE)\b|[A-Z][A-Z_ ]*:")
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

    def written_between(self, first: int, stop: int) -> list[str]:
        """Return the same lines without those that are comments; in a block text nothing is one."""
        raw = self.raw_between(first, stop)
        if not any(line.lstrip().startswith(_COMMENTS) for line in raw):
            return raw
        begin = self.numbers[first] - 1
        said = set(self.numbers[first:stop])
        for k in range(first, stop):
            if k in self.blocks:
                said.update(range(self.blocks[k][0] + 1, self.blocks[k][1] + 1))
        kept, number, last = [], begin, begin + len(raw)
        while number < last:
            line = self.raw[number]
            number += 1
            bare = line.strip()
            if number in said or not bare.startswith(_COMMENTS):
                kept.append(line)
            elif bare.startswith("/*") and "*/" not in bare:
                number = min(_comment_end(self.raw, number), last)
        return kept

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
    if _SLASHES.search(source.text):
        lines.texts[:] = [hashed(text) if " //" in text else text for text in lines.texts]
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
    texts: list[str] = []
    columns: list[int] = []
    offsets: list[int] = []
    numbers: list[int] = []
    blocks: dict[int, tuple[int, int]] = {}
    fences: list[int] = []
    odd, block_ends = ODD_STARTS, _BLOCK_ENDS
    noted = _has_noted_block(source.text)
    closing: list[int] = []
    stop = -1
    rows = enumerate(raw_lines, 1)
    for number, raw in rows:
        size = len(raw)
        stop += size + 1
        bare = raw.lstrip()
        if not bare:
            continue
        left = len(bare)
        body = bare.rstrip()
        head = body[0]
        if head in odd and body[:2] != "- ":
            if head == "#":
                continue
            if head in _IGNORED or body[1:2] == "-":
                last = _ignored(raw_lines, number, body)
                if last:
                    if head in FENCES:
                        fences.append(stop - left)
                    stop += _passed(rows, last - number)
                    continue
            elif head in _CLOSING:
                closing.append(len(texts))
            if head in BULLETS and body[1:2] == " " and body[2] not in _ARROWS:
                body = f"-{body[1:]}"
        texts.append(body)
        columns.append(size - left)
        offsets.append(stop - left)
        numbers.append(number)
        if (body[-1] in block_ends or (noted and " #" in body)) and _BLOCK.search(body):
            last = _block_end(raw_lines, number, size - left, body)
            blocks[len(texts) - 1] = (number, last)
            stop += _passed(rows, last - number)
    indents = _indents(texts, columns, closing)
    lines = Lines(source, raw_lines, texts, indents, columns, offsets, numbers, nesting(indents), blocks, fences)
    if "\t" in source.text:
        lines.tab = _first_tab(lines)
    return lines


def _passed(rows: Iterator[tuple[int, str]], count: int) -> int:
    """Pass over `count` raw lines; return how many characters they have, with their ends."""
    return sum([len(raw) + 1 for _, raw in islice(rows, count)])


def _ignored(raw: list[str], number: int, body: str) -> int:
    """Return the last line of the comment, ruler or fence that begins on a line, 0 if none does."""
    if body.startswith("/*") and "*/" not in body:
        return _comment_end(raw, number)
    return number if body.startswith(_BEGINS) or is_ruler(body) else 0


def _indents(texts: list[str], columns: list[int], closing: list[int]) -> list[int]:
    """Return the indents relative to the first line; a line of `closing` brackets stands as deep as what it closes."""
    base = columns[0] if columns else 0
    indents = [column - base if column > base else 0 for column in columns] if base else columns.copy()
    for k in closing:
        if k:
            indents[k] = max(indents[k], indents[k - 1] + (texts[k - 1][-1] in "[{(")) or 1
    return indents


def is_ruler(text: str) -> bool:
    """Return whether a line only separates: `---`, `=====`, `****`."""
    return len(text) > 2 and text[0] in RULERS and text.count(text[0]) == len(text)


def _has_noted_block(text: str) -> bool:
    """Return whether the sign of a block text may stand before a comment anywhere."""
    for at in places(text, "#"):
        if text[at - 1 : at] == " ":
            before = text[max(at - 1 - _MOST_SPACE, 0) : at - 1].rstrip()
            if not before or before[-1] in _BLOCK_ENDS:
                return True
    return False


def _first_tab(lines: Lines) -> int:
    """Return the offset of the first tab in an indent, or -1."""
    for number, column, offset in zip(lines.numbers, lines.columns, lines.offsets, strict=True):
        at = lines.raw[number - 1].find("\t", 0, column)
        if at >= 0:
            return offset - column + at
    return -1


def _comment_end(raw: list[str], first: int) -> int:
    """Return the raw line after the `/*` comment that is still open at raw line `first`."""
    for at in range(first, len(raw)):
        if raw[at].rstrip().endswith("*/"):
            return at + 1
    return len(raw)


def unindented(ends: list[int]) -> list[int]:
    """Return the lines that are nested in no other: from each the next is where its own nested lines end."""
    found: list[int] = []
    at = 0
    while at < len(ends):
        found.append(at)
        at = ends[at]
    return found


def nesting(indents: list[int]) -> list[int]:
    """Return for each line the first later one that is not nested in it.

    Lines are looked at from the last one up; those with something nested in them hop over their own children.
    """
    total = k = len(indents)
    ends = list(range(1, total + 1))
    later = [*indents, -1]
    below = -1
    for indent in reversed(indents):
        k -= 1
        if indent < below:
            end = ends[k + 1]
            while later[end] > indent:
                end = ends[end]
            ends[k] = end
        below = indent
    return ends


def _begins_part(raw: list[str], at: int, indent: int) -> bool:
    """Return whether the line below `ACTIONS:`, `VOICE:` ... says what these hold, so that they are no text."""
    below = next((line for line in raw[at + 1 : at + 1 + _MOST_BLANKS] if line.strip()), "")
    bare = below.lstrip()
    return len(below) - len(bare) > indent and _PART_BEGINS.match(bare) is not None


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
    is_answer = _ANSWER.match(body) is not None
    stop = at
    while at < count:
        line = raw[at]
        bare = line.lstrip()
        if bare:
            indent = len(line) - len(bare)
            if indent < base and indent <= limit:
                break
            if is_answer and _ANSWER_PART.match(bare) and _begins_part(raw, at, indent):
                break
            stop = at + 1
        at += 1
    return stop
