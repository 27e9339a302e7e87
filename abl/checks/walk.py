"""Every node of a document with its path, in the order of its fields."""

from __future__ import annotations

from collections.abc import Iterator

from abl.syntax.node import Node

MAX_NESTING = 64


def nodes_of(document: Node) -> Iterator[tuple[Node, str]]:
    """Yield a node and all nodes below it with their paths, e.g. `flow.steps.0.on_error.1`."""
    pending: list[tuple[Node, str, int]] = [(document, "", 0)]
    while pending:
        node, path, depth = pending.pop()
        yield node, path
        if depth >= MAX_NESTING:
            continue
        below = []
        known = node.__dict__.get  # a field that was never written is not made to be read
        for field in node.FIELDS:
            value = known(field)
            at = f"{path}.{field}" if path else field
            if isinstance(value, Node):
                below.append((value, at, depth + 1))
            elif isinstance(value, list):
                below += [(one, f"{at}.{n}", depth + 1) for n, one in enumerate(value) if isinstance(one, Node)]
        pending.extend(reversed(below))
