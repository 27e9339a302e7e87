"""YAML-like bodies: maps, lists and scalars to JSON values, tolerant of `{{templates}}`. Spec: 3.17, 4.2."""

from __future__ import annotations

import json
import math
from typing import Any

from abl.parser.bounds import ITEM_BYTES, LINE_BYTES, Full, elements
from abl.parser.joining import in_one_line, with_lines_below
from abl.parser.lines import Lines, scan
from abl.parser.lists import joined
from abl.parser.reader import Reader, reads, set_text
from abl.parser.scalars import nothing_under, scalar, straight
from abl.parser.values import QUOTES, cut_comment, literal, open_brackets, unquote
from abl.source import Source
from abl.syntax.node import Kind, Node, Prop


@reads(Kind.FREE)
def read_free(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a JSON value: nested lines, an inline list or map, or a text."""
    node.at[row.field] = off
    setattr(node, row.field, value_of(r, k, end, value, off))


def value_of(r: Reader, k: int, end: int, value: str, off: int) -> Any:
    """Return the JSON value of one property with its nested lines."""
    if k in r.lines.blocks and value[:1] in ("|", ">", ""):
        return r.lines.block_text(k)
    if not value:
        return free_value(r, k + 1, end) if end > k + 1 else None
    if end > k + 1:
        value = joined(r, k, end, value) or with_lines_below(r, Node, k, end, value, off)[0]
    r.spend(ITEM_BYTES * elements(value), k)
    return inline_value(r, value, off)


def inline_value(r: Reader, value: str, off: int) -> Any:
    """Return the JSON value of an inline text; what is neither literal, list nor map stays text."""
    if "#" in value:
        value = cut_comment(value)
    if not value.isascii() and value[:1] in QUOTES:
        value = straight(r, value, off)
    if value[:1] in "[{" and not value.startswith("{{"):
        if open_brackets(value) > 0:
            close = "]" if value[0] == "[" else "}"
            fix = r.edit(off + len(value), 0, close, f"add the closing `{close}`")
            r.report("UNCLOSED_BRACKET", off, len(value), fix, value=value, expected=close)
            value += close
        return literal(value)
    if value[:1] == '"':
        return scalar(r, value, off)[0]
    return literal(value)


def free_value(r: Reader, k: int, end: int) -> Any:
    """Return the JSON value of lines `k` to `end`: a list of dash items, a map, or a text."""
    if k >= end or not r.deeper(k):
        return None
    value = _items(r, k, end) if r.texts[k][0] == "-" else _pairs(r, k, end)
    r.leave()
    return value


def _items(r: Reader, k: int, end: int) -> list[Any]:
    items: list[Any] = []
    while k < end:
        r.spend(ITEM_BYTES, k)
        stop = r.ends[k] if r.ends[k] < end else end
        text = r.texts[k]
        bare = text[1:].lstrip() if text[0] == "-" else text
        offset = r.offsets[k] + len(text) - len(bare)
        key, value = _split(bare)
        if key is None or bare[0] in "{[\"'":
            items.append(_item_value(r, k, stop, bare, offset))
        else:
            inner = k + 1
            column = r.indents[k] + len(text) - len(bare)
            while inner < stop and r.indents[inner] > column:
                inner += 1
            if inner > k + 1 and _has_neighbours(r, k, value):
                inner = k + 1
            made = {key: value_of(r, k, inner, value, offset + len(bare) - len(value))}
            rest = _pairs(r, inner, stop) if inner < stop else {}
            items.append({**made, **rest} if isinstance(rest, dict) else made)
        k = stop
    return items


def _item_value(r: Reader, k: int, stop: int, bare: str, offset: int) -> Any:
    if k in r.lines.blocks:
        return r.lines.block_text(k)
    if not bare:
        return free_value(r, k + 1, stop)
    return inline_value(r, (joined(r, k, stop, bare) if stop > k + 1 else None) or bare, offset)


def _pairs(r: Reader, k: int, end: int) -> Any:
    made: dict[str, Any] = {}
    first = k
    while k < end:
        stop = r.ends[k] if r.ends[k] < end else end
        text = r.texts[k]
        key, value = _split(text)
        r.spend(ITEM_BYTES, k)
        if key is None:
            if k == first and (stop >= end or (text[0] in "[{" and open_brackets(text) > 0)):
                whole = in_one_line(r, k, end, text)
                r.spend(ITEM_BYTES * elements(whole), k)
                return inline_value(r, whole, r.offsets[k])
            made.setdefault("", "")
            made[""] = (made[""] + "\n" + text).strip()
        elif stop > k + 1 and _has_neighbours(r, k, value):
            r.misplaced(k + 1, stop, r.columns[k], key)
            made[key] = value_of(r, k, k + 1, value, r.offsets[k] + len(text) - len(value))
            beside = free_value(r, k + 1, stop)
            if isinstance(beside, dict):
                made.update(beside)
        else:
            made[key] = _pair_value(r, k, stop, end, value, r.offsets[k] + len(text) - len(value))
            if not value and stop == k + 1:
                stop = r.same_column(k, k + 1, end)
        k = stop
    return made


def _has_neighbours(r: Reader, k: int, value: str) -> bool:
    """Return whether the lines nested in line `k` are properties beside the whole value that stands on it."""
    if not value or k in r.lines.blocks or value.count('"') % 2 or open_brackets(value) > 0:
        return False
    if r.texts[k + 1][0] == "-":
        return False
    key, _ = _split(r.texts[k + 1])
    return key is not None and key.replace("_", "").replace("-", "").isalnum()


def _pair_value(r: Reader, k: int, stop: int, end: int, value: str, offset: int) -> Any:
    if not value and stop == k + 1 and k not in r.lines.blocks:
        last = r.same_column(k, k + 1, end)
        return _items(r, k + 1, last) if last > k + 1 else None
    return value_of(r, k, stop, value, offset)


def _split(text: str) -> tuple[str | None, str]:
    if text[:1] in ('"', "'"):
        close = text.find(text[0], 1)
        if close > 0 and text[close + 1 : close + 2] == ":":
            return text[1:close], text[close + 2 :].lstrip()
        return None, text
    colon = text.find(":")
    while colon > 0:
        if colon + 1 == len(text) or text[colon + 1] in " \t":
            key = text[:colon].rstrip()
            return (unquote(key), text[colon + 1 :].lstrip()) if _is_key(key) else (None, text)
        colon = text.find(":", colon + 1)
    return None, text


def _is_key(text: str) -> bool:
    return bool(text) and text[0] not in "{[(" and len(text) <= 200 and "{{" not in text


def _no_number(text: str) -> Any:
    """Refuse NaN and Infinity, which are no JSON."""
    raise ValueError(text)


def _finite(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text


def structured(r: Reader, text: str, k: int) -> Any:
    """Return `text`, from line `k` on, read as JSON or as a YAML-like body where that is possible, else `text`."""
    bare = text.strip()
    r.spend(LINE_BYTES * text.count("\n") + ITEM_BYTES * elements(text), k)
    if bare[:1] in "{[" and not bare.startswith("{{"):
        try:
            return json.loads(bare, parse_constant=_no_number, parse_float=_finite)
        except (ValueError, RecursionError):
            return literal(bare) if "\n" not in bare and literal(bare) is not bare else text
    lines: Lines = scan(Source(text))
    if not len(lines) or (_split(lines.texts[0])[0] is None and lines.texts[0][0] != "-"):
        return text
    inner = Reader(lines, strict=r.strict)
    inner.depth, inner.room = r.depth, r.room
    try:
        value = free_value(inner, 0, len(lines))
    except Full:
        r.reached = k
        raise
    r.room = inner.room
    unreadable = value is None or inner.findings or (isinstance(value, dict) and "" in value)
    return text if unreadable else value


@reads(Kind.LITERAL)
def read_literal(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a JSON value: number, boolean, null, string, list or map; nested lines make a list or map."""
    if k in r.lines.blocks and value[:1] in ("|", ">"):
        set_text(node, row, r.lines.block_text(k), r.lines.block_offset(k))
        return
    if end > k + 1:
        if not value:
            set_text(node, row, free_value(r, k + 1, end), off)
            return
        if open_brackets(value) > 0:
            value = joined(r, k, end, value) or value
        else:
            nothing_under(r, node, row, k, end)
    value = cut_comment(value)
    if not value:
        node.at[row.field] = off
        return
    if not value.isascii() and value[:1] in QUOTES:
        value = straight(r, value, off)
    set_text(node, row, literal(value), off)
