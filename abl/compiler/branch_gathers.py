"""GATHER in a branch: the fields are asked for in a step of their own.

The call of the branch comes afterwards, and so does an answer that tells of a field or of the call, as in a step.

Spec: abl-language 5.3, 5.5, 5.8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from abl.compiler.plain import Json, one, only, text
from abl.syntax.flow import Step
from abl.syntax.gather import GatherField, StepGather
from abl.syntax.steps import Branch, Outcome

_BRANCHES = ("on_input", "on_result")
_OUTCOMES = ("on_success", "on_failure", "on_fail")
_CALL = ("call", "call_spec")
_ANSWER = ("respond", "voice_config", "rich_content", "actions", "message_key")
_TAG = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_WORD = re.compile(r"[^\W\d]\w*")


def gathering_steps(step: Step, ir: Json, lower: Callable[[StepGather], Json]) -> Iterator[tuple[str, Json]]:
    """Yield name and IR of the steps in which the branches of `step` gather; the branches are made to lead there."""
    name = text(step.name)
    for number, (branch, lowered) in enumerate(_pairs(step, ir), 1):
        gather = one(StepGather, branch.gather)
        if gather is None:
            continue
        asking, after = f"{name}_gather_{number}", f"{name}_gathered_{number}"
        goal = lowered.get("then") or name
        later = _taken(gather, lowered)
        lowered["then"] = asking
        yield asking, {"name": asking, "gather": lower(gather), "then": after if later else goal}
        if later:
            yield after, {"name": after, **later, "then": goal}


def _pairs(step: Step, ir: Json) -> Iterator[tuple[Branch, Json]]:
    """Yield the branches of a step, each with its IR."""
    for key in _BRANCHES:
        yield from zip(only(Branch, getattr(step, key)), ir.get(key, ()), strict=False)
    for key in _OUTCOMES:
        outcome = one(Outcome, getattr(step, key))
        if outcome is not None:
            yield from zip(only(Branch, outcome.branches), (ir.get(key) or {}).get("branches", ()), strict=False)


def _taken(gather: StepGather, lowered: Json) -> Json:
    """Take from the IR of a branch what comes after its gather: the call, and an answer that tells of either."""
    names = {text(field.name) for field in only(GatherField, gather.fields)}
    taken = {key: lowered.pop(key) for key in _CALL if key in lowered}
    if spec := taken.get("call_spec"):
        names |= {"result", f"last_{spec['tool']}_result", spec["tool"], spec.get("as", "")}
        taken["call_with"] = spec["with"]
        if "as" in spec:
            taken["call_as"] = spec["as"]
    said = " ".join(_TAG.findall(str([lowered.get(key) for key in _ANSWER])))
    if not names.isdisjoint(_WORD.findall(said)):
        taken |= {key: lowered.pop(key) for key in _ANSWER if key in lowered}
    return taken
