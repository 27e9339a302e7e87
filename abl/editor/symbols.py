"""The names of one text: where each is declared, given a value, and mentioned, with exact places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from abl.checks.document_expressions import implied_parts
from abl.editor.names import CHILD_KEYS, DECLARED, EXPRESSIONS, MENTIONED, TARGETS, WRITTEN, Symbol, fields_of
from abl.editor.spots import Spots
from abl.expressions import analyse, walk
from abl.expressions.interpolation import tags_of
from abl.expressions.tree import Binary, String, Variable
from abl.expressions.tree import Node as Tree
from abl.outline import Form, Outline, Role
from abl.parser.values import cut_comment
from abl.syntax.coordination import Handoff, HumanOutcome
from abl.syntax.document import Document
from abl.syntax.memory import Recall
from abl.syntax.node import Kind, Node
from abl.syntax.rules import Constraint
from abl.syntax.steps import ErrorHandler
from abl.templates import analyse_template

DECLARES, WRITES, MENTIONS = range(3)
"""How much an occurrence says about its name."""

_TEMPLATE = re.compile(r"TEMPLATE\(\s*([\w-]+)\s*\)\Z")
_CALLING = re.compile(r"calling\s+(\w+)", re.IGNORECASE)
_TOOL_EVENT = re.compile(r"tool:(\w+)")
_ENTITY_EVENT = re.compile(r"entity:([\w.]+)")
_RESULT = re.compile(r"last_(\w+)_result\Z")
_HANDOFF = re.compile(r"HANDOFF\s+(?:TO\s+)?(\w+)", re.IGNORECASE)
_BACKTRACK = re.compile(r"BACKTRACK\s+(?:TO\s+)?(\w+)", re.IGNORECASE)
_GONE_TO = re.compile(r"\A(?!(?:RETRY(?:_STEP)?|BACKTRACK|ESCALATE|HANDOFF|COMPLETE|CONTINUE)\b)(\w+)\Z", re.IGNORECASE)
"""A step alone behind THEN of an error handler."""
_NAME = re.compile(r"[A-Za-z_][\w.-]*\Z")
_STEP_NAME = re.compile(r"[A-Za-z_]\w*")
_RULES = (
    (Constraint, "before", _CALLING, Symbol.TOOL),
    (Recall, "event", _TOOL_EVENT, Symbol.TOOL),
    (Recall, "event", _ENTITY_EVENT, Symbol.VARIABLE),
    (ErrorHandler, "then", _HANDOFF, Symbol.AGENT),
    (ErrorHandler, "then", _BACKTRACK, Symbol.STEP),
    (ErrorHandler, "then", _GONE_TO, Symbol.STEP),
    (HumanOutcome, "action", _HANDOFF, Symbol.AGENT),
)
"""Class -> field whose text mentions a name in the midst of other words."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where a name stands.

    Attributes:
        symbol: What the name stands for.
        name: The name; a dotted path for variables.
        offset, length: Its place in the normalised text.
        rank: DECLARES, WRITES or MENTIONS.
        node: The node that declares or mentions it.
        agent: The agent whose variable it is, when that is another than the one that says it.
    """

    symbol: Symbol
    name: str
    offset: int
    length: int
    rank: int
    node: Node | None = None
    agent: str = ""

    @property
    def stop(self) -> int:
        """Offset behind the name."""
        return self.offset + self.length


def nodes_of(document: Document) -> Iterator[Node]:
    """Yield all nodes of a document, parents first."""
    waiting: list[Any] = [document]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Node):
            yield one
            waiting.extend(reversed([getattr(one, name) for name in one.FIELDS]))
        elif isinstance(one, list):
            waiting.extend(reversed(one))


def occurrences(document: Document, outline: Outline) -> list[Occurrence]:
    """Return every occurrence of a name, in the order of the text; nodes without places give none."""
    found = _Finder(document, outline).found()
    unique = {(one.symbol, one.offset, one.length): one for one in sorted(found, key=lambda one: -one.rank)}
    return sorted(unique.values(), key=lambda one: one.offset)


class _Finder:
    def __init__(self, document: Document, outline: Outline) -> None:
        self.document = document
        self.outline = outline
        self.spots = Spots(outline.lines.source.text)
        self.made: list[Occurrence] = []
        self.paths: list[tuple[tuple[str, ...], int, Node | None]] = []

    def found(self) -> list[Occurrence]:
        self.header()
        for node in nodes_of(self.document):
            self.node(node)
        self.sequences()
        self.templates()
        self.messages()
        self.variables()
        return self.made

    def add(self, symbol: Symbol, name: str, at: int | None, rank: int, node: Node | None) -> None:
        """Keep a name that stands at or just behind `at`, if it does."""
        if at is None or not _NAME.match(name) or (symbol is Symbol.STEP and name.upper() in TARGETS):
            return
        place = self.spots.word(name, at)
        if place is not None:
            self.made.append(Occurrence(symbol, name, place, len(name), rank, node))

    def header(self) -> None:
        document = self.document
        if document.kind in ("agent", "supervisor"):
            self.add(Symbol.AGENT, document.name, document.at.get("name"), DECLARES, document)

    def node(self, node: Node) -> None:
        cls = type(node)
        for rank, table in ((DECLARES, DECLARED), (WRITES, WRITTEN), (MENTIONS, MENTIONED)):
            for field, symbol in fields_of(cls, table).items():
                self.field(node, field, symbol, rank)
        for row in cls.PROPS:
            if row.kind in (Kind.CONDITION, Kind.EXPRESSION):
                self.expression(node, row.field, getattr(node, row.field), condition=row.kind is Kind.CONDITION)
            elif row.kind in (Kind.TEXT, Kind.RESPOND):
                self.text(node, row.field)
        for field in EXPRESSIONS.get(cls.__name__, ()):
            self.expression(node, field, getattr(node, field), condition=False)
        for owner, field, pattern, symbol in _RULES:
            if cls is owner:
                self.within(node, field, pattern, symbol)
        self.child_keys(node)

    def field(self, node: Node, field: str, symbol: Symbol, rank: int) -> None:
        value = getattr(node, field)
        at = node.at.get(field, node.pos.offset if node.pos is not None else None)
        if isinstance(value, str):
            name = value.split("[")[0]
            if field == "action" and name in node.BY_FIELD["action"].choices:
                return
            if symbol is Symbol.VARIABLE and "." in name and rank != DECLARES:
                self.path(tuple(name.split(".")), node.at.get(field), node)
            else:
                self.add(symbol, name, at, rank, node)
        elif isinstance(value, list):
            for index, name in enumerate(value):
                place = node.at.get(f"{field}.{index}", at)
                if isinstance(name, str):
                    self.listed(symbol, name, place, rank, node)
        elif isinstance(value, dict):
            for key, name in value.items():
                self.listed(symbol, str(name), node.at.get(f"{field}.{key}"), rank, node)

    def listed(self, symbol: Symbol, name: str, place: int | None, rank: int, node: Node) -> None:
        if symbol is Symbol.VARIABLE and "." in name:
            self.path(tuple(name.split(".")), place, node)
        else:
            self.add(symbol, name, place, rank, node)

    def path(self, path: tuple[str, ...], at: int | None, node: Node | None) -> None:
        """Keep a dotted path until it is known which of its beginnings is declared."""
        place = self.spots.word(path[0], at) if at is not None else None
        if place is not None:
            self.paths.append((path, place, node))

    # --- texts with names in them -------------------------------------------------------------------------

    def expression(self, node: Node, field: str, value: Any, *, condition: bool) -> None:
        if isinstance(value, dict):
            for key, text in value.items():
                self.one_expression(node, text, node.at.get(f"{field}.{key}"), condition=condition)
        elif isinstance(value, str) and value:
            self.one_expression(node, value, node.at.get(field), condition=condition)

    def one_expression(self, node: Node, text: str, at: int | None, *, condition: bool) -> None:
        places = self.spots.aligned(text, at) if at is not None else None
        if places is None:
            return
        for start, part in implied_parts(text) if isinstance(node, Constraint) else [(0, text)]:
            self.tree(analyse(part, condition=condition, allow_text=True).node, places[start:], node)

    def tree(self, tree: Tree, places: range | list[int], node: Node | None) -> None:
        for one in walk(tree):
            if isinstance(one, Variable) and one.start < len(places):
                self.path(one.path, places[one.start], node)
            elif isinstance(one, Binary) and isinstance(one.left, Variable) and one.left.path[0] == "intent":
                self.intents(one.right, places, node)

    def intents(self, tree: Tree, places: range | list[int], node: Node | None) -> None:
        """Find the intents of `intent.category == "name"` and `intent IN ["a", "b"]`."""
        for one in walk(tree):
            if isinstance(one, String) and one.start < len(places):
                self.add(Symbol.INTENT, one.value, places[one.start] + 1, MENTIONS, node)

    def child_keys(self, node: Node) -> None:
        """Find the keys of maps that name variables of another agent."""
        if isinstance(node, Handoff):
            if node.on_return is not None:
                self.keys(node.on_return, "map", node.to)
            return
        field, maps = CHILD_KEYS.get(type(node).__name__, ("", ()))
        for name in maps:
            self.keys(node, name, getattr(node, field))

    def keys(self, node: Node, field: str, agent: str) -> None:
        for key in getattr(node, field):
            at = node.at.get(f"{field}.{key}")
            if at is None or not agent:
                continue
            start = self.spots.text.rfind("\n", 0, at) + 1
            place = self.spots.last_word(key, start, at)
            if place is not None:
                self.made.append(Occurrence(Symbol.VARIABLE, key, place, len(key), MENTIONS, node, agent))

    def text(self, node: Node, field: str) -> None:
        value = getattr(node, field)
        found = _TEMPLATE.match(value) if isinstance(value, str) else None
        if found:
            self.add(Symbol.TEMPLATE, found[1], node.at.get(field), MENTIONS, node)

    def within(self, node: Node, field: str, pattern: re.Pattern[str], symbol: Symbol) -> None:
        found = pattern.search(getattr(node, field) or "")
        at = node.at.get(field)
        if found and at is not None:
            self.add(symbol, found[1], at + found.start(1), MENTIONS, node)

    def templates(self) -> None:
        """Find the `{{ }}` of all texts: where they stand in the source tells more than which field they are in."""
        source = self.spots.text
        comments = self.spots.comments
        for tag in tags_of(source):
            if tag.stop is None or comments(tag.start):
                continue
            inside = tag.inside
            head = re.match(r"\s*#\s*(?:if|each)\b|\s*#?\s*else(?:\s+if)?\b|\s*/", inside)
            shift = head.end() if head else 0
            if head and head[0].endswith("/"):
                continue
            begin = tag.start + 2 + shift
            shown = "{{" + inside[shift:] + "}}"
            for tree in analyse_template(shown).expressions:
                for one in walk(tree):
                    if isinstance(one, Variable) and one.path[0] != "this" and one.path[0][0] != "@":
                        self.path(one.path, begin + one.start - 2, None)

    def sequences(self) -> None:
        """Find the steps of lines such as `ask -> trace -> done`."""
        outline = self.outline
        lines = outline.lines
        for k, body in enumerate(outline.bodies):
            text = lines.texts[k]
            if "->" not in text and "\u2192" not in text:
                continue
            entry = outline.entries[k]
            is_flow = entry.role is Role.SECTION and entry.body.form is Form.STEPS
            if not is_flow and (body.form is not Form.STEPS or entry.role is Role.STEP):
                continue
            begin = text.find(":") + 1
            for found in _STEP_NAME.finditer(cut_comment(text), begin):
                self.add(Symbol.STEP, found[0], lines.offsets[k] + found.start(), MENTIONS, self.document.flow)

    def messages(self) -> None:
        for key in self.document.messages:
            at = self.document.at.get(f"messages.{key}")
            if at is None:
                continue
            start = self.spots.text.rfind("\n", 0, at) + 1
            written = self.spots.text[start:at].lstrip(" \t-\"'")
            name = written[: len(key)]
            if name.lower() == key:
                self.add(Symbol.MESSAGE, name, at - len(written), DECLARES, self.document)

    def variables(self) -> None:
        """Resolve dotted paths: the longest declared beginning is the variable, else the first part."""
        declared = {one.name for one in self.made if one.symbol is Symbol.VARIABLE and one.rank == DECLARES}
        dotted = {name for name in declared if "." in name}
        for path, place, node in self.paths:
            name = path[0]
            result = _RESULT.match(name)
            if result is not None:
                self.made.append(
                    Occurrence(Symbol.TOOL, result[1], place + result.start(1), len(result[1]), MENTIONS, node)
                )
                continue
            if dotted:
                for size in range(len(path), 1, -1):
                    candidate = ".".join(path[:size])
                    if candidate in dotted:
                        name = candidate
                        break
            if self.spots.text.startswith(name, place):
                self.made.append(Occurrence(Symbol.VARIABLE, name, place, len(name), MENTIONS, node))
