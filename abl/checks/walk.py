"""Every node of a document with its path, in the order of its fields."""

from __future__ import annotations

from collections.abc import Iterator

from abl.syntax.node import Kind, Node

MAX_NESTING = 64
LEAVES = frozenset(
    {
        Kind.TEXT, Kind.NAME, Kind.CODE, Kind.CONDITION, Kind.EXPRESSION, Kind.TARGET, Kind.CHOICE, Kind.BOOL,
        Kind.FLAG, Kind.INTEGER, Kind.NUMBER, Kind.DURATION, Kind.LITERAL, Kind.LIST, Kind.MAP, Kind.FREE,
        Kind.RESPOND, Kind.CONVERSATION, Kind.PROFILES, Kind.SKIP,
    }
)  # fmt: skip
"""Kinds of properties whose values hold no nodes."""


_HOLDING: dict[type[Node], tuple[str, ...]] = {}
"""Class -> what `holding_fields` said of it."""


def holding_fields(cls: type[Node]) -> tuple[str, ...]:
    """Return the fields of a class that may hold nodes: all but the properties with plain values."""
    known = _HOLDING.get(cls)
    if known is None:
        rows = cls.BY_FIELD
        names = [name for name in cls.FIELDS if name != "extras"]
        known = tuple(name for name in names if name not in rows or rows[name].kind not in LEAVES)
        _HOLDING[cls] = known
    return known


def nodes_of(document: Node) -> Iterator[tuple[Node, str]]:
    """Yield a node and all nodes below it with their paths, e.g. `flow.steps.0.on_error.1`."""
    levels: list[Iterator[tuple[Node, str]]] = [iter([(document, "")])]
    while levels:
        found = next(levels[-1], None)
        if found is None:
            levels.pop()
            continue
        yield found
        if len(levels) <= MAX_NESTING:
            levels.append(nodes_below(*found))


def nodes_below(node: Node, path: str) -> Iterator[tuple[Node, str]]:
    """Yield the nodes that stand in the fields of a node, with their paths, as they are asked for."""
    known = node.__dict__.get  # a field that was never written is not made to be read
    for field in holding_fields(type(node)):
        value = known(field)
        if value is None:
            continue
        if isinstance(value, Node):
            yield value, f"{path}.{field}" if path else field
        elif isinstance(value, list):
            at = f"{path}.{field}" if path else field
            for n, one in enumerate(value):
                if isinstance(one, Node):
                    yield one, f"{at}.{n}"
