"""Readers of values that are one piece of text: text, words, numbers, durations. Spec: abl-language 1.3, 1.4."""

from __future__ import annotations

import re

from abl.diagnostics.reporter import did_you_mean
from abl.expressions.analysis import analyse
from abl.expressions.prose import is_prose
from abl.expressions.tree import String
from abl.parser.enums import read_enum
from abl.parser.joining import is_closed
from abl.parser.lines import dedent
from abl.parser.reader import Reader, reads, set_text
from abl.parser.values import (
    BOOLEANS,
    MAX_JOINED_LINES,
    QUOTES,
    STRAIGHT,
    bare_formula,
    cut_comment,
    duration,
    inline_list,
    number,
    open_brackets,
    unquote,
)
from abl.syntax.flow import TERMINALS
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.tools import CAN_RUN, Tool

TARGET = Kind.TARGET
_COMPARES = re.compile(
    r"[=!]=|[<>]|\b(?:CONTAINS|MATCHES|STARTS_WITH|ENDS_WITH)\b|\bIS (?:NOT )?(?:SET|EMPTY|NULL)\b|\w\(",
    re.IGNORECASE,
)
"""What a formula has, and a sentence has not."""
_LOOSE_QUOTE = re.compile(r"(?<!\w)'|'(?!\w)")
"""A single quote that is no apostrophe."""
_SAID = frozenset({"message", "present", "prompt", "respond"})
"""Fields whose text a customer reads."""
_QUOTED_ITEM = re.compile(r'-\s*+"([^"]*+)"\s*+(?:#.*)?')
_QUOTED_LIST = re.compile(r'\[\s*+"[^"]*+"\s*+(?:,\s*+"[^"]*+"\s*+)*+,?\s*+\]')
LONG_NUMBER = 16
"""Digits from which on a number is not read in the short way."""


