"""Lowers TOOLS: declarations joined with their definitions, hints, confirmation. Spec: abl-language 3.2, 12.3."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from abl.compiler.access import check_context_access, check_metadata
from abl.compiler.bindings import CHANGING_METHODS, http_method, lower_binding, tool_type
from abl.compiler.calls import set_lines
from abl.compiler.catalogue import Catalogue, Definition
from abl.compiler.identity import tool_timeout
from abl.compiler.places import Unit
from abl.compiler.plain import Json, given, is_absent, mapping, merged, number, one, only, plain, text, texts
from abl.compiler.scope import Scope
from abl.compiler.types import lower_parameter, lower_returns, signature
from abl.syntax.node import Node
from abl.syntax.tools import BINDING_FIELDS, SYSTEM_TOOLS, Parameter, Tool, ToolImport, ToolResult

SLOW_KINDS = frozenset({"http", "mcp"})
AUTHORISED_KINDS = frozenset({"", "http", "mcp", "async_webhook"})
_SYSTEM_NAMES = frozenset(SYSTEM_TOOLS)
_CONSENT = ("consent_required_in", "consent_scope", "consent_action", "consent_fallback", "confirm_message")
_PLAIN_KEYS = (
    ("store_result", "store_result"),
    ("pii_access", "pii_access"),
    ("auth_profile", "auth_profile_ref"),
    ("auth_jit", "jit_auth"),
    ("consent", "consent_mode"),
    ("connection", "connection_mode"),
    ("identity_tier_required", "identity_tier_required"),
)


@dataclass(slots=True)
class Resolved:
    """A tool of the agent: the declaration with what its definition adds.

    Attributes:
        tool: All fields, those of the agent before those of the definition.
        node: Where findings about it point.
        unit: The document of `node`.
        definition: The definition outside of the agent, None when there is none.
        parameters: The parameters that count.
        lenders: Parameters of the other declaration by name, which lend descriptions.
    """

    tool: Tool
    node: Node
    unit: Unit
    definition: Definition | None
    parameters: list[Parameter]
    lenders: dict[str, Parameter]


def resolve_tools(scope: Scope, catalogue: Catalogue) -> list[Resolved]:
    """Return the agent's tools in order, imported ones first; reports what cannot be found or does not fit."""
    found: dict[str, Resolved] = {}
    for node in _without_repeats(only(ToolImport, scope.document.tool_imports)):
        for resolved in _imported(node, scope, catalogue):
            found.setdefault(text(resolved.tool.name), resolved)
    imported = set(found)
    for tool in only(Tool, scope.document.tools):
        name = text(tool.name)
        if name in _SYSTEM_NAMES:
            scope.report("E707", tool, "name", name=name)
        elif name in imported:
            scope.report("DUPLICATE_TOOL", tool, "name", name=name)
        elif name and name not in found:
            found[name] = _declared(tool, scope, catalogue)
    for name, resolved in found.items():
        scope.parameters[name] = dict.fromkeys(text(parameter.name) for parameter in resolved.parameters)
    return list(found.values())


def _without_repeats(imports: list[ToolImport]) -> list[ToolImport]:
    """Return the imports without those of a whole library that is imported already."""
    whole: dict[object, ToolImport] = {}
    for at, node in enumerate(imports):
        named = not text(node.path) or bool(texts(node.names))
        whole.setdefault(at if named else text(node.path), node)
    return list(whole.values())


def _imported(node: ToolImport, scope: Scope, catalogue: Catalogue) -> list[Resolved]:
    if not text(node.path):
        definition = catalogue.find(text(node.slug))
        return [_import_one(text(node.slug), definition, node, scope, "", catalogue.names)]
    library = catalogue.library(text(node.path), scope.unit.path)
    names = texts(node.names)
    if library is None:
        return [_import_one(name, None, node, scope, text(node.path), []) for name in names]
    tools = catalogue.tools_of(library)
    return [_import_one(name, tools.get(name), node, scope, text(node.path), tools) for name in names or list(tools)]


