"""What a node of the tree is, and how a node class describes its own properties.

A node class is the schema of one construct: every field carries a `Prop` with the spelling of the property, the
form of its value and one sentence of documentation. The text parser, the YAML form, the printer, completion,
hover and the property table of the docs all walk these same rows. Spec: abl-language 11.1.

Nodes are neither slotted nor frozen: a parse builds one node for about every two lines and writes two or three of its
thirty fields. What is not written stands once in the class, or is made when it is first asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from typing import Any, ClassVar, TypeVar, dataclass_transform

from abl.source import Pos


class Kind(StrEnum):
    """The form of a property's value; each has one reader, one writer and one YAML form."""

    TEXT = "text"  # str: inline, quoted, or a block
    NAME = "name"  # str: one identifier or dotted path
    CODE = "code"  # str kept exactly: patterns, endpoints, program text
    CONDITION = "condition"  # str: source text of a condition
    EXPRESSION = "expression"  # str: source text of an expression
    TARGET = "target"  # str: a step name, COMPLETE or ESCALATE
    CHOICE = "choice"  # str: one of `choices`
    BOOL = "bool"
    FLAG = "flag"  # bool: present without a value, or with one
    INTEGER = "integer"
    NUMBER = "number"
    DURATION = "duration"  # number in the property's `unit`
    LITERAL = "literal"  # JSON value
    LIST = "list"  # list[str]
    MAP = "map"  # dict[str, str]
    FREE = "free"  # JSON value of a YAML-like body
    NODE = "node"  # one node; an inline value fills its `main` field
    ENTRIES = "entries"  # list of nodes: dash items or `name:` entries
    FLAT = "flat"  # a wrapper whose content belongs to the enclosing node
    RESPOND = "respond"  # str, followed by deeper rich-content blocks of the same node
    SET = "set"  # list[Assignment]
    CALL = "call"  # Call
    BRANCHES = "branches"  # list[Branch]
    RULES = "rules"  # list[Constraint]
    ACTION = "action"  # FailAction
    STORE = "store"  # Store
    TOOLS = "tools"  # list[Tool]
    PARAMETERS = "parameters"  # list[Parameter], merged into the signature
    TYPE = "type"  # TypeExpr
    FLOW = "flow"  # Flow
    STEP_GATHER = "step_gather"  # StepGather
    TRANSFORM = "transform"  # Transform
    HISTORY = "history"  # History
    FORMATS = "formats"  # dict[str, JSON value]
    ELEMENTS = "elements"  # ActionSet
    HUMAN = "human"  # list[HumanOutcome]
    CONVERSATION = "conversation"  # dict, a YAML body with closed keys
    TEMPLATES = "templates"  # list[Template]: text, or a block of format keys
    PROFILES = "profiles"  # list[str], one line each
    SKIP = "skip"  # content is not read
    ANY = "any"  # legacy content, read elsewhere

    __hash__ = str.__hash__  # that of enumerations is written in Python, and every property is looked up by its kind


