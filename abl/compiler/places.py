"""Remembers which node each IR dictionary came from, so that findings about the IR can point into the text."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from abl.compiler.identities import Identities
from abl.source import Source
from abl.syntax.document import Document
from abl.syntax.node import Node


@dataclass(slots=True)
class Unit:
    """One document of a compile, with the text and the path it came from when they are known."""

    document: Document
    source: Source | None = None
    path: str | None = None


class Place(NamedTuple):
    """A node and the document it stands in."""

    node: Node
    unit: Unit


MAX_INDENT = 2_000
"""Characters of space and blank lines between two lines of a block text."""

FIELD_OF_KEY: dict[type[Node], dict[str, str]] = {}
"""Node class -> IR key -> field, where the two differ; filled by the shapes of `lowering`."""

_OTHER_NAMES = {
    "condition": ("when", "check"),
    "when": ("condition",),
    "tool": ("call",),
    "goto": ("then",),
    "transition": ("then",),
    "type": ("type", "then"),
    "rule": ("validation",),
    "message": ("respond", "message"),
}


class Places:
    """IR dictionary (by identity) -> its place."""

    __slots__ = ("_known", "_made", "_nodes", "_units")

    def __init__(self) -> None:
        self._made: list[dict[str, Any]] = []
        self._nodes: list[Node] = []
        self._units: list[Unit] = []
        self._known = Identities(self._made)

    def __len__(self) -> int:
        """Return how many dictionaries are known."""
        return len(self._made)

    def record(self, ir: dict[str, Any], node: Node, unit: Unit) -> None:
        """Remember that `ir` was made from `node`."""
        self._made.append(ir)
        self._nodes.append(node)
        self._units.append(unit)

    def take_back(self, count: int) -> Node | None:
        """Forget all dictionaries but the first `count`; return the node of the last one, None without any."""
        last = self._nodes[-1] if len(self) > count else None
        self._made, self._nodes, self._units = self._made[:count], self._nodes[:count], self._units[:count]
        self._known = Identities(self._made)
        return last

    def find(self, ir: dict[str, Any]) -> Place | None:
        """Return the place of `ir`, None when it was not made from a node."""
        at = self._known.position(ir)
        return Place(self._nodes[at], self._units[at]) if at >= 0 else None


def locate(place: Place | None, field: str = "", start: int = 0, length: int | None = None) -> dict[str, Any]:
    """Return line, column, offset, length and file of `field` of a node as arguments of `finding`.

    `field` is a node field or an IR key; `start` and `length` select a part of its value. What is not known is
    left out: without the field's own place the node's is given, without that only the file.
    """
    if place is None:
        return {}
    node, unit = place.node, place.unit
    known: dict[str, Any] = {"file": unit.path} if unit.path else {}
    name = _field_name(node, field) if field else ""
    if name and unit.source is not None:
        offset = node.at[name]
        value = _value(node, name)
        span = _span(unit.source.text, offset, value, start, length)
        at = unit.source.pos(span[0])
        return {**known, "line": at.line, "column": at.column, "offset": at.offset, "length": span[1]}
    if node.pos is not None:
        line, column, offset = node.pos
        known.update(line=line, column=column, offset=offset)
    return known


def _field_name(node: Node, field: str) -> str:
    """Return the key of `node.at` that belongs to a field or IR key, empty when there is none."""
    at = node.at
    if field in at:
        return field
    key, dot, part = field.partition(".")
    candidates = (FIELD_OF_KEY.get(type(node), {}).get(key, ""), key + "_", *_OTHER_NAMES.get(key, ()))
    return next((name + dot + part for name in candidates if name and name + dot + part in at), "")


def _value(node: Node, name: str) -> str:
    """Return the text that stands at `node.at[name]`; `name` may be `field.index` or `field.key`."""
    field, _, part = name.partition(".")
    value = getattr(node, field, None)
    if part and isinstance(value, dict):
        value = value.get(part)
    elif part and isinstance(value, list):
        value = value[int(part)] if part.isdecimal() and int(part) < len(value) else None
    return value if isinstance(value, str) else ""


def _span(text: str, offset: int, value: str, start: int, length: int | None) -> tuple[int, int]:
    """Return offset and length of a part of `value` in the text where the value begins at `offset`."""
    if not value:
        return offset, length or 0
    if text.startswith(value, offset):
        return offset + start, len(value) - start if length is None else length
    if length is None and start == 0:
        first = value.split("\n", 1)[0]
        found = text.find(first, offset, offset + len(value) + len(first) + 200) if first else -1
        return (found, len(first)) if found >= 0 else (offset, 0)
    return _in_block(text, offset, value, start, length)


def _in_block(text: str, offset: int, value: str, start: int, length: int | None) -> tuple[int, int]:
    """Find a part of a block text, whose lines are indented in the source, line by line."""
    begins, places = _block_lines(text, offset, value)
    row = bisect_right(begins, start) - 1
    end = begins[row + 1] - 1 if row + 1 < len(begins) else len(value)
    if row >= len(places):
        return offset, 0
    line = value[begins[row] : end]
    indent = len(line) - len(line.lstrip())
    inside = max(0, start - begins[row] - indent)
    return places[row] + inside, min(length or 0, max(0, len(line.strip()) - inside))


@lru_cache(maxsize=1)
def _block_lines(text: str, offset: int, value: str) -> tuple[array[int], array[int]]:
    """Return where the lines of a block text begin in it, and where in the source, as far as they are found there.

    What is found in one text is asked for in a row, so the last one is remembered.
    """
    begins, places = array("q"), array("q")
    at, counted = offset, 0
    is_lost = False
    for line in value.split("\n"):
        begins.append(counted)
        counted += len(line) + 1
        body = line.strip()
        found = text.find(body, at, at + len(body) + MAX_INDENT) if body else at
        is_lost = is_lost or found < 0
        if not is_lost:
            places.append(found)
            at = found + len(body)
    return begins, places
