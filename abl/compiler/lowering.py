"""Turns nodes into JSON by walking their property rows: what a class says of its fields is all that is needed.

A `Shape` is the list of rows of one node class with the exceptions of the IR: other key names, defaults,
fields left out, fields lowered by a function of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from abl.compiler.calls import add_actions, delegate_call, set_lines
from abl.compiler.content import add_rich, lower_formats, plain_or_template
from abl.compiler.places import FIELD_OF_KEY
from abl.compiler.plain import Json, is_absent, mapping, number, plain, text, texts
from abl.compiler.scope import Scope
from abl.syntax.node import NODES, Kind, Node, Prop
from abl.syntax.rich import Rich
from abl.syntax.steps import Actions, DelegateCall

Convert = Callable[[Any, Scope, Node], Any]
"""Value of a field -> JSON value; None or an empty value leaves the key out."""

_RICH_FIELDS = frozenset(row.field for row in Rich.PROPS)
_ACTION_FIELDS = frozenset(row.field for row in Actions.PROPS) - _RICH_FIELDS
_TEXTS = frozenset({Kind.NAME, Kind.CODE, Kind.CHOICE, Kind.EXPRESSION, Kind.TYPE})
_NUMBERS = frozenset({Kind.INTEGER, Kind.NUMBER, Kind.DURATION})
_DATA = frozenset({Kind.FREE, Kind.CONVERSATION})
_LISTS = frozenset({Kind.LIST, Kind.PROFILES})
_NESTED = frozenset({Kind.NODE, Kind.STORE, Kind.TRANSFORM, Kind.HISTORY, Kind.ACTION, Kind.STEP_GATHER, Kind.FLOW})
_SHAPES: dict[type[Node], Shape] = {}
"""Shapes without exceptions, made when first needed: a class may name one that is declared later."""

_LISTED = frozenset({Kind.ENTRIES, Kind.BRANCHES, Kind.RULES, Kind.HUMAN, Kind.PARAMETERS})


@dataclass(frozen=True, slots=True)
class Shape:
    """How one node class is lowered.

    Attributes:
        rows: (IR key, conversion, default) of each field, in order.
        get: Returns the values of all these fields of a node.
        is_rich, is_acting: Whether answers and actions are added as well.
    """

    rows: tuple[tuple[str, Convert, Any], ...]
    get: Callable[[Node], list[Any]]
    is_rich: bool = False
    is_acting: bool = False


@dataclass(frozen=True, slots=True)
class Changes:
    """What the IR of a class has other than its rows say.

    Attributes:
        skip: Fields left out.
        names: Field -> IR key.
        use: Field -> function that lowers its value.
        defaults: IR key -> value when nothing is written.
        keys_as_written: The IR keys are the spellings of the properties (camelCase) instead of the field names.
    """

    skip: Collection[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    use: Mapping[str, Convert] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    keys_as_written: bool = False


def shape(cls: type[Node], changes: Changes = Changes()) -> Shape:
    """Return the shape of `cls` with `changes`."""
    is_rich, is_acting = issubclass(cls, Rich), issubclass(cls, Actions)
    passed_over = {*changes.skip, *(_RICH_FIELDS if is_rich else ()), *(_ACTION_FIELDS if is_acting else ())}
    rows: list[tuple[str, Convert, Any]] = []
    fields: list[str] = []
    if cls.MAIN and cls.MAIN not in cls.BY_FIELD and cls.MAIN not in passed_over:
        fields.append(cls.MAIN)
        rows.append((changes.names.get(cls.MAIN, cls.MAIN), _text, None))
    for row in cls.PROPS:
        if row.field in passed_over or row.kind in (Kind.FLAT, Kind.SKIP, Kind.ANY):
            continue
        key = changes.names.get(row.field) or (row.key if changes.keys_as_written else row.plain_name)
        if key != row.field:
            FIELD_OF_KEY.setdefault(cls, {})[key] = row.field
        fields.append(row.field)
        rows.append((key, changes.use.get(row.field) or _conversion(row), changes.defaults.get(key)))
    return Shape(tuple(rows), _getter(cls, fields), is_rich, is_acting)


def lower(node: Node, scope: Scope, how: Shape) -> Json:
    """Return the IR of `node`: what is written or has a default."""
    ir: Json = {}
    for (key, convert, default), value in zip(how.rows, how.get(node), strict=True):
        if value or (value is False or value == 0):
            lowered = convert(value, scope, node)
            if lowered or lowered is False or lowered == 0:
                ir[key] = lowered
                continue
        elif convert is _literal and value is not None:
            ir[key] = plain(value)  # an empty text, list or map is a value
            continue
        if default is not None:
            ir[key] = plain(default)
    if how.is_rich:
        add_rich(node, scope, ir)
    if how.is_acting:
        add_actions(node, scope, ir)
    return scope.record(ir, node)


def nested(how: Shape | Callable[[], Shape]) -> Convert:
    """Return the conversion of a field that holds one node."""

    def convert(value: Any, scope: Scope, _node: Node) -> Json | None:
        return lower(value, scope, how if isinstance(how, Shape) else how()) if isinstance(value, Node) else None

    return convert


def listed(how: Shape) -> Convert:
    """Return the conversion of a field that holds a list of nodes."""

    def convert(value: Any, scope: Scope, _node: Node) -> list[Json]:
        nodes = value if isinstance(value, list | tuple) else ()
        return [lower(node, scope, how) for node in nodes if isinstance(node, Node)]

    return convert


def shape_of(name: str) -> Shape:
    """Return the shape of a node class that needs no exceptions."""
    return _plain_shape(NODES[name])


def _plain_shape(cls: type[Node]) -> Shape:
    known = _SHAPES.get(cls)
    if known is None:
        known = _SHAPES[cls] = shape(cls)
    return known


def _getter(cls: type[Node], fields: list[str]) -> Callable[[Node], list[Any]]:
    """Return what reads the values of fields; a list or map that was never written is not made to be read."""
    defaults = [(field, default if (default := cls.DEFAULTS.get(field)) or default == 0 else None) for field in fields]

    def values(node: Node) -> list[Any]:
        known = node.__dict__.get
        return [known(field, default) for field, default in defaults]

    return values


def _conversion(row: Prop) -> Convert:
    kind = row.kind
    if kind is Kind.TEXT or kind is Kind.RESPOND:
        return _prose(row.field)
    if kind is Kind.CONDITION:
        return _condition(row.field)
    for kinds, convert in _PLAIN_KINDS:
        if kind in kinds:
            return convert
    if row.node == "DelegateCall" or NODES.get(row.node) is DelegateCall:
        return lambda value, scope, _node: delegate_call(value, scope)
    if kind in _NESTED:
        return _lazily(row.node, many=False)
    if kind in _LISTED:
        return _lazily(row.node, many=True)
    return _data


def _lazily(name: str, *, many: bool) -> Convert:
    """Return the conversion to the plain shape of a class that may not be declared yet."""

    def convert(value: Any, scope: Scope, node: Node) -> Any:
        del node
        nodes = value if many and isinstance(value, list | tuple) else (value,)
        cls = NODES.get(name)
        made = [lower(one, scope, _plain_shape(type(one))) for one in nodes if cls is not None and isinstance(one, cls)]
        return made if many else (made[0] if made else None)

    return convert


def _prose(name: str) -> Convert:
    def convert(value: Any, scope: Scope, node: Node) -> str:
        if value.__class__ is str and value[:1] != "T":
            prose: str = value
            return prose
        return plain_or_template(value, node, name, scope)

    return convert


def _condition(name: str) -> Convert:
    def convert(value: Any, scope: Scope, node: Node) -> str:
        condition = text(value)
        scope.condition(condition, node, name)
        return condition

    return convert


def target(value: Any, _scope: Scope, _node: Node) -> str:
    """Return a flow target: a step, or a terminal in capitals."""
    name = text(value)
    upper = name.upper()
    return upper if upper in ("COMPLETE", "ESCALATE") else name


def _text(value: Any, _scope: Scope, _node: Node) -> str:
    return text(value)


def _number(value: Any, _scope: Scope, _node: Node) -> int | float | None:
    return number(value)


def _bool(value: Any, _scope: Scope, _node: Node) -> bool | None:
    return value if isinstance(value, bool) else None


def _flag(value: Any, _scope: Scope, _node: Node) -> bool | None:
    return True if value is True else None


def _data(value: Any, _scope: Scope, _node: Node) -> Any:
    return plain(value)


def _literal(value: Any, _scope: Scope, _node: Node) -> Any:
    return plain(value)


def _list(value: Any, _scope: Scope, _node: Node) -> list[str]:
    return texts(value)


def _map(value: Any, _scope: Scope, _node: Node) -> dict[str, str]:
    return mapping(value)


def _formats(value: Any, scope: Scope, _node: Node) -> Json:
    return lower_formats(value, scope)


def _set(value: Any, scope: Scope, _node: Node) -> list[Json]:
    return set_lines(value, scope)


_PLAIN_KINDS: tuple[tuple[frozenset[Kind], Convert], ...] = (
    (_TEXTS, _text),
    (_NUMBERS, _number),
    (_DATA, _data),
    (frozenset({Kind.LITERAL}), _literal),
    (_LISTS, _list),
    (frozenset({Kind.TARGET}), target),
    (frozenset({Kind.BOOL}), _bool),
    (frozenset({Kind.FLAG}), _flag),
    (frozenset({Kind.MAP}), _map),
    (frozenset({Kind.FORMATS}), _formats),
    (frozenset({Kind.SET}), _set),
)

__all__ = ["Changes", "Convert", "Shape", "is_absent", "listed", "lower", "nested", "shape", "shape_of", "target"]
