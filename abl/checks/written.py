"""Every text of a document that has a grammar: conditions, expressions and templates, found through the schema.

A new property of a node class is found here by its kind; only what has no property row of its own (assignments,
arguments) and the maps whose values are expressions are named. Spec: abl-language 6, 11.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, NamedTuple

from abl.checks.walk import MAX_NESTING, nodes_of
from abl.compiler.places import Place, Unit
from abl.syntax.coordination import Completion, EscalationTrigger, Handoff
from abl.syntax.node import Kind, Node
from abl.syntax.rules import Constraint, Guardrail
from abl.syntax.steps import Argument, Assignment

BRACES = ("{{", "{%")
"""What a template begins with: its own tags, and those of other languages, which are reported."""


class Form(StrEnum):
    """What a text is read as."""

    CONDITION = "condition"
    JUDGED = "judged"  # a condition that may be a sentence for the model
    EXPRESSION = "expression"
    TEMPLATE = "template"


class Written(NamedTuple):
    """One text: where it stands and what it is.

    Attributes:
        place: The node and its document.
        field: Key of `Node.at`.
        text: The value of the field.
        form: What it is read as.
        path: Place in the document, e.g. `flow.steps.0.check`.
    """

    place: Place
    field: str
    text: str
    form: Form
    path: str


JUDGED: frozenset[tuple[type[Node], str]] = frozenset(
    {(Handoff, "when"), (EscalationTrigger, "when"), (Completion, "when"), (Guardrail, "check")}
)
"""Conditions that may be natural language. Spec: abl-language 6.1, 3.7."""


def _is_formula_map(node: Node, field: str) -> bool:
    row = node.BY_FIELD.get(field)
    return row is not None and row.formula


_FORMS = {Kind.CONDITION: Form.CONDITION, Kind.EXPRESSION: Form.EXPRESSION}
_SKIPPED = frozenset({Kind.CODE, Kind.SKIP, Kind.ANY, Kind.LITERAL, Kind.CONVERSATION})
"""Kinds in which braces mean nothing, or mean something else (program text, patterns)."""


_MUTE = _SKIPPED | {
    Kind.BOOL, Kind.FLAG, Kind.INTEGER, Kind.NUMBER, Kind.DURATION, Kind.CHOICE, Kind.NODE, Kind.ENTRIES, Kind.BRANCHES,
    Kind.RULES, Kind.TOOLS, Kind.FLOW,
}  # fmt: skip
"""Kinds whose values have no text with a grammar of their own."""


_TELLING: dict[str, tuple[str, ...]] = {}
"""Class -> what `telling_fields` said of it."""


def has_tags(text: str) -> bool:
    """Return whether a text holds a tag of a template."""
    return BRACES[0] in text or BRACES[1] in text


def telling_fields(cls: type[Node]) -> tuple[str, ...]:
    """Return the fields of a class that may hold a text with a grammar."""
    known = _TELLING.get(cls.__name__)
    if known is None:
        rows = cls.BY_FIELD
        names = [name for name in cls.FIELDS if name != "extras"]
        known = tuple(name for name in names if name not in rows or rows[name].kind not in _MUTE)
        _TELLING[cls.__name__] = known
    return known


def written_in(document: Node, unit: Unit) -> Iterator[Written]:
    """Yield the texts of a document in the order of its fields."""
    for node, path in nodes_of(document):
        place, known = Place(node, unit), node.__dict__.get  # a field that was never written is not made to be read
        for field in telling_fields(type(node)):
            if value := known(field):
                yield from _texts(place, field, value, f"{path}.{field}" if path else field)


def _texts(place: Place, field: str, value: Any, path: str) -> Iterator[Written]:
    node = place.node
    row = node.BY_FIELD.get(field)
    kind = row.kind if row is not None else None
    if kind in _SKIPPED:
        return
    if isinstance(value, str):
        form = _form(node, field, kind)
        if form is not Form.TEMPLATE or has_tags(value):
            yield Written(place, field, value, form, path)
    elif isinstance(value, dict) and _is_formula_map(node, field):
        for key, one in value.items():
            if isinstance(one, str) and one:
                yield Written(place, f"{field}.{key}", one, Form.EXPRESSION, f"{path}.{key}")
    elif isinstance(value, dict | list) and kind is not None:
        for key, one in _leaves(value):
            yield Written(place, f"{field}.{key}", one, Form.TEMPLATE, f"{path}.{key}")


def _form(node: Node, field: str, kind: Kind | None) -> Form:
    if (type(node), field) in JUDGED:
        return Form.JUDGED
    if field == "expression" and isinstance(node, Assignment | Argument):
        return Form.EXPRESSION
    if isinstance(node, Constraint) and field == "text":
        return Form.TEMPLATE
    return _FORMS.get(kind, Form.TEMPLATE) if kind is not None else Form.TEMPLATE


def _leaves(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the texts with braces inside lists and maps, with their dotted way."""
    pending: list[tuple[Any, str, int]] = [(value, "", 0)]
    while pending:
        current, path, depth = pending.pop()
        if isinstance(current, str):
            if has_tags(current):
                yield path, current
            continue
        if depth >= MAX_NESTING or isinstance(current, Node):
            continue
        pairs = (
            current.items() if isinstance(current, dict) else enumerate(current) if isinstance(current, list) else ()
        )
        inside = [
            (one, f"{path}.{key}" if path else str(key), depth + 1)
            for key, one in pairs
            if not isinstance(one, str) or has_tags(one)
        ]
        pending.extend(reversed(inside))
