"""Writers of the general kinds of values: the inverse of `abl.parser.kinds`. Spec: abl-language 1.4, 11.2."""

from __future__ import annotations

from typing import Any

from abl.printer import scalars
from abl.printer.nodes import WRITE, write_entries, write_props, writes, written_fields
from abl.printer.page import STEP, Page
from abl.syntax.node import Kind, Node, Prop

WORD_MAPS = frozenset({"returns", "map", "set"})
"""MAP fields whose values are usually variables."""
PHRASES = frozenset({"THEN", "ACTION", "SORT_BY"})
"""Keys of TEXT properties that hold words of the language."""


@writes(Kind.TEXT)
def write_text(page: Page, indent: int, head: str, value: str, row: Prop, node: Node) -> None:
    """Write free text: in quotes, or as a block."""
    if row.key in PHRASES and scalars.is_phrase(value):
        page.put(indent, f"{head} {value}")
    else:
        put_text(page, indent, head, value)


@writes(Kind.CODE)
def write_code(page: Page, indent: int, head: str, value: str, row: Prop, node: Node) -> None:
    """Write a pattern, address or program; event names and named checks without quotes."""
    if scalars.is_event(value):
        page.put(indent, f"{head} {value}")
    else:
        put_text(page, indent, head, value)


def put_text(page: Page, indent: int, head: str, value: str) -> None:
    """Write `head "value"`, or `head |` and the lines of the text below it."""
    if scalars.fits_quotes(value):
        page.put(indent, f"{head} {scalars.quoted(value)}")
    else:
        page.put(indent, f"{head} |")
        page.block(indent + STEP, value)


@writes(Kind.CONDITION, Kind.EXPRESSION)
def write_condition(page: Page, indent: int, head: str, value: str, row: Prop, node: Node) -> None:
    """Write source text as it stands."""
    if "\n" in value:
        page.put(indent, f"{head} |")
        page.block(indent + STEP, value)
    else:
        page.put(indent, f"{head} {value}".rstrip())


@writes(Kind.NAME, Kind.TARGET, Kind.CHOICE)
def write_name(page: Page, indent: int, head: str, value: str, row: Prop, node: Node) -> None:
    """Write one word, in quotes when it is none."""
    page.put(indent, f"{head} {value if value.isdecimal() else scalars.word(value)}")


@writes(Kind.BOOL, Kind.FLAG)
def write_boolean(page: Page, indent: int, head: str, value: bool, row: Prop, node: Node) -> None:
    """Write true or false."""
    page.put(indent, f"{head} {'true' if value else 'false'}")


@writes(Kind.INTEGER, Kind.NUMBER, Kind.DURATION)
def write_number(page: Page, indent: int, head: str, value: float, row: Prop, node: Node) -> None:
    """Write a number; durations are in the unit of their row."""
    page.put(indent, f"{head} {scalars.number(value)}")


@writes(Kind.LIST)
def write_list(page: Page, indent: int, head: str, value: list[str], row: Prop, node: Node) -> None:
    """Write `[a, b]` when all items are short words, else one dash item per line."""
    line = scalars.inline_list(value)
    if line is not None:
        page.put(indent, f"{head} {line}")
        return
    page.put(indent, head)
    for item in value:
        put_text(page, indent + STEP, "-", item)


@writes(Kind.MAP)
def write_map(page: Page, indent: int, head: str, value: dict[str, str], row: Prop, node: Node) -> None:
    """Write one `key: value` per line."""
    page.put(indent, head if value else f"{head} {{}}")
    for key, one in value.items():
        put_pair(page, indent + STEP, key, one, row)


def put_pair(page: Page, indent: int, key: str, value: str, row: Prop) -> None:
    """Write one pair of a map."""
    name = f"{map_key(key)}:"
    if row.formula and "\n" not in value:
        page.put(indent, f"{name} {value}".rstrip())
    elif row.field in WORD_MAPS and scalars.is_word(value):
        page.put(indent, f"{name} {value}")
    elif "\n" in value or (value[:1] == "'" == value[-1:] and len(value) > 1):
        page.put(indent, f"{name} |")
        page.block(indent + STEP, value)
    else:
        put_text(page, indent, name, value)


def map_key(key: str) -> str:
    """Return a key of a map, in quotes when it is no plain word."""
    if scalars.is_word(key):
        return key
    return f"'{key}'" if '"' in key else scalars.quoted(key)


@writes(Kind.NODE)
def write_node(page: Page, indent: int, head: str, value: Node, row: Prop, node: Node) -> None:
    """Write a nested node; one that has only its main value on the line of its key."""
    main = type(value).MAIN
    if main in value.BY_FIELD and written_fields(value) == [main] and _stands_alone(value, main):
        inner = value.BY_FIELD[main]
        WRITE[inner.kind](page, indent, head, getattr(value, main), inner, value)
        return
    page.put(indent, head)
    write_props(page, indent + STEP, value)


def _stands_alone(value: Node, main: str) -> bool:
    """Return whether the main value is not mistaken for an inline map."""
    return value.BY_FIELD[main].kind not in (Kind.CONDITION, Kind.EXPRESSION)


@writes(Kind.ENTRIES)
def write_nodes(page: Page, indent: int, head: str, value: list[Node], row: Prop, node: Node) -> None:
    """Write a list of nodes."""
    page.put(indent, head)
    write_entries(page, indent + STEP, row, value)


@writes(Kind.PROFILES)
def write_profiles(page: Page, indent: int, head: str, value: list[str], row: Prop, node: Node) -> None:
    """Write one line per attached profile."""
    for name in value:
        page.put(indent, f"{head} {scalars.word(name)}")


@writes(Kind.SKIP, Kind.ANY)
def write_older(page: Page, indent: int, head: str, value: Any, row: Prop, node: Node) -> None:
    """Write the names that AGENTS gives; other content of this kind is not kept in the document."""
    if isinstance(value, dict):
        write_map(page, indent, head, value, row, node)
