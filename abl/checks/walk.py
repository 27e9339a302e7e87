"""Every node of a document with its path, in the order of its fields."""

from __future__ import annotations

from collections.abc import Iterator

from abl.syntax.node import Node

MAX_NESTING = 64


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
    for field in node.FIELDS:
        value = known(field)
        if isinstance(value, Node):
            yield value, f"{path}.{field}" if path else field
        elif isinstance(value, list):
            at = f"{path}.{field}" if path else field
            for n, one in enumerate(value):
                if isinstance(one, Node):
                    yield one, f"{at}.{n}"
