"""`KEY: value` lines under an entry of AGENTS or ROUTING, read by the node's own table. Spec: abl-language 10.3."""

from __future__ import annotations

import re
from collections.abc import Callable

from abl.legacy.lines import Block, Line
from abl.parser.values import BOOLEANS, cut_comment, inline_list, number, split_top, unquote
from abl.syntax.legacy import RoutingRule
from abl.syntax.node import Kind, Node

PROPERTY = re.compile(r"([A-Za-z_]+)\s*+:\s*+")
NAME = re.compile(r"[\w.\-]+")


def read_property(block: Block, made: Node, at: int, end: int, bare: str, offset: int) -> None:
    """Read `KEY: value` with the items nested under it into a node, by the node's own table."""
    entry = PROPERTY.match(bare)
    row = made.BY_KEY.get(entry[1].upper()) if entry else None
    if entry is None or row is None:
        word = entry[1] if entry else bare.split(" ", maxsplit=1)[0]
        meant = block.unknown(offset, bare, word, [one.key for one in made.PROPS])
        row = made.BY_KEY.get(meant.upper()) if meant and entry else None
        if row is None or entry is None:
            return
    value, place = cut_comment(bare[entry.end() :]), offset + entry.end()
    _READERS.get(row.kind, _text)(block, made, row.field, value, place)
    made.at[row.field] = place
    if row.kind is Kind.LIST and not value:
        items = [undashed(line) for line in block.lines[at + 1 : end]]
        setattr(made, row.field, [block.text(text, start)[0] for text, start in items])


def _text(block: Block, made: Node, field: str, value: str, offset: int) -> None:
    setattr(made, field, block.text(value, offset)[0])


def _condition(block: Block, made: Node, field: str, value: str, offset: int) -> None:
    match = re.fullmatch(r"INTENT(?:_MATCH)?\s*(\(.*\)|\[.*\])", value)
    if match and isinstance(made, RoutingRule):
        made.intents = [unquote(part) for part, _ in split_top(match[1][1:-1])]
    else:
        setattr(made, field, value)


def _list(block: Block, made: Node, field: str, value: str, offset: int) -> None:
    setattr(made, field, [one for one, _ in inline_list(value)])


def _integer(block: Block, made: Node, field: str, value: str, offset: int) -> None:
    found = number(unquote(value))
    if found is None:
        block.invalid(offset, value, "A whole number is expected")
    else:
        setattr(made, field, int(found))


def _boolean(block: Block, made: Node, field: str, value: str, offset: int) -> None:
    found = BOOLEANS.get(unquote(value).lower())
    if found is None:
        block.invalid(offset, value, "true or false is expected")
    else:
        setattr(made, field, found)


_READERS: dict[Kind, Callable[[Block, Node, str, str, int], None]] = {
    Kind.LIST: _list,
    Kind.INTEGER: _integer,
    Kind.BOOL: _boolean,
    Kind.CONDITION: _condition,
}


def undashed(line: Line) -> tuple[str, int]:
    """Return a line without the dash of a list item, and its offset."""
    text = line.text
    if text[:1] != "-" or text[:2] == "->":
        return text, line.offset
    bare = text[1:].lstrip()
    return bare, line.offset + len(text) - len(bare)
