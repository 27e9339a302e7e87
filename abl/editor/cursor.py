"""What stands around the cursor, told by indentation and schema: it works on a line that is half typed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from abl.outline import Body, Entry, Form, Outline, Role, outline
from abl.outline.bodies import NOTHING
from abl.source import Source
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.steps import Assignment

_WORD = re.compile(r"[\w.-]*\Z")
_FORMULAS = frozenset({Kind.CONDITION, Kind.EXPRESSION})
PLACEHOLDER = "x"
"""Stands for the word that is about to be typed on an empty line."""


class Stage(StrEnum):
    """What is being typed."""

    SECTION = "section"  # a word at the start of a line
    KEY = "key"  # the beginning of a line of a body
    VALUE = "value"  # what stands after the colon, or a list item
    FORMULA = "formula"  # within a condition, an expression or {{ }}
    FILTER = "filter"  # after | within {{ }}
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Cursor:
    """The place of the cursor.

    Attributes:
        stage: What is being typed.
        word: What is already typed of the word.
        start: Offset of that word.
        line: The line up to the cursor.
        rest: The line behind the cursor.
        body: The body the line stands in.
        row, cls: The property whose value is being typed, and its class.
        entry: What the line is.
        k: Its index in `outline`, or -1.
        outline: The lines of the text as it would be with the word typed.
    """

    stage: Stage
    word: str
    start: int
    line: str
    rest: str
    outline: Outline
    body: Body = NOTHING
    row: Prop | None = None
    cls: type[Node] | None = None
    entry: Entry | None = None
    k: int = -1

    @property
    def present(self) -> frozenset[str]:
        """Fields that the body already has, apart from the line of the cursor."""
        if self.k < 0:
            return frozenset()
        entries = self.outline.entries
        rows = (entries[k].row for k in self.outline.siblings(self.k) if k != self.k)
        return frozenset(row.field for row in rows if row is not None)

    @property
    def dash(self) -> bool:
        """Whether the line begins with a dash."""
        return self.line.lstrip().startswith("-")


def cursor_at(text: str, offset: int) -> Cursor:
    """Return the place of the cursor at `offset` of a normalised text."""
    start = text.rfind("\n", 0, offset) + 1
    stop = text.find("\n", offset)
    stop = len(text) if stop < 0 else stop
    before, rest = text[start:offset], text[offset:stop]
    shown = before + PLACEHOLDER if before.strip() in ("", "-") else before
    if before.endswith("-"):
        shown = before + " " + PLACEHOLDER
    made = outline(Source(text[:start] + shown + text[stop:]))
    word = _WORD.search(before)
    typed = word[0] if word else ""
    if typed.startswith("-"):
        typed = ""
    here = Cursor(Stage.NOTHING, typed, offset - len(typed), before, rest, made)
    number = text.count("\n", 0, start) + 1
    tag = _tag_stage(before)
    k = _line_of(made, number)
    if k is None:
        return _in_block(here, made, number, tag)
    here = _on_line(replace(here, k=k), offset - made.lines.offsets[k])
    if not before or (not before[0].isspace() and before[0] != "-" and ":" not in before):
        here = replace(here, stage=Stage.SECTION)
    return replace(here, stage=tag) if tag is not None else here


def _line_of(made: Outline, number: int) -> int | None:
    numbers = made.lines.numbers
    for k in range(len(numbers) - 1, -1, -1):
        if numbers[k] == number:
            return k
        if numbers[k] < number:
            return None
    return None


def _tag_stage(before: str) -> Stage | None:
    """Return the stage within an open `{{`, None outside."""
    opened = before.rfind("{{")
    if opened < 0 or "}}" in before[opened:]:
        return None
    inside = before[opened + 2 :]
    return Stage.FILTER if re.search(r"\|\s*\w*\Z", inside) else Stage.FORMULA


def _in_block(here: Cursor, made: Outline, number: int, tag: Stage | None) -> Cursor:
    """Return the place in a block text or comment."""
    for k, (first, stop) in made.lines.blocks.items():
        if first < number <= stop:
            entry = made.entries[k]
            formula = entry.row is not None and entry.row.kind in _FORMULAS
            stage = tag or (Stage.FORMULA if formula else Stage.NOTHING)
            return replace(here, stage=stage, row=entry.row, cls=entry.cls, entry=entry, body=made.bodies[k], k=k)
    return replace(here, stage=tag or Stage.NOTHING)


def _on_line(here: Cursor, column: int) -> Cursor:
    made, k = here.outline, here.k
    entry, body = made.entries[k], made.bodies[k]
    here = replace(here, entry=entry, body=body)
    if body.form is Form.TEXT:
        return here
    if body.form is Form.SET:
        return _assignment(here, made.lines.texts[k])
    if body.form is Form.ITEMS:
        return replace(here, stage=Stage.VALUE, row=body.row, cls=body.cls)
    text = made.lines.texts[k]
    colon = text.find(":", entry.start)
    typed_key = entry.role is Role.BRANCH and column > entry.stop
    if (colon < 0 or column <= colon) and not typed_key:
        return replace(here, stage=Stage.KEY)
    row = entry.row
    if body.form is Form.MAP:
        formula = body.row is not None and body.row.formula
        return replace(here, stage=Stage.FORMULA if formula else Stage.VALUE, row=body.row, cls=body.cls)
    if row is None or entry.role in (Role.NAME, Role.TOOL, Role.STEP):
        return replace(here, stage=Stage.NOTHING, row=row)
    here = replace(here, row=row, cls=entry.cls)
    if row.kind in _FORMULAS:
        return replace(here, stage=Stage.FORMULA)
    if row.kind is Kind.SET:
        return _assignment(here, text[entry.value :])
    if row.kind is Kind.CALL and "(" in here.line:
        return replace(here, stage=Stage.FORMULA)
    return replace(here, stage=Stage.VALUE)


def _assignment(here: Cursor, text: str) -> Cursor:
    """Return the place within `variable = expression`."""
    return replace(here, stage=Stage.FORMULA if "=" in text else Stage.VALUE, cls=Assignment, row=None)
