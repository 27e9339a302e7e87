"""CLEAR and SET beside the answers and calls of one block, in the order in which they are written.

A block sets, clears, calls and then answers. A CLEAR that stands below all it calls and says is done after them. What
reads otherwise than it is done is reported. A CHECK above the CALL of a step guards it; an answer and a TRANSFORM below
it come after it. Spec: abl-language 5.5, 5.8; decisions 0070, 0080.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abl.expressions.analysis import parse_expression
from abl.expressions.inspection import variables
from abl.parser.scribe import Scribe
from abl.syntax.flow import Flow, Step
from abl.syntax.node import Node, given
from abl.syntax.steps import Actions, Call
from abl.templates.read import analyse_template

ANSWER = ("respond", "voice_config", "rich_content", "actions", "carousel")
SAID = (*ANSWER, "message_key")
DONE_FIRST = (*SAID, "call", "delegate")
"""What a CLEAR that stands below it must not take the values from."""
_ASKS = ("gather", "await_attachment", "human_approval", "reasoning")
"""What gives a step or branch values between its SET and CLEAR, and its answer."""


def place_clears(r: Scribe) -> None:
    """Look at the blocks with SET, CLEAR or CALL: say which clear last, and report what is read too late."""
    for node in {id(node): node for node in r.acting}.values():
        if not isinstance(node, Actions):
            continue
        first = node.at.get("clear.0")
        done_first = [node.at[field] for field in DONE_FIRST if field in node.at]
        if not isinstance(node, Step) and "call" in node.at:
            node.says_first = any(node.at.get(field, node.at["call"]) < node.at["call"] for field in SAID)
        if any(node.__dict__.get(field) for field in _ASKS):
            continue
        if first is not None and done_first and max(done_first) < first and not isinstance(node, Step):
            node.clears_last = True
        _report(r, node)


def place_around_calls(flow: Flow) -> None:
    """Note of each step what is written above its CALL and what below. Decision: 0080."""
    for step in flow.steps or ():
        call = step.at.get("call")
        if call is None or step.call is None:
            continue
        step.checks_first = "check" in step.at and step.at["check"] < call and bool(step.check)
        said = [step.at[field] for field in SAID if field in step.at]
        step.says_last = bool(said) and min(said) > call
        step.transforms_last = step.transform is not None and step.at.get("transform", 0) > call


def _report(r: Scribe, node: Actions) -> None:
    made = _made(node)
    lines = [line for line in given(node, "set") or () if line.pos is not None]
    cleared = [] if node.clears_last else [one for one in given(node, "clear") or () if _root(one) not in made]
    for place, name in enumerate(given(node, "clear") or ()):
        if _is_set_below(node, name):
            r.report("CLEARED_AFTER_SET", node.at.get(f"clear.{place}", 0), len(name), name=name)
            cleared = [one for one in cleared if one != name]
    for key, field, read in _readers(node):
        at = node.at.get(field, 0)
        for place, name in enumerate(given(node, "clear") or ()):
            if name in cleared and _root(name) in read:
                said = {"name": name, "property": key, "section": "step" if isinstance(node, Step) else ""}
                r.report("CLEARED_BEFORE_IT_IS_READ", node.at.get(f"clear.{place}", 0), len(name), **said)
        for line in lines:
            below = line.pos is not None and line.pos.offset > at
            if below and line.pos is not None and _root(line.variable) in read - made:
                said = {"name": line.variable, "property": key}
                r.report("SET_BEFORE_IT_IS_READ", line.pos.offset, len(line.variable), **said)


def _is_set_below(node: Actions, name: str) -> bool:
    first = node.at.get("clear.0", 0)
    return any(line.variable == name and line.pos is not None and line.pos.offset > first for line in node.set)


def _readers(node: Actions) -> Iterator[tuple[str, str, set[str]]]:
    """Yield the answer and the call of a block: key, field, and the variables that are read."""
    read = {name for field in ANSWER for text in _texts(getattr(node, field)) for name in analyse_template(text).paths}
    if read:
        field = next(field for field in ANSWER if field in node.at or field == ANSWER[-1])
        yield "RESPOND", field, {_root(name) for name in read}
    call = node.call
    if isinstance(call, Call) and call.tool:
        texts = [one.expression for one in call.arguments or ()] + list((given(call, "with_") or {}).values())
        yield "CALL", "call", {_root(name) for text in texts for name in variables(parse_expression(text))}


def _made(node: Actions) -> set[str]:
    """Return what gets its value after SET and CLEAR and before the answer."""
    call, made = node.call, set()
    if isinstance(call, Call):
        made = {_root(call.as_), call.tool, "result", *(_root(line.variable) for line in given(call, "set") or ())}
    delegate, transform = getattr(node, "delegate", None), getattr(node, "transform", None)
    if delegate is not None:
        made |= {_root(name) for name in (given(delegate, "map") or {}).values()}
    return made | {transform.target} if transform is not None else made


def _root(name: str) -> str:
    return name.removeprefix("session.").partition(".")[0]


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts with tags in a value of an answer."""
    if isinstance(value, str):
        if "{{" in value:
            yield value
    elif isinstance(value, Node):
        yield from (text for _, one in value.written() for text in _texts(one))
    elif isinstance(value, dict | list):
        yield from (text for one in (value.values() if isinstance(value, dict) else value) for text in _texts(one))
