"""Tool signatures: `name(param?: type = default, …) -> type`. Spec: abl-language 3.2."""

from __future__ import annotations

import re
from typing import NamedTuple

from abl.parser.faults import Fault, one_edit
from abl.parser.reading import Reading, good_name
from abl.parser.type_expression import COLON_AT_END, members, read_type, whole_type
from abl.parser.type_nodes import TYPE_WORDS, arrays, of_base
from abl.source import new_tuple
from abl.syntax.node import blank
from abl.syntax.tools import Tool

__all__ = ["SignatureResult", "read_signature", "read_type"]

_HEAD = re.compile(r"\s*+(?:[-*•]\s++)?+(\w++)\s*+\(", re.ASCII)
_DASH = re.compile(r"\s*+(?:[-*•]\s++)?+")
_PREFIX = re.compile(r"(?:async\s++)?+(?:def|function|func|fn|tool|async)\s++(?=\w+\s*\()", re.IGNORECASE)
_RESULT = re.compile(r"\s*+->\s*+(?:([A-Za-z]\w*+)((?:\[\])*+)\Z|(?=\{))", re.ASCII)
"""The usual results: a type word, perhaps with `[]`, up to the end; or an object."""
_OBJECT = " -> {"
"""How most results begin."""
_ARROW = re.compile(r"(?:->|→|=>|—>|–>|-->|==>|:)")
_SHAPED = re.compile(r"""["']?([^("'\n]*+)["']?\s*+\(""")
_NAME_ONLY = re.compile(r"\w++", re.ASCII)


class SignatureResult(NamedTuple):
    """The tool, if a name could be read, and what is wrong with its signature."""

    tool: Tool | None
    findings: tuple[Fault, ...] = ()


def read_signature(text: str, offset: int = 0) -> SignatureResult:
    """Return the tool that `text` declares; line ends in it count as space.

    `offset` is the place of its first character in the normalised source. The tool carries name, parameters and
    returns, and their offsets in `at`; a name with wrong characters is kept as written, so that its body can be read.
    """
    reading = Reading(text, offset)
    name, parenthesis, _ = text.partition("(")
    if parenthesis and name.isidentifier() and name.isascii():
        start, reading.at = 0, len(name) + 1
    elif head := _HEAD.match(text):
        name, start = head[1], head.start(1)
        reading.at = head.end()
    else:
        name, start = _mended_head(reading)
        if not name:
            return SignatureResult(None, tuple(reading.faults))
    if name.startswith("__"):
        _reserved(reading, name, start)
    reading.tool = name
    tool = blank(Tool)
    tool.name, tool.at["name"] = name, offset + start
    if reading.at < len(text):
        tool.parameters = members(reading, ")", 0)
        _returns(reading, tool)
    return new_tuple(SignatureResult, (tool, tuple(reading.faults)))


def _reserved(reading: Reading, name: str, start: int) -> None:
    plain = name.lstrip("_")
    fix = one_edit(f"write `{plain}`", reading.base + start, len(name), plain) if plain else None
    reading.fault("RESERVED_TOOL_NAME", start, len(name), fix, name=name)


def _mended_head(reading: Reading) -> tuple[str, int]:
    """Say what is wrong before the parameters; return the name, empty if there is none, and its place."""
    text = reading.text
    dash = _DASH.match(text)
    start = dash.end() if dash else 0
    if prefix := _PREFIX.match(text, start):
        word = prefix[0]
        reading.wrong(
            start, len(word), f"{word.strip()} is not needed", (f"remove `{word.strip()}`", start, len(word), "")
        )
        return _name_at(reading, prefix.end())
    shaped = _SHAPED.match(text, start)
    if shaped is None:
        return _without_parentheses(reading, start)
    raw = shaped[1]
    written = raw.strip().rstrip(":").rstrip()
    reading.at = shaped.end()
    begin, stop = start, shaped.end() - 1
    better = good_name(written) if any(map(str.isalnum, written)) else ""
    if not better:
        reading.wrong(start, 1, "The name of the tool is missing")
        return "", start
    if _NAME_ONLY.fullmatch(written):
        detail = f"Only the name stands before the parenthesis: {written}"
        better = written
    else:
        detail = f"{written[:40]} is not a name of a tool"
    reading.wrong(begin, len(text[begin:stop].rstrip()), detail, (f"write `{better}`", begin, stop - begin, better))
    return written, shaped.start(1)


def _name_at(reading: Reading, start: int) -> tuple[str, int]:
    head = _HEAD.match(reading.text, start)
    if head is None:
        return "", start
    reading.at = head.end()
    return head[1], head.start(1)


def _without_parentheses(reading: Reading, start: int) -> tuple[str, int]:
    """Read a tool that is only a name, or a name and what it returns."""
    text = reading.text
    name = _NAME_ONLY.match(text, start)
    if name is None or name[0].isdigit():
        reading.wrong(start, max(len(text.strip()), 1), "There is no name with parentheses")
        reading.at = len(text)
        return "", start
    end = name.end()
    reading.wrong(start, end - start, "The parentheses are missing after the name", ("write `()`", end, 0, "()"))
    reading.at = len(text)
    return name[0], start


def _returns(reading: Reading, tool: Tool) -> None:
    """Read `-> type` after the parameters."""
    if reading.text.startswith(_OBJECT, reading.at):
        reading.at += len(_OBJECT) - 1
        tool.at["returns"] = reading.base + reading.at
        tool.returns = whole_type(reading)
        return
    plain = _RESULT.match(reading.text, reading.at)
    if plain is not None:
        base = TYPE_WORDS.get(plain[1]) if plain[1] else None
        if base is not None:
            tool.returns = arrays(of_base(base), len(plain[2]) // 2)
            tool.at["returns"] = reading.base + plain.start(1)
            return
        if plain[1] is None:
            reading.at = plain.end()
            tool.at["returns"] = reading.base + reading.at
            tool.returns = whole_type(reading)
            return
    sign = reading.space()
    if not sign:
        return
    text, start = reading.text, reading.at
    arrow = _ARROW.match(text, start)
    if arrow is None:
        rest = text[start:].strip()
        if sign != "{" and not sign.isalpha():
            reading.wrong(start, len(rest), f"{rest[:40]} is left over", ("remove it", start, len(rest), ""))
            return
        reading.wrong(start, len(rest), "-> is missing before the type", ("write `->`", start, 0, "-> "))
    else:
        reading.at = arrow.end()
        if not reading.space():
            _nothing_returned(reading, start, arrow[0])
            return
        if arrow[0] not in ("->", "→"):
            fix = ("write `->`", start, len(arrow[0]), "->" if sign != ":" else " ->")
            reading.wrong(start, len(arrow[0]), f"{arrow[0]} stands where -> is needed", fix)
    begin = reading.at
    tool.returns = whole_type(reading)
    tool.at["returns"] = reading.base + begin


def _nothing_returned(reading: Reading, start: int, arrow: str) -> None:
    end = reading.last_ink(start)
    detail = COLON_AT_END if arrow == ":" else f"The type is missing after {arrow}"
    reading.wrong(start, len(arrow), detail, (f"remove `{arrow}`", end, start + len(arrow) - end, ""))
