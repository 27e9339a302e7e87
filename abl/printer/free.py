"""JSON values as YAML-like bodies: the inverse of `abl.parser.free`, which knows no escapes. Spec: abl-language 4.2."""

from __future__ import annotations

import re
from typing import Any

from abl.printer import scalars
from abl.printer.nodes import writes
from abl.printer.page import STEP, Page
from abl.syntax.node import Kind, Node, Prop

_KEY = re.compile(r"[A-Za-z_][\w.\-]*( [\w.\-]+)*\Z")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})


@writes(Kind.FREE, Kind.CONVERSATION)
def write_free(page: Page, indent: int, head: str, value: Any, row: Prop, node: Node) -> None:
    """Write a JSON value: a scalar on the line of its key, lists and maps below it."""
    put_value(page, indent, head, value)


@writes(Kind.LITERAL)
def write_literal(page: Page, indent: int, head: str, value: Any, row: Prop, node: Node) -> None:
    """Write a literal on one line where that can be read back, else below its key."""
    if isinstance(value, list | dict) and fits_line(value):
        page.put(indent, f"{head} {scalars.literal(value)}")
    elif isinstance(value, str) and not scalars.fits_quotes(value):
        page.put(indent, f"{head} |")
        page.block(indent + STEP, value)
    elif isinstance(value, str):
        page.put(indent, f"{head} {scalars.quoted(value)}")
    else:
        put_value(page, indent, head, value)


def put_value(page: Page, indent: int, head: str, value: Any) -> None:
    """Write `head value`, or `head` and what is nested in it below."""
    if isinstance(value, str):
        put_text(page, indent, head, value)
    elif isinstance(value, list | dict) and value:
        if isinstance(value, list) and (line := _word_list(value)) is not None:
            page.put(indent, f"{head} {line}")
            return
        page.put(indent, head)
        put_body(page, indent + STEP, value)
    else:
        page.put(indent, f"{head} {scalars.literal(value)}")


def put_text(page: Page, indent: int, head: str, value: str) -> None:
    """Write a text: a word as it stands, else in quotes or as a block."""
    if scalars.is_word(value) and value.lower() not in _WORDS:
        page.put(indent, f"{head} {value}")
    elif value != value.strip() and "\n" not in value:
        page.put(indent, f"{head} '{value}'")
    elif scalars.fits_quotes(value):
        page.put(indent, f"{head} {scalars.quoted(value)}")
    else:
        page.put(indent, f"{head} |")
        page.block(indent + STEP, value)


def put_body(page: Page, indent: int, value: Any) -> None:
    """Write the entries of a list or map that has some."""
    if isinstance(value, dict):
        for key, one in value.items():
            put_value(page, indent, f"{free_key(key)}:", one)
        return
    for one in value:
        _put_item(page, indent, one)


def _put_item(page: Page, indent: int, value: Any) -> None:
    """Write one dash item; a map begins on the line of its dash when its first key is a plain one."""
    if isinstance(value, dict) and value and _KEY.match(next(iter(value))):
        start = len(page.lines)
        put_body(page, indent + STEP, value)
        page.dash(start, indent)
    elif isinstance(value, list | dict) and value:
        page.put(indent, "-")
        put_body(page, indent + STEP, value)
    else:
        put_value(page, indent, "-", value)


def free_key(key: str) -> str:
    """Return a key, in quotes when it is no plain words."""
    if _KEY.match(key):
        return key
    return f"'{key}'" if '"' in key else scalars.quoted(key)


def _word_list(value: list[Any]) -> str | None:
    if not all(isinstance(one, str) and one.lower() not in _WORDS for one in value):
        return None
    return scalars.inline_list(value)


def fits_line(value: Any) -> bool:
    """Return whether a value in brackets is read back unchanged: its texts hold no quotes, line ends or backslashes."""
    if isinstance(value, list):
        return all(map(fits_line, value))
    if isinstance(value, dict):
        return all(_KEY.match(key) and " " not in key and fits_line(one) for key, one in value.items())
    return not isinstance(value, str) or not any(sign in value for sign in "\n\\\"'#")