@dataclass(frozen=True, slots=True)
class Prop:
    """One property of a node class.

    Attributes:
        key: Canonical spelling in the text form.
        kind: Form of the value.
        doc: One sentence for hover and the generated tables.
        field: Name of the Python field.
        aliases: Other accepted spellings.
        choices: Accepted values of a CHOICE; `open` says others are kept with a note.
        node: Name of the node class of NODE and ENTRIES.
        style: `map` or `dash`: how ENTRIES are written.
        group: Wrapper key under which the printer writes it (e.g. CONTEXT).
        unit: `ms` or `s` for durations.
        yaml: Spelling in the YAML form, when it is not the field's name.
        formula: The values of a MAP are expressions, so that quotes belong to them.
        repeat: What a second occurrence does: `error`, `merge`, `append`, `replace`.
        guards: The value keeps something from happening: one that cannot be read is an error, never the default.
        meanings: Words of a CHOICE that are read as one of the choices: (word, choice).
    """

    key: str
    kind: Kind
    doc: str
    field: str = ""
    aliases: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    open: bool = False
    node: str = ""
    style: str = "map"
    group: str = ""
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    yaml: str = ""
    repeat: str = "error"
    formula: bool = False
    legacy: bool = False
    guards: bool = False
    meanings: tuple[tuple[str, str], ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        """All accepted spellings, the canonical one first."""
        return (self.key, *self.aliases)

    @property
    def plain_name(self) -> str:
        """The name used in dictionaries: the field without the underscore that avoids a Python keyword."""
        return self.field.rstrip("_")


def prop(kind: Kind, key: str, doc: str, *, default: Any = MISSING, factory: Any = MISSING, **more: Any) -> Any:
    """Declare a field with its property row."""
    row = {"kind": kind, "key": key, "doc": doc, **more}
    if factory is not MISSING:
        return field(default_factory=factory, metadata=row)
    return field(default=default, metadata=row)


NODES: dict[str, type[Node]] = {}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_T = TypeVar("_T")


def fold(key: str) -> str:
    """Return the form under which property spellings are compared."""
    return key.upper()


def _spellings(row: Prop) -> Iterator[str]:
    for spelling in row.spellings:
        yield fold(spelling)
        snake = _CAMEL.sub("_", spelling)
        if snake != spelling:
            yield fold(snake)


class _Fresh:
    """Gives a node a list or map of its own when it is first asked for: most fields of most nodes are never written."""

    __slots__ = ("factory", "name")

    def __init__(self, name: str, factory: Callable[[], Any]) -> None:
        self.name = name
        self.factory = factory

    def __get__(self, node: Node | None, owner: type[Node]) -> Any:
        if node is None:
            return self
        made = self.factory()
        setattr(node, self.name, made)  # hides this descriptor from then on
        return made


def _make_on_demand(cls: Any) -> None:
    """Let the lists and maps of `cls` wait until they are asked for; only places stand in every node."""
    own = vars(cls).get("__annotations__", {})
    for one in fields(cls):
        if one.name in own and one.name != "at" and one.default_factory is not MISSING:
            setattr(cls, one.name, _Fresh(one.name, one.default_factory))


def _cost(defaults: Iterable[Any]) -> int:
    """Return about how many bytes a node takes with one short value in it: its slots, containers, name and places."""
    return 450 + sum(64 if isinstance(value, list | dict) else 8 for value in defaults)


@dataclass_transform(kw_only_default=True, field_specifiers=(prop, field))
def node(cls: type[_T]) -> type[_T]:
    """Turn `cls` into a node class: record its property rows, and let its fields have their defaults unwritten."""
    made: Any = dataclass(init=False, eq=False, repr=False)(cls)
    _make_on_demand(made)
    rows = [Prop(field=one.name, **one.metadata) for one in fields(made) if "kind" in one.metadata]
    made.PROPS = tuple(rows)
    made.BY_KEY = {spelling: row for row in rows for spelling in _spellings(row)}
    made.BY_FIELD = {row.field: row for row in rows}
    made.FIELDS = tuple(one.name for one in fields(made) if one.compare)
    made.DEFAULTS = {
        one.name: one.default_factory() if one.default_factory is not MISSING else one.default
        for one in fields(made)
        if one.compare
    }
    made.COST = _cost(made.DEFAULTS.values())
    NODES[made.__name__] = made
    result: type[_T] = made
    return result


@dataclass(init=False, eq=False, repr=False)
class Node:
    """Base of all nodes.

    Attributes:
        pos: Where the construct begins; not part of equality.
        at: Field name -> offset of its value in the normalised text; not part of equality.
        extras: Properties nobody knows, key -> raw text, so that nothing written is lost.
    """

    PROPS: ClassVar[tuple[Prop, ...]] = ()
    BY_KEY: ClassVar[dict[str, Prop]] = {}
    BY_FIELD: ClassVar[dict[str, Prop]] = {}
    FIELDS: ClassVar[tuple[str, ...]] = ()
    DEFAULTS: ClassVar[dict[str, Any]] = {}
    COST: ClassVar[int] = 0
    """Bytes that one takes, about; a parse counts them."""
    MAIN: ClassVar[str] = ""
    """The field that an inline value, a plain dash item or a map entry's name fills."""
    INLINE: ClassVar[str] = ""
    """The field that the value after a map entry's name fills (`name: value`)."""
    LISTED: ClassVar[str] = ""
    """The field of texts that plain dash items right below a map entry's name fill."""

    REST: ClassVar[str] = ""
    """The ENTRIES field that receives children which are no property of the node (`name:` entries, dash items)."""

    SHOWN: ClassVar[tuple[str, ...]] = ()
    """Fields that the JSON form shows even when they have their default."""

    pos: Pos | None = field(default=None, compare=False)
    at: dict[str, int] = field(default_factory=dict, compare=False)
    extras: dict[str, str] = field(default_factory=dict)

    def __init__(self, *, at: dict[str, int] | None = None, **values: Any) -> None:
        self.at = {} if at is None else at
        for name, value in values.items():
            if name not in self.__dataclass_fields__:
                raise TypeError(f"{type(self).__name__} has no field {name!r}")
            setattr(self, name, value)

    def __eq__(self, other: object) -> bool:
        """Compare everything but places."""
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.FIELDS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show what differs from the defaults."""
        shown = ", ".join(f"{name}={value!r}" for name, value in self.written())
        return f"{type(self).__name__}({shown})"

    def written(self) -> Iterator[tuple[str, Any]]:
        """Yield the fields that differ from their default, in declaration order."""
        for name, default in self.DEFAULTS.items():
            value = getattr(self, name)
            if value != default or type(value) is not type(default):
                yield name, value

    def to_dict(self, *, positions: bool = False) -> dict[str, Any]:
        """Return the JSON form: snake_case keys, defaults left out, `pos` only when asked for."""
        plain = {name: getattr(self, name) for name in self.SHOWN}
        plain.update({name.rstrip("_"): _plain(value, positions) for name, value in self.written()})
        if positions and self.pos is not None:
            plain["pos"] = self.pos._asdict()
        return plain


_Made = TypeVar("_Made", bound=Node)
new_object = object.__new__


def given(node: Node, field: str) -> Any:
    """Return the list or map of a field, None when it was never written: asking the node itself would make one."""
    return node.__dict__.get(field)


def blank(cls: type[_Made], pos: Pos | None = None) -> _Made:
    """Return a node with nothing but its place, in half the time of its constructor."""
    made = new_object(cls)
    made.pos = pos
    made.at = {}
    return made


_make_on_demand(Node)


def _plain(value: Any, positions: bool) -> Any:
    if isinstance(value, Node):
        return value.to_dict(positions=positions)
    if isinstance(value, list):
        return [_plain(one, positions) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one, positions) for key, one in value.items()}
    return value
