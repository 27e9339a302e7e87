"""Reads the tree of a YAML text into nodes by their own property tables. Spec: abl-language 9, 11.1.

Kinds whose value is a word or has a grammar of its own (booleans, durations, SET, CALL, ON_FAIL ...) are read by the
readers of the text form, one line at a time, so that each rule exists once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar

from abl.diagnostics.model import Fix
from abl.diagnostics.reporter import did_you_mean
from abl.parser.lines import Lines, scan
from abl.parser.reader import APPENDED, CALLED, CLOSED, Reader, is_acting, is_lost
from abl.parser.reader import READ as READ_TEXT
from abl.parser.slips import is_key, is_slip
from abl.parser.values import is_word
from abl.printer.yaml_names import yaml_name, yaml_rows
from abl.source import Pos, Source
from abl.syntax.node import Kind, Node, Prop, fold
from abl.yaml_form.tree import Mapping, Scalar, Tree
from abl.yaml_form.values import content_offset, is_null, key_text, one_line, raw_text

ReadYaml: TypeAlias = Callable[["YamlReader", Node, Prop, Tree], None]
"""reader, node, row, value."""

_Made = TypeVar("_Made", bound=Node)

READ: dict[Kind, ReadYaml] = {}
"""Kind -> its reader; filled by the modules that define them."""

PARTS: dict[str, Callable[[YamlReader, Node, str, Tree], bool]] = {}
"""Field -> what reads the keys that are parts of it, such as `call_with`; says whether a key was one."""

OLD_KEYS = {"on_return_map": "map below on_return", "grant_memory": "memory_grants"}
"""Keys of older versions -> what to write instead."""


def reads(*kinds: Kind) -> Callable[[ReadYaml], ReadYaml]:
    """Register the decorated function as the reader of `kinds`."""

    def register(function: ReadYaml) -> ReadYaml:
        for kind in kinds:
            READ[kind] = function
        return function

    return register


class YamlReader:
    """One parse of a YAML text: its source, and a reader of the text form for single lines and for findings."""

    __slots__ = ("_places", "inner", "source")

    def __init__(self, source: Source, *, strict: bool = False) -> None:
        self.source = source
        self.inner = Reader(Lines(source, [""], [""], [0], [0], [0], [1], [1]), strict=strict)
        self._places: Reader | None = None

    @property
    def places(self) -> Reader:
        """A reader of the text form over all lines of the source, with the same findings; made when it is needed."""
        if self._places is None:
            self._places = Reader(scan(self.source), strict=self.inner.strict)
            self._places.findings = self.inner.findings
        return self._places

    # --- findings and places ----------------------------------------------------------------------------

    def report(self, code: str, tree: Tree, fix: Fix | None = None, **arguments: str) -> None:
        """Add a finding that covers a value."""
        self.inner.report(code, content_offset(tree, self.source), self.length(tree), fix, **arguments)

    def length(self, tree: Tree) -> int:
        """Return how many characters of its first line a value covers."""
        if isinstance(tree, Scalar):
            return max(len(tree.text.split("\n", 1)[0]), 1)
        stop = self.source.text.find("\n", tree.offset, tree.end)
        return max((stop if stop >= 0 else tree.end) - tree.offset, 1)

    def new(self, cls: type[_Made], tree: Tree, **values: Any) -> _Made:
        """Return a node that begins where a value stands; ends the parse when there is no room for it."""
        self.spend(cls.COST, tree)
        return cls(pos=self.pos(tree), **values)

    def spend(self, size: int, tree: Tree) -> None:
        """Count `size` bytes for what was read from a value; ends the parse when there is no room for more."""
        inner = self.inner
        if inner.room < size:
            inner.offsets[0] = tree.offset
        inner.spend(size, 0)

    def pos(self, tree: Tree) -> Pos:
        """Return where a value begins."""
        return self.source.pos(tree.offset)

    def set(self, node: Node, row: Prop, value: object, tree: Tree) -> None:
        """Store a value and where it stands."""
        setattr(node, row.field, value)
        node.at[row.field] = content_offset(tree, self.source)

    # --- properties -------------------------------------------------------------------------------------

    def entries(self, mapping: Mapping, node: Node | None = None) -> Iterator[tuple[str, Tree, Tree]]:
        """Yield key, key's place and value; a key that stands twice is reported, and the last one counts.

        `node` is the block whose properties they are: of two of its actions one would be lost.
        """
        first: dict[str, tuple[Tree, Tree]] = {}
        for key, value in mapping.pairs:
            name = key_text(key)
            if name in first:
                self._repeated(node, name, first[name], (key, value))
            first.setdefault(name, (key, value))
        repeated = len(first) < len(mapping.pairs)
        last = {key_text(key): at for at, (key, _) in enumerate(mapping.pairs)} if repeated else {}
        for at, (key, value) in enumerate(mapping.pairs):
            name = key_text(key)
            if not last or last[name] == at:
                yield name, key, value

    def props(self, node: Node, mapping: Mapping, *, skip: frozenset[str] = frozenset()) -> None:
        """Read the entries of a map as properties of `node`."""
        given: dict[str, tuple[Tree, Tree]] = {}
        for name, key, value in self.entries(mapping, node):
            if name in skip:
                continue
            row = _row_of(node, name)
            if row is None:
                self.unknown(node, name, key, value)
                continue
            if row.field in given and row.repeat not in APPENDED:
                self._repeated(node, name, given[row.field], (key, value))
            given.setdefault(row.field, (key, value))
            self.value(node, row, value)

    def _repeated(self, node: Node | None, name: str, first: tuple[Tree, Tree], again: tuple[Tree, Tree]) -> None:
        """Report a key that stands twice, perhaps in two spellings: the last one counts."""
        row = _row_of(node, name) if node is not None else None
        is_same = raw_text(first[1], self.source) == raw_text(again[1], self.source)
        is_loss = node is not None and row is not None and (is_acting(node, row) or row.field in _LISTS)
        line = str(self.pos(first[0]).line)
        code = "ACTION_LOST" if is_loss and not is_same else "DUPLICATE_PROPERTY"
        self.report(code, again[0], name=name, property=name, first_line=line)

    def value(self, node: Node, row: Prop, value: Tree) -> None:
        """Read one value; nothing at all is an absent value, except for flags and blocks."""
        if is_null(value) and row.kind not in _EMPTY_COUNTS:
            return
        READ[row.kind](self, node, row, value)

    def unknown(self, node: Node, name: str, key: Tree, value: Tree) -> None:
        """Read a slip of the pen as the property that was meant, and keep any other key in `extras`."""
        if fold(name).lower() in OLD_KEYS:
            self.report("YAML_OLD_KEY", key, name=name, expected=OLD_KEYS[fold(name).lower()])
            return
        cls = type(node)
        if any(part(self, node, name, value) for field, part in PARTS.items() if field in cls.BY_FIELD):
            return
        names = {yaml_name(cls, row.field): row for row in cls.PROPS if not row.legacy}
        meant = self.inner.near(name, tuple(names)) if is_word(name) else None
        row = names[meant] if meant else None
        if meant and row is not None and row.field in node.at:
            meant = None
        if meant and row is not None and is_slip(name, meant):
            fix = self.inner.edit(key.offset, len(name), meant, f"write `{meant}`")
            self.report("MISSPELT_PROPERTY", key, fix, name=name, expected=meant, suggestion=did_you_mean(meant))
            self.value(node, row, value)
            return
        hint = did_you_mean(None if is_key(name) else meant)
        if is_lost(node, fold(name)):
            self.report("ACTION_LOST", key, name=name, section=CALLED.get(cls.__name__, "this block"))
        elif meant and row is not None and row.guards:
            self.report("UNREADABLE_GUARD", key, value=name, property=meant, known=meant, suggestion=hint)
        else:
            code = CLOSED.get(cls.__name__, "UNKNOWN_PROPERTY")
            self.report(code, key, name=name, section=cls.__name__, suggestion=hint)
        node.extras[name] = raw_text(value, self.source)

    # --- values of the text form ------------------------------------------------------------------------

    def as_line(self, node: Node, row: Prop, scalar: Scalar, text: str | None = None) -> None:
        """Read a scalar as the text form reads the value of `row`, as if it stood alone on its line."""
        value = one_line(scalar.text) if text is None else text
        inner, offset = self.inner, content_offset(scalar, self.source)
        line, column, _ = self.source.pos(offset)
        inner.texts[0], inner.offsets[0], inner.numbers[0], inner.columns[0] = value, offset, line, column - 1
        READ_TEXT[row.kind](inner, node, row, 0, 1, value, offset)


def _row_of(node: Node, name: str) -> Prop | None:
    """Return the property of a block that a key names, in any spelling."""
    rows = yaml_rows(type(node))
    return rows.get(fold(name)) or rows.get(fold(name).replace("-", "_").replace(" ", "_"))


_LISTS = frozenset({"clear", "digressions", "do", "do_after", "on_action", "set", "step_constraints", "sub_intents"})
"""Lists of actions and rules that the text form adds up, and YAML does not."""
_EMPTY_COUNTS = frozenset({Kind.FLAG, Kind.NODE, Kind.STEP_GATHER, Kind.FLOW, Kind.LIST})
