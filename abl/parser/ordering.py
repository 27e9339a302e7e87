"""Actions of a step that have to be done in the order in which they are written. Spec: abl-language 5.5, 5.8.

A step sets first, then calls, then checks. What stands otherwise and means something by its place becomes `DO`: checks
with lines nested under them, and more than one check. What stands above the CALL is done before it. A SET written
behind a CALL whose result it reads is a part of that CALL. Decisions: 0050, 0088.
"""

from __future__ import annotations

from abl.parser.reader import TABLES, Reader
from abl.source import Pos
from abl.syntax.flow import Step
from abl.syntax.node import Node, Prop
from abl.syntax.steps import Do

MAX_NESTING = 32
SAID = ("respond", "message_key", "voice_config", "rich_content", "actions", "carousel")
"""What an answer is made of."""
_ASKS = ("gather", "collect", "on_input", "await_attachment", "human_approval", "reasoning", "on_action")
"""What makes the answer of a step the words of a question that it waits with."""
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
    """Let a step with a DO check, set and answer in the order in which it is written; note what is above its CALL.

    A check before all of DO stays where it is: it is looked at first. So does an answer that the user is asked with.
    """
    step.do, step.do_after = [*step.do, *step.do_after], []
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
    if (answer := _answer_below(step, first)) is not None:
        entries.append(answer)
    step.set = [line for line in step.set if line not in moved]
    if not step.set:
        step.at.pop("set", None)
    step.do = sorted([*step.do, *entries], key=_place)
    step.at.setdefault("do", _place(step.do[0]))
    step.at.pop("do_after", None)
    if step.call is not None and "call" in step.at:
        step.does_first = sum(_place(one) < step.at["call"] for one in step.do)


def _answer_below(step: Step, first: int) -> Do | None:
    """Take the answer out of a step that has it below the first of its DO or below its CALL; None for others."""
    fields = [field for field in SAID if field in step.at and getattr(step, field) != Step.DEFAULTS[field]]
    if not fields or any(getattr(step, field) for field in _ASKS):
        return None
    at = min(step.at[field] for field in fields)
    if at < min(first, step.at.get("call", first)):
        return None
    pos = step.pos or Pos(1, 1, 0)
    made = Do(pos=Pos(pos.line, pos.column, at), at={field: step.at.pop(field) for field in fields})
    for field in fields:
        setattr(made, field, getattr(step, field))
        setattr(step, field, Step.DEFAULTS[field])
    step.says_last = False
    return made


def _place(node: Node) -> int:
    return node.pos.offset if node.pos is not None else 0
