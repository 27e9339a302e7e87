"""The lines of a text as a tree, by indentation alone; one pass. Spec: abl-language 1.2."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from abl.outline.bodies import AGENT, NOTHING, PROFILE, TEXT, Body, Form
from abl.outline.entries import Entry, Line, Role, line_of, read, row_of
from abl.parser.joining import carries_on
from abl.parser.lines import Lines, scan
from abl.parser.reader import Reader
from abl.parser.sections import Section, cut
from abl.parser.slashes import hashed
from abl.parser.values import open_brackets
from abl.source import Source
from abl.syntax.document import HEADERS, Document
from abl.syntax.flow import Step
from abl.syntax.node import Kind
from abl.syntax.profile import Profile

MAX_CONTINUED = 200
"""Lines over which brackets are followed."""
_BRACKETS = frozenset({Form.ITEMS, Form.MAP, Form.SET, Form.FREE, Form.CALL, Form.ENTRIES, Form.MIXED})
_CLOSING = frozenset(")}]")
_INLINE = frozenset({Form.ITEMS, Form.MAP, Form.FREE})
"""What may stand as a whole in brackets below its key."""


@dataclass(slots=True)
class Outline:
    """What every significant line of a text is.

    Attributes:
        lines: The significant lines.
        sections: Line -> the section that begins there.
        parents: Line -> the line it is nested in, or -1.
        depths: Line -> how deep it stands; after a dash the key counts as one level more.
        bodies: Line -> the body it stands in.
        entries: Line -> what it is.
        kept: Line -> raw lines under it (0-based, half open) whose relative indentation is part of a text.
    """

    lines: Lines
    sections: dict[int, Section] = field(default_factory=dict)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    kept: dict[int, tuple[int, int]] = field(default_factory=dict)

    def ancestors(self, k: int) -> list[int]:
        """Return the lines that line `k` is nested in, the innermost first."""
        found = []
        while (k := self.parents[k]) >= 0:
            found.append(k)
        return found

    def siblings(self, k: int) -> list[int]:
        """Return the lines that stand in the same body as line `k`, itself included."""
        parent, body = self.parents[k], self.bodies[k]
        first = parent + 1
        count = len(self.parents)
        found = [parent] if parent >= 0 and self._opens(parent, body) else []
        while first < count and self._within(first, parent):
            if self.parents[first] == parent and self.bodies[first] is body:
                found.append(first)
            first += 1
        return found

    def _opens(self, parent: int, body: Body) -> bool:
        """Whether a dash line is itself the first property of the item whose body is `body`."""
        entry = self.entries[parent]
        return entry.role is Role.PROPERTY and entry.body is body and self.lines.texts[parent][0] == "-"

    def _within(self, k: int, parent: int) -> bool:
        while k > parent >= 0:
            k = self.parents[k]
        return k == parent or parent < 0


@dataclass(slots=True)
class _Frame:
    """A line that is open: lines indented deeper than `indent` stand in `body` at `depth`."""

    indent: int
    k: int
    body: Body
    depth: int
    loose: bool = False


def outline(source: Source) -> Outline:
    """Return what every line of `source` is; linear in its length."""
    lines = scan(source)
    reader = Reader(lines)
    made = Outline(lines, {section.k: section for section in cut(reader)})
    _Builder(made).build()
    return made


def _opens(text: str) -> bool:
    """Return whether a line begins a list or map in brackets."""
    return text[:1] in ("[", "{") and not text.startswith("{{")


class _Builder:
    def __init__(self, made: Outline) -> None:
        self.made = made
        self.lines = made.lines
        self.count = len(made.lines)
        self.stack: list[_Frame] = []
        self.limit = 0
        self.unclosed = 0
        self.carried = -1
        first = made.lines.texts[0] if self.count else ""
        self.top = PROFILE if first.startswith("BEHAVIOR_PROFILE") else AGENT

    def build(self) -> None:
        starts = [*self.made.sections, self.count]
        if starts[0]:
            self.limit = starts[0]
            self.lines_of(0, NOTHING)
        for k, stop in pairwise(starts):
            self.limit = stop
            self.stack = []
            self.section(self.made.sections[k])

    def add(self, parent: int, depth: int, body: Body, entry: Entry) -> None:
        made = self.made
        made.parents.append(parent)
        made.depths.append(depth)
        made.bodies.append(body)
        made.entries.append(entry)

    def section(self, section: Section) -> None:
        k = section.k
        entry = self.header(section)
        self.add(-1, 0, self.top, entry)
        if entry.body.form is Form.TEXT:
            self.keep(k, self.limit, 0)
            return
        self.stack = [_Frame(-1, k, entry.body, 1)]
        self.lines_of(k + 1, entry.body)

    def header(self, section: Section) -> Entry:
        """Return what the header line of a section is."""
        text = self.lines.texts[section.k]
        following = self.following(section.k, self.limit)
        line = Line(text, 0, following, blocked=section.k in self.lines.blocks)
        stop = len(section.word) if section.word != "IMPORT" else 0
        value = section.offset - self.lines.offsets[section.k]
        cls = self.top.cls
        if section.word in HEADERS:
            return Entry(Role.SECTION, 0, stop, value, None, Document, AGENT)
        if section.word == "TEMPLATE":
            named = read(Body(Form.TEMPLATES, Document, Document.BY_FIELD["templates"]), Line(text, 0, following))
            begin = len(text[:stop]) + len(text[stop:]) - len(text[stop:].lstrip())
            return Entry(Role.NAME, begin, named.stop, named.value, named.row, Document, named.body)
        if section.word == "BEHAVIOR_PROFILE":
            attached = Document.BY_FIELD["behavior_profiles"]
            return Entry(Role.SECTION, 0, stop, value, attached, Document, PROFILE)
        row = row_of(cls, section.word) or row_of(Profile, section.word)
        if row is None:
            return Entry(Role.SECTION, 0, stop, value, None, None, TEXT)
        owner = cls if cls is not None and cls.BY_FIELD.get(row.field) is row else Profile
        written = Line(f"{row.key}:{section.value}", 0, following, blocked=line.blocked)
        read_as = read(Body(Form.SECTIONS, owner), written)
        return Entry(Role.SECTION, 0, stop, value, row, owner, read_as.body)

    def following(self, k: int, limit: int) -> str:
        """Return the text of the first line nested in line `k`, empty if there is none."""
        lines = self.lines
        if k + 1 < limit and (lines.indents[k + 1] > lines.indents[k] or k in self.made.sections):
            return lines.texts[k + 1]
        return ""

    def keep(self, k: int, stop: int, depth: int) -> None:
        """Take the lines `k + 1` to `stop` as text that belongs to line `k`."""
        if stop <= k + 1:
            return
        self.made.kept[k] = (self.lines.numbers[k], self.lines.last_raw(stop))
        for _ in range(k + 1, stop):
            self.add(k, depth + 1, TEXT, Entry(Role.TEXT))

    def lines_of(self, k: int, body: Body) -> None:
        """Read the lines from `k` to the end of the section."""
        if not self.stack:
            self.stack = [_Frame(-1, k - 1, body, 1 if k else 0)]
        while k < self.limit:
            k = self.one(k)

    def one(self, k: int) -> int:
        """Read line `k`; return the line after it and after all that is text of it."""
        lines = self.lines
        text, indent = lines.texts[k], lines.indents[k]
        frame = self.frame_of(indent, dash=text[0] == "-")
        plain = hashed(text) if " //" in text else text
        line = line_of(plain, self.following(k, self.limit), blocked=k in lines.blocks)
        entry = read(frame.body, line)
        depth = frame.depth + self.carries(frame, k, entry)
        self.add(frame.k, depth, frame.body, entry)
        stop = min(lines.ends[k], self.limit)
        nested = entry.own if entry.own is not None else entry.body
        if nested.form is Form.TEXT or (nested.form in _INLINE and not line.rest and _opens(line.following)):
            last = k + 1
            column = indent + line.start
            while last < stop and (entry.own is None or lines.indents[last] > column):
                last += 1
            self.keep(k, last, depth + (entry.own is not None))
            if entry.own is None:
                return last
            self.stack.append(_Frame(indent, k, entry.body, depth + 1))
            return last
        after = self.continued(k, entry, nested, depth)
        self.stack.append(_Frame(indent, k, entry.body, depth + 1, self.is_loose(frame.body, entry, line)))
        if entry.own is not None:
            self.stack.append(_Frame(indent + line.start, k, entry.own, depth + 2, loose=False))
        return after

    def frame_of(self, indent: int, *, dash: bool) -> _Frame:
        """Close what ends before a line indented by `indent`; return what it stands in."""
        stack = self.stack
        while len(stack) > 1:
            top = stack[-1]
            if top.indent < indent:
                top.loose = False
                break
            if dash and top.loose and top.indent == indent:
                break
            stack.pop()
        return stack[-1]

    def carries(self, frame: _Frame, k: int, entry: Entry) -> bool:
        """Return whether line `k` carries on the text after a dash: it stands deeper than the properties there."""
        lines, cls = self.lines, frame.body.cls
        if entry.role is not Role.TEXT or cls is None or frame.k < 0 or lines.texts[frame.k][0] != "-":
            return False
        if k - 1 not in (frame.k, self.carried) or not carries_on(cls, lines.texts[k]):
            return False
        self.carried = k
        return True

    def is_loose(self, body: Body, entry: Entry, line: Line) -> bool:
        """Return whether the dash list of a bare key may stand in the key's own column."""
        if line.dash or line.rest or line.colon < 0 or line.blocked or line.following:
            return False
        if body.form in (Form.FREE, Form.SHAPE, Form.FORMATS) or (body.form is Form.PROPS and body.cls is Step):
            return True
        return body.form is Form.STEPS and entry.role is Role.PROPERTY

    def continued(self, k: int, entry: Entry, nested: Body, depth: int) -> int:
        """Read the lines that close a bracket left open on line `k`; return the line after them."""
        lines = self.lines
        is_tool = entry.role is Role.TOOL
        is_type = entry.row is not None and entry.row.kind is Kind.TYPE
        if k < self.unclosed or not (is_tool or is_type or nested.form in _BRACKETS):
            return k + 1
        depth_of_brackets = open_brackets(lines.texts[k])
        if depth_of_brackets <= 0:
            return k + 1
        limit = min(self.limit, k + MAX_CONTINUED)
        last = k + 1
        while last < limit and depth_of_brackets > 0:
            deeper = lines.indents[last] > lines.indents[k]
            if not deeper and not (is_tool and lines.texts[last][0] in _CLOSING):
                break
            depth_of_brackets += open_brackets(lines.texts[last])
            last += 1
        if depth_of_brackets > 0:
            self.unclosed = last  # no bracket before it is followed again, so that the pass stays linear
            return k + 1
        for j in range(k + 1, last):
            deeper = lines.indents[j] > lines.indents[k] and lines.texts[j][0] not in _CLOSING
            self.add(k, depth + deeper, NOTHING, Entry(Role.TEXT))
        return last
