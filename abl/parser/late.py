"""Assignments behind a CALL that read what it gives: they are a part of it. Spec: abl-language 5.4, decision 0050."""

from __future__ import annotations

import re

from abl.expressions.analysis import parse_expression
from abl.expressions.inspection import variables
from abl.syntax.node import Node, given
from abl.syntax.steps import Assignment, Call

_TEMPLATE_NAMES = re.compile(r"\{\{\s*([\w.]+)")


def place_sets(node: Node, lines: list[Assignment]) -> list[Assignment]:
    """Give the CALL that a node has already those of the assignments that read its result; return the others."""
    call = given(node, "call")
    if not isinstance(call, Call) or not call.tool:
        return lines
    early, late = split_late(call, lines)
    if late:
        call.set = [*call.set, *late]
        call.at.setdefault("set", late[0].pos.offset if late[0].pos is not None else 0)
    return early


def split_late(call: Call, lines: list[Assignment]) -> tuple[list[Assignment], list[Assignment]]:
    """Return the assignments that stand behind a CALL as those for before it, and those that read what it gives."""
    names = {"result", call.tool, f"last_{call.tool}_result", *filter(None, [call.as_.partition(".")[0]])}
    names |= {line.variable.partition(".")[0] for line in call.set}
    early: list[Assignment] = []
    late: list[Assignment] = []
    for line in lines:
        read = {one.partition(".")[0] for one in _read(line.expression)}
        root = line.variable.partition(".")[0]
        if read & names or root in names:
            late.append(line)
            names.add(root)
        else:
            early.append(line)
    return early, late


def _read(expression: str) -> list[str]:
    return [*variables(parse_expression(expression)), *_TEMPLATE_NAMES.findall(expression)]
