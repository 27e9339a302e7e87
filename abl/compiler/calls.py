"""Lowers CALL, SET and DELEGATE as they stand in steps, branches, handlers and hooks. Spec: abl-language 5.4, 12.6."""

from __future__ import annotations

import json
import re

from abl.compiler.plain import Json, given, mapping, one, only, text, texts
from abl.compiler.scope import Scope
from abl.syntax.flow import Step
from abl.syntax.node import Node
from abl.syntax.steps import Argument, Assignment, Call, DelegateCall, Hook, OnStart

_ANSWER = ("respond", "voice_config", "rich_content", "actions")
_WORDS = (*_ANSWER, "message_key")
_TAGS = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_DECIDES = re.compile(r"\s*#\s*(if|unless)\b")
_READS_ANYTHING = ("call_spec", "delegate", "message_key")
"""What may read a variable without naming it: a call takes parameters from state, MESSAGES stand elsewhere."""


def add_actions(node: Node, scope: Scope, ir: Json) -> None:
    """Add set, clear, clear_last, call, call_spec, say_after and message_key of a node to its IR."""
    if (assignments := given(node, "set")) and (lowered := set_lines(assignments, scope)):
        ir["set"] = lowered
    if key := text(getattr(node, "message_key", "")):
        ir["message_key"] = key
    call = one(Call, getattr(node, "call", None))
    if call is not None and text(call.tool):
        ir["call"] = text(call.tool)
        ir["call_spec"] = call_spec(call, scope)
    is_claim = not isinstance(node, Step | OnStart | Hook) and getattr(node, "says_first", False) is not True
    if "call_spec" in ir and is_claim:
        mark_words(ir, ir["call_spec"])
    if (names := given(node, "clear")) and (cleared := texts(names)):
        _add_clears(node, cleared, ir)


def mark_words(ir: Json, spec: Json) -> None:
    """Note that what a block says is of a call above it, unless it tells itself that the call may have failed."""
    said = " ".join(json.dumps(ir[key]) for key in _WORDS if key in ir)
    if said and not _knows_failure(said, made_by(spec)):
        ir["say_after"] = spec["tool"]


def mark_list(entries: list[Json], spec: Json | None = None) -> None:
    """Note of each entry of a DO list which call its words are of: the nearest above it.

    What is below a sub-task is of that, and what is under a CHECK that reads what the call gives says itself when
    it is true. Decision: 0089.
    """
    for entry in entries:
        if "call_spec" in entry:
            spec = entry["call_spec"]
        elif "delegate" in entry:
            spec = None
        elif spec is not None:
            mark_words(entry, spec)
        if spec is None or not mentions(entry.get("check", ""), made_by(spec)):
            mark_list(entry.get("do", ()), spec)


def made_by(spec: Json) -> set[str]:
    """Return the names under which a call gives what it brings."""
    return result_names(spec) | {"match", spec["tool"]}


def result_names(spec: Json) -> set[str]:
    """Return the variables that hold nothing before this call: its result under all its names."""
    made = {"result", spec.get("as", ""), f"last_{spec['tool']}_result"}
    return (made | {line["variable"].partition(".")[0] for line in spec.get("set", ())}) - {""}


def mentions(read: str, names: set[str]) -> bool:
    """Return whether one of the names stands in a text."""
    return any(re.search(rf"\b{re.escape(name)}\b", read) for name in names if name)


def _knows_failure(said: str, made: set[str]) -> bool:
    tags = _TAGS.findall(said)
    return any(re.search(r"error\b", tag) or (_DECIDES.match(tag) and mentions(tag, made)) for tag in tags)


def _add_clears(node: Node, names: list[str], ir: Json) -> None:
    """Add clear, or clear_last for the names that a call or an answer above CLEAR may read."""
    late: list[str] = []
    if getattr(node, "clears_last", False) is True:
        read = None if any(key in ir for key in _READS_ANYTHING) else json.dumps([ir.get(key) for key in _ANSWER])
        roots = {name: name.removeprefix("session.").partition(".")[0] for name in names}
        late = [name for name in names if read is None or re.search(rf"\b{re.escape(roots[name])}\b", read)]
    if early := [name for name in names if name not in late]:
        ir["clear"] = early
    if late:
        ir["clear_last"] = late


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
