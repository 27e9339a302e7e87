"""What the compiler has to know of a condition, read once per text. Spec: abl-language 6, 12.4, 7.6."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from abl.expressions import parse_condition
from abl.expressions.tree import Array, Binary, Conditional, Function, Node, String, Variable, children

MAX_CACHED = 8192
INTENT_PATHS = frozenset({("intent",), ("intent", "category"), ("user", "intent")})
"""Paths whose value is the name of the recognised intent."""

_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'""")
_SET_TEST = re.compile(r"\bIS\s+(?:NOT\s+)?SET\b", re.IGNORECASE)
_ALWAYS = frozenset({"true", "always", "*"})


@dataclass(frozen=True, slots=True)
class Facts:
    """What is in a condition.

    Attributes:
        variables: Dotted paths, each once, in the order of the text.
        patterns: Literal patterns of MATCHES.
        intents: Texts compared with the intent.
        has_and, has_or: Whether the operators occur.
        is_choice: Whether the whole is `a ? b : c`.
        tests_presence: Whether `IS SET` or `IS NOT SET` is in the text.
    """

    variables: tuple[str, ...]
    patterns: tuple[str, ...]
    intents: tuple[str, ...]
    has_and: bool
    has_or: bool
    is_choice: bool
    tests_presence: bool


@lru_cache(maxsize=MAX_CACHED)
def facts_of(condition: str) -> Facts:
    """Return what is in `condition`."""
    root = parse_condition(condition)
    variables: dict[str, None] = {}
    patterns: list[str] = []
    intents: list[str] = []
    operators: set[str] = set()
    pending: list[Node] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Variable):
            variables[".".join(node.path)] = None
        elif isinstance(node, Binary):
            operators.add(node.operator)
            if node.operator == "matches" and isinstance(node.right, String):
                patterns.append(node.right.value)
            elif node.operator in ("==", "in"):
                intents.extend(_compared_intents(node))
        elif isinstance(node, Function):
            patterns.extend(_pattern_argument(node))
        pending.extend(reversed(children(node)))
    return Facts(
        tuple(variables),
        tuple(patterns),
        tuple(intents),
        "and" in operators,
        "or" in operators,
        isinstance(root, Conditional),
        _SET_TEST.search(_QUOTED.sub('""', condition)) is not None,
    )


def is_always(condition: str) -> bool:
    """Whether a condition holds always by its very text: empty, `true`, `always` or `*`."""
    return not condition or condition.strip().lower() in _ALWAYS


def _compared_intents(node: Binary) -> list[str]:
    for side, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(side, Variable) and side.path in INTENT_PATHS:
            values = other.values if isinstance(other, Array) else (other,)
            return [one.value for one in values if isinstance(one, String)]
    return []


def _pattern_argument(node: Function) -> list[str]:
    name = node.name.lower().rpartition(".")[2]
    if name != "matches_pattern" or not node.arguments:
        return []
    last = node.arguments[-1]
    return [last.value] if isinstance(last, String) else []
