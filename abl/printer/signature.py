"""Signatures, types and literals as text; the inverse of `abl.parser.signature`. Spec: abl-language 3.2, 11.2."""

from __future__ import annotations

import json
import re
from typing import Any

from abl.syntax.tools import Parameter, Tool, TypeExpr

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN_VALUE = re.compile(r"""[^\s,()\[\]{}<>"'#/|→]+""")
_OPEN_QUOTE = {'"': re.compile(r'(?<!\\)"'), "'": re.compile(r"(?<!\\)'")}


def signature_text(tool: Tool) -> str:
    """Return `name(param?: type = default, …) -> type`."""
    parameters = ", ".join([_member(one) for one in tool.parameters])
    returns = f" -> {type_text(tool.returns)}" if tool.returns is not None else ""
    return f"{tool.name}({parameters}){returns}"


def type_text(kind: TypeExpr) -> str:
    """Return a type as it is written in a signature."""
    if kind.values is not None:
        return f"enum({', '.join([_value(one) for one in kind.values])})"
    if kind.fields is not None:
        return "{" + ", ".join([_member(one) for one in kind.fields]) + "}"
    if kind.items is not None:
        inner = type_text(kind.items)
        return f"({inner})[]" if " " in inner and inner == kind.items.base else f"{inner}[]"
    return kind.base


def literal_text(value: Any) -> str:
    """Return a literal: text in quotes, everything else as JSON without the quotes of keys."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "[" + ", ".join([literal_text(one) for one in value]) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join([f"{_key(key)}: {literal_text(one)}" for key, one in value.items()]) + "}"
    return json.dumps(value)


def quoted(text: str) -> str:
    """Return `text` in quotes of the kind that it does not contain; backslashes stay as they are."""
    for quote, inside in _OPEN_QUOTE.items():
        if not inside.search(text):
            return quote + text + quote
    return '"' + _OPEN_QUOTE['"'].sub(r"\"", text) + '"'


def _member(one: Parameter) -> str:
    """Return `name?: type = default`."""
    text = _key(one.name) + ("?" if one.optional else "")
    if one.type is not None:
        text += ": " + type_text(one.type)
    if one.default is not None:
        text += " = " + literal_text(one.default)
    return text


def _key(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else quoted(name)


def _value(text: str) -> str:
    return text if _PLAIN_VALUE.fullmatch(text) else quoted(text)
