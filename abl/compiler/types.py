"""Lowers types and parameters of tools. Spec: abl-language 3.2, 12.3."""

from __future__ import annotations

from abl.compiler.plain import MAX_NESTING, Json, given, is_absent, one, only, plain, text, texts
from abl.compiler.scope import Scope
from abl.syntax.tools import Parameter, TypeExpr


def lower_type(value: object, depth: int = 0) -> Json:
    """Return `{type, fields, items, enum}` of a type expression; what is missing is a string."""
    node = one(TypeExpr, value)
    if node is None:
        return {"type": "string"}
    ir: Json = {"type": text(node.base) or "string"}
    if depth >= MAX_NESTING:
        return ir
    if node.values:
        ir["enum"] = texts(node.values)
    if node.items is not None:
        ir["items"] = lower_type(node.items, depth + 1)
    if node.fields is not None:
        ir["fields"] = {field.name: _field(field, depth + 1) for field in only(Parameter, node.fields)}
    return ir


def _nested_parameters(kind: object, scope: Scope, depth: int) -> list[Json]:
    """Return the fields of an object type as parameters of their own. Spec: abl-language 12.3."""
    node = one(TypeExpr, kind)
    fields = only(Parameter, node.fields) if node is not None and node.fields is not None else []
    return [lower_parameter(field, scope, depth=depth + 1) for field in fields] if depth < MAX_NESTING else []


def lower_returns(value: object) -> Json:
    """Return the type of a result; what is missing is an object."""
    return lower_type(value) if isinstance(value, TypeExpr) else {"type": "object"}


def _field(field: Parameter, depth: int) -> Json:
    ir = lower_type(field.type, depth)
    if field.optional is True:
        ir["optional"] = True
    if description := text(field.description):
        ir["description"] = description
    return ir


def lower_parameter(node: Parameter, scope: Scope, other: Parameter | None = None, depth: int = 0) -> Json:
    """Return one parameter; `other` is the library's declaration, which gives what is not written here."""
    sources = [node] if other is None else [node, other]
    kind = next((source.type for source in sources if source.type is not None), None)
    ir: Json = {"name": text(node.name), **lower_type(kind, depth)}
    ir.pop("fields", None)
    for source in sources:
        for name in ("description", "default"):
            value = getattr(source, name)
            if name not in ir and (not is_absent(value) or (name == "default" and value is not None)):
                ir[name] = plain(value)
        if "enum" not in ir and (values := texts(given(source, "enum"))):
            ir["enum"] = values
        if "validation" not in ir and source.validate:
            ir["validation"] = text(source.validate)
        _add_nested(ir, source, scope, depth)
    if "properties" not in ir and (nested := _nested_parameters(kind, scope, depth)):
        ir["properties"] = nested
    ir["required"] = _required(sources, "default" in ir)
    return scope.record(ir, node)


def _add_nested(ir: Json, source: Parameter, scope: Scope, depth: int) -> None:
    if depth >= MAX_NESTING:
        return
    items = one(Parameter, source.items)
    if items is not None:
        lowered = lower_parameter(items, scope, depth=depth + 1)
        ir["items"] = {key: value for key, value in lowered.items() if key not in ("name", "required") or value == ""}
        ir["items"].pop("name", None)
    if "properties" not in ir and (inner := only(Parameter, given(source, "properties"))):
        ir["properties"] = [lower_parameter(one_, scope, depth=depth + 1) for one_ in inner]


def _required(sources: list[Parameter], has_default: bool) -> bool:
    for source in sources:
        if isinstance(source.required, bool):
            return source.required
    return not has_default and not any(source.optional is True for source in sources)


def signature(parameters: list[Json]) -> str:
    """Return how the parameters of a lowered tool read in a signature, for messages."""
    shown = [f"{one_['name']}{'' if one_['required'] else '?'}: {one_['type']}" for one_ in parameters]
    return "(" + ", ".join(shown) + ")"
