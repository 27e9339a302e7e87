"""Findings as text for people: the user's own line, a caret below it, and the mended line. Pure strings, no I/O.

The size of the output is bounded whatever the source holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from abl.diagnostics.excerpt import excerpt, plain
from abl.diagnostics.model import Diagnostic, Edit, Fix
from abl.source import Pos, Source

MAX_MESSAGE_CHARS = 2000
MAX_FIX_LINES = 6
MAX_CHANGED_CHARS = 20_000
"""Characters of the lines that a fix changes; longer ones are not shown mended."""
MAX_HEADER_DISTANCE = 40

_STYLES = {"error": "1;31", "warning": "1;33", "info": "1;36", "gutter": "1;34", "help": "1;36", "bold": "1"} | {
    "plus": "32",
    "minus": "31",
}


def render(
    diagnostic: Diagnostic, source_text: str, *, color: bool = False, width: int = 100, path: str | None = None
) -> str:
    """Return one finding as several lines of text, ending without a line end.

    `source_text` is the text the finding is about; an empty one shows the message only. `path` names the file
    when the finding does not.
    """
    paint = _Paint(color)
    source = _source(source_text)
    text = source.text
    place = _place(diagnostic, source)
    head = paint(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.code}]")
    lines = [f"{head}{paint('bold', ': ' + plain(diagnostic.message[:MAX_MESSAGE_CHARS]))}"]
    change = _changed_lines(diagnostic.fix, source) if diagnostic.fix and text else None
    gutter = len(str(max(place.line if place else 1, change.last if change else 1)))
    frame = _Frame(text, gutter, max(width - gutter - 3, 1), paint)
    lines += frame.arrow(diagnostic.file or path, place)
    if place and text:
        lines += frame.code(place, diagnostic.length, diagnostic.severity)
    if diagnostic.fix is not None:
        lines += frame.help(diagnostic.fix, change)
    lines.append(f"{' ' * gutter} {paint('gutter', '=')} note: abl explain {diagnostic.code}")
    return "\n".join(lines)


@lru_cache(maxsize=1)
def _source(text: str) -> Source:
    """Return a text with its lines; the findings of one text are shown one after the other."""
    return Source(text)


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """Return how much was found, e.g. `2 errors, 1 warning in 3 files`."""
    found = list(diagnostics)
    counts = [
        _counted(sum(1 for one in found if one.severity == severity), word)
        for severity, word in (("error", "error"), ("warning", "warning"), ("info", "note"))
    ]
    said = ", ".join(count for count in counts if count) or "no problems"
    files = len({one.file for one in found if one.file is not None})
    return f"{said} in {_counted(files, 'file')}" if files else said


def _counted(number: int, word: str) -> str:
    """Return `1 error`, `2 errors`, or nothing for none."""
    return f"{number} {word}{'' if number == 1 else 's'}" if number else ""


class _Change(NamedTuple):
    """Lines before and after a fix, beginning with line `first`."""

    first: int
    old: list[str]
    new: list[str]

    @property
    def last(self) -> int:
        """The greatest line number shown."""
        return self.first + max(len(self.old), len(self.new)) - 1


class _Paint:
    """Wraps text in ANSI codes, or leaves it as it is."""

    def __init__(self, color: bool) -> None:
        self.color = color

    def __call__(self, style: str, text: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.color and text else text


class _Frame:
    """The gutter with line numbers and what stands right of it."""

    def __init__(self, text: str, gutter: int, columns: int, paint: _Paint) -> None:
        self.text = text
        self.gutter = gutter
        self.columns = columns
        self.paint = paint

    def row(self, number: int | None, sign: str, content: str) -> str:
        """Return one line of the frame."""
        mark = f"{'' if number is None else number:>{self.gutter}} {sign}"
        return f"{self.paint('gutter', mark)} {content}" if content else self.paint("gutter", mark)

    def arrow(self, path: str | None, place: Pos | None) -> list[str]:
        """Return the line that names file, line and column."""
        if path is None and place is None:
            return []
        where = [
            plain(path) if path is not None else "<text>",
            *([str(place.line), str(place.column)] if place else []),
        ]
        return [f"{' ' * self.gutter}{self.paint('gutter', '-->')} {':'.join(where)}"]

    def code(self, place: Pos, length: int, severity: str) -> list[str]:
        """Return the line of the finding with carets below, and the line of the block it stands in."""
        start = place.offset - place.column + 1
        line = self._line_at(start)
        shown = excerpt(line, place.column - 1, length, self.columns)
        carets = " " * shown.column + self.paint(severity, "^" * shown.columns)
        rows = [self.row(None, "|", ""), *self._header(place, start, line)]
        return [*rows, self.row(place.line, "|", shown.text), self.row(None, "|", carets)]

    def help(self, fix: Fix, change: _Change | None) -> list[str]:
        """Return what mends the fault, with the lines before and after when they are few."""
        rows = [f"{self.paint('help', 'help')}: {plain(fix.title)}"]
        if change is None:
            return rows
        start, length = _difference(change.old[0] if change.old else "", change.new[0] if change.new else "")
        rows.append(self.row(None, "|", ""))
        for sign, style, lines in (("-", "minus", change.old), ("+", "plus", change.new)):
            for index, line in enumerate(lines):
                span = (start, length) if index == 0 else (0, 0)
                content = excerpt(line, *span, self.columns).text
                mark = self.paint("gutter", f"{change.first + index:>{self.gutter}} ") + self.paint(style, sign)
                rows.append(f"{mark} {self.paint(style, content)}" if content else mark)
        return rows

    def _line_at(self, start: int) -> str:
        """Return the line that begins at `start`."""
        stop = self.text.find("\n", start)
        return self.text[start : stop if stop >= 0 else len(self.text)]

    def _header(self, place: Pos, start: int, line: str) -> list[str]:
        """Return the nearest line above that is indented less: the header of the block the finding stands in."""
        indent = len(line) - len(line.lstrip())
        number = place.line
        while indent and start > 0 and place.line - number < MAX_HEADER_DISTANCE:
            start = self.text.rfind("\n", 0, start - 1) + 1
            number -= 1
            above = self._line_at(start)
            body = above.lstrip()
            if not body or body.startswith(("#", "//")) or len(above) - len(body) >= indent:
                continue
            shown = self.row(number, "|", excerpt(above, 0, 0, self.columns).text)
            return [shown] if number == place.line - 1 else [shown, self.paint("gutter", "...")]
        return []


def _place(diagnostic: Diagnostic, source: Source) -> Pos | None:
    """Return where the finding is, from its offset or its line, kept inside the text."""
    if diagnostic.offset is not None:
        return source.pos(diagnostic.offset)
    if diagnostic.line is None:
        return None
    number = min(max(diagnostic.line, 1), len(source.starts))
    start = source.starts[number - 1]
    column = min(max(diagnostic.column or 1, 1), len(source.line(number)) + 1)
    return Pos(number if source.text else max(diagnostic.line, 1), column, start + column - 1)


def _changed_lines(fix: Fix, source: Source) -> _Change | None:
    """Return the lines that a fix changes, None when there is nothing short to show."""
    text = source.text
    inside = [one for one in fix.edits if 0 <= one.offset <= one.offset + one.length <= len(text)]
    if not inside or len(inside) < len(fix.edits):
        return None
    first = text.rfind("\n", 0, min(one.offset for one in inside)) + 1
    last = max(one.offset + one.length for one in inside)
    stop = text.find("\n", last)
    stop = stop if stop >= 0 else len(text)
    if stop - first > MAX_CHANGED_CHARS:
        return None
    tail = text[last:stop]
    if text.count("\n", first, last) > MAX_FIX_LINES or sum(one.text.count("\n") for one in inside) > MAX_FIX_LINES:
        return None
    old = (text[first:last] + tail).split("\n")
    moved = Fix("", tuple(Edit(one.offset - first, one.length, one.text) for one in fix.edits))
    new = (moved.apply(text[first:last]) + tail).split("\n")
    number = source.pos(first).line
    while old and new and old[0] == new[0]:
        old, new, number = old[1:], new[1:], number + 1
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return _Change(number, old, new) if old or new else None


def _difference(left: str, right: str) -> tuple[int, int]:
    """Return where two lines begin to differ, and how many characters of the longer one do."""
    start = _common(left, right)
    end = _common(left[start:][::-1], right[start:][::-1])
    return start, max(len(left), len(right)) - start - end


def _common(left: str, right: str) -> int:
    """Return how many characters at the start of both texts are equal."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
