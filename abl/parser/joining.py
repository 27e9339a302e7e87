"""Lines that carry on the text of the line they are nested in: no item, no property. Spec: abl-language 1.2, 1.4."""

from __future__ import annotations

import re

from abl.parser.scribe import Scribe
from abl.parser.slips import MIN_CHARS, is_slip
from abl.parser.values import without_comment
from abl.syntax.node import Kind, Node

FLOWING = frozenset({Kind.TEXT, Kind.CONDITION, Kind.EXPRESSION, Kind.RESPOND, Kind.ACTION})
"""Kinds whose value may go on over the lines below a dash."""
_ITEM = re.compile(r"-(?:\s|\Z)|(?:IF|ELSE|ELIF)\b", re.IGNORECASE)
_KEY = re.compile(r"([\"']?)[A-Za-z_][\w-]*\1\s*:(?!//)")


def text_end(r: Scribe, node: Node | type[Node], k: int, stop: int, value: str, *, prose: bool = False) -> int:
    """Return the end of the lines from `k + 1` to `stop` that carry on `value`, the text of `node` on line `k`.

    A text that is closed by the quotes it opens with, and a block, are not carried on. In `prose` a word is a
    property without its colon only in capitals.
    """
    last = k + 1
    if last >= stop or r.texts[last].partition(":")[0] in node.BY_KEY:
        return last
    if k in r.lines.blocks or not value or is_closed(value):
        return last
    while last < stop and last not in r.lines.blocks and carries_on(node, r.texts[last], prose=prose):
        last += 1
    return last


def is_closed(value: str) -> bool:
    """Return whether a value is one text in double quotes."""
    return value[:1] == '"' and value.find('"', 1) == len(value) - 1


def carries_on(node: Node | type[Node], text: str, *, prose: bool = False) -> bool:
    """Return whether a line is neither an item, nor `key:`, nor a property of `node` that lacks its colon."""
    if _ITEM.match(text) or _KEY.match(text):
        return False
    key, colon, _ = text.partition(":")
    word = key if colon else text.split(None, 1)[0]
    if len(word) >= MIN_CHARS and word.isupper() and any(is_slip(word, known) for known in node.BY_KEY):
        return False
    if prose and not word.isupper():
        return True
    return word.strip().upper().replace("-", "_").replace(" ", "_") not in node.BY_KEY


def with_lines_below(r: Scribe, node: Node | type[Node], k: int, end: int, value: str, off: int) -> tuple[str, int]:
    """Return `value` with the lines that carry it on, and the line after them; an open quote is reported."""
    last = text_end(r, node, k, end, value)
    if last == k + 1:
        return value, last
    if value.count('"') % 2:
        r.report("MULTILINE_STRING", off, len(value), property="")
    return "\n".join([value, *r.texts[k + 1 : last]]), last


def in_one_line(r: Scribe, k: int, end: int, value: str) -> str:
    """Return `value` and the lines from `k + 1` to `end` as one line, without the comments after them."""
    if end <= k + 1:
        return value
    return " ".join([without_comment(part) for part in (value, *r.texts[k + 1 : end])])
