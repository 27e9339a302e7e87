"""The expression tree: frozen nodes, no behaviour beyond their JSON form.

Every node knows its `kind` and where it stands in the text (`start`, `length`; not part of equality).
Spec: abl-language 6.3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

JsonTree: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class _Placed:
    start: int = field(default=0, compare=False, repr=False, kw_only=True)
    length: int = field(default=0, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class String(_Placed):
    """A text; also a whole condition in natural language."""

    kind: ClassVar[str] = "string"
    value: str

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {"kind": self.kind, "value": self.value}


@dataclass(frozen=True, slots=True)
class Number(_Placed):
    """A number: `int` when it was written without a point."""

    kind: ClassVar[str] = "number"
    value: int | float

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {"kind": self.kind, "value": self.value}


@dataclass(frozen=True, slots=True)
class Boolean(_Placed):
    """`true` or `false`."""

    kind: ClassVar[str] = "boolean"
    value: bool

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {"kind": self.kind, "value": self.value}


@dataclass(frozen=True, slots=True)
class Null(_Placed):
    """`null`."""

    kind: ClassVar[str] = "null"

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {"kind": self.kind}


@dataclass(frozen=True, slots=True)
class Wildcard(_Placed):
    """`*`, `else` or `default`: matches always."""

    kind: ClassVar[str] = "wildcard"

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {"kind": self.kind}


@dataclass(frozen=True, slots=True)
class Array(_Placed):
    """`[a, b]`."""

    kind: ClassVar[str] = "array"
    values: tuple[Node, ...]

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {"kind": self.kind, "values": [one.to_dict() for one in self.values]}


@dataclass(frozen=True, slots=True)
class Object(_Placed):
    """`{a: b, c}`: a value for each name; a name alone takes the value of the variable that ends in it."""

    kind: ClassVar[str] = "object"
    names: tuple[str, ...]
    values: tuple[Node, ...]

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {"kind": self.kind, "names": list(self.names), "values": [one.to_dict() for one in self.values]}


@dataclass(frozen=True, slots=True)
class Variable(_Placed):
    """A dotted path; an index joins the path as text."""

    kind: ClassVar[str] = "variable"
    path: tuple[str, ...]

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {"kind": self.kind, "path": list(self.path)}


@dataclass(frozen=True, slots=True)
class Function(_Placed):
    """A call; the name keeps its spelling."""

    kind: ClassVar[str] = "function"
    name: str
    arguments: tuple[Node, ...]

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {"kind": self.kind, "name": self.name, "arguments": [one.to_dict() for one in self.arguments]}


@dataclass(frozen=True, slots=True)
class Binary(_Placed):
    """`left operator right`."""

    kind: ClassVar[str] = "binary"
    operator: str
    left: Node
    right: Node

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "operator": self.operator,
            "left": self.left.to_dict(),
            "right": self.right.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Unary(_Placed):
    """`not`, `exists`, `empty` or `neg` of one operand."""

    kind: ClassVar[str] = "unary"
    operator: str
    operand: Node

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {"kind": self.kind, "operator": self.operator, "operand": self.operand.to_dict()}


@dataclass(frozen=True, slots=True)
class Template(_Placed):
    """A text with `{{ }}` in it: plain parts and nodes in their order."""

    kind: ClassVar[str] = "template"
    parts: tuple[str | Node, ...]

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {"kind": self.kind, "parts": [one if isinstance(one, str) else one.to_dict() for one in self.parts]}


@dataclass(frozen=True, slots=True)
class Conditional(_Placed):
    """`test ? then : otherwise`."""

    kind: ClassVar[str] = "conditional"
    test: Node
    then: Node
    otherwise: Node

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "test": self.test.to_dict(),
            "then": self.then.to_dict(),
            "otherwise": self.otherwise.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Invalid(_Placed):
    """A text that is no expression: false in a condition, null in SET."""

    kind: ClassVar[str] = "invalid"
    text: str

    def to_dict(self) -> JsonTree:
        """Return the JSON form."""
        return {"kind": self.kind, "text": self.text}


Node: TypeAlias = (
    String
    | Number
    | Boolean
    | Null
    | Wildcard
    | Array
    | Object
    | Variable
    | Function
    | Binary
    | Unary
    | Template
    | Conditional
    | Invalid
)


def children(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly below `node`, in the order of the text."""
    match node:
        case Binary():
            return (node.left, node.right)
        case Unary():
            return (node.operand,)
        case Function():
            return node.arguments
        case Array() | Object():
            return node.values
        case Template():
            return tuple(part for part in node.parts if not isinstance(part, str))
        case Conditional():
            return (node.test, node.then, node.otherwise)
        case _:
            return ()
