"""Readers of lists and maps, inline or nested. Spec: abl-language 1.4."""

from __future__ import annotations

import re

from abl.parser.bounds import ITEM_BYTES
from abl.parser.joining import in_one_line, is_closed, text_end, with_lines_below
from abl.parser.lines import dedent
from abl.parser.objects import object_text
from abl.parser.reader import APPENDED, Reader, reads
from abl.parser.scalars import bare_scalar, scalar, straight
from abl.parser.values import (
    MAX_JOINED_LINES,
    QUOTES,
    cut_comment,
    inline_list,
    inline_map,
    open_brackets,
    plain_parts,
    unquote,
    without_comment,
)
from abl.syntax.node import Kind, Node, Prop

_PLAIN_ITEM = frozenset("\"'#")
"""What an item without quotes and comment has none of."""


_PLAIN_LIST = re.compile(r"\[[\w ,./-]++\]", re.ASCII)
"""A list on one line without quotes, comments and brackets of its own."""
_NUMBERED = re.compile(r"\d{1,3}[.)]\s+(?=\S)")
"""How an item of a numbered list begins."""


def joined(r: Reader, k: int, end: int, value: str) -> str | None:
    """Return `value` with its nested lines if it leaves a bracket open, else None."""
    if open_brackets(without_comment(value)) <= 0:
        return None
    return " ".join([without_comment(part) for part in [value, *r.texts[k + 1 : last_joined(r, k, end)]]])


def last_joined(r: Reader, k: int, end: int) -> int:
    """Return the end of the lines that close a bracket opened on line `k`: its nested ones, and a lone closing one."""
    closing = end < len(r.texts) and r.texts[end][0] in ")]}" and r.indents[end] >= r.indents[k]
    return min(end + closing, k + MAX_JOINED_LINES)


def spread(r: Reader, k: int, end: int, value: str, off: int) -> str | None:
    """Return the same as `joined`, every character in its place of the source counted from `off`."""
    if open_brackets(without_comment(value)) <= 0:
        return None
    text, at = value, off + len(value)
    for j in range(k + 1, last_joined(r, k, end)):
        line = without_comment(r.texts[j])
        text = without_comment(text).ljust(at - off) + " " * (r.offsets[j] - at) + line
        at = off + len(text)
    return text


