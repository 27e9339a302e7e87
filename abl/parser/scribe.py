"""What a parse has found so far, and the means to say it: places, fixes, bounds. Spec: abl-language 2.4, 13."""

from __future__ import annotations

from typing import TypeVar

from abl.diagnostics.model import Diagnostic, Edit, Fix
from abl.diagnostics.reporter import finding
from abl.diagnostics.suggest import closest
from abl.parser.bounds import Full
from abl.parser.faults import Fault
from abl.parser.lines import Lines, dedent, nesting
from abl.parser.values import MAX_NESTING
from abl.source import Pos, new_tuple
from abl.syntax.legacy import AgentRef
from abl.syntax.node import Node, new_object

MAX_DIAGNOSTICS = 1000
"""Findings kept for one document; the last one says that there are more."""
MAX_SUGGESTIONS = 200
"""Unknown words of one document for which near spellings are looked for."""

_Made = TypeVar("_Made", bound=Node)


class Scribe:
    """One parse: its lines, and what was found on the way; knows places and fixes, but no property."""

    __slots__ = (
        "_suggestions", "acting", "columns", "depth", "ends", "findings", "indents", "legacy_agents", "lines",
        "numbers", "offsets", "reached", "room", "source", "strict", "texts", "tool_places", "with_mode",
    )  # fmt: skip

    def __init__(self, lines: Lines, *, strict: bool = False) -> None:
        self.lines = lines
        self.source = lines.source
        self.texts = lines.texts
        self.indents = lines.indents
        self.columns = lines.columns
        self.offsets = lines.offsets
        self.numbers = lines.numbers
        self.ends = lines.ends
        self.strict = strict
        self.with_mode: bool | None = None
        self.legacy_agents: list[AgentRef] = []
        self.tool_places: dict[str, int] = {}
        self.findings: list[Diagnostic] = []
        self.acting: list[Node] = []
        self.depth = 0
        self.room = lines.room
        self.reached = 0
        self._suggestions = 0

    def report(self, code: str, offset: int, length: int = 1, fix: Fix | None = None, **arguments: str) -> None:
        """Add a finding at `offset`; beyond `MAX_DIAGNOSTICS` only one more, which says so."""
        count = len(self.findings)
        if count > MAX_DIAGNOSTICS:
            return
        if count == MAX_DIAGNOSTICS:
            code, fix, arguments = "TOO_MANY_DIAGNOSTICS", None, {"value": str(MAX_DIAGNOSTICS)}
        line, column, offset = self.source.pos(offset)
        self.findings.append(
            finding(
                code, strict=self.strict, line=line, column=column, offset=offset, length=length, fix=fix, **arguments
            )
        )

    def report_line(self, code: str, k: int, fix: Fix | None = None, **arguments: str) -> None:
        """Add a finding that covers the text of line `k`."""
        self.report(code, self.offsets[k], len(self.texts[k]), fix, **arguments)

    def report_faults(self, faults: list[Fault]) -> None:
        """Add the findings of a part that was read elsewhere."""
        for fault in faults:
            self.report(fault.code, fault.offset, fault.length, fault.fix, **fault.arguments)

    def drop(self, unwanted: set[int]) -> None:
        """Take lines out of the parse, as if they were comments."""
        kept = [k for k in range(len(self.texts)) if k not in unwanted]
        blocks = self.lines.blocks
        moved = {new: blocks[old] for new, old in enumerate(kept) if old in blocks}
        self.texts[:] = [self.texts[k] for k in kept]
        for one in (self.indents, self.columns, self.offsets, self.numbers):
            one[:] = [one[k] for k in kept]
        self.ends[:] = nesting(self.indents)
        blocks.clear()
        blocks.update(moved)

    def near(self, word: str, candidates: list[str] | tuple[str, ...]) -> str | None:
        """Return the candidate that was probably meant; looked for at most `MAX_SUGGESTIONS` times a document."""
        self._suggestions += 1
        return closest(word, candidates) if self._suggestions <= MAX_SUGGESTIONS else None

    def new(self, cls: type[_Made], k: int) -> _Made:
        """Return a node that begins on line `k`; ends the parse when there is no room for it."""
        self.room -= cls.COST
        if self.room < 0:
            self.spend(0, k)
        made = new_object(cls)
        made.pos = new_tuple(Pos, (self.numbers[k], self.columns[k] + 1, self.offsets[k]))
        made.at = {}
        return made

    def spend(self, size: int, k: int) -> None:
        """Count `size` bytes for what was read from line `k`; ends the parse when there is no room for more."""
        self.room -= size
        if self.room < 0:
            self.reached = k
            raise Full

    def affords(self, size: int, k: int) -> bool:
        """Count `size` bytes for what is read from line `k`; False, once there is no room left, ends its section."""
        self.room -= size
        if self.room < 0 and self.lines.left < 0:
            self.lines.left = self.offsets[k]
        return self.room >= 0

    def pos(self, k: int) -> Pos:
        """Return the place of line `k`."""
        return new_tuple(Pos, (self.numbers[k], self.columns[k] + 1, self.offsets[k]))

    def edit(self, offset: int, length: int, text: str, title: str) -> Fix:
        """Return a fix of one replacement."""
        return Fix(title, (Edit(offset, length, text),))

    def raw_value(self, k: int, end: int, value: str) -> str:
        """Return a property's value as it was written: the inline part, then the nested lines, dedented."""
        if k in self.lines.blocks:
            return value + "\n" + dedent(self.lines.raw[slice(*self.lines.blocks[k])])
        if end > k + 1:
            body = dedent(self.lines.raw[self.numbers[k] : self.lines.last_raw(end)])
            return value + "\n" + body if body else value
        return value

    def indent_fix(self, first: int, stop: int, column: int) -> Fix:
        """Return the fix that moves lines `first` to `stop` so that the first stands in `column` (0-based)."""
        shift = column - self.columns[first]
        edits = []
        start = self.line_start(first)
        for number in range(self.numbers[first] - 1, self.lines.last_raw(stop)):
            raw = self.lines.raw[number]
            if raw.strip() and shift > 0:
                edits.append(Edit(start, 0, " " * shift))
            elif raw.strip():
                edits.append(Edit(start, min(-shift, len(raw) - len(raw.lstrip())), ""))
            start += len(raw) + 1
        return Fix(f"indent by {column} spaces" if column else "move to the start of the line", tuple(edits))

    def line_start(self, k: int) -> int:
        """Return the offset of the first character of the raw line of line `k`."""
        return self.offsets[k] - self.columns[k]

    def misplaced(self, j: int, stop: int, column: int, owner: str) -> None:
        """Report lines `j` to `stop` as indented wrongly; they belong in `column` (0-based)."""
        name = self.texts[j].partition(":")[0].lstrip("- ")
        self.report_line("MISPLACED_INDENT", j, self.indent_fix(j, stop, column), name=name, property=owner)

    def removal(self, k: int, first: int) -> Fix | None:
        """Return the fix that removes line `k`, if raw line `first` (1-based) says the same."""
        number = self.numbers[k]
        if k in self.lines.blocks or self.lines.raw[first - 1].strip() != self.texts[k]:
            return None
        start = self.line_start(k)
        stop = min(start + len(self.lines.raw[number - 1]) + 1, len(self.source.text))
        return self.edit(start, stop - start, "", "remove the repeated line")

    def deeper(self, k: int) -> bool:
        """Enter one level of nesting; False (with one finding) when it is too deep."""
        if self.depth >= MAX_NESTING:
            self.report_line("NESTING_TOO_DEEP", k, value=str(MAX_NESTING))
            return False
        self.depth += 1
        return True

    def leave(self) -> None:
        """Leave the level of nesting that `deeper` entered."""
        self.depth -= 1
