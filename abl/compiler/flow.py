"""Lowers FLOW: steps, their order, and reasoning zones. Spec: abl-language 5, 12.6."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from abl.compiler.branch_gathers import gathering_steps
from abl.compiler.calls import made_by, mentions, result_names
from abl.compiler.content import plain_or_template
from abl.compiler.errors import lower_handler
from abl.compiler.gather import lower_step_gather
from abl.compiler.graph import static_graph
from abl.compiler.handlers import DIGRESSION, HANDLERS, OUTCOME, lower_branches, lower_do
from abl.compiler.identity import goal_of
from abl.compiler.lowering import Changes, listed, lower, nested, shape, target
from abl.compiler.plain import Json, given, number, one, only, text, texts
from abl.compiler.rules import lower_constraints
from abl.compiler.scope import Scope
from abl.expressions.analysis import analyse
from abl.expressions.inspection import walk
from abl.expressions.tree import Variable
from abl.syntax.flow import TERMINALS, AwaitAttachment, Flow, HumanApproval, Step, Transform, gathering
from abl.syntax.gather import Gather, GatherField, StepGather
from abl.syntax.node import Node
from abl.syntax.steps import ErrorHandler
from abl.syntax.understanding import Entity

MAX_TURNS = 10


def _sort(value: Any, _scope: Scope, _node: Node) -> Json:
    words = text(value).split()
    descending = len(words) > 1 and words[-1].upper() == "DESC"
    return {"field": words[0] if words else "", "order": "desc" if descending else "asc"}


def _present(value: Any, scope: Scope, node: Node) -> str:
    return plain_or_template(value, node, "present", scope)


def _errors(value: Any, scope: Scope, _node: Node) -> list[Json]:
    return [lower_handler(one_, scope) for one_ in only(ErrorHandler, value)]


def _limit(value: Any, _scope: Scope, _node: Node) -> int | str:
    written = text(value).strip()
    return int(written) if written.isdecimal() and len(written) < MAX_LIMIT_DIGITS else written


MAX_LIMIT_DIGITS = 10
"""Digits of a LIMIT that is a number; more than that is no limit."""

_TRANSFORM = shape(Transform, Changes(use={"sort_by": _sort, "limit": _limit}))
_AWAIT = shape(
    AwaitAttachment,
    Changes(names={"name": "variable", "timeout": "timeout_seconds"}, defaults={"required": True}),
)
_APPROVAL = shape(HumanApproval, Changes(names={"timeout": "timeout_seconds"}))
_ZONE_FIELDS = ("reasoning", "goal", "behavior", "available_tools", "exit_when", "max_turns", "step_constraints")
_OUTCOMES = dict.fromkeys(("on_success", "on_failure", "on_fail"), nested(OUTCOME))
_STEP = shape(
    Step,
    Changes(
        skip=(*_ZONE_FIELDS, "gather", "collect", "prompt", "transform"),
        use={
            **_OUTCOMES,
            "present": _present,
            "on_result": lower_branches,
            "on_input": lower_branches,
            "on_error": _errors,
            "on_action": HANDLERS,
            "do": lower_do,
            "digressions": listed(DIGRESSION),
            "sub_intents": listed(DIGRESSION),
            "await_attachment": nested(_AWAIT),
            "human_approval": nested(_APPROVAL),
        },
    ),
)
_TRANSFORM_HEAD = ("source", "item_var", "target")


def lower_flow(scope: Scope, entities: dict[str, Entity]) -> Json | None:
    """Return the flow of the agent, None without FLOW."""
    node = one(Flow, scope.document.flow)
    return lower_flow_node(node, scope, entities) if node is not None else None


def lower_flow_node(node: Flow, scope: Scope, entities: dict[str, Entity]) -> Json:
    """Return `{steps, definitions, entry_point, global_digressions, staticGraph}` of a flow."""
    steps = only(Step, node.steps)
    sequences = [texts(line) for line in node.sequences] if isinstance(node.sequences, list) else []
    listed_names = [*texts(node.order), *(name for line in sequences for name in line)]
    names = list(dict.fromkeys(name for name in [*listed_names, *(text(step.name) for step in steps)] if name))
    names = [name for name in names if name.upper() not in TERMINALS]
    gather = one(Gather, scope.document.gather)
    top = {text(field.name): field for field in only(GatherField, gather.fields)} if gather is not None else {}
    definitions: dict[str, Json] = {}
    for step in steps:
        name = text(step.name)
        if name not in definitions:
            definitions[name] = _step(step, scope, entities, top)

            def lower_fields(gather: StepGather) -> Json:
                return lower_step_gather(gather, scope, entities, top)

            for added, made in gathering_steps(step, definitions[name], lower_fields):
                definitions.setdefault(added, scope.record(made, step))
    _add_successors(definitions, sequences)
    ir: Json = {
        "steps": names,
        "definitions": definitions,
        "entry_point": target(node.entry_point, scope, node) or (names[0] if names else ""),
        "global_digressions": listed(DIGRESSION)(node.global_digressions, scope, node),
    }
    ir["staticGraph"] = static_graph(ir)
    return scope.record(ir, node)


def _add_successors(definitions: dict[str, Json], sequences: list[list[str]]) -> None:
    """Give a step without THEN the one that follows it in a sequence line."""
    for line in sequences:
        for name, successor in pairwise(line):
            step = definitions.get(name)
            if step is not None and "then" not in step:
                upper = successor.upper()
                step["then"] = upper if upper in TERMINALS else successor


def _step(node: Step, scope: Scope, entities: dict[str, Entity], top: dict[str, GatherField]) -> Json:
    ir = lower(node, scope, _STEP)
    ir["name"] = text(node.name)
    rules, instructions = lower_constraints(given(node, "step_constraints"), scope)
    if node.reasoning is True:
        ir["reasoning_zone"] = _zone(node, rules, instructions, scope)
    elif rules:
        ir["step_constraints"] = rules
    if (gather := _gather(node, scope, entities, top)) is not None:
        ir["gather"] = gather
    transform = one(Transform, node.transform)
    if transform is not None:
        lowered = lower(transform, scope, _TRANSFORM)
        for name in _TRANSFORM_HEAD:
            lowered[name] = text(getattr(transform, name))
        ir["transform"] = lowered
    if "call_spec" in ir:
        ir["call_with"] = ir["call_spec"]["with"]
        if "as" in ir["call_spec"]:
            ir["call_as"] = ir["call_spec"]["as"]
        _add_order(node, ir)
    return ir


_TAGS = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_SAID = ("respond", "message_key", "voice_config", "rich_content", "actions")


def _add_order(node: Step, ir: Json) -> None:
    """Add check_first, do_first, say_last and transform_last of a step with a CALL, where they say something.

    `do_first` is how many of `do` are done before the call. What reads the call's result is done after it. Decisions:
    0080, 0088.
    """
    spec = ir["call_spec"]
    made = made_by(spec)
    results = result_names(spec)
    if node.checks_first is True and "check" in ir and results.isdisjoint(_roots(ir["check"])):
        ir["check_first"] = True
    before = ir.get("do", ())[: node.does_first]
    if first := next((at for at, one in enumerate(before) if not results.isdisjoint(_read_in(one))), len(before)):
        ir["do_first"] = first
    said = " ".join(str(ir.get(key, "")) for key in _SAID)
    told = " ".join(_TAGS.findall(said))
    is_question = node.gather is not None and str(ir.get("respond", "")).rstrip().endswith("?")
    if node.says_last is True and said.strip() and not mentions(told, made) and not is_question:
        ir["say_last"] = True
    if node.transforms_last is True and "transform" in ir:
        ir["transform_last"] = True


def _roots(condition: str) -> set[str]:
    """Return the first names of the variables that a condition or an expression reads; those in quotes are none."""
    tree = analyse(condition, condition=True, allow_text=True).node
    return {one.path[0] for one in walk(tree) if isinstance(one, Variable)}


def _read_in(node: Any) -> set[str]:
    """Return the first names of the variables that an action and those under it read: conditions, values, tags."""
    if isinstance(node, list):
        return set().union(*map(_read_in, node))
    if isinstance(node, str):
        return set().union(*(_roots(tag) for tag in _TAGS.findall(node)))
    if not isinstance(node, dict):
        return set()
    formulas = [node.get(key) for key in ("check", "condition", "expression")]
    given_ = node.get("with")
    formulas += given_.values() if isinstance(given_, dict) else ()
    found = {name for one in formulas if isinstance(one, str) for name in _roots(one)}
    return found.union(*(_read_in(value) for value in node.values()))


def _zone(node: Step, rules: list[Json], instructions: list[str], scope: Scope) -> Json:
    """Return the reasoning zone; its goal is the agent's when the step has none, BEHAVIOR is appended."""
    goal = text(node.goal)
    if not goal and scope.lends("goal", (scope.document.goal, scope.document.instructions), node, "reasoning"):
        goal = goal_of(scope.document)
    if behavior := "\n".join([part for part in (text(node.behavior), *instructions) if part]):
        goal = f"{goal}\n\n{behavior}" if goal else behavior
    turns = number(node.max_turns)
    zone: Json = {"goal": goal, "max_turns": MAX_TURNS if turns is None else turns, "constraints": rules}
    if node.available_tools is not None:
        zone["available_tools"] = texts(node.available_tools)
    for field in ("exit_when", "complete_when"):
        if condition := text(getattr(node, field)):
            if field == "exit_when":
                scope.condition(condition, node, field)
            zone.setdefault("exit_when", condition)
    return scope.record(zone, node)


def _gather(node: Step, scope: Scope, entities: dict[str, Entity], top: dict[str, GatherField]) -> Json | None:
    gather = gathering(node)
    return lower_step_gather(gather, scope, entities, top) if gather is not None else None