@reads(Kind.TEXT)
def read_text(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read free text: quoted, bare, or a block."""
    if end == k + 1 and value and "#" not in value and row.repeat != "append":
        field = row.field
        if value[0] == '"':
            if value[-1] == '"' and value != '"':
                text = value[1:-1]
                bare = text.strip()
                setattr(node, field, bare)
                node.at[field] = off + 1 if bare == text else off + 1 + len(text) - len(text.lstrip())
                return
        elif value.isascii() and '"' not in value and value[0] not in "|>'":
            setattr(node, field, value)
            node.at[field] = off
            return
    listed = _listed(r, k, end, value, off) if row.field in _SAID and k not in r.lines.blocks else None
    value, off = listed or text_value(r, node, row, k, end, value, off)
    if row.repeat == "append" and getattr(node, row.field):
        value = getattr(node, row.field) + "\n" + value
    set_text(node, row, value, off)


def _listed(r: Reader, k: int, end: int, value: str, off: int) -> tuple[str, int] | None:
    """Return a list of quoted texts as lines of one text, as YAML reads it, and where the first begins; None if none.

    Bare items stay as they stand: with their dashes they are a list that the customer reads.
    """
    below = r.texts[k + 1 : end]
    items = [_QUOTED_ITEM.fullmatch(text) for text in below] if not value else []
    if items and all(items):
        return "\n".join([item[1] for item in items if item is not None]).strip(), r.offsets[k + 1] + below[0].index(
            '"'
        ) + 1
    if not below and _QUOTED_LIST.fullmatch(found := cut_comment(value)):
        return "\n".join([text for text, _ in inline_list(found)]), off + found.index('"') + 1
    return None


def text_value(
    r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int, *, keep_quotes: bool = False
) -> tuple[str, int]:
    """Return the text of a value and the offset of its first character."""
    if k in r.lines.blocks and value[:1] in ("|", ">", ""):
        return r.lines.block_text(k), r.lines.block_offset(k)
    if keep_quotes and end > k + 1 and open_brackets(value) > 0:
        return " ".join([cut_comment(part) for part in (value, *r.texts[k + 1 : end])]), off
    if end > k + 1 and value and is_open_string(value):
        joined = _joined_string(r, k, end, value, off)
        if joined is not None:
            return joined, off + 1
    extra = ""
    if end > k + 1:
        if value:
            others = r.under_scalar(node, k, end, owner=row.key)
            extra = _continuation(r, others, end, row.key, complete=value[0] == '"' and value[-1] == '"')
            if keep_quotes and "#" in extra:
                extra = "\n".join([bare_formula(line) for line in extra.split("\n")])
        else:
            return _below(r, k, end, keep_quotes=keep_quotes)
    value, off = (scalar if not keep_quotes else bare_scalar)(r, value, off)
    return (value + "\n" + extra if extra else value), off


def _below(r: Reader, k: int, end: int, *, keep_quotes: bool) -> tuple[str, int]:
    """Return the text that begins on the line after its key, without comments and the quotes around all of it."""
    text = dedent(r.lines.written_between(k + 1, end))
    if keep_quotes:
        return "\n".join([bare_formula(line) for line in text.split("\n")]), r.offsets[k + 1]
    if is_closed(text):
        return inside(text[1:-1], r.offsets[k + 1] + 1)
    return text, r.offsets[k + 1]


def _continuation(r: Reader, lines: list[int], end: int, owner: str, *, complete: bool) -> str:
    if not lines:
        return ""
    if complete:
        r.report_line("UNEXPECTED_NESTING", lines[0], property=owner)
    return "\n".join([r.texts[j] for j in lines])


def is_open_string(value: str) -> bool:
    """Return whether a value opens with a quote that is not closed on its line."""
    return value[0] == '"' and '"' not in value[1:]


def _joined_string(r: Reader, k: int, end: int, value: str, off: int) -> str | None:
    last = min(end, k + 1 + MAX_JOINED_LINES)
    for j in range(k + 1, last):
        if r.texts[j].endswith('"') and r.texts[j].count('"') == 1:
            r.report("MULTILINE_STRING", off, len(value), property="")
            return dedent([value[1:], *[r.texts[i] for i in range(k + 1, j)], r.texts[j][:-1]])
    return None


def inside(value: str, off: int) -> tuple[str, int]:
    """Return what stands between quotes without the space around it, and where that begins."""
    bare = value.strip()
    return bare, off if bare == value else off + len(value) - len(value.lstrip())


def scalar(r: Reader, value: str, off: int) -> tuple[str, int]:
    """Return an inline text without its quotes and comment; typographic quotes count as quotes."""
    if "#" in value:
        value = cut_comment(value)
    if not value:
        return "", off
    if value[0] == '"' == value[-1] and len(value) > 1:
        text = value[1:-1]
        bare = text.strip()
        return (bare, off + 1) if bare == text else inside(text, off + 1)
    if not value.isascii() and (value[0] in QUOTES or value[-1] in QUOTES):
        value = straight(r, value, off)
    if value[0] == '"':
        if len(value) > 1 and value[-1] == '"':
            return inside(value[1:-1], off + 1)
        if value.count('"') == 1:
            fix = r.edit(off + len(value), 0, '"', 'add the closing `"`')
            r.report("UNCLOSED_STRING", off, len(value), fix, value=value)
            return inside(value[1:], off + 1)
    elif value[-1] == '"' and value.count('"') == 1:
        return value[:-1].strip(), off
    elif value[0] == "'" == value[-1] and not r.strict and is_in_single_quotes(value):
        return inside(value[1:-1], off + 1)
    return value, off


def is_in_single_quotes(value: str) -> bool:
    """Return whether one pair of single quotes stands around a text; apostrophes in it are no quotes."""
    return len(value) > 1 and _LOOSE_QUOTE.search(value, 1, len(value) - 1) is None


def bare_scalar(r: Reader, value: str, off: int) -> tuple[str, int]:
    """Return an inline condition or expression: its quotes belong to it, a trailing comment does not."""
    value = bare_formula(value)
    if not value.isascii() and '"' not in value and any(sign in QUOTES for sign in value):
        value = straight(r, value, off)
    return value, off


def straight(r: Reader, value: str, off: int) -> str:
    """Return `value` with typographic quotes made straight, with one warning."""
    plain = value.translate(STRAIGHT)
    r.report("TYPOGRAPHIC_QUOTE", off, len(value), r.edit(off, len(value), plain, "use straight quotes"), value=value)
    return plain


@reads(Kind.CONDITION)
def read_condition(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a condition; quotes around the whole of a sentence (for the model) are part of it, around a formula not."""
    if k not in r.lines.blocks and end == k + 1 and value.isascii():
        if "#" in value:
            value = bare_formula(value)
    else:
        value, off = text_value(r, node, row, k, end, value, off, keep_quotes=True)
        if "\n" in value:
            value = " ".join(value.split("\n"))
    if value and value[0] in "\"'" and value[-1] == value[0] and is_quoted_formula(value):
        value, off = value[1:-1], off + 1
    setattr(node, row.field, value)
    node.at[row.field] = off


def is_quoted_formula(value: str) -> bool:
    """Return whether quotes stand around a whole formula, as YAML wants them; a sentence keeps its quotes.

    >>> is_quoted_formula("'total > 5'"), is_quoted_formula("'total is high'"), is_quoted_formula("'a' == 'b'")
    (True, False, False)
    >>> is_quoted_formula("\"matches_pattern(input, 'acme travel')\"")
    True
    """
    inside = value[1:-1]
    if value[0] in inside or _COMPARES.search(inside) is None:
        return False
    found = analyse(inside, condition=True)
    is_call = not is_prose(inside) and all(one.code == "FUNCTION_UNKNOWN" for one in found.faults)
    return (is_call or not found.faults) and not isinstance(found.node, String)


def is_formula(text: str) -> bool:
    """Return whether a text that may also be a sentence is a condition that can be computed.

    >>> is_formula("total <= 5"), is_formula("Never more than 5"), is_formula("kind")
    (True, False, False)
    """
    if _COMPARES.search(text) is None or is_prose(text):
        return False
    found = analyse(text, condition=True)
    return not found.faults and not isinstance(found.node, String)


@reads(Kind.EXPRESSION)
def read_expression(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read an expression: the same form as a condition."""
    read_condition(r, node, row, k, end, value, off)


@reads(Kind.CODE)
def read_code(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read text that is kept exactly, apart from one pair of quotes."""
    if k in r.lines.blocks and value[:1] in ("|", ">"):
        set_text(node, row, r.lines.block_text(k), r.lines.block_offset(k))
        return
    if not value and end > k + 1:
        text, place = dedent(r.lines.raw_between(k + 1, end)), r.offsets[k + 1]
        quoted = is_closed(text) and "\n" not in text
        set_text(node, row, text[1:-1] if quoted else text, place + quoted)
        return
    read_text(r, node, row, k, end, value, off)


@reads(Kind.NAME, Kind.TARGET)
def read_name(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read one word; quotes around it are tolerated."""
    if end == k + 1 and value.isidentifier() and (row.kind is not TARGET or value.upper() not in TERMINALS):
        setattr(node, row.field, value)
        node.at[row.field] = off
        return
    if end > k + 1:
        if not value:
            read_text(r, node, row, k, end, value, off)
            return
        nothing_under(r, node, row, k, end)
    if value and not value.isidentifier():
        value, off = scalar(r, value, off)
        if len(value) > 1 and value[0] == "'" == value[-1]:
            value, off = value[1:-1], off + 1
    if row.kind is TARGET:
        value, off = target(value, off)
    setattr(node, row.field, value)
    node.at[row.field] = off


def nothing_under(r: Reader, node: Node, row: Prop, k: int, end: int) -> None:
    """Report lines nested under a value that takes none."""
    for j in r.under_scalar(node, k, end, owner=row.key)[:1]:
        r.report_line("UNEXPECTED_NESTING", j, property=row.key)


def target(value: str, off: int) -> tuple[str, int]:
    """Return a step name without `GOTO` or `->` before it; COMPLETE and ESCALATE in capitals (spec 1.5)."""
    for word in ("GOTO ", "goto ", "-> ", "GOTO: ") if " " in value else ():
        if value.startswith(word):
            bare = value[len(word) :].lstrip()
            off += len(value) - len(bare)
            value = unquote(bare)
    if value.upper() in TERMINALS:
        return value.upper(), off
    return value, off


@reads(Kind.CHOICE)
def read_choice(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read one word of a set, in any case; an unknown word is kept in `extras` unless the set is open."""
    if end > k + 1:
        nothing_under(r, node, row, k, end)
    if value not in row.choices:
        value, off = scalar(r, value, off)
        value = unquote(value)
        folded = value.lower().replace("-", "_")
        found = next((one for one in row.choices if one.lower() == folded), None) or dict(row.meanings).get(folded)
        if found is None and not value and not row.guards:
            return
        if found is None:
            if row.field != "type" or not read_enum(r, node, k, value, off):
                odd_choice(r, node, row, value, off)
            return
        value = found
    setattr(node, row.field, value)
    node.at[row.field] = off


def odd_choice(r: Reader, node: Node, row: Prop, value: str, off: int) -> None:
    """Keep a word that is not in the set, with a finding that names the set."""
    is_kind = row is Tool.BY_FIELD["type"]
    choices = CAN_RUN if is_kind else row.choices
    meant = r.near(value, choices)
    if row.open and meant is None:
        set_text(node, row, value, off)
        return
    fix = r.edit(off, len(value), meant, f"write `{meant}`") if meant else None
    code = "UNREADABLE_GUARD" if row.guards else "PII_TYPE_UNKNOWN" if row.field == "pii_type" else "UNKNOWN_CHOICE"
    if is_kind:
        code = "UNKNOWN_TOOL_TYPE"
    known, suggestion = ", ".join(choices), did_you_mean(meant)
    said = value or "an empty value"
    r.report(code, off, len(value), fix, name=said, value=said, property=row.key, known=known, suggestion=suggestion)
    if row.open:
        set_text(node, row, value, off)
    else:
        node.at.setdefault(row.field, off)
        node.extras[row.key] = value


@reads(Kind.BOOL, Kind.FLAG)
def read_boolean(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read true, false, yes or no; a flag may stand alone."""
    if end > k + 1:
        nothing_under(r, node, row, k, end)
    found = BOOLEANS.get(value)
    if found is None:
        bare = unquote(cut_comment(value))
        found = BOOLEANS.get(bare.lower())
        if found is None and row.kind is Kind.FLAG and not bare:
            found = True
        if found is None:
            meant = _meant_boolean(bare) or r.near(bare, ("true", "false"))
            _wrong_type(r, node, row, bare, off, "EXPECTED_BOOLEAN", meant)
            return
    setattr(node, row.field, found)
    node.at[row.field] = off


def _meant_boolean(value: str) -> str | None:
    folded = value.lower()
    if folded in ("on", "1", "y", "yep", "required") or folded[:2] in ("tr", "tu", "ye"):
        return "true"
    if folded in ("off", "0", "n", "none", "optional", "never") or folded[:2] in ("fa", "fl", "no"):
        return "false"
    return None


_FORMS = {Kind.BOOL: "true, false", Kind.FLAG: "true, false", Kind.INTEGER: "a whole number", Kind.NUMBER: "a number"}


def _wrong_type(r: Reader, node: Node, row: Prop, value: str, off: int, code: str, meant: str | None) -> None:
    fix = r.edit(off, len(value), meant, f"write `{meant}`") if meant is not None else None
    code, known = ("UNREADABLE_GUARD", _FORMS[row.kind]) if row.guards else (code, "")
    suggestion = did_you_mean(meant)
    r.report(code, off, max(len(value), 1), fix, value=value, property=row.key, suggestion=suggestion, known=known)
    node.at.setdefault(row.field, off)
    node.extras[row.key] = value


@reads(Kind.INTEGER, Kind.NUMBER)
def read_number(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a number within the bounds of its row."""
    if end > k + 1:
        nothing_under(r, node, row, k, end)
    if value.isdecimal() and len(value) < LONG_NUMBER:
        whole = int(value)
        if row.minimum is not None or row.maximum is not None:
            _within(r, row, whole, off, len(value))
        setattr(node, row.field, whole)
        node.at[row.field] = off
        return
    bare = unquote(cut_comment(value))
    found = number(bare)
    if found is None or (row.kind is Kind.INTEGER and isinstance(found, float) and found != int(found)):
        code = "EXPECTED_INTEGER" if row.kind is Kind.INTEGER else "EXPECTED_NUMBER"
        _wrong_type(r, node, row, bare, off, code, _meant_number(bare, whole=row.kind is Kind.INTEGER))
        return
    if row.kind is Kind.INTEGER:
        found = int(found)
    _within(r, row, found, off, len(value))
    set_text(node, row, found, off)


WORDS = {word: str(n) for n, word in enumerate("zero one two three four five six seven eight nine ten".split())}


def _meant_number(value: str, *, whole: bool) -> str | None:
    digits = "".join(sign for sign in value if sign.isdigit() or sign in ".-")
    if number(digits) is not None:
        return digits.split(".")[0] if whole else digits
    return WORDS.get(value.lower())


def _within(r: Reader, row: Prop, value: float, off: int, length: int) -> None:
    low, high = row.minimum, row.maximum
    nearest = low if low is not None and value < low else high if high is not None and value > high else None
    if nearest is None:
        return
    bounds = f"at least {low:g}" if high is None else f"between {low or 0:g} and {high:g}"
    fix = r.edit(off, length, f"{nearest:g}", f"write `{nearest:g}`")
    r.report("OUT_OF_RANGE", off, length, fix, value=f"{value:g}", property=row.key, expected=bounds)


@reads(Kind.DURATION)
def read_duration(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a number in the row's unit, or one with `ms`, `s`, `m`, `h`, `d`."""
    if end > k + 1:
        nothing_under(r, node, row, k, end)
    bare = cut_comment(value) if "#" in value else value
    found = int(bare) if bare.isdecimal() and len(bare) < LONG_NUMBER else duration(bare, row.unit)
    if found is None:
        digits = "".join(sign for sign in bare if sign.isdigit() or sign == ".")
        _wrong_type(r, node, row, bare, off, "EXPECTED_DURATION", digits if number(digits) is not None else None)
        return
    _within(r, row, found, off, len(value))
    set_text(node, row, found, off)


@reads(Kind.SKIP)
def read_skip(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Note that the property is there; its content is not read."""
    node.at[row.field] = off
