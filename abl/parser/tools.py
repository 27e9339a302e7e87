"""TOOLS: signatures with their bodies, library defaults, imports. Spec: abl-language 3.2."""

from __future__ import annotations

import re

from abl.parser.reader import Reader, reads, spellings
from abl.parser.scalars import read_text, scalar
from abl.parser.signature import read_signature, read_type
from abl.parser.values import MAX_NESTING, cut_comment, inline_list, inline_map, open_brackets, unquote, without_comment
from abl.syntax.document import Document
from abl.syntax.node import Kind, Node, Prop, blank
from abl.syntax.tools import BINDING_FIELDS, MAX_TOOLS, Parameter, Tool, ToolDefaults, ToolImport, TypeExpr

MAX_SIGNATURE_LINES = 200
"""Lines that one signature may span."""

_IMPORT = re.compile(
    r"""FROM\s++(?:"([^"]*+)"|'([^']*+)'|([^\s"']++))\s++(?:USE|IMPORT)\b\s*+:?\s*+(.*)\Z""", re.IGNORECASE
)
_BINDING = frozenset(BINDING_FIELDS)
_IMPORT_STARTS = "FfUu-"
_USE_TOOL = re.compile(r"USE[ _]TOOL\s*:?\s*([^@\s]+)(?:@(\S+))?\s*\Z", re.IGNORECASE)
_LOOKS_LIKE_TOOL = re.compile(r"(?:-\s*)?[^\s:(\"']+\s*\(")
_BARE_TOOL = re.compile(r"(?:-\s*+)?([A-Za-z_]\w*+)(?:\s*+->\s*+(.+))?\Z")
_LISTED_NAME = re.compile(r"-\s*(?:name|NAME|tool|TOOL)\s*:\s*(.+)\Z")


