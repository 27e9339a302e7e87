"""CONTRACT and STATE: lines `name: type[?] [= literal]`. Spec: abl-language 10.2, 10.3."""

from __future__ import annotations

import re

from abl.diagnostics.suggest import closest
from abl.parser.bounds import elements
from abl.parser.faults import Fault, one_edit
from abl.parser.reader import Reader
from abl.parser.type_expression import read_declaration
from abl.parser.type_nodes import TYPE_WORDS
from abl.parser.values import cut_comment
from abl.syntax.legacy import Contract
from abl.syntax.tools import Parameter, TypeExpr

SIDES = {
    "INPUTS": "inputs",
    "PARAMS": "inputs",
    "INPUT": "inputs",
    "OUTPUTS": "outputs",
    "RETURNS": "outputs",
    "OUTPUT": "outputs",
}
"""Word in CONTRACT -> field of the node."""
MAX_NAMESPACES = 8
"""Deepest nesting of namespaces in STATE."""

_FIELD = re.compile(r"""(?:-\s*+)?+["']?([A-Za-z_@$][\w.\-]*+)["']?(\??+)\s*+(?::\s*+(.*))?""", re.DOTALL)
_JUST_NAME = re.compile(r"(?:-\s*+)?+([A-Za-z_][\w.\-]*+)(\??+)\s++(.*)", re.DOTALL)


def read_contract(r: Reader, k: int, end: int) -> Contract:
    """Return what the lines `k` to `end` of a CONTRACT section declare."""
    made = Contract()
    side = ""
    while k < end:
        stop = min(r.ends[k], end)
        word, _, rest = r.texts[k].partition(":")
        found = SIDES.get(word.strip().upper())
        if found is None and not rest.strip() and stop > k + 1:
            found = _misspelt_side(r, k, word)
        if found is not None:
            side = found
            _inline(r, getattr(made, side), k, rest)
            read_fields(r, getattr(made, side), k + 1, stop)
        elif side:
            read_field(r, getattr(made, side), k, stop, "")
        else:
            r.report_line("LEGACY_INVALID_LINE", k, value=r.texts[k], known="inputs, outputs")
        k = stop
    return made


def _misspelt_side(r: Reader, k: int, word: str) -> str:
    meant = closest(word, ["inputs", "outputs", "params", "returns"])
    fix = one_edit(f"write `{meant}`", r.offsets[k], len(word), meant) if meant else None
    r.report_line("LEGACY_INVALID_LINE", k, fix, value=r.texts[k], suggestion=meant or "", known="inputs, outputs")
    return SIDES[meant.upper()] if meant else "inputs"


def _inline(r: Reader, fields: list[Parameter], k: int, rest: str) -> None:
    """Read `inputs: {a: string, b: number}`."""
    text = cut_comment(rest.strip())
    if not text.startswith("{"):
        return
    made, faults = read_declaration(text, r.offsets[k] + r.texts[k].index("{"))
    _report(r, faults)
    if made.type is not None:
        fields.extend(made.type.fields or ())


def read_fields(r: Reader, fields: list[Parameter], k: int, end: int, prefix: str = "", depth: int = 0) -> None:
    """Read the lines `k` to `end` as fields; a name without a type, over deeper lines, is a namespace of STATE."""
    while k < end:
        stop = min(r.ends[k], end) if depth < MAX_NAMESPACES else k + 1
        if stop > k + 1 and _is_namespace(r, k):
            name = r.texts[k].rstrip().rstrip(":").strip("-\"' ")
            read_fields(r, fields, k + 1, stop, f"{prefix}{name}.", depth + 1)
        else:
            read_field(r, fields, k, stop, prefix)
        k = stop


def _is_namespace(r: Reader, k: int) -> bool:
    """Return whether line `k` only names what is declared below it."""
    if not r.texts[k].endswith(":"):
        return False
    first = r.texts[k + 1].partition(":")
    row = Parameter.BY_KEY.get(first[0].strip().upper())
    if row is None:
        return True
    return row.field != "type" and first[2].strip().split("=")[0].strip("? []").lower() in TYPE_WORDS


def read_field(r: Reader, fields: list[Parameter], k: int, end: int, prefix: str) -> None:
    """Read one field; properties such as `description:` may stand under it."""
    text = r.texts[k]
    found = _FIELD.match(text)
    if found is None or found.end() < len(text) or (found[3] is None and text != found[0]):
        found = _without_colon(r, k, text)
        if found is None:
            return
    value = cut_comment(found[3] or "")
    r.spend(Parameter.COST + TypeExpr.COST * (1 + elements(value)), k)
    made, faults = read_declaration(value, r.offsets[k] + (found.start(3) if found[3] else len(text)))
    _report(r, faults)
    made.name = prefix + found[1]
    made.at["name"] = r.offsets[k] + found.start(1)
    made.pos = r.pos(k)
    if found[2]:
        made.optional = True
    if any(one.name == made.name for one in fields[-MAX_COMPARED:]):
        r.report("DUPLICATE_NAME", made.at["name"], len(found[1]), name=made.name)
    fields.append(made)
    r.props(made, k + 1, end)


MAX_COMPARED = 200
"""Fields before one that are looked at for the same name."""


def _without_colon(r: Reader, k: int, text: str) -> re.Match[str] | None:
    """Return a field whose colon is missing, with the finding; None when the line is no field at all."""
    found = _JUST_NAME.match(text)
    if found is None:
        r.report_line("LEGACY_INVALID_LINE", k, value=text, detail="A field is `name: type`")
        return None
    fix = one_edit("write a colon", r.offsets[k] + found.end(2), 0, ":")
    r.report_line("LEGACY_INVALID_LINE", k, fix, value=text, detail=f"A colon is missing after {found[1]}")
    return found


def _report(r: Reader, faults: tuple[Fault, ...]) -> None:
    """Report faults of a type as those of a line: there is no tool here."""
    for fault in faults:
        code = "LEGACY_INVALID_LINE" if fault.code == "INVALID_TOOL_SIGNATURE" else fault.code
        r.report(code, fault.offset, fault.length, fault.fix, **fault.arguments)
