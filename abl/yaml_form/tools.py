"""TOOLS in the YAML form: maps or signatures, parameters, types, bindings, imports. Spec: abl-language 9."""

from __future__ import annotations

from abl.parser.bounds import elements
from abl.parser.signature import read_signature, read_type
from abl.syntax.document import Document
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.tools import MAX_TOOLS, Parameter, Tool, ToolDefaults, ToolImport, TypeExpr
from abl.yaml_form.kinds import list_items
from abl.yaml_form.reader import YamlReader, reads
from abl.yaml_form.tree import Mapping, Scalar, Sequence, Tree
from abl.yaml_form.values import content_offset, is_null, key_text, one_line, text_of


@reads(Kind.TOOLS)
def read_tools(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a list of tools, or a map from names to tools."""
    assert isinstance(node, Document)
    node.at[row.field] = tree.offset
    if isinstance(tree, Sequence):
        for one in tree.items:
            _tool(y, node, one)
    elif isinstance(tree, Mapping):
        for name, key, value in y.entries(tree):
            _add(y, node, _signature(y, Scalar(name, key.offset)), key)
            _body(y, node.tools[-1], value)
    elif not is_null(tree):
        y.report("EXPECTED_LIST", tree, value=text_of(tree, y.source), property="tools")
    if len(node.tools) > MAX_TOOLS:
        y.report("TOO_MANY_TOOLS", tree, value=str(len(node.tools)), expected=str(MAX_TOOLS))


def _tool(y: YamlReader, document: Document, tree: Tree) -> None:
    if isinstance(tree, Scalar):
        _add(y, document, _signature(y, tree), tree)
    elif isinstance(tree, Mapping):
        name = next((value for key, value in tree.pairs if key_text(key).lower() in ("name", "signature")), None)
        if isinstance(name, Scalar):
            _add(y, document, _signature(y, name), tree)
            _body(y, document.tools[-1], Mapping(tree.offset, [p for p in tree.pairs if p[1] is not name], tree.end))
        elif len(tree.pairs) == 1:
            key, value = tree.pairs[0]
            _add(y, document, _signature(y, Scalar(key_text(key), key.offset)), key)
            _body(y, document.tools[-1], value)
        else:
            y.report("INVALID_TOOL_SIGNATURE", tree, value=text_of(tree, y.source)[:80], detail="The name is missing")
    else:
        y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property="tools")


def _signature(y: YamlReader, tree: Scalar) -> Tool:
    """Return the tool that a name or a signature declares."""
    text, offset = one_line(tree.text), content_offset(tree, y.source)
    y.spend(Tool.COST + Parameter.COST * text.count(","), tree)
    if "(" not in text:
        tool = Tool(name=text, at={"name": offset})
        if text.startswith("__"):
            y.report("RESERVED_TOOL_NAME", tree, name=text)
        return tool
    result = read_signature(text, offset)
    y.inner.report_faults(list(result.findings))
    return result.tool or Tool(name=text.partition("(")[0].strip(), at={"name": offset})


def _add(y: YamlReader, document: Document, tool: Tool, place: Tree) -> None:
    tool.pos = y.pos(place)
    for other in document.tools[-_LOOKED_BACK:]:
        if other.name == tool.name and other.pos is not None:
            y.report("DUPLICATE_TOOL", place, name=tool.name, first_line=str(other.pos.line))
            break
    document.tools.append(tool)


_LOOKED_BACK = 128
"""Tools looked back for a name declared twice, so that a long list stays linear."""


def _body(y: YamlReader, tool: Tool, tree: Tree) -> None:
    """Read the properties of a tool; `returns` is a type and has no row of its own."""
    if not isinstance(tree, Mapping):
        if isinstance(tree, Scalar) and not is_null(tree):
            y.value(tool, Tool.BY_FIELD["description"], tree)
        return
    for key, value in tree.pairs:
        if key_text(key).lower() in ("returns", "return") and not is_null(value):
            tool.returns = type_of(y, value)
            tool.at["returns"] = content_offset(value, y.source)
    rest = [pair for pair in tree.pairs if key_text(pair[0]).lower() not in ("returns", "return")]
    y.props(tool, Mapping(tree.offset, rest, tree.end))


@reads(Kind.PARAMETERS)
def read_parameters(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read the parameters of a tool; those of a signature are refined."""
    assert isinstance(node, Tool)
    node.at[row.field] = tree.offset
    refine(y, node.parameters, tree)


def refine(y: YamlReader, parameters: list[Parameter], tree: Tree) -> None:
    """Read a list of {name, type, …}, or a map from names to types or maps, into a list of parameters."""
    known = {one.name: one for one in parameters}
    for name, key, value in _named(y, tree):
        optional = name.endswith("?")
        name = name.rstrip("? ")
        made = known.get(name)
        if made is None:
            made = known[name] = y.new(Parameter, key, name=name)
            made.at["name"] = content_offset(key, y.source)
            parameters.append(made)
        if optional:
            made.optional = True
        if isinstance(value, Mapping):
            _parameter(y, made, value)
        elif not is_null(value):
            made.type = type_of(y, value)
            made.at["type"] = content_offset(value, y.source)


def _named(y: YamlReader, tree: Tree) -> list[tuple[str, Tree, Tree]]:
    """Return (name, place, value) of what a list or map of parameters holds."""
    if isinstance(tree, Mapping):
        return list(y.entries(tree))
    found: list[tuple[str, Tree, Tree]] = []
    for one in tree.items if isinstance(tree, Sequence) else []:
        if isinstance(one, Scalar):
            found.append((one_line(one.text), one, Scalar("", one.offset)))
        elif isinstance(one, Mapping):
            name = next((pair for pair in one.pairs if key_text(pair[0]).lower() == "name"), None)
            if name is not None and isinstance(name[1], Scalar):
                rest = Mapping(one.offset, [pair for pair in one.pairs if pair is not name], one.end)
                found.append((one_line(name[1].text), name[1], rest))
            else:
                found.extend((key_text(key), key, value) for key, value in one.pairs)
    return found


def _parameter(y: YamlReader, made: Parameter, tree: Mapping) -> None:
    """Read the properties of a parameter; `items` and `properties` refine its type."""
    rest: list[tuple[Tree, Tree]] = []
    later: list[tuple[str, Tree]] = []
    for key, value in tree.pairs:
        name = key_text(key).lower()
        if name in ("items", "properties", "fields"):
            later.append((name, value))
        elif name == "optional" and isinstance(value, Scalar):
            made.optional = True if value.text.lower() == "true" else None
        else:
            rest.append((key, value))
    y.props(made, Mapping(tree.offset, rest, tree.end))
    for name, value in later:
        made.type = _refined(y, made.type, name, value)


def _refined(y: YamlReader, kind: TypeExpr | None, name: str, value: Tree) -> TypeExpr:
    if name == "items":
        items = type_of(y, value)
        return TypeExpr(base="array", items=items) if kind is None or kind.base == "array" else kind
    kind = kind or TypeExpr(base="object")
    target = kind
    while target.items is not None:
        target = target.items
    target.base, target.fields = "object", target.fields or []
    refine(y, target.fields, value)
    return kind


@reads(Kind.TYPE)
def read_type_property(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a type."""
    y.set(node, row, type_of(y, tree), tree)


def type_of(y: YamlReader, tree: Tree) -> TypeExpr:
    """Return the type that a text as in a signature, or {type, fields, items, enum}, stands for."""
    if isinstance(tree, Scalar):
        y.spend(TypeExpr.COST * (1 + elements(tree.text)), tree)
        made, faults = read_type(one_line(tree.text), content_offset(tree, y.source))
        y.inner.report_faults(list(faults))
        return made
    if isinstance(tree, Sequence):
        return TypeExpr(values=[text for text, _ in list_items(y, tree)])
    parts = {key_text(key).lower(): value for key, value in tree.pairs}
    base = parts.get("type") or parts.get("base")
    kind = type_of(y, base) if base is not None else None
    if "enum" in parts or "values" in parts:
        return TypeExpr(values=[text for text, _ in list_items(y, parts.get("enum") or parts["values"])])
    for name in ("items", "fields", "properties"):
        if name in parts:
            kind = _refined(y, kind, name, parts[name])
    if kind is None and parts and not set(parts) & _TYPE_KEYS:
        return _refined(y, None, "fields", tree)
    return kind or TypeExpr()


_TYPE_KEYS = frozenset({"type", "base", "optional", "description", "required"})


def read_imports(y: YamlReader, document: Document, tree: Tree) -> None:
    """Read `[{from, use: […]}]` or `[{tool, version}]`."""
    document.at["tool_imports"] = tree.offset
    document.tool_imports = []
    for one in tree.items if isinstance(tree, Sequence) else [tree]:
        if not isinstance(one, Mapping):
            y.report("EXPECTED_MAP", one, value=text_of(one, y.source), property="tool_imports")
            continue
        made = y.new(ToolImport, one)
        document.tool_imports.append(made)
        for name, _, value in y.entries(one):
            word = name.lower()
            if word in ("from", "path", "file"):
                made.path = text_of(value, y.source)
            elif word in ("use", "names", "tools"):
                made.names = [text for text, _ in list_items(y, value)]
            elif word in ("tool", "slug"):
                made.slug = text_of(value, y.source)
            elif word == "version":
                made.version = text_of(value, y.source)
            else:
                y.unknown(made, name, one, value)


def read_defaults(y: YamlReader, document: Document, tree: Tree) -> None:
    """Read the defaults of a tool library."""
    document.tool_defaults = y.new(ToolDefaults, tree)
    document.at["tool_defaults"] = tree.offset
    if isinstance(tree, Mapping):
        y.props(document.tool_defaults, tree)
