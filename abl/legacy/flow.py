"""Numbered steps -> modern flow. Spec: abl-language 5.9.

A numbered step does one thing after the other; a modern step has a fixed order (assignments, answer, call, branches,
input, transition). So a numbered step becomes a chain of modern steps, cut wherever the fixed order would differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from abl.printer.signature import quoted
from abl.syntax.flow import Flow, Step
from abl.syntax.legacy import LegacyAction, LegacyStep, Route
from abl.syntax.steps import Assignment, Branch, Call, Outcome

TERMINALS = ("COMPLETE", "ESCALATE")
SIGNAL_TARGETS = {"COMPLETE": "COMPLETE", "HANDOFF_READY": "COMPLETE", "ESCALATE": "ESCALATE", "CONTINUE": ""}
_SET, _SAY, _CALL, _BRANCH, _WAIT, _GO = range(1, 7)
_RANKS = {
    "set_state": _SET,
    "respond": _SAY,
    "call_tool": _CALL,
    "on_success": _BRANCH,
    "on_failure": _BRANCH,
    "classify_intent": _BRANCH,
    "if": _BRANCH,
    "else": _BRANCH,
    "wait_input": _WAIT,
    "goto": _GO,
    "signal": _GO,
}
"""Kind of action -> its place in the fixed order of a modern step."""
_RESERVED = {*TERMINALS, ""}


def flow_of(steps: Sequence[LegacyStep], entry_point: str = "") -> Flow:
    """Return the flow that does what the numbered steps say; their numbers and names both address them."""
    names = _names(steps)
    targets = _targets(steps, names)
    flow = Flow(steps=[])
    for at, step in enumerate(steps):
        after = names[at + 1] if at + 1 < len(steps) else ""
        chain = _Chain(step, names[at], after, targets, set(names))
        flow.steps = [*flow.steps, *chain.steps] if False else (flow.steps or []) + chain.steps
    if steps:
        flow.entry_point = targets.get(entry_point, entry_point) if entry_point else names[0]
    return flow