@reads(Kind.LIST)
def read_list(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `[a, b]`, `a, b` or dash items."""
    items = list_items(r, row, k, end, value, off)
    r.room -= ITEM_BYTES * len(items)
    if r.room < 0:
        r.spend(0, k)
    field, at = row.field, node.at
    known = (getattr(node, field) or ()) if row.repeat in APPENDED else ()
    texts = [text for text, _ in items]
    setattr(node, field, [*known, *texts] if known else texts)
    if field == "clear":
        r.acting.append(node)
    at[field] = off
    for index, (_, place) in enumerate(items, len(known)):
        at[f"{field}.{index}"] = place


def list_items(r: Reader, row: Prop, k: int, end: int, value: str, off: int) -> list[tuple[str, int]]:
    """Return the texts of a list and where each stands."""
    if end == k + 1 and _PLAIN_LIST.fullmatch(value):
        return plain_parts(value[1:-1], ",", off + 1)
    if k in r.lines.blocks and value[:1] in ("|", ">"):
        place = r.lines.block_offset(k)
        return [
            (_bare_item(r, part.strip(" -"), place)[0], place) for part in r.lines.block_text(k).split("\n") if part
        ]
    if value:
        if end > k + 1 or value[-1:] in "[{":
            whole = spread(r, k, end, value, off)
            if whole is None:
                others = [r.texts[j] for j in range(k + 1, end)]
                if not all(text[0] in "-]" for text in others):
                    r.report_line("UNEXPECTED_NESTING", k + 1, property=row.key)
            value = whole or value
        if "#" in value:
            value = without_comment(value) if "," in value or value[0] == "[" else cut_comment(value)
            if not value:
                return dash_items(r, k + 1, end, row)
        if value[0] == "{" and not value.startswith("{{"):
            r.report("EXPECTED_LIST", off, len(value), value=value, property=row.key)
        if value[0] == "[" and value[-1] != "]":
            fix = r.edit(off + len(value), 0, "]", "add the closing `]`")
            r.report("UNCLOSED_BRACKET", off, len(value), fix, value=value, expected="]")
        if not value.isascii() and any(sign in QUOTES for sign in value):
            value = straight(r, value, off)
        return inline_list(value, off)
    if end > k + 1 and r.texts[k + 1][0] == "[" and is_bracketed(r, k + 1, end):
        return list_items(r, row, k + 1, end, r.texts[k + 1], r.offsets[k + 1])
    return dash_items(r, k + 1, end, row)


def is_bracketed(r: Reader, k: int, end: int) -> bool:
    """Return whether lines `k` to `end` are one inline list or map: none but the first opens it, none is an item."""
    return not r.texts[k].startswith("{{") and all(r.texts[j][0] != "-" for j in range(k, end))


def dash_items(r: Reader, k: int, end: int, row: Prop) -> list[tuple[str, int]]:
    """Return the dash items of lines `k` to `end`; a line without a dash is taken as an item too, with a warning."""
    items: list[tuple[str, int]] = []
    while k < end:
        text = r.texts[k]
        stop = r.ends[k] if r.ends[k] < end else end
        if text[0] == "-":
            bare = text[1:].lstrip()
            offset = r.offsets[k] + len(text) - len(bare)
            if k in r.lines.blocks:
                items.append((r.lines.block_text(k), r.lines.block_offset(k)))
            elif bare and stop == k + 1 and bare.isascii() and _PLAIN_ITEM.isdisjoint(bare):
                items.append((bare, offset))
            elif bare:
                more = " ".join(r.texts[k + 1 : stop])
                items.append(_bare_item(r, f"{bare} {more}" if more else bare, offset))
        elif numbered := _NUMBERED.match(text):
            items.append(_bare_item(r, text[numbered.end() :], r.offsets[k] + numbered.end()))
        elif text not in ("[", "]"):
            fix = r.edit(r.offsets[k], 0, "- ", "write a dash before the item")
            r.report_line("EXPECTED_LIST_ITEM", k, fix, value=text, property=row.key)
            items.append(_bare_item(r, text.rstrip(","), r.offsets[k]))
        k = stop
    return items


def _bare_item(r: Reader, value: str, off: int) -> tuple[str, int]:
    value = cut_comment(value)
    if value[:1] == "'" and len(value) > 1 and value[-1] == "'":
        return value[1:-1], off + 1
    return scalar(r, value, off)


@reads(Kind.MAP)
def read_map(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `{a: b}`, `a: b, c: d`, or nested lines `a: b`."""
    pairs = map_pairs(r, node, row, k, end, value, off)
    r.room -= ITEM_BYTES * len(pairs)
    if r.room < 0:
        r.spend(0, k)
    at = node.at
    fresh = dict(getattr(node, row.field) or ()) if row.repeat in APPENDED else {}
    at[row.field] = off
    lower = row.field == "messages"
    for key, text, place in pairs:
        name = key.lower() if lower else key
        if name in fresh:
            r.report("DUPLICATE_PROPERTY", place, max(len(text), 1), name=key, property=key)
        fresh[name] = text
        at[f"{row.field}.{name}"] = place
    setattr(node, row.field, fresh)


def map_pairs(
    r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int, *, raw: bool = False
) -> list[tuple[str, str, int]]:
    """Return (key, text, offset) of a map; `raw` keeps the quotes of values (they are expressions)."""
    raw = raw or row.formula
    if value and value[:1] != "|":
        value = cut_comment((spread(r, k, end, value, off) if end > k + 1 else None) or value)
        if not value:
            return _nested_pairs(r, k + 1, end, row, raw)
        if value[0] == "{" and value[-1] != "}":
            fix = r.edit(off + len(value), 0, "}", "add the closing `}`")
            r.report("UNCLOSED_BRACKET", off, len(value), fix, value=value, expected="}")
        pairs = inline_map(value[1:-1] if value[0] == "[" and value[-1] == "]" else value)
        if pairs is None:
            r.report("EXPECTED_MAP", off, len(value), value=value, property=row.key)
            node.extras[row.key] = value
            return []
        return [(key, text if raw else unquote(text), off + at) for key, text, at in pairs]
    if end > k + 1 and r.texts[k + 1][0] == "{" and is_bracketed(r, k + 1, end):
        return map_pairs(r, node, row, k + 1, end, r.texts[k + 1], r.offsets[k + 1], raw=raw)
    return _nested_pairs(r, k + 1, end, row, raw)


def _nested_pairs(r: Reader, k: int, end: int, row: Prop, raw: bool) -> list[tuple[str, str, int]]:
    pairs: list[tuple[str, str, int]] = []
    while k < end:
        text = r.texts[k]
        stop = r.ends[k] if r.ends[k] < end else end
        bare = text[1:].lstrip() if text[0] == "-" else text
        shift = len(text) - len(bare)
        colon = _key_end(bare)
        if colon <= 0:
            word = bare.split(None, 1)[0] if bare else ""
            if row.field in ("input", "returns", "map", "set", "with_") and bare.replace(".", "_").isidentifier():
                pairs.append((bare, bare, r.offsets[k] + shift))
            elif bare:
                fix = r.edit(r.offsets[k] + shift + len(word), 0, ":", f"write `{word}:`")
                r.report_line("PROPERTY_MISSING_COLON", k, fix, name=word, property=word)
                pairs.append((word, unquote(bare[len(word) :].lstrip()), r.offsets[k] + shift + len(word)))
        else:
            rest = bare[colon + 1 :]
            value = rest.lstrip()
            place = r.offsets[k] + shift + colon + 1 + len(rest) - len(value)
            key = bare[:colon].strip()
            name = key if key.isidentifier() else unquote(key)
            said, at = _nested_value(r, k, stop, value, place, raw)
            pairs.append((name, said, at))
        k = stop
    return pairs


def _key_end(text: str) -> int:
    if text[:1] in ('"', "'"):
        close = text.find(text[0], 1)
        return text.find(":", close) if close > 0 else -1
    colon = text.find(":")
    equals = text.find("=") if "=" in text else -1
    if equals > 0 and (colon < 0 or equals < colon) and text[equals : equals + 2] != "==":
        return equals
    return colon


def _nested_value(r: Reader, k: int, stop: int, value: str, place: int, raw: bool) -> tuple[str, int]:
    if k in r.lines.blocks:
        return r.lines.block_text(k), r.lines.block_offset(k)
    if stop > k + 1:
        if not value and raw and (whole := object_text(r, k + 1, stop)) is not None:
            return whole, r.offsets[k + 1]
        if not value:
            text, at = dedent(r.lines.written_between(k + 1, stop)), r.offsets[k + 1]
            return (text[1:-1], at + 1) if not raw and is_closed(text) else (text, at)
        whole = joined(r, k, stop, value)
        if whole is None and raw:
            whole = in_one_line(r, k, text_end(r, Node, k, stop, value), value)
        value = whole or with_lines_below(r, Node, k, stop, value, place)[0]
    if raw:
        return bare_scalar(r, value, place)
    text, at = scalar(r, value, place)
    if len(text) > 1 and text[0] == "'" == text[-1]:
        return text[1:-1], at + 1
    return text, at
