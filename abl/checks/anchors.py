"""From an object of the IR back to the text: the node it was made from, and the span of one word in it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from abl.checks.context import CheckContext
from abl.checks.finding import Finding
from abl.compiler.places import Place, locate
from abl.diagnostics.model import Edit, Fix
from abl.syntax.node import Node

Key = str | int

_FIELD_OF_KEY = {
    "applies_when": "when",
    "call_spec": "call",
    "call_as": "call",
    "call_with": "call",
    "with": "with_",
    "as": "as_",
    "return": "return_",
    "pass": "pass_",
    "flow_modifications": "flow",
    "conditions": "complete",
    "escalation": "escalate",
}
"""Keys of the IR that are named otherwise in the nodes."""

_FIELD_IN = {("Flow", "steps"): "order", ("Flow", "definitions"): "steps"}
"""The same for keys that mean different things in different nodes."""

_REDIRECT: dict[tuple[str, Key], tuple[str, ...]] = {("Profile", "tools_hide"): ("tools", "hide")}
"""The same for a short spelling that stands for a longer one, when the short one was not written."""

_NAMES = ("name", "action_id", "path", "agent")


class Anchor(NamedTuple):
    """A node, its field, and the value there.

    Attributes:
        place: The node and its document.
        field: Key of `Node.at`, empty for the node as a whole.
        value: Text of the field, empty when it is no text.
    """

    place: Place
    field: str
    value: str


def anchor_of(found: Finding, context: CheckContext) -> Anchor | None:
    """Return where a finding stands: the nearest object around it that was made from a node."""
    keys: list[Key] = [int(part) if part.isdecimal() else part for part in found.field.split(".") if part]
    block = found.block
    while True:
        place = context.place(block.subject)
        if place is not None:
            return _descend(place, keys, found.word)
        if block.parent is None:
            return None
        keys = [*block.keys, *keys]
        block = block.parent


def _descend(place: Place, keys: list[Key], word: str) -> Anchor:
    """Follow the keys of the IR through the nodes as far as they lead; an item of a list is found by its word."""
    node = place.node
    while keys:
        key, rest = keys[0], keys[1:]
        field = _field(node, key)
        value = getattr(node, field, None) if field else None
        if not value and (redirect := _REDIRECT.get((type(node).__name__, key))):
            keys = [*redirect, *rest]
            continue
        if field and not rest:
            break
        if isinstance(value, Node):
            node, keys = value, rest
        elif isinstance(value, list) and rest and (inner := _item(value, rest[0])) is not None:
            node, keys = inner, rest[1:]
        elif not field or value is None:
            keys = rest
        else:
            break
    field = _field(node, keys[0]) if keys else ""
    value = getattr(node, field, None) if field else None
    parts = keys[1:]
    if isinstance(value, list) and word in value:
        parts = [value.index(word)]
    for part in parts:
        value = _part(value, part)
    name = ".".join([field, *map(str, parts)]) if field else ""
    if isinstance(value, Node):
        node, name, value = value, value.MAIN or _first_place(value), getattr(value, value.MAIN or "name", "")
    return Anchor(Place(node, place.unit), name, value if isinstance(value, str) else "")


def _field(node: Node, key: Key) -> str:
    """Return the field of a node that an IR key belongs to."""
    if isinstance(key, int):
        return ""
    special = _FIELD_IN.get((type(node).__name__, key))
    if special:
        return special
    candidates = (key, _FIELD_OF_KEY.get(key, key), key + "_")
    return next((one for one in candidates if one in node.BY_FIELD or one in node.FIELDS), "")


def _item(values: list[Any], key: Key) -> Node | None:
    """Return the node at an index, or of a name."""
    if isinstance(key, int):
        found = values[key] if key < len(values) else None
        return found if isinstance(found, Node) else None
    nodes = (one for one in values if isinstance(one, Node))
    return next((one for one in nodes if any(getattr(one, name, None) == key for name in _NAMES)), None)


def _part(value: Any, key: Key) -> Any:
    if isinstance(value, list) and isinstance(key, int):
        return value[key] if key < len(value) else None
    return value.get(str(key)) if isinstance(value, dict) else None


def _first_place(node: Node) -> str:
    return min(node.at, key=lambda name: node.at[name], default="")


def span_of(anchor: Anchor, word: str) -> dict[str, Any]:
    """Return line, column, offset, length and file of `word` in the anchored value, or of the whole value."""
    at = _position(anchor.value, word) if word else None
    if at is None:
        return locate(anchor.place, anchor.field)
    return locate(anchor.place, anchor.field, at, len(word))


def _position(value: str, word: str) -> int | None:
    """Return where `word` stands in `value` as a word of its own."""
    found = re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", value)
    return found.start() if found else None


def fix_of(anchor: Anchor, where: dict[str, Any], word: str, replacement: str) -> Fix | None:
    """Return the edit that puts `replacement` in place of `word`, if exactly that word stands at the place."""
    source, offset = anchor.place.unit.source, where.get("offset")
    if not word or not replacement or source is None or not isinstance(offset, int):
        return None
    if not source.text.startswith(word, offset):
        return None
    return Fix(f"write `{replacement}`", (Edit(offset, len(word), replacement),))
