"""Whether what is read of a tool's result is in what the tool says it returns. Spec: abl-language 3.2, 5.4, 6.8.

Looked at are variables that only results fill: `AS` of a CALL, `last_<tool>_result`, `result` in a step with one call,
and lists made of them by TRANSFORM. A type without fields says nothing, so all may be read of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import Subject, dig, mapping, text
from abl.checks.report import Check
from abl.checks.suggestions import listed
from abl.checks.written import Form, Written, written_in
from abl.compiler.places import Unit
from abl.diagnostics.suggest import closest
from abl.expressions.analysis import analyse, parse_expression
from abl.expressions.inspection import walk
from abl.expressions.tree import Node, Variable
from abl.syntax.document import Document
from abl.templates.parts import Choice, Each, Part, Value
from abl.templates.read import TemplateReader

LENGTH = "length"
OF_FAILURES = frozenset({"error", "code", "message", "error_code", "error_message", "error_type"})
"""What the result of a failed call holds, whatever the tool says it returns."""
_SKIPPED = ("behavior_profiles", "conversation", "legacy", "tools", "guardrails", "handoffs", "delegates")
_ON_RESULT = re.compile(r"tools\.(\d+)\.on_result\.set\.")
_MAX_PARTS = 64

Types = Mapping[str, Subject]


class Use(NamedTuple):
    """One path that is read: where it stands in the text, and its names."""

    start: int
    path: tuple[str, ...]


def unknown_result_fields(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield the paths that read of a result what its tool does not return; the customer would read nothing there."""
    types = _types(facts)
    place = context.place(facts.ir)
    if place is None or context.is_numbered(facts.ir) or not isinstance(place.node, Document):
        return
    for written in written_in(place.node, place.unit):
        if written.path.startswith(_SKIPPED) and not _ON_RESULT.match(written.path):
            continue
        here = {**types, **_of_step(facts, place.node, place.unit, written), **_of_tool(facts, place.node, written)}
        here |= _of_transform(place.node, written, here)
        for use, kinds in _uses(written, here):
            if fault := _missing(use, kinds):
                yield _finding(facts, written, use, *fault)


def _types(facts: AgentFacts) -> dict[str, Subject]:
    """Return the type of each variable that only results fill, as far as it is told."""
    returns = {name: mapping(block.subject.get("returns")) for name, block in facts.tools.items()}
    found = {f"last_{name}_result": one for name, one in returns.items() if _tells(one)}
    given = {text(field.subject.get("name")) for field in facts.gather_fields}
    for name, producers in facts.producers.items():
        if name in facts.session or name in facts.passed or name in given:
            continue
        tools = {_tool_of(one.block.subject) for one in producers if one.kind == "call"}
        whole = all(one.kind in ("call", "tool") and one.name == name for one in producers)
        if whole and len(tools) == 1 and _tells(type_ := returns.get(tools.pop(), {})):
            found[name] = type_
    for name, producers in facts.producers.items():
        is_made = len(producers) == 1 and producers[0].kind == "transform" and producers[0].field == "target"
        if is_made and (made := _transformed(producers[0].block.subject, found)) is not None:
            found[name] = made
    return found


def _tool_of(call: Subject) -> str:
    """Return the tool of a CALL, or of the step that holds one."""
    return text(call.get("tool")) or text(dig(call, "call_spec", "tool")) or text(call.get("call"))


def _transformed(transform: Subject, types: Types) -> Subject | None:
    """Return the type of what a TRANSFORM makes."""
    if fields := mapping(transform.get("map")):
        return {"type": "array", "items": {"type": "object", "fields": {name: {} for name in fields}}}
    root, *rest = text(transform.get("source")).split(".")
    kind: Subject | None = types.get(root)
    for name in rest:
        kind = mapping(dig(kind, "fields", name)) if kind is not None else None
    return kind if kind else None


def _tells(kind: Subject) -> bool:
    return bool(mapping(kind.get("fields"))) or bool(mapping(kind.get("items")))


def _of_step(facts: AgentFacts, document: Document, unit: Unit, written: Written) -> dict[str, Subject]:
    """Return the type of `result` in the text of a step that has one call."""
    parts = written.path.split(".")
    if parts[:2] != ["flow", "steps"] or len(parts) < 4 or document.flow is None or not parts[2].isdecimal():
        return {}
    steps = document.flow.steps or []
    name = steps[int(parts[2])].name if int(parts[2]) < len(steps) else ""
    block = facts.steps.get(name)
    calls = [one for one in facts.calls if one.block.step == name]
    if block is None or len(calls) != 1 or "call_spec" not in block.subject:
        return {}
    tool = facts.tools.get(calls[0].tool)
    kind = mapping(tool.subject.get("returns")) if tool is not None else {}
    return {"result": kind} if _tells(kind) else {}


