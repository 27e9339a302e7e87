"""Documents as YAML text; the YAML of a document parses to the same document. Spec: abl-language 9."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from abl.printer.actions import history_text
from abl.printer.nodes import is_absent, laid_out, rows_in_order, written_fields
from abl.printer.signature import type_text
from abl.printer.tools import fields_of, is_refined
from abl.printer.yaml_names import yaml_name
from abl.printer.yaml_text import Verbatim, yaml_lines
from abl.syntax.document import Document
from abl.syntax.flow import Flow, Transform
from abl.syntax.gather import Gather
from abl.syntax.memory import Store
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.rich import ActionSet, Template
from abl.syntax.rules import Constraint, FailAction, Guardrail
from abl.syntax.steps import Argument, Branch, Call
from abl.syntax.tools import BINDING_FIELDS, Parameter, Tool, ToolImport

Plain = dict[str, Any]

_WRAPPERS = {
    "http": "http_binding", "mcp": "mcp_binding", "sandbox": "sandbox_binding", "connector": "connector_binding",
    "workflow": "workflow_binding", "searchai": "searchai_binding", "async_webhook": "async_webhook_binding",
}  # fmt: skip
_BINDING = frozenset(BINDING_FIELDS) - {"type", "base_url"} | {"timeout"}


def to_yaml(document: Document) -> str:
    """Return a document in the YAML form."""
    return "\n".join(yaml_lines(_document(document))) + "\n"


def _document(document: Document) -> Plain:
    plain: Plain = {}
    body: Node = document
    if document.kind == "tools":
        plain["tools"] = [_tool(tool) for tool in document.tools]
        plain["kind"] = "tools"
    elif document.kind == "profile" and document.behavior_profiles:
        body = document.behavior_profiles[0]
        plain["behavior_profile"] = document.name
    else:
        plain["supervisor" if document.kind == "supervisor" else "agent"] = document.name
    if document.tool_defaults is not None:
        plain["tool_defaults"] = node_plain(document.tool_defaults)
    if document.tool_imports is not None:
        plain["tool_imports"] = [_import(one) for one in document.tool_imports]
    for name, value in node_plain(body, skip=frozenset({"name"})).items():
        plain.setdefault(name, value)
    return plain


def node_plain(node: Node, *, skip: frozenset[str] = frozenset()) -> Plain:
    """Return a node as a map of the YAML form: what differs from the defaults, then the extras."""
    cls = type(node)
    plain: Plain = {}
    node = laid_out(node)
    for row in rows_in_order(node):
        if row.kind is Kind.FLAT:
            inner = {
                yaml_name(cls, one.field): _value(one, node)
                for one in cls.PROPS
                if one.group == row.key and not is_absent(node, one.field)
            }
            if inner:
                plain[yaml_name(cls, row.field)] = inner
        elif not row.group and row.field not in skip and not is_absent(node, row.field):
            _put(plain, cls, row, node)
    for key, raw in node.extras.items():
        plain.setdefault(key, _extra(raw))
    return plain


def _put(plain: Plain, cls: type[Node], row: Prop, node: Node) -> None:
    name, value = yaml_name(cls, row.field), _value(row, node)
    if isinstance(value, _Parts):
        plain.update(value)
    else:
        plain[name] = value


class _Parts(dict[str, Any]):
    """A value that takes several keys of the map it stands in."""


def _value(row: Prop, node: Node) -> Any:
    value = getattr(node, row.field)
    write = _WRITERS.get(row.kind)
    return write(value, row, node) if write is not None else value


def _extra(raw: str) -> Any:
    """Return an unknown value: YAML of several lines as it stands, all else as a text."""
    if raw.startswith("\n"):
        try:
            node = yaml.compose(raw[1:], Loader=yaml.SafeLoader)
        except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
            return raw
        if isinstance(node, yaml.CollectionNode) and not node.flow_style and "#" not in raw and "&" not in raw:
            return Verbatim(raw[1:])
    return raw


def _node(value: Node, row: Prop, node: Node) -> Any:
    """Return a nested node: a map, or just its main value where that is all there is."""
    main = type(value).MAIN
    if main in value.BY_FIELD and written_fields(value) == [main]:
        inner = value.BY_FIELD[main]
        if inner.kind in (Kind.NAME, Kind.TARGET, Kind.CHOICE, Kind.TEXT, Kind.CODE):
            return getattr(value, main)
    return node_plain(value)


def _entries(value: list[Node], row: Prop, node: Node) -> Any:
    """Return a list of nodes: each a map that begins with its name."""
    return [entry_plain(one) for one in value]


def entry_plain(one: Node) -> Plain:
    """Return one entry of a list."""
    cls = type(one)
    if not cls.MAIN:
        return node_plain(one)
    key = yaml_name(cls, cls.MAIN) if cls.MAIN in cls.BY_FIELD else "name" if cls.MAIN != "action_id" else "id"
    return {key: getattr(one, cls.MAIN), **node_plain(one, skip=frozenset({cls.MAIN}))}


def _guardrails(value: list[Guardrail]) -> list[Plain]:
    """Return guardrails with the defaults of the text form written out, as those of the YAML form differ."""
    made = []
    for one in value:
        plain = entry_plain(one)
        plain.setdefault("kind", "output")
        plain.setdefault("action", "warn")
        made.append(plain)
    return made


def _set(value: list[Any], row: Prop, node: Node) -> list[Plain]:
    return [{"variable": one.variable, "expression": one.expression} for one in value]


def _call(value: Call, row: Prop, node: Node) -> Any:
    parts = _Parts(call=call_line(value))
    if value.with_:
        parts["call_with"] = value.with_
    if value.as_:
        parts["call_as"] = value.as_
    if value.extras or value.set:
        return {"tool": call_line(value), **node_plain(value)}
    return parts


def call_line(call: Call) -> str:
    """Return `tool` or `tool(a, name: b)`."""
    if call.arguments is None:
        return call.tool
    return f"{call.tool}({', '.join(map(_argument, call.arguments))})"


def _argument(one: Argument) -> str:
    return f"{one.name}: {one.expression}" if one.name else one.expression


def _branches(value: list[Branch], row: Prop, node: Node) -> list[Any]:
    return [_branch(one) for one in value]


def _branch(one: Branch) -> Plain:
    if one.otherwise:
        return {"else": True, **node_plain(one, skip=frozenset({"otherwise"}))}
    return node_plain(one)


def _rules(value: list[Constraint], row: Prop, node: Node) -> list[Plain]:
    plain: list[Plain] = []
    for rule in value:
        made = ({"text": rule.text} if rule.text else {}) | node_plain(rule)
        if made.get("kind") == "require" and not rule.text:
            del made["kind"]
        if not rule.phase:
            plain.append(made)
        elif plain and plain[-1].get("name") == rule.phase:
            plain[-1]["requirements"].append(made)
        else:
            plain.append({"name": rule.phase, "requirements": [made]})
    return plain


def _action(value: FailAction, row: Prop, node: Node) -> Any:
    said = written_fields(value)
    if said == ["type"] and row.field == "action":
        return value.type
    return node_plain(value)


def _store(value: Store, row: Prop, node: Node) -> Plain:
    plain: Plain = {"value": value.fields if value.fields is not None else value.value or "", "target": value.target}
    return plain | {key: _extra(raw) for key, raw in value.extras.items()}


def _transform(value: Transform, row: Prop, node: Node) -> Plain:
    return {"source": value.source, "item_var": value.item_var, "target": value.target, **node_plain(value)}


def _history(value: Any, row: Prop, node: Node) -> Any:
    return history_text(value) if history_text(value) and not value.extras else node_plain(value)


def _human(value: list[Node], row: Prop, node: Node) -> list[Plain]:
    return [node_plain(one) for one in value]


def _elements(value: ActionSet, row: Prop, node: Node) -> Plain:
    return node_plain(value)


def _templates(value: list[Template], row: Prop, node: Node) -> list[Plain]:
    return [_template(one) for one in value]


def _template(one: Template) -> Plain:
    plain: Plain = {"name": one.name}
    if one.text:
        plain["content"] = one.text
    plain |= one.formats or {}
    if one.voice is not None:
        plain["voice"] = node_plain(one.voice)
    return plain | {key: _extra(raw) for key, raw in one.extras.items()}


def _gather(value: Gather, row: Prop, node: Node) -> Any:
    plain = node_plain(value)
    return plain["fields"] if list(plain) == ["fields"] else plain


def _flow(value: Flow, row: Prop, node: Node) -> Plain:
    plain = node_plain(value, skip=frozenset({"order"}))
    if value.order:
        plain["order"] = value.order
    if value.sequences is not None:
        plain["sequences"] = [" -> ".join(one) for one in value.sequences]
    steps = value.steps or []
    if len({step.name for step in steps}) == len(steps):
        plain["steps"] = {step.name: node_plain(step) or None for step in steps}
    else:
        plain["steps"] = [{"name": step.name, **node_plain(step)} for step in steps]
    return plain


def _tool(tool: Tool) -> Plain:
    plain: Plain = {"name": tool.name}
    if tool.returns is not None:
        plain["returns"] = type_text(tool.returns)
    body = node_plain(tool, skip=frozenset({"parameters"}))
    if tool.parameters:
        plain["parameters"] = [_parameter(one) for one in tool.parameters]
    wrapper = _WRAPPERS.get(tool.type)
    if wrapper is None:
        return plain | body
    names = {yaml_name(Tool, field) for field in _BINDING}
    bound = {key: value for key, value in body.items() if key in names and key not in tool.extras}
    plain |= {key: value for key, value in body.items() if key not in bound}
    return plain | ({wrapper: bound} if bound else {})


def _parameter(one: Parameter) -> Plain:
    plain: Plain = {"name": one.name}
    if one.type is not None:
        plain["type"] = type_text(one.type)
    if one.optional:
        plain["optional"] = True
    plain |= node_plain(one, skip=frozenset({"type", "items", "properties"}))
    refined = [inner for inner in fields_of(one) if is_refined(inner)]
    if refined:
        plain["properties"] = [_refinement(inner) for inner in refined]
    return plain


def _refinement(one: Parameter) -> Plain:
    plain = {"name": one.name, **node_plain(one, skip=frozenset({"type", "default", "items", "properties"}))}
    refined = [inner for inner in fields_of(one) if is_refined(inner)]
    if refined:
        plain["properties"] = [_refinement(inner) for inner in refined]
    return plain


def _import(one: ToolImport) -> Plain:
    plain: Plain = {"tool": one.slug} if one.slug else {"from": one.path}
    if one.version:
        plain["version"] = one.version
    if one.names is not None:
        plain["use"] = one.names
    return plain | {key: _extra(raw) for key, raw in one.extras.items()}


def _profiles(value: Any, row: Prop, node: Node) -> Any:
    if row.field == "agents":
        return dict(value)
    return [entry_plain(one) for one in value] if row.field == "behavior_profiles" else []


def _any_entries(value: list[Any], row: Prop, node: Node) -> Any:
    if value and isinstance(value[0], Guardrail):
        return _guardrails(value)
    if value and isinstance(value[0], Parameter):
        return [_parameter(one) for one in value]
    return _entries(value, row, node)


def _any_node(value: Node, row: Prop, node: Node) -> Any:
    return _gather(value, row, node) if isinstance(value, Gather) else _node(value, row, node)


_WRITERS: dict[Kind, Callable[[Any, Prop, Node], Any]] = {
    Kind.NODE: _any_node,
    Kind.STEP_GATHER: _node,
    Kind.ENTRIES: _any_entries,
    Kind.SET: _set,
    Kind.CALL: _call,
    Kind.BRANCHES: _branches,
    Kind.RULES: _rules,
    Kind.ACTION: _action,
    Kind.STORE: _store,
    Kind.TRANSFORM: _transform,
    Kind.HISTORY: _history,
    Kind.HUMAN: _human,
    Kind.ELEMENTS: _elements,
    Kind.TEMPLATES: _templates,
    Kind.FLOW: _flow,
    Kind.TOOLS: lambda value, row, node: [_tool(one) for one in value],
    Kind.TYPE: lambda value, row, node: type_text(value),
    Kind.ANY: _profiles,
}
"""Kind -> its form in YAML; values of all other kinds stand as they are."""
