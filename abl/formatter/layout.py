"""Lays lines out: indentation by nesting, spacing of keys and dashes, blank lines, comments. Spec: abl-language 1.1."""

from __future__ import annotations

from dataclasses import dataclass, field

from abl.outline import Entry, Outline, Role
from abl.printer.document import is_short
from abl.syntax.document import HEADERS, SECTIONS

STEP = 2
"""Spaces for one level."""


def laid_out(made: Outline, kept: frozenset[str] = frozenset()) -> str:
    """Return the text of an outline in its layout; sections of the fields `kept` stand as they are."""
    return _Page(made, kept).text()


@dataclass(slots=True)
class _Comment:
    """A raw line that is neither significant nor text: a comment, a fence, or (`column` -1) a blank line."""

    text: str
    column: int
    follows: bool = False


@dataclass(slots=True)
class _Page:
    made: Outline
    kept: frozenset[str]
    out: list[str] = field(default_factory=list)
    waiting: list[_Comment] = field(default_factory=list)
    last: int = -1

    def text(self) -> str:
        made = self.made
        lines = made.lines
        at = 0
        verbatim = False
        in_comment = False
        for k, number in enumerate(lines.numbers):
            if number <= at:
                continue
            in_comment = self.wait(at, number - 1, in_comment)
            if k in made.sections:
                verbatim = self.is_kept(k)
            if verbatim:
                at = self.copy(k)
            else:
                self.flush(k)
                self.out.append(" " * self.column(k) + self.shown(k))
                at = self.texts(k, number)
            self.last = k
        self.wait(at, len(lines.raw), in_comment)
        self.flush(len(lines))
        while self.out and not self.out[-1]:
            self.out.pop()
        return "\n".join([*self.out, ""]) if self.out else ""

    def is_kept(self, k: int) -> bool:
        if not self.kept:
            return False
        row = self.made.entries[k].row
        return self.made.sections[k].word not in HEADERS if row is None else row.field in self.kept

    def column(self, k: int) -> int:
        return STEP * self.made.depths[k] if 0 <= k < len(self.made.depths) else 0

    # --- lines --------------------------------------------------------------------------------------------

    def shown(self, k: int) -> str:
        """Return the text of line `k` with its spacing."""
        text = self.made.lines.texts[k]
        entry = self.made.entries[k]
        section = self.made.sections.get(k)
        if section is not None:
            return _header(text, entry, section.word)
        if self.made.bodies[k].form in ("text", "nothing") or entry.role is Role.TEXT:
            return text
        dash = "- " if entry.start and text[0] == "-" else ""
        if entry.role is Role.PROPERTY and text[entry.stop : entry.value].strip() == ":":
            if text.startswith(dash) and entry.start == len(dash) and text[entry.stop : entry.value] == ": ":
                return text
            value = text[entry.value :]
            return f"{dash}{text[entry.start : entry.stop]}:{' ' + value if value else ''}"
        return (dash + text[entry.start :] if dash else text).rstrip()

    def texts(self, k: int, number: int) -> int:
        """Write the block or kept text under line `k`; return the raw line after it."""
        lines = self.made.lines
        entry = self.made.entries[k]
        if k in lines.blocks:
            first, stop = lines.blocks[k]
            under_key = lines.texts[k][0] == "-" and entry.start > 0 and lines.texts[k][1:].lstrip()[0] not in "|>"
            self.block(first, stop, self.column(k) + STEP * (2 if under_key else 1))
            return stop
        if k in self.made.kept:
            first, stop = self.made.kept[k]
            self.block(first, stop, self.column(k) + STEP * (2 if entry.own is not None else 1))
            return stop
        return number

    def block(self, first: int, stop: int, column: int) -> None:
        """Write raw lines at `column`; what is indented deeper than the first of them stays so."""
        raw = self.made.lines.raw
        base = -1
        for line in raw[first:stop]:
            bare = line.strip()
            if not bare:
                if base >= 0:
                    self.out.append("")
                continue
            if base < 0:
                base = len(line) - len(line.lstrip())
            rest = line[base:] if not line[:base].strip() else line.lstrip()
            self.out.append(" " * column + rest.rstrip())

    def copy(self, k: int) -> int:
        """Write line `k` and the raw lines before it as they stand; return the raw line after it and its block."""
        lines = self.made.lines
        if k in self.made.sections:
            self.flush(k)
        else:
            self.out.extend(one.text.rstrip() for one in self.waiting)
            self.waiting = []
        stop = lines.blocks[k][1] if k in lines.blocks else lines.numbers[k]
        self.out.extend(line.rstrip() for line in lines.raw[lines.numbers[k] - 1 : stop])
        return stop

    # --- comments and blank lines -------------------------------------------------------------------------

    def wait(self, first: int, stop: int, in_comment: bool) -> bool:
        """Take the raw lines `first` to `stop` until it is known what they stand before."""
        for line in self.made.lines.raw[first:stop]:
            bare = line.strip()
            if not bare:
                self.waiting.append(_Comment("", -1))
                continue
            self.waiting.append(_Comment(line, len(line) - len(line.lstrip()), in_comment))
            in_comment = not bare.endswith("*/") if in_comment else bare.startswith("/*") and "*/" not in bare
        return in_comment

    def flush(self, k: int) -> None:
        """Write what stands before line `k`."""
        waiting = self.waiting
        if k in self.made.sections and self.out and self.wants_blank(k) and all(one.column >= 0 for one in waiting):
            at = len(waiting)
            while at and waiting[at - 1].column == 0:
                at -= 1
            waiting.insert(at, _Comment("", -1))
        shift = 0
        for one in waiting:
            if one.column < 0:
                if self.out and self.out[-1]:
                    self.out.append("")
                continue
            if not one.follows:
                column = self.comment_column(one, k)
                shift = column - one.column
            self.out.append(" " * max(one.column + shift, 0) + one.text.strip())
        self.waiting = []

    def wants_blank(self, k: int) -> bool:
        """Return whether a blank line belongs before the section at line `k`.

        Only between two of the short ones that open a text (name, goal, persona ...) the author decides.
        """
        before = self.section_before()
        return not (self.is_short(k) and (self.is_short(before) or self.opens_profile(before)))

    def is_short(self, k: int) -> bool:
        row = self.made.entries[k].row
        return row is None or is_short(row)

    def opens_profile(self, k: int) -> bool:
        """Return whether line `k` is the header of a profile, whose own sections follow."""
        return k in self.made.sections and self.made.sections[k].word == "BEHAVIOR_PROFILE"

    def section_before(self) -> int:
        parents = self.made.ancestors(self.last)
        return parents[-1] if parents else self.last

    def comment_column(self, one: _Comment, k: int) -> int:
        """Return where a comment before line `k` goes: with that line, or with what stands before and is as deep."""
        lines = self.made.lines
        after = self.column(k)
        before = lines.columns[k] if k < len(lines) else 0
        if one.column <= before or self.last < 0:
            return after
        for j in (self.last, *self.made.ancestors(self.last)):
            if lines.columns[j] <= one.column:
                return max(after, self.column(j))
        return after


def _header(text: str, entry: Entry, word: str) -> str:
    """Return a section's header line: the word in capitals, one space before the value."""
    written = text[: entry.stop]
    known = word in SECTIONS or word in HEADERS
    if entry.role is not Role.SECTION or not known or text[entry.stop : entry.value].strip() != ":":
        return text
    if written.upper() != word or (written == word and text[entry.stop : entry.value] == ": "):
        return text
    value = text[entry.value :]
    return f"{word}:{' ' + value if value else ''}"
