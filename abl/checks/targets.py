"""Where a flow can go: every reference to a step, and the steps that can be reached. Spec: abl-language 5, 12.6."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from abl.checks.blocks import Block
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.reading import dig, rows, text, texts
from abl.syntax.flow import TERMINALS, Flow

TARGET_KEYS = (
    "then", "goto", "transition", "on_success", "on_failure", "on_fail", "on_exhausted", "on_timeout", "on_approve",
    "on_reject", "backtrack_to", "then_step",
)  # fmt: skip
"""Keys whose text names a step."""

_AFTER_FAILURE = frozenset({"RETRY", "CONTINUE", "RETRY_STEP"})
_SECTIONS = ("flow", "action_handlers", "constraints", "error_handling")


class Target(NamedTuple):
    """One reference to a step; `source` is the step it stands in, empty outside of steps."""

    source: str
    name: str
    block: Block
    field: str


def targets_of(facts: AgentFacts) -> list[Target]:
    """Return every reference to a step in the order of the text; COMPLETE and ESCALATE are none."""
    return [target for block in facts.under(*_SECTIONS) for target in _targets_in(block)]


def _targets_in(block: Block) -> Iterator[Target]:
    in_handler = block.section == "error_handling" or block.lies_in("on_error")
    rules = block.section == "constraints" or block.lies_in("constraints", "step_constraints")
    for key in TARGET_KEYS:
        name = block.subject.get(key)
        if not isinstance(name, str) or not name.strip() or name.strip().upper() in TERMINALS:
            continue
        if (in_handler and key != "backtrack_to") or (rules and key not in ("then_step", "goto")):
            continue
        if key == "then" and name.upper() in _AFTER_FAILURE and block.lies_in("on_fail", "on_failure"):
            continue
        yield Target(block.step, name.strip(), block, key)
    if rules and block.subject.get("type") == "goto_step":
        yield Target(block.step, text(block.subject.get("target")), block, "target")


def entry_of(facts: AgentFacts) -> str:
    """Return the name of the first step: as written, else the first of the list, else the first defined."""
    flow = facts.flow or {}
    written = text(flow.get("entry_point"))
    order = [name for name in texts(flow.get("steps")) if name in facts.steps]
    return written or next(iter(order), "") or next(iter(facts.steps), "")


def edges_of(facts: AgentFacts, context: CheckContext, targets: Iterable[Target]) -> dict[str, set[str]]:
    """Return step -> steps that may follow it."""
    edges: dict[str, set[str]] = {name: set() for name in facts.steps}
    pairs = [(target.source, target.name) for target in targets if target.source]
    pairs += [(text(one.get("from")), text(one.get("to"))) for one in rows(dig(facts.flow, "staticGraph", "edges"))]
    pairs += _sequence_pairs(facts, context)
    for source, name in pairs:
        if source in edges and name in edges:
            edges[source].add(name)
    return edges


def _sequence_pairs(facts: AgentFacts, context: CheckContext) -> list[tuple[str, str]]:
    """Return the neighbours on the sequence lines `a -> b`, which are kept in the document only."""
    place = context.place(facts.flow) if facts.flow is not None else None
    if place is None or not isinstance(place.node, Flow):
        return []
    return [pair for line in place.node.sequences or [] for pair in pairwise(line)]


def reached(edges: dict[str, set[str]], roots: Iterable[str]) -> set[str]:
    """Return the steps that can be reached from `roots`, these included."""
    found: set[str] = set()
    pending = [name for name in roots if name in edges]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(edges[name] - found)
    return found
