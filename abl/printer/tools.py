"""Writers of tools, their parameters, imports and library defaults. Spec: abl-language 3.2."""

from __future__ import annotations

from typing import Any

from abl.printer.free import fits_line
from abl.printer.nodes import entry_name, is_absent, rows_of, write_extras, write_props, write_row, writes
from abl.printer.page import STEP, Page
from abl.printer.signature import signature_text, type_text
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.tools import Parameter, Tool, ToolDefaults, ToolImport, TypeExpr

_IN_SIGNATURE = frozenset({"type", "default"})


def put_tools(
    page: Page, indent: int, tools: list[Tool], imports: list[ToolImport] | None, defaults: ToolDefaults | None
) -> None:
    """Write the section TOOLS: library defaults, imports, then the tools with blank lines between them."""
    page.put(indent, "TOOLS:")
    inside = indent + STEP
    if defaults is not None:
        write_props(page, inside, defaults)
    for one in imports or ():
        page.put(inside, import_text(one))
        write_extras(page, inside + STEP, one)
    for tool in tools:
        if page.lines[-1].strip() != "TOOLS:":
            page.gap()
        put_tool(page, inside, tool)


def import_text(one: ToolImport) -> str:
    """Return `FROM "file" USE: a, b` or `USE TOOL: slug@version`."""
    if one.slug:
        return f"USE TOOL: {one.slug}" + (f"@{one.version}" if one.version else "")
    return f'FROM "{one.path}" USE: {", ".join(one.names or ())}'.rstrip()


def put_tool(page: Page, indent: int, tool: Tool) -> None:
    """Write one tool: its signature, and its properties below it."""
    page.put(indent, signature_text(signature_of(tool)))
    write_props(page, indent + STEP, tool)


def signature_of(tool: Tool) -> Tool:
    """Return what the signature says of a tool: awkward defaults are left to the block of parameters."""
    if not any(_is_awkward(one) for one in tool.parameters):
        return tool
    plain = [
        Parameter(name=one.name, type=one.type, optional=one.optional, default=default)
        for one in tool.parameters
        for default in [None if _is_awkward(one) else one.default]
    ]
    return Tool(name=tool.name, parameters=plain, returns=tool.returns)


@writes(Kind.PARAMETERS)
def write_parameters(page: Page, indent: int, head: str, value: list[Parameter], row: Prop, node: Node) -> None:
    """Write what the signature cannot say of the parameters; nothing when it says all."""
    refined = [one for one in value if is_refined(one)]
    if not refined:
        return
    page.put(indent, head)
    for one in refined:
        page.put(indent + STEP, f"{entry_name(one.name)}:")
        for inner in refinements(one):
            write_row(page, indent + 2 * STEP, one, inner)
        write_parameters(page, indent + 2 * STEP, "properties:", fields_of(one), row, one)
        write_extras(page, indent + 2 * STEP, one)


def is_refined(one: Parameter) -> bool:
    """Return whether there is more to say of a parameter, or of a field within it, than its signature does."""
    return bool(refinements(one) or one.extras) or any(map(is_refined, fields_of(one)))


def fields_of(one: Parameter) -> list[Parameter]:
    """Return the fields of the object that a parameter is or holds a list of."""
    kind = one.type
    while kind is not None and kind.items is not None:
        kind = kind.items
    return (kind.fields if kind is not None else None) or []


def refinements(one: Parameter) -> list[Prop]:
    """Return the rows of a parameter that its signature does not say."""
    shown = {"type"} if _is_awkward(one) else _IN_SIGNATURE
    return [row for row in rows_of(Parameter) if row.field not in shown and not is_absent(one, row.field)]


def _is_awkward(one: Parameter) -> bool:
    """Return whether the default cannot stand in a signature."""
    return not fits_line(one.default)


@writes(Kind.TYPE)
def write_type(page: Page, indent: int, head: str, value: TypeExpr, row: Prop, node: Node) -> None:
    """Write a type as in a signature."""
    page.put(indent, f"{head} {type_text(value)}")


@writes(Kind.TOOLS)
def write_tools(page: Page, indent: int, head: str, value: list[Tool], row: Prop, node: Any) -> None:
    """Write the section TOOLS of a document."""
    put_tools(page, indent, value, getattr(node, "tool_imports", None), getattr(node, "tool_defaults", None))
