"""Whether a tool is written completely, and names its own parameters. Spec: abl-language 3.2."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from abl.checks.anchors import Anchor, fix_of
from abl.checks.document_report import found_at, unknown_at
from abl.checks.names import NAMESPACES
from abl.checks.spans import span
from abl.checks.suggestions import Guesses, listed
from abl.checks.written import Form, written_in
from abl.compiler.places import Place, Unit
from abl.compiler.plain import given
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.reporter import finding
from abl.diagnostics.suggest import closest
from abl.expressions.inspection import walk
from abl.expressions.tree import Variable
from abl.syntax.node import Node
from abl.syntax.tools import Parameter, Tool, ToolDefaults
from abl.templates import analyse_template

MAX_FINDINGS = 200
"""Most findings of one kind in one tool."""

NEEDED: dict[str, tuple[str, ...]] = {
    "http": ("endpoint",),
    "async_webhook": ("endpoint",),
    "mcp": ("server",),
    "sandbox": ("code",),
    "code": ("code",),
    "connector": ("connector", "action"),
    "workflow": ("workflow_id",),
}
"""Kind of binding -> the properties without which it cannot be called."""

_DECISIVE = ("endpoint", "server", "code", "function", "connector", "workflow_id", "index_id", "base_url")
"""Properties that say what kind a tool is; each is the one its kind needs."""
_SPEAKING = (
    ("method", "http"), ("query_params", "http"), ("body", "http"), ("body_type", "http"), ("tool", "mcp"),
    ("runtime", "sandbox"), ("action", "connector"), ("workflow_version", "workflow"), ("trigger_id", "workflow"),
    ("param_mapping", "workflow"),
)  # fmt: skip
"""Properties that only one kind has, when its decisive one was left out."""

_PLACEHOLDER = re.compile(r"(?<!\{)\{([^\W\d]\w*)\}(?!\})")


def tool_findings(unit: Unit) -> Iterator[Diagnostic]:
    """Yield what is said of the tools of an agent or a library."""
    document = unit.document
    for tool in document.tools or []:
        if tool.name:
            place = Place(tool, unit)
            yield from incomplete_binding(place, tool, document.tool_defaults, document.kind == "tools")
            yield from unknown_placeholders(place, tool)
            yield from unknown_parameters(place, tool)
            yield from unknown_immutable(place, tool)
            if document.kind == "tools":
                yield from bare_tools(place, tool)
                yield from unbound_tools(place, tool, document.tool_defaults)
                yield from unknown_template_names(place, tool, [one.name for one in tool.parameters or []])
    if document.kind == "tools" and document.tool_defaults is not None:
        yield from unknown_template_names(Place(document.tool_defaults, unit), document.tool_defaults, [])


def incomplete_binding(
    place: Place, tool: Tool, defaults: ToolDefaults | None, in_library: bool
) -> Iterator[Diagnostic]:
    """Yield the properties that the kind of binding needs; in a library nothing can add them later."""
    kind = tool.type.lower() or _kind_of(tool, defaults)
    for field in NEEDED.get(kind, ()):
        if getattr(tool, field) or (field == "endpoint" and tool.base_url):
            continue
        said = {"name": tool.name, "tool": tool.name, "value": kind, "property": Tool.BY_FIELD[field].key}
        found = found_at("BINDING_INCOMPLETE", place, "name", tool.name, path="tools", **said)
        sure = in_library and tool.type and not (field == "endpoint" and _preset(defaults))
        yield found if sure else replace(found, severity="warning")


def bare_tools(place: Place, tool: Tool) -> Iterator[Diagnostic]:
    """Yield a tool of a library of which nothing but a name is written."""
    if is_bare(tool):
        yield found_at("TOOL_ONLY_NAMED", place, "name", tool.name, path="tools", name=tool.name, tool=tool.name)


def unbound_tools(place: Place, tool: Tool, defaults: ToolDefaults | None) -> Iterator[Diagnostic]:
    """Yield a tool of a library that has a signature, and nothing that says where it leads."""
    leads = tool.type or any(given(tool, field) for field in _DECISIVE) or _kind_of(tool, defaults)
    if not leads and not is_bare(tool):
        yield found_at("TOOL_WITHOUT_TYPE", place, "name", tool.name, path="tools", name=tool.name, tool=tool.name)


def is_bare(tool: Tool) -> bool:
    """Return whether nothing but the name of a tool is written: no parentheses and no properties."""
    return tool.at.keys() <= {"name"}


def _preset(defaults: ToolDefaults | None) -> str:
    return defaults.base_url if defaults is not None else ""


def _kind_of(tool: Tool, defaults: ToolDefaults | None) -> str:
    """Return the kind of binding that the other properties of a tool speak of, empty when none does."""
    if any(given(tool, field) for field in _DECISIVE):
        return ""
    kinds = (kind for field, kind in _SPEAKING if given(tool, field))
    return next(kinds, "http" if _preset(defaults) else "")


def unknown_placeholders(place: Place, tool: Tool) -> Iterator[Diagnostic]:
    """Yield `{name}` in an endpoint that is no parameter."""
    names = dict.fromkeys(one.name for one in tool.parameters or [])
    used = dict.fromkeys(_PLACEHOLDER.findall(tool.endpoint))
    unused = [name for name in names if name not in used]
    for word in list(islice((word for word in used if word not in names), MAX_FINDINGS)):
        said = {"tool": tool.name, "known": listed(names)}
        yield unknown_at("UNKNOWN_ENDPOINT_PARAMETER", place, "endpoint", word, unused, **said)


def unknown_parameters(place: Place, tool: Tool) -> Iterator[Diagnostic]:
    """Yield entries of `parameters:` that are nearly a parameter of the signature and none of it."""
    signature = dict.fromkeys(one.name for one in tool.parameters or [] if "name" in one.at)
    added = [one for one in tool.parameters or [] if "name" not in one.at]
    for one in added[:MAX_FINDINGS] if signature else []:
        near = closest(one.name, signature)
        if near and isinstance(one, Parameter):
            said = {"name": one.name, "tool": tool.name, "known": listed(signature)}
            found = found_at("UNKNOWN_PARAMETER", Place(one, place.unit), "", one.name, near, path="tools", **said)
            yield replace(found, length=found.length or len(one.name))


def unknown_immutable(place: Place, tool: Tool) -> Iterator[Diagnostic]:
    """Yield names under `immutable:` that are no parameter."""
    names = dict.fromkeys(one.name for one in tool.parameters or [])
    immutable = given(tool, "immutable") or ()
    taken = frozenset(immutable)
    free = [name for name in names if name not in taken]
    unknown = [(at, word) for at, word in enumerate(immutable) if word not in names and names]
    for at, word in unknown[:MAX_FINDINGS]:
        said = {"tool": tool.name, "known": listed(names)}
        yield unknown_at("UNKNOWN_IMMUTABLE_PARAMETER", place, f"immutable.{at}", word, free, **said)


def unknown_template_names(place: Place, tool: Node, names: Iterable[str]) -> Iterator[Diagnostic]:
    """Yield names in the templates of a library that are nearly a parameter of the tool, or a namespace."""
    parameters = dict.fromkeys(names)
    with_spaces = parameters | dict.fromkeys(sorted(NAMESPACES))
    guesses = Guesses()
    for written in written_in(tool, place.unit):
        trees = analyse_template(written.text).expressions if written.form is Form.TEMPLATE else ()
        for one in (node for tree in trees for node in walk(tree) if isinstance(node, Variable)):
            word = one.path[0]
            known = parameters if len(one.path) == 1 else with_spaces
            near = guesses.closest(word, known, len(one.path) == 1) if word not in known else ""
            if near:
                where = span(written, one.start, len(word))
                fix = fix_of(Anchor(place, written.field, ""), where, word, near)
                path = f"tools.{written.path}"
                yield finding("UNDEFINED_NAME", fix=fix, path=path, name=word, suggestion=near, **where)
