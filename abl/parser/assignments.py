"""SET, CALL, STORE and TRANSFORM. Spec: abl-language 3.5, 3.10, 5.2, 5.4, 6.2."""

from __future__ import annotations

import re

from abl.expressions.assignments import parse_assignments
from abl.parser.joining import carries_on, in_one_line
from abl.parser.late import place_sets
from abl.parser.lists import joined
from abl.parser.objects import object_text
from abl.parser.reader import Reader, reads, set_text
from abl.parser.scalars import straight
from abl.parser.values import (
    QUOTES,
    bare_formula,
    cut_comment,
    inline_list,
    inline_map,
    split_top,
    unquote,
    without_comment,
)
from abl.source import Pos, new_tuple
from abl.syntax.flow import Transform
from abl.syntax.memory import Store
from abl.syntax.node import Kind, Node, Prop, blank, new_object
from abl.syntax.steps import Argument, Assignment, Call

_ASSIGN = re.compile(r"([\w.\[\]\"'-]+)\s*(?:=(?!=)|:(?=\s|$))\s*")

_CALL = re.compile(r"([\w.\-]+)\s*")

_KEPT_AS = re.compile(r"([A-Za-z_][\w.]*)\s*=(?!=)\s*(?=[\w.\-]+\s*\()")
TOOL_KEYS = frozenset({"TOOL", "NAME", "FUNCTION"})
"""What may name the tool of a CALL that is written as a block."""

_PLAIN_ARGUMENTS = re.compile(r"\([^\"'()\[\]{}]*+\)")

_ALIAS = re.compile(r"(?:AS\b:?|->|\u2192)\s*([\w.]*)\s*\Z", re.IGNORECASE)

_ARGUMENT = re.compile(r"([A-Za-z_]\w*)\s*(?::(?!:)|=(?!=))\s*")

_TRANSFORM = re.compile(r"(.+?)(?<!\s)\s++AS\s++(\w++)\s++INTO\s++([\w.]++)\s*+\Z", re.IGNORECASE)