def _import_one(
    name: str, definition: Definition | None, node: ToolImport, scope: Scope, path: str, known: Collection[str]
) -> Resolved:
    """Return an imported tool; an unknown one becomes a stub, so that its calls are not reported as well."""
    if definition is None:
        if not (scope.options.single_agent and not known):
            scope.report("E721", node, name=name, value=path, known=(name, known))
        return Resolved(Tool(name=name), node, scope.unit, None, [], {})
    tool = definition.tool
    unit = definition.unit or scope.unit
    return Resolved(tool, tool, unit, definition, only(Parameter, tool.parameters), {})


def _declared(tool: Tool, scope: Scope, catalogue: Catalogue) -> Resolved:
    """Return a declared tool with its definition; the parser has reported bindings, strict mode takes them away."""
    name = text(tool.name)
    own = only(Parameter, tool.parameters)
    bound = [field for field in BINDING_FIELDS if not is_absent(given(tool, field))]
    if bound and scope.options.strict:
        spellings = ", ".join(Tool.BY_FIELD[field].key for field in bound)
        scope.report("E720", tool, bound[0], tool=name, property=spellings)
        tool = _without(tool, bound)
    definition = catalogue.find(name) if scope.options.strict or not bound else None
    if definition is None:
        if not bound and catalogue.is_given and not scope.options.single_agent:
            scope.report("E721", tool, "name", name=name, known=(name, catalogue.names))
        return Resolved(tool, tool, scope.unit, None, own, {})
    theirs = only(Parameter, definition.tool.parameters)
    merged_tool = merged(Tool, tool, definition.tool)
    lenders = {text(parameter.name): parameter for parameter in theirs}
    if not own or _same_signature(own, theirs):
        return Resolved(merged_tool, tool, scope.unit, definition, own or theirs, lenders if own else {})
    shown = [signature([lower_parameter(one_, scope) for one_ in each]) for each in (own, theirs)]
    scope.report("W721", tool, "name", name=name, detail=f"{shown[0]} here, {shown[1]} there")
    lenders = {text(parameter.name): parameter for parameter in own}
    return Resolved(merged_tool, tool, scope.unit, definition, theirs, lenders)


def _without(tool: Tool, fields: list[str]) -> Tool:
    """Return the tool without some of its fields."""
    made = merged(Tool, tool)
    for name in fields:
        setattr(made, name, Tool.DEFAULTS[name])
    return made


def _same_signature(own: list[Parameter], theirs: list[Parameter]) -> bool:
    def base(parameter: Parameter) -> str:
        return text(parameter.type.base) if parameter.type is not None else ""

    known = {text(parameter.name): base(parameter) for parameter in theirs}
    return len(own) == len(theirs) and all(
        (name := text(parameter.name)) in known
        and (not base(parameter) or base(parameter) == (known[name] or "string"))
        for parameter in own
    )


def lower_tool(resolved: Resolved, scope: Scope) -> Json:
    """Return the IR of one tool."""
    tool = resolved.tool
    name = text(tool.name)
    kind = tool_type(tool)
    here, scope.unit = scope.unit, resolved.unit
    hints = _hints(tool, kind, scope)
    ir: Json = {
        "name": name,
        "description": text(tool.description) or f"Execute {name}",
        "parameters": [lower_parameter(one_, scope, resolved.lenders.get(one_.name)) for one_ in resolved.parameters],
        "returns": lower_returns(tool.returns),
        "hints": hints,
        "system": False,
    }
    if kind:
        ir["tool_type"] = kind
    if kind == "lambda":
        scope.report("LAMBDA_DEPRECATED", resolved.node, "type" if tool.type else "function", name=name)
    binding = lower_binding(tool, kind, hints["timeout"])
    if binding is not None:
        ir[binding[0]] = binding[1]
    _add_results(tool, scope, ir)
    _add_confirmation(tool, ir)
    _add_plain(tool, ir)
    _report_not_enforced(tool, kind, resolved.node, scope)
    scope.record(ir, resolved.node)
    scope.unit = here
    check_metadata(ir, resolved.node, name, scope)
    if "context_access" in ir:
        check_context_access(tool, resolved.node, name, scope)
    return ir


