"""Lowers CALL, SET and DELEGATE as they stand in steps, branches, handlers and hooks. Spec: abl-language 5.4, 12.6."""

from __future__ import annotations

from abl.compiler.plain import Json, given, mapping, one, only, text, texts
from abl.compiler.scope import Scope
from abl.syntax.node import Node
from abl.syntax.steps import Argument, Assignment, Call, DelegateCall


def add_actions(node: Node, scope: Scope, ir: Json) -> None:
    """Add set, clear, call, call_spec and message_key of a node to its IR."""
    if (assignments := given(node, "set")) and (lowered := set_lines(assignments, scope)):
        ir["set"] = lowered
    if (names := given(node, "clear")) and (cleared := texts(names)):
        ir["clear"] = cleared
    if key := text(getattr(node, "message_key", "")):
        ir["message_key"] = key
    call = one(Call, getattr(node, "call", None))
    if call is not None and text(call.tool):
        ir["call"] = text(call.tool)
        ir["call_spec"] = call_spec(call, scope)


def set_lines(assignments: object, scope: Scope) -> list[Json]:
    """Return `[{variable, expression}]`; the expression stays raw text."""
    return [
        scope.record({"variable": text(line.variable), "expression": text(line.expression)}, line)
        for line in only(Assignment, assignments)
    ]


def call_spec(call: Call, scope: Scope) -> Json:
    """Return `{tool, with, as}`: all arguments by name as far as the signature is known.

    Positional arguments without a parameter are kept under `args`; `from_state` says that no parentheses were
    written, so that parameters not named in `with` are taken from state by their name.
    """
    tool = text(call.tool)
    parameters = scope.parameters.get(tool, {})
    bound: dict[str, str] = {}
    surplus: list[str] = []
    arguments = only(Argument, call.arguments)
    named = {argument.name for argument in arguments if argument.name}
    bare = {
        text(argument.expression).strip()
        for argument in arguments
        if not argument.name and text(argument.expression).strip() in parameters
    }
    free = (name for name in parameters if name not in named and name not in bare)
    for argument in arguments:
        expression = text(argument.expression)
        name = text(argument.name) or (expression.strip() if expression.strip() in bare else next(free, ""))
        if name and name not in bound:
            bound[name] = expression
        else:
            surplus.append(expression)
    bound.update(mapping(given(call, "with_")))
    spec: Json = {"tool": tool, "with": bound}
    if surplus:
        spec["args"] = surplus
    if call.arguments is None:
        spec["from_state"] = True
    if result := text(call.as_):
        spec["as"] = result
    if late := set_lines(given(call, "set"), scope):
        spec["set"] = late
    return scope.record(spec, call)


def delegate_call(value: object, scope: Scope) -> Json | None:
    """Return `{agent, return, map, input}` of a DELEGATE inside a handler, digression or branch."""
    node = one(DelegateCall, value)
    if node is None or not text(node.agent):
        return None
    ir: Json = {"agent": text(node.agent)}
    if isinstance(node.return_, bool):
        ir["return"] = node.return_
    if node.map:
        ir["map"] = mapping(node.map)
    if node.input:
        ir["input"] = mapping(node.input)
    return scope.record(ir, node)