@reads(Kind.SET)
def read_set(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `a = 1`, `a = 1, b = 2`, or nested lines of assignments."""
    found: list[Assignment] = []
    _read_assignments(r, node, row, k, end, value, off, found)
    if found := place_sets(node, found):
        r.acting.append(node)
        node.at.setdefault(row.field, off)
        getattr(node, row.field).extend(found)


def _read_assignments(
    r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int, found: list[Assignment]
) -> None:
    if value:
        whole = joined(r, k, end, value) if end > k + 1 else None
        last = end
        if whole is None and end > k + 1:
            last = _text_end(r, node, k, end, value)
            whole = in_one_line(r, k, last, value)
        text = bare_formula(whole or value)
        found.extend(assignments(r, text, off, r.numbers[k], off - r.offsets[k] + r.columns[k] + 1))
        r.spend(0, k)
        if end > last:
            for j in r.under_scalar(node, last - 1, end, owner=row.key):
                found.extend(_assignment_line(r, j))
        return
    j = k + 1
    while j < end:
        stop = r.ends[j] if r.ends[j] < end else end
        found.extend(_assignment_line(r, j, stop))
        r.spend(0, j)
        j = stop


def _text_end(r: Reader, node: Node, k: int, end: int, value: str) -> int:
    """Return the end of the lines that carry on an assignment: none of them begins another, outside quotes."""
    last, quotes = k + 1, value.count('"')
    while last < end and last not in r.lines.blocks and carries_on(node, text := r.texts[last]):
        if quotes % 2 == 0 and _ASSIGN.match(text):
            break
        quotes += text.count('"')
        last += 1
    return last


def _assignment_line(r: Reader, j: int, end: int = 0) -> list[Assignment]:
    text = r.texts[j]
    bare = text[1:].lstrip() if text[0] == "-" else text
    shift = len(text) - len(bare)
    if bare[-1:] in ("=", ":") and (whole := object_text(r, j + 1, end)) is not None:
        return _one_assignment(r, f"{bare[:-1].rstrip()} = {whole}", r.offsets[j] + shift, r.numbers[j], 1)
    if j in r.lines.blocks:
        bare = bare.rstrip("|>-+ ") + " " + r.lines.block_text(j).replace("\n", " ")
    elif end > j + 1:
        bare = " ".join([bare, *r.texts[j + 1 : end]])
    return assignments(r, bare_formula(bare), r.offsets[j] + shift, r.numbers[j], r.columns[j] + shift + 1)


def assignments(r: Reader, text: str, off: int, line: int, column: int) -> list[Assignment]:
    """Return the assignments of one text; commas separate them only where another `name =` follows."""
    if "," not in text:
        return _one_assignment(r, text, off, line, column)
    made: list[Assignment] = []
    parts = split_top(text)
    begin = 0
    for index in range(1, len(parts) + 1):
        if index == len(parts) or (_ASSIGN.match(parts[index][0]) and "=" in parts[index][0]):
            start, last = parts[begin][1], parts[index - 1]
            made.extend(_one_assignment(r, text[start : last[1] + len(last[0])], off + start, line, column + start))
            begin = index
    return made


def _one_assignment(r: Reader, text: str, off: int, line: int, column: int) -> list[Assignment]:
    if not text.isascii() and '"' not in text and any(sign in QUOTES for sign in text):
        text = straight(r, text, off)
    r.room -= Assignment.COST
    found = _ASSIGN.match(text)
    value = text[found.end() :].strip() if found else ""
    if not found or not value:
        _report_no_assignment(r, text, off)
        return [Assignment(variable="", expression=text, pos=Pos(line, column, off))] if text else []
    made = new_object(Assignment)
    made.pos = new_tuple(Pos, (line, column, off))
    made.at = {"variable": off, "expression": off + found.end()}
    made.variable = found[1].strip("\"'")
    made.expression = bare_formula(value) if "#" in value else value
    return [made]


def _report_no_assignment(r: Reader, text: str, off: int) -> None:
    """Report a text that assigns nothing, with what mends it."""
    fault = next(iter(parse_assignments(text).faults), None)
    fix = r.edit(off + fault.fix[0], *fault.fix[1:], fault.title) if fault and fault.fix else None
    r.report("INVALID_SET", off, max(len(text), 1), fix, **(fault.arguments if fault else {"value": text}))


@reads(Kind.CALL)
def read_call(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `tool(args) AS var`, with WITH and AS nested under it."""
    call = blank(Call, Pos(r.numbers[k], off - r.offsets[k] + r.columns[k] + 1, off))
    set_text(node, row, call, off)
    r.acting.append(node)
    r.spend(Call.COST, k)
    nested_from = k + 1
    if value and end > k + 1:
        whole = joined(r, k, end, value)
        if whole is not None:
            value, nested_from = whole, end
    if value:
        read_call_text(r, call, cut_comment(value), off)
    if call.arguments:
        r.spend(Argument.COST * len(call.arguments), k)
    j = nested_from
    while j < end:
        stop = r.ends[j] if r.ends[j] < end else end
        text = r.texts[j]
        key, colon, rest = text.partition(":")
        if not value and not call.tool and key.strip().upper() in TOOL_KEYS:
            bare = rest.lstrip()
            read_call_text(r, call, cut_comment(bare), r.offsets[j] + len(text) - len(bare))
        elif not colon and (alias := _ALIAS.match(cut_comment(text))) and alias[1]:
            call.as_, call.at["as_"] = alias[1], r.offsets[j] + alias.start(1)
        else:
            r.line(call if key.strip().upper() in ("WITH", "AS", "SET") else node, j, stop, text, r.offsets[j])
        j = stop
    if not call.tool:
        r.report("INVALID_CALL", off, max(len(value), 1), value=value)


def read_call_text(r: Reader, call: Call, text: str, off: int) -> None:
    """Fill `call` from `tool(args) AS var` or `var = tool(args)`; without a tool it stays empty."""
    text = unquote(text)
    kept = _KEPT_AS.match(text)
    if kept is not None:
        call.as_, call.at["as_"] = kept[1], off
        text, off = text[kept.end() :], off + kept.end()
    found = _CALL.match(text)
    if not found:
        return
    call.tool = found[1]
    call.at["tool"] = off
    rest_at = found.end()
    if text[rest_at : rest_at + 1] == "(":
        close = _closing(text, rest_at)
        if close < 0:
            r.report("INVALID_CALL", off, len(text), r.edit(off + len(text), 0, ")", "add the closing `)`"), value=text)
            close = len(text)
        call.arguments = [_argument(part, off + rest_at + 1 + at) for part, at in split_top(text[rest_at + 1 : close])]
        rest_at = close + 1
    rest = without_comment(text[rest_at:].strip())
    if not rest:
        return
    alias = _ALIAS.match(rest)
    if alias and alias[1]:
        call.as_ = alias[1]
        call.at["as_"] = off + text.rindex(alias[1])
    elif not (rest.upper().startswith("WITH") and _inline_with(call, rest)):
        r.report("INVALID_CALL", off, len(text), value=text)


def _inline_with(call: Call, rest: str) -> bool:
    pairs = inline_map(rest[4:].lstrip(" :"))
    if pairs is None:
        return False
    call.with_ = {key: value for key, value, _ in pairs}
    return True


def _closing(text: str, at: int) -> int:
    """Return where the parenthesis that opens at `at` is closed, or -1."""
    plain = _PLAIN_ARGUMENTS.match(text, at)
    if plain is not None:
        return plain.end() - 1
    depth = 0
    quote = ""
    for index in range(at, len(text)):
        sign = text[index]
        if quote:
            if sign == quote and text[index - 1] != "\\":
                quote = ""
        elif sign in "\"'":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth == 0:
                return index
    return -1


def _argument(part: str, off: int) -> Argument:
    made = blank(Argument)
    found = _ARGUMENT.match(part)
    if found and found.end() < len(part):
        made.name, made.expression, made.at["expression"] = found[1], part[found.end() :], off + found.end()
    else:
        made.expression, made.at["expression"] = part, off
    return made


@reads(Kind.STORE)
def read_store(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `value -> target`, `{a, b} -> target`, or a block `value:` / `target:`."""
    store = r.new(Store, k)
    set_text(node, row, store, off)
    if not value:
        r.fill(store, row, k, end, "", off)
        return
    text = bare_formula(value)
    if len(text) > 1 and text[0] == '"' == text[-1] and "->" in text:
        text, off = text[1:-1], off + 1
    left, arrow, right = text.rpartition("->")
    if not arrow:
        left, arrow, right = text.rpartition("\u2192")
    if not arrow:
        left, right = text, ""
    right = unquote(right.strip())
    store.target = right
    store.at["target"] = off + len(text) - len(right)
    left = left.strip()
    store.at["value"] = off
    if left[:1] == "{" and left[-1:] == "}" and ":" not in left and not left.startswith("{{"):
        store.fields = [name for name, _ in inline_list(left[1:-1])]
    else:
        store.value = left


@reads(Kind.TRANSFORM)
def read_transform(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `source AS item INTO target` with its nested FILTER, MAP, SORT_BY, LIMIT."""
    made = r.new(Transform, k)
    set_text(node, row, made, off)
    found = _TRANSFORM.match(bare_formula(value))
    if found:
        made.source, made.item_var, made.target = found[1], found[2], found[3]
        made.at.update(source=off, item_var=off + found.start(2), target=off + found.start(3))
    else:
        r.report("INVALID_TRANSFORM", off, max(len(value), 1), value=value)
        made.source = value
    r.props(made, k + 1, end)
