"""`target = expression` of SET, several of them separated by commas. Spec: abl-language 6.2."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from abl.expressions.faults import Fault

_PIECE = re.compile(
    r"""(?P<quoted>"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*')
      | (?P<open>[(\[{]) | (?P<close>[)\]}])
      | (?P<comma>,(?=\s*[\w.]+\s*:?=(?!=)))""",
    re.VERBOSE | re.DOTALL,
)
_ASSIGNMENT = re.compile(r"\s*(?P<target>[\w.]+)\s*=(?!=)\s*+(?P<value>.*\S|)\s*+\Z", re.DOTALL)
_WRONG_SIGN = re.compile(r"\s*[\w.]+\s*(?P<sign>===|==|:=|:|->|\+=|-=)\s*(?P<value>\S.*)", re.DOTALL)


class Assignment(NamedTuple):
    """One assignment; `start` and `length` are the place of the expression text in the whole text."""

    target: str
    expression: str
    start: int
    length: int
    target_start: int


class Assignments(NamedTuple):
    """All assignments of a text and what is wrong with it."""

    items: tuple[Assignment, ...]
    faults: tuple[Fault, ...]


def parse_assignments(text: object) -> Assignments:
    """Return the assignments of `text`; a piece that is none becomes an INVALID_SET fault."""
    if not isinstance(text, str):
        detail = f"text is expected, not {type(text).__name__}"
        return Assignments((), (Fault("INVALID_SET", 0, 0, {"value": "", "detail": detail}),))
    items: list[Assignment] = []
    faults: list[Fault] = []
    for start, stop in _pieces(text):
        piece = text[start:stop]
        found = _ASSIGNMENT.match(piece)
        if found is None or not found["value"] or not _is_path(found["target"]):
            faults.append(_fault(piece, start))
            continue
        value = found["value"]
        items.append(
            Assignment(found["target"], value, start + found.start("value"), len(value), start + found.start("target"))
        )
    return Assignments(tuple(items), tuple(faults))


def _pieces(text: str) -> list[tuple[int, int]]:
    """Return where the assignments stand: cut at commas outside quotes and brackets that begin a new one."""
    cuts, depth = [-1], 0
    for found in _PIECE.finditer(text):
        if found["open"]:
            depth += 1
        elif found["close"]:
            depth = max(0, depth - 1)
        elif found["comma"] and depth == 0:
            cuts.append(found.start())
    cuts.append(len(text))
    return [(before + 1, after) for before, after in pairwise(cuts)]


def _is_path(target: str) -> bool:
    return all(target.split("."))


def _fault(piece: str, start: int) -> Fault:
    plain = piece.strip()
    at = start + len(piece) - len(piece.lstrip())
    detail, fix, title = "write it as `name = value`", None, ""
    wrong = _WRONG_SIGN.match(piece)
    found = _ASSIGNMENT.match(piece)
    if wrong and wrong["sign"] not in ("+=", "-="):
        detail = f"`{wrong['sign']}` does not assign"
        spaced = "=" if piece[wrong.start("sign") - 1].isspace() else " ="
        fix, title = (start + wrong.start("sign"), len(wrong["sign"]), spaced), "write `=`"
    elif wrong:
        name = piece[: wrong.start("sign")].strip()
        new = f"= {name} {wrong['sign'][0]} "
        length = wrong.start("value") - wrong.start("sign")
        detail, title = f"`{wrong['sign']}` does not assign", f"write `{name} {new}...`"
        fix = (start + wrong.start("sign"), length, new)
    elif found and not found["value"]:
        detail = "a value is missing after `=`"
    elif found:
        detail = f"`{found['target']}` is no name"
    elif not plain:
        detail = "an assignment is missing"
    return Fault("INVALID_SET", at, len(plain), {"value": plain, "detail": detail}, fix, title)
