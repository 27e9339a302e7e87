"""What is wrong in the conditions of an IR without text; in a text `document_expressions` reports it with its place."""

from __future__ import annotations

from collections.abc import Iterator

from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts, Condition
from abl.checks.finding import Finding
from abl.checks.report import Check
from abl.expressions.analysis import analyse

_JUDGED = ("handoffs", "triggers", "conditions")


def unreadable_conditions(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield the conditions that cannot be read."""
    if context.places is not None:
        return
    for condition in facts.conditions:
        allow = condition.block.role in _JUDGED or _is_instruction(condition)
        for fault in analyse(condition.text, condition=True, allow_text=allow).faults:
            if fault.code == "INVALID_CONDITION":
                said = {name: str(value) for name, value in fault.arguments.items()}
                yield Finding("INVALID_CONDITION", condition.block, condition.field, arguments=said)


def _is_instruction(condition: Condition) -> bool:
    """Whether it is a sentence for the model that stands where a condition may stand."""
    return condition.block.role == "delegates"


CHECKS = (Check("INVALID_CONDITION", unreadable_conditions),)
"""The rules of this family, in the order in which they are checked."""