def _of_tool(facts: AgentFacts, document: Document, written: Written) -> dict[str, Subject]:
    """Return the type of `result` in what a tool sets when it has answered."""
    found = _ON_RESULT.match(written.path)
    tools = document.tools or []
    if found is None or int(found[1]) >= len(tools):
        return {}
    tool = facts.tools.get(tools[int(found[1])].name)
    kind = mapping(tool.subject.get("returns")) if tool is not None else {}
    return {"result": kind} if _tells(kind) else {}


def _of_transform(document: Document, written: Written, types: Types) -> dict[str, Subject]:
    """Return the type of the element that FILTER and MAP of a TRANSFORM are about, by the name it has there."""
    parts = written.path.split(".")
    steps = (document.flow.steps if document.flow is not None else None) or []
    if parts[:2] != ["flow", "steps"] or parts[3:4] != ["transform"] or int(parts[2]) >= len(steps):
        return {}
    transform = steps[int(parts[2])].transform
    if transform is None or not transform.item_var:
        return {}
    element = _element(parse_expression(transform.source), types)
    return {transform.item_var: element} if element is not None else {}


def _uses(written: Written, types: Types) -> Iterator[tuple[Use, Types]]:
    if written.form is Form.TEMPLATE:
        yield from _in_parts(written, TemplateReader(written.text).parts(), types)
        return
    is_condition = written.form is not Form.EXPRESSION
    tree = analyse(written.text, condition=is_condition, allow_text=is_condition).node
    yield from ((use, types) for use in _in_tree(written, tree))


def _in_parts(written: Written, parts: tuple[Part, ...], types: Types) -> Iterator[tuple[Use, Types]]:
    """Yield the paths of a template; inside of `#each`, `this` is an element of the list."""
    for part in parts:
        match part:
            case Value(node):
                yield from ((use, types) for use in _in_tree(written, node))
            case Each(items, body):
                yield from ((use, types) for use in _in_tree(written, items))
                element = _element(items, types)
                inner = {name: kind for name, kind in types.items() if name != "this"}
                yield from _in_parts(written, body, {**inner, "this": element} if element else inner)
            case Choice(test, then, otherwise):
                yield from ((use, types) for use in _in_tree(written, test))
                yield from _in_parts(written, then + otherwise, types)


def _element(items: Node, types: Types) -> Subject | None:
    if not isinstance(items, Variable) or items.path[0] not in types:
        return None
    kind: Subject = types[items.path[0]]
    for name in items.path[1:]:
        kind = mapping(dig(kind, "items")) if name.isdecimal() else mapping(dig(kind, "fields", name))
    element = mapping(kind.get("items"))
    return element if _tells(element) else None


def _in_tree(written: Written, tree: Node) -> Iterator[Use]:
    for one in walk(tree):
        if isinstance(one, Variable) and len(one.path) > 1:
            start = one.start if written.text.startswith(one.path[0], one.start) else written.text.find(one.path[0])
            yield Use(max(start, 0), one.path)


def _missing(use: Use, types: Types) -> tuple[int, list[str]] | None:
    """Return the place in the path that its tool does not return, and what may stand there; None when all is there."""
    kind = types.get(use.path[0])
    for at, name in enumerate(use.path[1:], 1):
        if kind is None or not _is_known(kind):
            return None
        if name in OF_FAILURES and at == 1:
            return None
        fields, items = mapping(kind.get("fields")), kind.get("items")
        if kind.get("type") == "array" or items:
            if name == LENGTH:
                return None
            if not name.isdecimal():
                return at, [LENGTH]
            kind = mapping(items)
        elif fields:
            if name not in fields:
                return at, [str(one) for one in fields]
            kind = mapping(fields[name])
        else:
            return None if name == LENGTH and kind.get("type") in ("string", None) else (at, [])
    return None


def _is_known(kind: Subject) -> bool:
    """Return whether a type says what may be read of it: an object without fields and `any` do not."""
    return _tells(kind) or kind.get("type") in ("string", "number", "integer", "boolean", "date", "datetime", "array")


def _finding(facts: AgentFacts, written: Written, use: Use, at: int, known: list[str]) -> Finding:
    name = use.path[at]
    near = closest(name, known) or (LENGTH if known == [LENGTH] else "")
    said = {"name": name, "value": ".".join(use.path[:at]), "known": listed(known), "suggestion": near}
    start = use.start + len(".".join(use.path[:at])) + 1
    if not written.text.startswith(name, start):
        start = max(written.text.find(name, use.start), 0)
    return Finding("UNKNOWN_RESULT_FIELD", facts.block(facts.ir), "", name, near, said, written=written, start=start)


CHECKS = (Check("UNKNOWN_RESULT_FIELD", unknown_result_fields),)
"""The rule of this family."""
