"""Whether the actions of guardrails exist and can do something where they stand. Spec: abl-language 3.7, 12.4."""

from __future__ import annotations

from collections.abc import Iterator

from abl.checks.blocks import Block
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import dig, rows, text
from abl.checks.report import Check
from abl.checks.suggestions import unknown
from abl.syntax.rules import GUARDRAIL_ACTIONS

_TEXT = frozenset({"block", "warn", "redact", "fix", "filter", "escalate"})

FITTING = {
    "input": _TEXT,
    "output": _TEXT | {"reask"},
    "both": _TEXT | {"reask"},
    "tool_input": frozenset({"block", "warn", "redact", "escalate"}),
    "tool_output": _TEXT,
    "handoff": frozenset({"block", "warn", "escalate"}),
}
"""Actions that have an effect on each kind of content. Asking again needs an answer of the model, mending a text."""

STAGES = {
    "input": "what the user says",
    "tool_input": "the arguments of a tool",
    "tool_output": "the result of a tool",
    "handoff": "a handoff",
}


def invalid_actions(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield actions that no guardrail has."""
    for block, action in _actions(facts):
        if action.lower() not in GUARDRAIL_ACTIONS:
            said = {"value": action, "property": "action"}
            yield unknown("INVALID_GUARDRAIL_ACTION", block, "action.type", action, GUARDRAIL_ACTIONS, **said)


def unfit_actions(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield actions without effect on the kind of content; a guardrail of kind `both` needs to fit one half only."""
    fitting: dict[str, set[str]] = {}
    for block, _ in _actions(facts):
        fitting.setdefault(text(block.subject.get("name")), set()).update(_fitting(block))
    for block, action in _actions(facts):
        name, word = text(block.subject.get("name")), action.lower()
        if word in GUARDRAIL_ACTIONS and word not in fitting[name]:
            said = {"value": action, "name": name, "expected": STAGES.get(text(block.subject.get("kind")), "")}
            yield Finding("GUARDRAIL_ACTION_WARNING", block, "action.type", action, arguments=said)


def _fitting(block: Block) -> frozenset[str]:
    return FITTING.get(text(block.subject.get("kind")), frozenset(GUARDRAIL_ACTIONS))


def _actions(facts: AgentFacts) -> Iterator[tuple[Block, str]]:
    for rule in rows(dig(facts.ir, "constraints", "guardrails")):
        given = rule.get("action")
        action = text(given) or text(dig(given, "type"))
        if action:
            yield facts.block(rule), action


CHECKS = (
    Check("INVALID_GUARDRAIL_ACTION", invalid_actions),
    Check("GUARDRAIL_ACTION_WARNING", unfit_actions),
)
"""The rules of this family, in the order in which they are checked."""