def _hints(tool: Tool, kind: str, scope: Scope) -> Json:
    changes = tool.side_effects
    if not isinstance(changes, bool):
        changes = kind == "http" and http_method(tool, kind) in CHANGING_METHODS
    parallel = tool.parallelizable if isinstance(tool.parallelizable, bool) else not changes
    needs_auth = tool.requires_auth if isinstance(tool.requires_auth, bool) else _has_credentials(tool, kind)
    timeout = number(tool.timeout)
    return {
        "cacheable": tool.cacheable is True,
        "latency": text(tool.latency) or ("slow" if kind in SLOW_KINDS else "medium"),
        "parallelizable": parallel,
        "side_effects": changes,
        "requires_auth": needs_auth,
        "timeout": tool_timeout(scope.document) if timeout is None else timeout,
    }


def _has_credentials(tool: Tool, kind: str) -> bool:
    """Return whether a call goes out with credentials."""
    return (kind in AUTHORISED_KINDS and text(tool.auth) not in ("", "none")) or bool(text(tool.auth_profile))


def _report_not_enforced(tool: Tool, kind: str, node: Node, scope: Scope) -> None:
    """Report what says who may have a tool called, where nothing keeps anybody else from it. Decision: 0050."""
    if (number(tool.identity_tier_required) or 0) > 0:
        detail = (
            "nothing says which tier a caller has. Write `auth_jit: true` with `auth_profile`, so that the user signs "
            "in first, or a constraint `REQUIRE ... BEFORE calling` it on what a tool has found out about the caller"
        )
        scope.report("NOT_ENFORCED", node, "identity_tier_required", name="identity_tier_required", detail=detail)
    if tool.requires_auth is True and not _has_credentials(tool, kind):
        detail = "the call has no credentials to go with. Write `auth` or `auth_profile`, or leave it out"
        scope.report("NOT_ENFORCED", node, "requires_auth", name="requires_auth", detail=detail)


def _add_results(tool: Tool, scope: Scope, ir: Json) -> None:
    for field in ("on_result", "on_error"):
        node = one(ToolResult, getattr(tool, field))
        if node is not None and (lines := set_lines(node.set, scope)):
            ir[field] = scope.record({"set": lines}, node)
    access: dict[str, Any] = {"read": texts(given(tool, "context_read")), "write": texts(given(tool, "context_write"))}
    if access["read"] or access["write"]:
        ir["context_access"] = access


def _add_confirmation(tool: Tool, ir: Json) -> None:
    require = text(tool.confirm) or text(tool.confirmation_require) or _unreadable_confirmation(tool)
    immutable = texts(given(tool, "immutable"))
    consent = {name: plain(given(tool, name)) for name in _CONSENT if not is_absent(given(tool, name))}
    if require or immutable or consent:
        ir["confirmation"] = {
            "require": require or ("always" if immutable else "never"),
            "immutable_params": immutable,
            **consent,
        }


def _unreadable_confirmation(tool: Tool) -> str:
    """Return `always` where a confirmation is written that nobody can read: it never means that nobody is asked."""
    return "always" if not {"confirm", "require"}.isdisjoint(mapping(tool.extras)) else ""


def _add_plain(tool: Tool, ir: Json) -> None:
    for field, key in _PLAIN_KEYS:
        value = getattr(tool, field)
        if not is_absent(value):
            ir[key] = plain(value)
    compaction: Json = {}
    if essential := texts(given(tool, "essential_fields")):
        compaction["essential_fields"] = essential
    if (longest := number(tool.max_description_length)) is not None:
        compaction["max_description_length"] = longest
    if compaction:
        ir["compaction"] = compaction
