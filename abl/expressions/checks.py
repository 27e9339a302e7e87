"""What the `check` of a guardrail is: a condition, in quotes or not, or a sentence that a model judges.

Public documents write the condition in quotes, with blanks and quotes inside; nothing of that may let a text pass.
Spec: abl-language 3.7, 6.1. Decision: 0050.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from abl.expressions.analysis import analyse
from abl.expressions.faults import Analysis
from abl.expressions.inspection import walk
from abl.expressions.prose import is_prose
from abl.expressions.tree import Binary, Function, Invalid, Node, String, Template, Variable
from abl.patterns import check_pattern

MAX_CACHED = 2_048
UNWANTED = "The text does nothing that this sentence calls a violation, and all that it demands: "
"""Stands before a sentence of `check`, which may name what is unwanted or what is wanted."""
_UNUSABLE = frozenset({"INVALID_CONDITION", "FUNCTION_UNKNOWN", "INVALID_REGEX"})
"""Faults with which a condition gives no answer that can be trusted."""


@dataclass(frozen=True, slots=True)
class GuardCheck:
    """One check.

    Attributes:
        condition: The condition without quotes around the whole; empty for a sentence.
        sentence: What a model is to judge; empty for a condition.
        problem: Why the condition cannot be judged at all; empty when it can.
    """

    condition: str = ""
    sentence: str = ""
    problem: str = ""

    @property
    def patterns(self) -> list[str]:
        """Patterns that the condition looks for, as they are written or as its functions know them."""
        return patterns_of(analyse(self.condition, condition=True).node)

    @property
    def paths(self) -> list[tuple[str, ...]]:
        """What the condition reads: each path as its names."""
        return list(_paths_of(self.condition))


@lru_cache(maxsize=MAX_CACHED)
def _paths_of(condition: str) -> tuple[tuple[str, ...], ...]:
    nodes = walk(analyse(condition, condition=True).node) if condition else ()
    return tuple(dict.fromkeys(one.path for one in nodes if isinstance(one, Variable)))


@lru_cache(maxsize=MAX_CACHED)
def read_check(text: str) -> GuardCheck:
    """Return what the check of a guardrail says.

    >>> read_check('''"abl.matches_pattern(input, '(?i)acme travel')"''').condition
    "abl.matches_pattern(input, '(?i)acme travel')"
    >>> read_check('"The user asks for legal advice"').sentence
    'The user asks for legal advice'
    """
    plain = text.strip()
    if not plain:
        return GuardCheck()
    found = analyse(plain, condition=True, allow_text=True)
    if not isinstance(found.node, String | Template | Invalid):
        return _condition(plain, found)
    is_quoted = len(plain) > 1 and plain[0] in "\"'" and plain[-1] == plain[0]
    if is_quoted:
        inside = plain[1:-1].strip()
        within = analyse(inside, condition=True, allow_text=True)
        is_broken = isinstance(within.node, Invalid) and not is_prose(inside)
        is_condition = not isinstance(within.node, String | Template | Invalid) and not _is_word(within.node, inside)
        if is_broken or is_condition:
            return _condition(inside, within)
        return GuardCheck(sentence=inside)
    if isinstance(found.node, Invalid):
        return _condition(plain, found)
    return GuardCheck(sentence=plain)


def _is_word(node: Node, text: str) -> bool:
    """Whether a quoted text is one plain word: `"rude"` names no variable."""
    return isinstance(node, Variable) and text.isalpha()


def _condition(text: str, found: Analysis) -> GuardCheck:
    for fault in found.faults:
        if fault.code in _UNUSABLE:
            said = fault.arguments.get("detail") or f"{fault.arguments.get('name', text)} is unknown"
            return GuardCheck(condition=text, problem=str(said))
    refused = next((reason for one in patterns_of(found.node) if (reason := check_pattern(one))), None)
    return GuardCheck(condition=text, problem=refused or "")


def patterns_of(node: Node) -> list[str]:
    """Return the patterns that a condition looks for, in the order of the text."""
    found: list[str] = []
    for one in walk(node):
        if isinstance(one, Binary) and one.operator == "matches" and isinstance(one.right, String):
            found.append(one.right.value)
        elif isinstance(one, Function):
            name = one.name.lower().rpartition(".")[2]
            last = one.arguments[-1] if one.arguments else None
            if name == "matches_pattern" and isinstance(last, String):
                found.append(last.value)
    return found