@reads(Kind.TOOLS)
def read_tools(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read the lines of a TOOLS section into a document."""
    assert isinstance(node, Document)
    node.at[row.field] = off
    first = len(node.tools)
    if value and value != "[]":
        _name_list(r, node, k, value, off)
    listed = range(first, len(node.tools))
    j = k + 1
    while j < end:
        stop = r.ends[j] if r.ends[j] < end else end
        j = _tool_line(r, node, j, stop, end)
    for index in listed:
        r.tool_places.setdefault(node.tools[index].name, index)
    if len(node.tools) > MAX_TOOLS:
        place = node.tools[MAX_TOOLS].pos
        r.report(
            "TOO_MANY_TOOLS", place.offset if place else off, 1, value=str(len(node.tools)), expected=str(MAX_TOOLS)
        )


def _name_list(r: Reader, node: Document, k: int, value: str, off: int) -> None:
    for name, at in inline_list(cut_comment(value)):
        if not name.isidentifier():
            r.report("INVALID_TOOL_SIGNATURE", off + at, len(name), value=name, name=name)
            continue
        tool = blank(Tool, r.source.pos(off + at))
        tool.name, tool.at["name"] = name, off + at
        r.spend(Tool.COST, k)
        node.tools.append(tool)


def _tool_line(r: Reader, node: Document, j: int, stop: int, end: int) -> int:
    """Read one entry that begins on line `j`; return the line after it."""
    text = r.texts[j]
    if text[0] in _IMPORT_STARTS and _import_line(r, node, j, text):
        return stop
    if "(" in text and (text.partition("(")[0].isidentifier() or _LOOKS_LIKE_TOOL.match(text)):
        return _signature(r, node, j, stop, end)
    colon = text.find(":")
    key = text[:colon].strip() if colon > 0 else ""
    if not node.tools and key.isidentifier() and _is_default(r, key):
        _default(r, node, j, stop, text)
        return stop
    if node.tools and key and Tool.BY_KEY.get(key.upper()) and (stop == j + 1 or colon + 1 == len(text)):
        last = node.tools[-1]
        begin = last.pos
        column = begin.column + 1 if begin else r.columns[j] + 2
        r.report_line("MISPLACED_INDENT", j, r.indent_fix(j, stop, column), name=key, property="TOOLS")
        r.line(last, j, stop, text, r.offsets[j])
        return stop
    return _nameless(r, node, j, stop, text)


def _import_line(r: Reader, node: Document, j: int, text: str) -> bool:
    bare = text[1:].lstrip() if text[0] == "-" else text
    head = bare[:4].upper()
    if head not in ("FROM", "USE ", "USE_"):
        return False
    made = r.new(ToolImport, j)
    bare = without_comment(bare)
    found = _IMPORT.match(bare)
    if found:
        made.path = (found[1] or found[2] or found[3] or "").strip()
        made.names = [part.strip() for part in found[4].split(",") if part.strip()]
    else:
        use = _USE_TOOL.match(bare)
        if not use:
            return False
        made.slug, made.version = unquote(use[1]), use[2] or ""
    if node.tool_imports is None:
        node.tool_imports = []
    node.tool_imports.append(made)
    return True


def _is_default(r: Reader, key: str) -> bool:
    return key.upper() in ToolDefaults.BY_KEY or r.near(key, spellings(ToolDefaults)) is not None


def _default(r: Reader, node: Document, j: int, stop: int, text: str) -> None:
    if node.tool_defaults is None:
        node.tool_defaults = r.new(ToolDefaults, j)
    r.line(node.tool_defaults, j, stop, text, r.offsets[j])


def _signature(r: Reader, node: Document, j: int, stop: int, end: int) -> int:
    """Read a signature, which may span lines, and the properties under it."""
    offset = r.offsets[j]
    text = r.texts[j]
    body = j + 1
    if open_brackets(text) > 0:
        body, text = _join(r, j, end, text)
        stop = max(stop, body)
        while stop < end and r.indents[stop] > r.indents[j]:
            stop = r.ends[stop]
    below = r.texts[body] if body < stop else " "
    if below[:2] == "->" or below[0] == "\u2192":
        text = r.source.text[offset : r.offsets[body] + len(below)]
        body += 1
    shown = cut_comment(text) if "#" in text else text
    if shown[-1:] == ":" and shown[-2:] != "::":
        shown = shown[:-1].rstrip()
    result = read_signature(shown, offset)
    if result.findings:
        r.report_faults(list(result.findings))
    tool = result.tool
    if tool is None:
        r.props(Tool(), body, stop)
        return stop
    tool.pos = r.pos(j)
    r.spend(Tool.COST + Parameter.COST * text.count(","), j)
    _add(r, node, tool, j)
    r.props(tool, body, stop)
    return stop


def _add(r: Reader, node: Document, tool: Tool, j: int) -> None:
    offset = r.offsets[j]
    known = r.tool_places.get(tool.name)
    if known is not None:
        first = node.tools[known]
        line = first.pos.line if first.pos else 0
        fix = r.removal(j, line) if line else None
        r.report(
            "DUPLICATE_TOOL", tool.at.get("name", offset), len(tool.name), fix, name=tool.name, first_line=str(line)
        )
        if len(first.at) <= SIGNATURE_PLACES:
            node.tools[known] = tool
            return
    r.tool_places.setdefault(tool.name, len(node.tools))
    node.tools.append(tool)


SIGNATURE_PLACES = 3
"""Places a tool has when nothing but its signature is written: name, parameters, returns."""


def _join(r: Reader, j: int, end: int, text: str) -> tuple[int, str]:
    """Return the line after a signature that spans lines, and its text as it stands in the source."""
    last = j
    while last + 1 < end and last - j < MAX_SIGNATURE_LINES:
        nxt = r.texts[last + 1]
        if r.indents[last + 1] <= r.indents[j] and nxt[:1] not in ")}]":
            break
        last += 1
        text = r.source.text[r.offsets[j] : r.offsets[last] + len(r.texts[last])]
        if open_brackets(_without_comments(text)) <= 0:
            return last + 1, _blank_comments(text)
    return j + 1, r.texts[j]


def _without_comments(text: str) -> str:
    return _blank_comments(text) if "#" in text else text


def _blank_comments(text: str) -> str:
    if "#" not in text:
        return text
    return re.sub(r"(?m)(?<=\s)#[^\n]*", lambda found: " " * len(found[0]), text)


def _nameless(r: Reader, node: Document, j: int, stop: int, text: str) -> int:
    """Read an entry without parentheses: `- name: x`, `name:`, `- name`; anything else is reported."""
    listed = _LISTED_NAME.match(text)
    bare = _BARE_TOOL.match(text.removesuffix(":").rstrip())
    name = unquote(listed[1].strip()) if listed else bare[1] if bare else ""
    word = text.split(None, 1)[0]
    if not node.tools and ToolDefaults.BY_KEY.get(word.upper()) and " " in text:
        fix = r.edit(r.offsets[j] + len(word), 0, ":", f"write `{word}:`")
        r.report("PROPERTY_MISSING_COLON", r.offsets[j], len(word), fix, name=word, property=word)
        _default(r, node, j, stop, f"{word}:{text[len(word) :]}")
        return stop
    if not name:
        r.report_line("INVALID_TOOL_SIGNATURE", j, value=text, name=text)
        r.props(Tool(), j + 1, stop) if stop > j + 1 else None
        return stop
    tool = r.new(Tool, j)
    tool.name = name
    tool.at["name"] = r.offsets[j] + text.index(name)
    if bare and not listed and bare[2]:
        tool.returns = read_type(bare[2], r.offsets[j] + bare.start(2))[0]
    elif not listed and text[0] != "-" and not text.endswith(":"):
        fix = r.edit(r.offsets[j] + len(text), 0, "()", f"write `{name}()`")
        r.report_line("INVALID_TOOL_SIGNATURE", j, fix, value=text, name=name)
    _add(r, node, tool, j)
    r.props(tool, j + 1, stop)
    return stop


@reads(Kind.TYPE)
def read_type_property(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a type expression."""
    text, off = scalar(r, value, off)
    node.at[row.field] = off
    if not text:
        return
    r.spend(Parameter.COST * text.count(",") + TypeExpr.COST * text.count("|"), k)
    made, faults = read_type(text, off)
    r.report_faults(list(faults))
    setattr(node, row.field, made)


@reads(Kind.PARAMETERS)
def read_parameters(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read the `parameters:` block, which refines (or makes) the parameters of the signature."""
    assert isinstance(node, Tool)
    node.at[row.field] = off
    r.depth += 1
    _refine(r, node.parameters, k + 1, end, 0, node)
    r.depth -= 1


def _refine(r: Reader, parameters: list[Parameter], k: int, end: int, depth: int, tool: Tool | None = None) -> None:
    known = {one.name: one for one in parameters}
    while k < end:
        stop = r.ends[k] if r.ends[k] < end else end
        text = r.texts[k]
        bare = text[1:].lstrip() if text[0] == "-" else text
        name, colon, value = bare.partition(":")
        if text[0] == "-" and colon and name.lower() == "name":
            name, value = value, ""
        elif text[0] == "-" and bare[0] == "{" and (pairs := inline_map(without_comment(bare))):
            name = next((unquote(one) for key, one, _ in pairs if key.lower() == "name"), "")
            value = bare if name else value
        if not name.isidentifier():
            name = unquote(name.strip())
        value = value.lstrip()
        made = known.get(name)
        if made is None and tool is not None and known and value and name.upper() in Tool.BY_KEY:
            r.misplaced(k, stop, r.columns[k] - 2, "parameters")
            r.line(tool, k, stop, text, r.offsets[k])
            k = stop
            continue
        if made is None:
            made = known[name] = Parameter(name=name)
            r.spend(Parameter.COST, k)
            parameters.append(made)
        made.pos = made.pos or r.pos(k)
        made.at.pop("type", None)
        if value:
            _parameter_value(r, made, k, stop, value, r.offsets[k] + len(text) - len(value))
        if depth < MAX_NESTING:
            _parameter_body(r, made, k + 1, stop, depth)
        k = stop


def _parameter_value(r: Reader, made: Parameter, k: int, stop: int, value: str, off: int) -> None:
    """Read what stands on the line of a parameter: a type, or its description."""
    bare = cut_comment(value)
    if not bare:
        return
    if bare[0] == "{" and ("description" in bare or "type" in bare):
        r.fill(made, Tool.BY_FIELD["parameters"], k, k + 1, bare, off)
    elif bare[0] == '"' or " " in bare:
        read_text(r, made, Parameter.BY_FIELD["description"], k, k + 1 if k not in r.lines.blocks else stop, value, off)
    else:
        r.line(made, k, k + 1, f"type: {bare}", off - 6)


def _parameter_body(r: Reader, made: Parameter, k: int, end: int, depth: int) -> None:
    """Read type, description, items, properties ...: `items` and `properties` refine the type itself."""
    while k < end:
        stop = r.ends[k] if r.ends[k] < end else end
        key = r.texts[k].partition(":")[0].strip().lower()
        if key == "properties":
            _object_fields(r, made, k, stop, depth)
        elif key == "items" and stop > k + 1:
            element = Parameter(name="", type=made.type.items if made.type else None)
            _parameter_body(r, element, k + 1, stop, depth + 1)
            _array_of(made, element)
        elif key == "items":
            text = scalar(r, r.texts[k].partition(":")[2].strip(), r.offsets[k])[0]
            _array_of(made, Parameter(type=read_type(text, r.offsets[k])[0]))
        else:
            r.props(made, k, stop)
        k = stop


def _array_of(made: Parameter, element: Parameter) -> None:
    items = element.type or TypeExpr(base="string")
    if element.enum and not items.values:
        items = TypeExpr(values=element.enum)
    if made.type is None or made.type.base == "array":
        made.type = TypeExpr(base="array", items=items)


def _object_fields(r: Reader, made: Parameter, k: int, stop: int, depth: int) -> None:
    target = made.type
    while target is not None and target.base == "array" and target.items is not None:
        target = target.items
    if target is None:
        target = made.type = TypeExpr(base="object")
    if target.fields is None:
        target.fields = []
    _refine(r, target.fields, k + 1, stop, depth + 1)


def bound_fields(tool: Tool) -> list[str]:
    """Return the fields of a tool that bind it to something outside, in the order they were written."""
    if _BINDING.isdisjoint(tool.at):
        return []
    return sorted([name for name in tool.at if name in _BINDING], key=tool.at.__getitem__)
