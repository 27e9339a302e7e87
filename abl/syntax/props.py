"""Short words for declaring properties: one function per kind of value, so a node class reads as a table."""

from __future__ import annotations

from typing import Any

from abl.syntax.node import Kind, prop


def text(key: str, doc: str, **more: Any) -> Any:
    """Declare free text; absent is the empty string."""
    return prop(Kind.TEXT, key, doc, default="", **more)


def name(key: str, doc: str, **more: Any) -> Any:
    """Declare one identifier or dotted path."""
    return prop(Kind.NAME, key, doc, default="", **more)


def code(key: str, doc: str, **more: Any) -> Any:
    """Declare text that is kept exactly: patterns, endpoints, program text."""
    return prop(Kind.CODE, key, doc, default="", **more)


def condition(key: str, doc: str, **more: Any) -> Any:
    """Declare the source text of a condition."""
    return prop(Kind.CONDITION, key, doc, default="", **more)


def target(key: str, doc: str, **more: Any) -> Any:
    """Declare a step name, COMPLETE or ESCALATE."""
    return prop(Kind.TARGET, key, doc, default="", **more)


def choice(key: str, doc: str, *choices: str, **more: Any) -> Any:
    """Declare one word of a set; absent is the empty string."""
    return prop(Kind.CHOICE, key, doc, default="", choices=choices, **more)


def boolean(key: str, doc: str, *, default: bool | None = None, **more: Any) -> Any:
    """Declare a boolean; absent is `default`."""
    return prop(Kind.BOOL, key, doc, default=default, **more)


def flag(key: str, doc: str, **more: Any) -> Any:
    """Declare a boolean that may stand without a value."""
    return prop(Kind.FLAG, key, doc, default=False, **more)


def integer(key: str, doc: str, **more: Any) -> Any:
    """Declare a whole number; absent is None."""
    return prop(Kind.INTEGER, key, doc, default=None, **more)


def number(key: str, doc: str, **more: Any) -> Any:
    """Declare a number; absent is None."""
    return prop(Kind.NUMBER, key, doc, default=None, **more)


def duration(key: str, doc: str, unit: str, **more: Any) -> Any:
    """Declare a duration in `unit` (`ms` or `s`); absent is None."""
    return prop(Kind.DURATION, key, doc, default=None, unit=unit, minimum=0, **more)


def literal(key: str, doc: str, **more: Any) -> Any:
    """Declare a JSON value; absent is None."""
    return prop(Kind.LITERAL, key, doc, default=None, **more)


def names(key: str, doc: str, **more: Any) -> Any:
    """Declare a list of texts."""
    return prop(Kind.LIST, key, doc, factory=list, **more)


def mapping(key: str, doc: str, **more: Any) -> Any:
    """Declare a map from names to texts."""
    return prop(Kind.MAP, key, doc, factory=dict, **more)


def free(key: str, doc: str, **more: Any) -> Any:
    """Declare a JSON value written as a YAML-like body."""
    return prop(Kind.FREE, key, doc, default=None, **more)


def one(key: str, doc: str, node: str, **more: Any) -> Any:
    """Declare one nested node; absent is None."""
    return prop(Kind.NODE, key, doc, default=None, node=node, **more)


def entries(key: str, doc: str, node: str, style: str = "map", **more: Any) -> Any:
    """Declare a list of nodes, written as `name:` entries or dash items."""
    return prop(Kind.ENTRIES, key, doc, factory=list, node=node, style=style, **more)


TEXTUAL = frozenset({Kind.RESPOND, Kind.CODE, Kind.EXPRESSION, Kind.TARGET, Kind.CHOICE, Kind.NAME, Kind.TEXT})
"""Kinds whose value is text, so that absent is the empty string."""


def special(kind: Kind, key: str, doc: str, **more: Any) -> Any:
    """Declare a property with a form of its own; absent is None, or empty where the value is text."""
    return prop(kind, key, doc, default="" if kind in TEXTUAL else None, **more)


def named(kind: Kind, key: str, doc: str, **more: Any) -> Any:
    """Declare a property with a form of its own whose value is a map."""
    return prop(kind, key, doc, factory=dict, **more)


def listed(kind: Kind, key: str, doc: str, **more: Any) -> Any:
    """Declare a property with a form of its own whose value is a list."""
    return prop(kind, key, doc, factory=list, **more)
