"""What one line is, given the body it stands in. Spec: abl-language 1.2, 1.5, 5.1."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from abl.outline.bodies import FREE, NOTHING, TEXT, Body, Form, body_of, of_class
from abl.parser.branches import ELSE_IF, LAST
from abl.parser.content import format_key
from abl.parser.reader import SCALARS
from abl.parser.rules import rules_key
from abl.parser.values import cut_comment
from abl.syntax.flow import Flow, Step
from abl.syntax.node import Node, Prop
from abl.syntax.rich import FORMAT_KEYS, TEXT_FORMATS, ActionSet, Element, Voice
from abl.syntax.rules import RULE_KINDS
from abl.syntax.steps import Branch, Call
from abl.syntax.tools import Tool, ToolDefaults


class Role(StrEnum):
    """What a line is."""

    SECTION = "section"
    PROPERTY = "property"
    NAME = "name"  # an entry told by its name
    ITEM = "item"  # a dash item
    STEP = "step"
    TOOL = "tool"
    BRANCH = "branch"
    KEY = "key"  # a key of a map, a format, a YAML-like body
    TEXT = "text"


class Entry(NamedTuple):
    """One line.

    Attributes:
        role: What it is.
        start, stop: The key or name, relative to the trimmed text; equal when there is none.
        value: Where the value begins.
        row, cls: The property it is, and the class it belongs to.
        body: What may be nested under it.
        own: For `- key:` what may be nested under the key; None when all belongs to the item.
    """

    role: Role
    start: int = 0
    stop: int = 0
    value: int = 0
    row: Prop | None = None
    cls: type[Node] | None = None
    body: Body = TEXT
    own: Body | None = None


class Line:
    """A trimmed line and what is known of its surroundings.

    Attributes:
        text: The line.
        start: Where its content begins (after a dash).
        following: The first line nested in it, empty if none is.
        blocked: Whether a block text stands under it.
        dash: Whether it is a dash item.
        colon: Where the first colon stands, or -1.
        key: What stands before the colon, empty without one.
        rest: What stands after the colon.
    """

    __slots__ = ("blocked", "colon", "dash", "following", "key", "rest", "start", "text")

    def __init__(self, text: str, start: int, following: str = "", *, blocked: bool = False) -> None:
        self.text = text
        self.start = start
        self.following = following
        self.blocked = blocked
        self.dash = start > 0
        self.colon = colon = text.find(":", start)
        self.key = text[start:colon].strip() if colon > start else ""
        self.rest = text[colon + 1 :].strip() if colon >= 0 else ""


def line_of(text: str, following: str = "", *, blocked: bool = False) -> Line:
    """Return a trimmed text as a line."""
    start = 0
    if text[0] == "-" and text[1:2] not in ("-", ">"):
        start = len(text) - len(text[1:].lstrip())
    return Line(text, start, following, blocked=blocked)


def row_of(cls: type[Node] | None, key: str) -> Prop | None:
    """Return the property of `cls` that `key` spells, in any case."""
    if cls is None or not key:
        return None
    known = cls.BY_KEY.get(key)
    if known is not None:
        return known
    word = key.strip("\"'").strip().upper()
    return cls.BY_KEY.get(word) or cls.BY_KEY.get(word.replace("-", "_").replace(" ", "_"))


def read(body: Body, line: Line) -> Entry:
    """Return what `line` is in `body`."""
    return _READ[body.form](body, line)


def _placed(
    role: Role, line: Line, row: Prop | None, cls: type[Node] | None, body: Body, own: Body | None = None
) -> Entry:
    """Return an entry whose key stands before the colon, or is the whole line."""
    start, colon = line.start, line.colon
    if colon < 0:
        end = len(line.text)
        return Entry(role, start, end, end, row, cls, body, own)
    value = len(line.text) - len(line.rest) if line.rest else len(line.text)
    stop = start + len(line.text[start:colon].rstrip())
    return Entry(role, start, stop, value, row, cls, body, own)


def _property(cls: type[Node], row: Prop, line: Line) -> Entry:
    below = body_of(cls, row)
    if below.form is Form.RESPOND and not line.rest and row_of(cls, line.following.partition(":")[0]) is None:
        below = Body(Form.TEXT, cls, row)
    if not line.dash:
        return _placed(Role.PROPERTY, line, row, cls, below)
    nests = row.kind not in SCALARS or not line.rest or line.blocked
    return _placed(Role.PROPERTY, line, row, cls, of_class(cls), below if nests else None)


def _text(line: Line, body: Body = TEXT) -> Entry:
    return Entry(Role.ITEM if line.dash else Role.TEXT, line.start, line.start, line.start, body=body)


def _props(body: Body, line: Line) -> Entry:
    cls = body.cls
    row = row_of(cls, line.key)
    if cls is not None and row is not None:
        return _property(cls, row, line)
    if line.dash and cls is not None and (branches := cls.BY_FIELD.get("branches")) is not None:
        return _branches(body_of(cls, branches), line)
    return _text(line)


def _call(body: Body, line: Line) -> Entry:
    row = row_of(Call, line.key)
    return _property(Call, row, line) if row is not None else _props(body, line)


def _entries(body: Body, line: Line) -> Entry:
    cls = body.cls
    assert cls is not None
    row = row_of(cls, line.key)
    if row is not None and (line.dash or not cls.MAIN):
        return _property(cls, row, line)
    below = of_class(cls)
    if line.key:
        return _placed(Role.NAME, line, body.row, cls, below)
    return Entry(Role.ITEM, line.start, len(line.text), len(line.text), body.row, cls, below)


def _mixed(body: Body, line: Line) -> Entry:
    cls = body.cls
    assert cls is not None
    rest = cls.BY_FIELD[cls.REST]
    row = row_of(cls, line.key)
    if row is not None and not line.dash:
        scalar = row.kind in SCALARS
        if (row is rest and (not line.rest or "[" in line.text)) or (scalar and (line.blocked or not line.following)):
            return _property(cls, row, line)
    return _entries(body_of(cls, rest), line)


def _branches(body: Body, line: Line) -> Entry:
    text = line.text[line.start :]
    word = ELSE_IF.match(text) or re.match(r"[A-Za-z_]*", text)
    head = word[0].upper() if word else ""
    below = of_class(Branch)
    if head in ("IF", "WHEN", "CONDITION", *LAST) or ELSE_IF.fullmatch(head):
        row = Branch.BY_FIELD["otherwise" if head in LAST else "condition"]
        start, stop = line.start, line.start + len(head)
        rest = line.text[stop:]
        return Entry(Role.BRANCH, start, stop, stop + len(rest) - len(rest.lstrip(" \t:")), row, Branch, below)
    other = row_of(Branch, line.key)
    return _property(Branch, other, line) if other is not None else _text(line, below)


def _rules(body: Body, line: Line) -> Entry:
    assert body.cls is not None
    word = re.match(r"[A-Za-z_]*", line.text[line.start :])
    head = word[0].lower() if word else ""
    below = of_class(body.cls)
    if head in RULE_KINDS:
        start, stop = line.start, line.start + len(head)
        rest = line.text[stop:]
        row = body.cls.BY_FIELD["condition"]
        return Entry(Role.BRANCH, start, stop, stop + len(rest) - len(rest.lstrip(" \t:")), row, body.cls, below)
    other = row_of(body.cls, line.key)
    if other is not None and (line.dash or rules_key(line.text)):
        return _property(body.cls, other, line)
    if not line.dash and line.key and not cut_comment(line.rest):
        return _placed(Role.KEY, line, None, None, body)
    return _text(line, below)


_SIGNATURE = re.compile(r"[^\s:(\"']+\s*\(")


def _tools(body: Body, line: Line) -> Entry:
    bare = line.text[line.start :]
    below = of_class(Tool)
    if bare[:4].upper() in ("FROM", "USE ", "USE_"):
        return _text(line)
    if _SIGNATURE.match(bare):
        stop = line.text.index("(", line.start)
        return Entry(Role.TOOL, line.start, stop, stop, body.row, Tool, below)
    row = row_of(ToolDefaults, line.key)
    if row is not None and not line.dash:
        return _property(ToolDefaults, row, line)
    if not line.rest:
        return _placed(Role.TOOL, line, body.row, Tool, below)
    return _text(line, below)


_STEP = re.compile(r"(?:step\s+)?\"?[A-Za-z_][\w-]*\"?\s*:", re.IGNORECASE)


def _steps(body: Body, line: Line) -> Entry:
    row = row_of(Flow, line.key)
    if row is not None and not line.dash and (line.key != line.key.upper() or line.key == "STEPS"):
        if row.field == "order" and line.following and line.following[0] != "-":
            return _placed(Role.PROPERTY, line, row, Flow, body)
        return _property(Flow, row, line)
    if not cut_comment(line.rest) and _STEP.match(line.text) and line.key != line.key.upper():
        return _placed(Role.STEP, line, None, Step, of_class(Step))
    row = row_of(Step, line.key)
    if row is not None and not line.dash:
        return _property(Step, row, line)
    if line.key and not line.rest and _STEP.match(line.text):
        return _placed(Role.STEP, line, None, Step, of_class(Step))
    return _text(line)


_ELEMENT = re.compile(r"(BUTTON|SELECT|INPUT)\b", re.IGNORECASE)


def _elements(body: Body, line: Line) -> Entry:
    found = _ELEMENT.match(line.text, line.start)
    if found:
        return _placed(Role.NAME, line, None, Element, of_class(Element))
    row = row_of(ActionSet, line.key)
    if row is not None and row.field != "elements":
        return _property(ActionSet, row, line)
    return _text(line, of_class(Element))


def _human(body: Body, line: Line) -> Entry:
    assert body.cls is not None
    return _text(line, of_class(body.cls))


def _formats(body: Body, line: Line) -> Entry:
    key = format_key(line.key)
    if key.startswith("VOICE"):
        below = of_class(Voice) if key == "VOICE" and not line.rest else TEXT
        return _placed(Role.KEY, line, None, None, below)
    name = FORMAT_KEYS.get(key)
    if key == "CONTENT" or name in TEXT_FORMATS or name is None:
        return _placed(Role.KEY, line, None, None, TEXT) if line.key else _text(line)
    return _placed(Role.KEY, line, None, None, FREE)


def _templates(body: Body, line: Line) -> Entry:
    if not line.key:
        return _text(line)
    below = TEXT
    if line.following:
        key = format_key(line.following.partition(":")[0])
        if key in FORMAT_KEYS or key.startswith("VOICE") or key in ("CONTENT", "FORMATS"):
            below = Body(Form.FORMATS)
    return _placed(Role.NAME, line, body.row, None, below)


def _items(body: Body, line: Line) -> Entry:
    return Entry(Role.ITEM, line.start, line.start, line.start, body.row, body.cls, NOTHING)


def _map(body: Body, line: Line) -> Entry:
    return _placed(Role.KEY, line, body.row, body.cls, TEXT) if line.key else _text(line, NOTHING)


def _set(body: Body, line: Line) -> Entry:
    return Entry(Role.TEXT, line.start, line.start, line.start, body.row, body.cls, NOTHING)


def _free(body: Body, line: Line) -> Entry:
    if not line.key:
        return _text(line, FREE)
    return _placed(Role.KEY, line, None, None, FREE, FREE if line.dash else None)


def _shape(body: Body, line: Line) -> Entry:
    want = body.shape.get(line.key.lower())
    if want is None or not isinstance(want, dict):
        return _free(body, line)
    return _placed(Role.KEY, line, None, None, Body(Form.SHAPE, None, body.row, want))


def _kept(body: Body, line: Line) -> Entry:
    return _text(line)


_READ: dict[Form, Callable[[Body, Line], Entry]] = {
    Form.SECTIONS: _props, Form.PROPS: _props, Form.CALL: _call, Form.RESPOND: _props, Form.ENTRIES: _entries,
    Form.MIXED: _mixed, Form.BRANCHES: _branches, Form.RULES: _rules, Form.TOOLS: _tools, Form.STEPS: _steps,
    Form.ELEMENTS: _elements, Form.HUMAN: _human, Form.FORMATS: _formats, Form.TEMPLATES: _templates,
    Form.ITEMS: _items, Form.MAP: _map, Form.SET: _set, Form.FREE: _free, Form.SHAPE: _shape, Form.TEXT: _kept,
    Form.NOTHING: _kept,
}  # fmt: skip
