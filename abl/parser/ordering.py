"""Actions of a step that have to be done in the order in which they are written. Spec: abl-language 5.5, 5.8.

A step sets first, then calls, then checks. What stands otherwise and means something by its place becomes `DO`: checks
with lines nested under them, and more than one check. A SET written behind a CALL whose result it reads is a part of
that CALL. Decision: 0050.
"""

from __future__ import annotations

from abl.parser.reader import TABLES, Reader
from abl.source import Pos
from abl.syntax.flow import Step
from abl.syntax.node import Node, Prop
from abl.syntax.steps import Do

MAX_NESTING = 32
_FAILS = frozenset({"ON_FAIL", "ON_FAILURE", "ELSE"})


def nests_actions(r: Reader, k: int, end: int) -> bool:
    """Return whether the lines nested in line `k` are actions, and not more of its text."""
    if end <= k + 1 or k in r.lines.blocks:
        return False
    key, colon, _ = r.texts[k + 1].partition(":")
    return bool(colon) and (key.strip().upper() in TABLES[Do] or key.strip().upper() in _FAILS)


def read_nested_check(r: Reader, k: int, end: int, depth: int = 0) -> Do:
    """Read a CHECK with the actions nested under it, in their order."""
    made = r.new(Do, k)
    text = r.texts[k]
    r.line(made, k, k + 1, text, r.offsets[k])
    j = k + 1
    while j < end:
        stop = min(r.ends[j], end)
        _nested_line(r, made, j, stop, depth)
        j = stop
    return made


def _nested_line(r: Reader, made: Do, j: int, stop: int, depth: int) -> None:
    text = r.texts[j]
    key = text.partition(":")[0].strip().upper()
    if key in _FAILS:
        value = text.partition(":")[2].strip()
        row: Prop = Do.BY_FIELD["on_fail"]
        r.read_field(made, row.field, j, stop, value, r.offsets[j] + len(text) - len(value))
    elif key == "CHECK" and depth < MAX_NESTING and nests_actions(r, j, stop):
        made.do.append(read_nested_check(r, j, stop, depth + 1))
    elif key in TABLES[Do] and key != "DO":
        one = r.new(Do, j)
        r.line(one, j, stop, text, r.offsets[j])
        made.do.append(one)
    else:
        r.line(made.do[-1] if made.do else made, j, stop, text, r.offsets[j])


def order_actions(step: Step) -> None:
    """Let the checks of a step with a DO be done in the order in which they are written, and what is set after them.

    A check before all of DO stays where it is: it is looked at first.
    """
    places = [_place(one) for one in step.do]
    if step.check:
        places.append(step.at.get("check", places[0]))
    first = min(places)
    moved = [line for line in step.set if _place(line) > first]
    entries = [Do(set=[line], pos=line.pos) for line in moved]
    if step.check and step.at.get("check", 0) > min(map(_place, [*step.do, *entries])):
        at = step.at.pop("check", 0)
        pos = step.pos or Pos(1, 1, 0)
        entries.append(Do(check=step.check, pos=Pos(pos.line, pos.column, at), at={"check": at}))
        step.check = ""
    step.set = [line for line in step.set if line not in moved]
    if not step.set:
        step.at.pop("set", None)
    step.do = sorted([*step.do, *entries], key=_place)
    step.at.setdefault("do", _place(step.do[0]))


def _place(node: Node) -> int:
    return node.pos.offset if node.pos is not None else 0
