"""What an expression mentions: its variables, its functions. Spec: abl-language 13.4."""

from __future__ import annotations

from collections.abc import Iterator

from abl.expressions.tree import Function, Node, Variable, children


def walk(node: Node) -> Iterator[Node]:
    """Yield `node` and every node below it, in the order of the text."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(children(one)))


def variables(node: Node) -> list[str]:
    """Return the dotted paths of the variables, each once, in the order of the text."""
    return list(dict.fromkeys(".".join(one.path) for one in walk(node) if isinstance(one, Variable)))


def functions(node: Node) -> list[str]:
    """Return the names of the functions as they are spelled, each once, in the order of the text."""
    return list(dict.fromkeys(one.name for one in walk(node) if isinstance(one, Function)))
