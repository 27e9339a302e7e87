"""The graph of a flow, for reachability and for drawing. Spec: abl-language 12.6."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abl.compiler.plain import Json
from abl.syntax.flow import TERMINALS

_BRANCHING = ("on_result", "on_input")
_OUTCOMES = ("on_success", "on_failure", "on_fail")
_DIGRESSIONS = ("digressions", "sub_intents")

MAX_NESTING = 64

Edge = tuple[str, str, str]


def static_graph(flow: Json) -> Json:
    """Return `{nodes, edges, entryPoint}` of a lowered flow; each edge stands once.

    What can happen at any step (global digressions) starts at the entry point, so that the graph stays as small
    as the text.
    """
    entry = flow["entry_point"]
    edges: dict[Edge, None] = {}
    for name, step in flow["definitions"].items():
        for goal, label in step_targets(step):
            edges[(name, goal, label)] = None
    for digression in flow["global_digressions"]:
        for goal in _digression_targets(digression):
            edges[(entry, goal, "digression")] = None
    nodes = [
        {"name": name, "kind": "reasoning" if "reasoning_zone" in step else "step"}
        for name, step in flow["definitions"].items()
    ]
    used = {goal for _, goal, _ in edges}
    nodes += [{"name": terminal, "kind": "terminal"} for terminal in TERMINALS if terminal in used]
    return {
        "nodes": nodes,
        "edges": [{"from": start, "to": goal, "label": label} for start, goal, label in edges],
        "entryPoint": entry,
    }


def step_targets(step: Json) -> Iterator[tuple[str, str]]:
    """Yield (target, label) of everything that leads out of a lowered step."""
    for key in _OUTCOMES:
        outcome = step.get(key)
        if outcome is not None:
            yield from _goal(outcome, "then", key)
            for branch in outcome.get("branches", ()):
                yield from _goal(branch, "then", key)
    for key in _BRANCHING:
        for branch in step.get(key, ()):
            yield from _goal(branch, "then", key)
    for key in _DIGRESSIONS:
        for digression in step.get(key, ()):
            for goal in _digression_targets(digression):
                yield goal, "digression"
    for handler in step.get("on_action", ()):
        yield from handler_targets(handler)
    for handler in step.get("on_error", ()):
        yield from _goal(handler, "backtrack_to", "on_failure")
    yield from _done(step, 0)
    yield from _waiting(step)
    yield from _goal(step, "on_exhausted", "on_exhausted")
    for rule in (*step.get("step_constraints", ()), *step.get("reasoning_zone", {}).get("constraints", ())):
        yield from rule_targets(rule)
    yield from _goal(step, "then", "then")


def _done(node: Json, depth: int) -> Iterator[tuple[str, str]]:
    for action in node.get("do", ()) if depth <= MAX_NESTING else ():
        yield from _goal(action, "goto", "then")
        yield from _goal(action.get("on_fail", {}), "then", "on_fail")
        yield from _done(action, depth + 1)


def _waiting(step: Json) -> Iterator[tuple[str, str]]:
    approval = step.get("human_approval", {})
    yield from _goal(approval, "on_approve", "on_success")
    yield from _goal(approval, "on_reject", "on_failure")
    yield from _goal(approval, "on_timeout", "on_timeout")
    yield from _goal(step.get("await_attachment", {}), "on_timeout", "on_timeout")


def rule_targets(rule: Json) -> Iterator[tuple[str, str]]:
    """Yield (target, label) of the steps a broken rule leads to."""
    action = rule.get("on_fail", {})
    yield from _goal(action, "then_step", "on_fail")
    if action.get("type") == "goto_step":
        yield from _goal(action, "target", "on_fail")


def handler_targets(handler: Json) -> Iterator[tuple[str, str]]:
    """Yield (target, label) of a button's handler."""
    yield from _goal(handler, "transition", "on_action")
    for action in handler.get("do", ()):
        yield from _goal(action, "goto", "on_action")
        if action.get("complete"):
            yield "COMPLETE", "on_action"
        if action.get("escalate"):
            yield "ESCALATE", "on_action"
    if handler.get("complete"):
        yield "COMPLETE", "on_action"


def _digression_targets(digression: Json) -> Iterator[str]:
    for action in (digression, *digression.get("do", ())):
        if goal := action.get("goto"):
            yield goal


def _goal(ir: Json, key: str, label: str) -> Iterator[tuple[str, str]]:
    goal: Any = ir.get(key)
    if goal:
        yield goal, label


def add_agent_edges(agent: Json) -> None:
    """Add to the flow's graph what leads into it from outside of the steps, starting at the entry point."""
    graph = agent["flow"]["staticGraph"]
    entry = graph["entryPoint"]
    known = {(edge["from"], edge["to"], edge["label"]) for edge in graph["edges"]}
    names = {node["name"] for node in graph["nodes"]}
    targets = [pair for handler in agent["action_handlers"] for pair in handler_targets(handler)]
    targets += [pair for rule in agent["constraints"]["constraints"] for pair in rule_targets(rule)]
    targets += [
        pair
        for handler in (*agent["error_handling"]["handlers"], agent["error_handling"]["default_handler"])
        for pair in _goal(handler, "backtrack_to", "on_failure")
    ]
    for goal, label in targets:
        if (entry, goal, label) not in known:
            known.add((entry, goal, label))
            graph["edges"].append({"from": entry, "to": goal, "label": label})
        if goal in TERMINALS and goal not in names:
            names.add(goal)
            graph["nodes"].append({"name": goal, "kind": "terminal"})
