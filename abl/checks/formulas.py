"""What a rule has to know of a condition: the variables in it, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from abl.expressions.analysis import analyse
from abl.expressions.tree import Binary, Invalid, Node, Unary, Variable, children

MAX_CACHED = 8_192


@dataclass(frozen=True, slots=True)
class Reading:
    """One variable as it stands in a condition.

    Attributes:
        path: The dotted path, e.g. `parcel.status`.
        absence: Whether it is only asked if there is no value (`IS NOT SET`, `IS EMPTY`, `IS NULL`).
    """

    path: str
    absence: bool

    @property
    def root(self) -> str:
        """First name of the path."""
        return self.path.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Formula:
    """A condition or expression that was read.

    Attributes:
        node: Its tree; `Invalid` when it cannot be read.
        readings: Its variables in the order of the text.
        alone: The name, when the whole text is one variable.
    """

    node: Node
    readings: tuple[Reading, ...]
    alone: str

    @property
    def valid(self) -> bool:
        """Whether the text could be read."""
        return not isinstance(self.node, Invalid)


@lru_cache(maxsize=MAX_CACHED)
def formula_of(text: str) -> Formula:
    """Return what `text` says as a condition; natural language is a condition without variables."""
    node = analyse(text, condition=True, allow_text=True).node
    alone = ".".join(node.path) if isinstance(node, Variable) else ""
    return Formula(node, tuple(_readings(node)), alone)


def _readings(node: Node) -> Iterator[Reading]:
    pending = [(node, False)]
    while pending:
        current, absence = pending.pop()
        if isinstance(current, Variable):
            yield Reading(".".join(current.path), absence)
        below = _asks_for_absence(current) or (absence and _is_exists(current))
        pending.extend((child, below) for child in reversed(children(current)))


def _asks_for_absence(node: Node) -> bool:
    if not isinstance(node, Unary):
        return False
    return node.operator == "empty" or (node.operator == "not" and _is_exists(node.operand))


def _is_exists(node: Node) -> bool:
    return isinstance(node, Unary) and node.operator == "exists"


def mixes_intent_and_state(node: Node) -> bool:
    """Return whether one OR in the tree joins a test of the intent with a test of state alone."""
    return _subject(node).is_mixed


class _Subject(NamedTuple):
    """What the variables of a tree are about.

    Attributes:
        has_any: There are variables.
        has_intent: One of them is the intent.
        is_mixed: An OR has a side about the intent, and one about the state alone.
    """

    has_any: bool
    has_intent: bool
    is_mixed: bool


def _subject(node: Node) -> _Subject:
    """Return what a tree is about, each of its nodes looked at once; its height is bounded by the parser."""
    if isinstance(node, Variable):
        return _Subject(True, node.path[0] == "intent" or node.path[:2] == ("user", "intent"), False)
    below = [_subject(one) for one in children(node)]
    is_mixed = any(one.is_mixed for one in below)
    if isinstance(node, Binary) and node.operator == "or":
        left, right = below
        is_mixed = is_mixed or (left.has_any and right.has_any and left.has_intent != right.has_intent)
    return _Subject(any(one.has_any for one in below), any(one.has_intent for one in below), is_mixed)
