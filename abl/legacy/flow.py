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
from abl.syntax.steps import Assignment, Branch, Outcome

SIGNAL_TARGETS = {"COMPLETE": "COMPLETE", "HANDOFF_READY": "COMPLETE", "ESCALATE": "ESCALATE"}
"""Signal -> where the flow goes; CONTINUE goes on."""

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
_ONCE = frozenset({"respond", "call_tool", "wait_input"})
_BUILT_IN = {"positive": 'intent == "yes"', "negative": 'intent == "no"'}


def flow_of(steps: Sequence[LegacyStep], entry_point: str = "") -> Flow:
    """Return the flow that does what the numbered steps say; numbers and names both address a step."""
    names = _names(steps)
    targets = _targets(steps, names)
    taken = set(names)
    made: list[Step] = []
    for step, name, after in zip(steps, names, [*names, ""][1:], strict=True):
        chain = _Chain(step, name, targets, taken)
        chain.add_all(step.actions)
        chain.end(after)
        made.extend(chain.steps)
    entry = targets.get(entry_point, entry_point) or (names[0] if names else "")
    return Flow(entry_point=entry, steps=made)


def condition_of(route: Route) -> str:
    """Return the condition under which a route is taken."""
    if route.kind == "intent":
        return f"intent IN {text_list(route.values)}"
    if route.kind == "pattern":
        return f"input MATCHES {quoted(route.values[0] if route.values else '')}"
    return _BUILT_IN.get(route.kind, "")


def text_list(values: Sequence[str]) -> str:
    """Return a list of texts as an expression."""
    return f"[{', '.join([quoted(one) for one in values])}]"


def _names(steps: Sequence[LegacyStep]) -> list[str]:
    """Return a name for every step that is an identifier and stands for no other."""
    names: list[str] = []
    taken = {"COMPLETE", "ESCALATE", ""}
    counts: dict[str, int] = {}
    for at, step in enumerate(steps, 1):
        plain = re.sub(r"\W+", "_", step.name, flags=re.ASCII).strip("_")
        if not plain or plain[0].isdigit() or plain in taken or plain.upper() in taken:
            plain = f"step_{step.number if step.number is not None else at}"
        name = plain
        while name in taken:
            counts[plain] = counts.get(plain, 1) + 1
            name = f"{plain}_{counts[plain]}"
        names.append(name)
        taken.add(name)
    return names


def _targets(steps: Sequence[LegacyStep], names: Sequence[str]) -> dict[str, str]:
    """Return number or name as it may be written -> name of the modern step; numbers count first."""
    found: dict[str, str] = {}
    for step, name in zip(steps, names, strict=True):
        if step.number is not None:
            found.setdefault(str(step.number), name)
    for step, name in zip(steps, names, strict=True):
        for spelling in (step.name, step.name.lower(), name):
            if spelling:
                found.setdefault(spelling, name)
    return found


class _Chain:
    """The modern steps of one numbered step."""

    def __init__(self, origin: LegacyStep, name: str, targets: dict[str, str], taken: set[str]) -> None:
        self.origin = origin
        self.name = name
        self.targets = targets
        self.taken = taken
        self.steps = [Step(name=name, reasoning=False, pos=origin.pos)]
        self.rank = 0
        self.kinds: set[str] = set()
        self.ended = False
        self.count = 1
        heard = next((one.variable for one in origin.actions if one.kind == "wait_input" and one.variable), "")
        self.heard_variable = heard

    def target(self, written: str) -> str:
        """Return the modern step that a target means."""
        return self.targets.get(written) or self.targets.get(written.lower()) or written

    def add_all(self, actions: Sequence[LegacyAction]) -> None:
        """Add actions in their order; nothing follows an unconditional transition."""
        for action in actions:
            if not self.ended:
                self.add(action)

    def add(self, action: LegacyAction) -> None:
        """Add one action, in a new step when the order of a modern step would change what happens."""
        if action.kind == "signal":
            self._signal(action)
            return
        rank = _RANKS.get(action.kind, _GO)
        if not (rank == _BRANCH and self.rank == _WAIT) and self._must_cut(action, rank):
            self._cut()
        self.rank = max(self.rank, rank)
        self.kinds.add(action.kind)
        self._put(self.steps[-1], action)

    def _must_cut(self, action: LegacyAction, rank: int) -> bool:
        if rank < self.rank or (action.kind in _ONCE and action.kind in self.kinds):
            return True
        said = self.steps[-1].respond
        if action.call is None or not said:
            return False
        return "result" in said or bool(action.call.as_ and action.call.as_ in said)

    def _cut(self) -> None:
        self.count += 1
        while f"{self.name}_{self.count}" in self.taken:
            self.count += 1
        name = f"{self.name}_{self.count}"
        self.taken.add(name)
        self._go_on(name, always=True)
        self.steps.append(Step(name=name, reasoning=False, pos=self.origin.pos))
        self.rank = 0
        self.kinds = set()

    def end(self, after: str) -> None:
        """Go on with the next numbered step, if the last action lets the flow go on."""
        if not self.ended and after:
            self._go_on(after, always=False)

    def _go_on(self, name: str, *, always: bool) -> None:
        """Make `name` the step after the current one; an input that has answers is waited for again instead."""
        step = self.steps[-1]
        if self.rank == _WAIT:
            if not step.on_input or (always and not step.on_input[-1].otherwise):
                step.on_input.append(Branch(otherwise=True, then=name, set=self._heard()))
        elif not _settled(step):
            step.then = name

    def _heard(self) -> list[Assignment]:
        """Return the assignment of WAIT_INPUT with a variable."""
        return [Assignment(variable=self.heard_variable, expression="input")] if self.heard_variable else []

    def _signal(self, action: LegacyAction) -> None:
        if action.signal == "HANDOFF_READY":
            self.add(LegacyAction(kind="set_state", variable="signal", expression='"HANDOFF_READY"'))
        if action.text:
            self.add(LegacyAction(kind="respond", text=action.text))
        target = SIGNAL_TARGETS.get(action.signal)
        if target:
            if self.rank == _WAIT:
                self._cut()
            self.steps[-1].then = target
            self.ended = True

    def _put(self, step: Step, action: LegacyAction) -> None:
        """Write one action into a modern step."""
        branches = step.on_input if self.rank == _WAIT else step.on_result
        if action.kind == "goto":
            if self.kinds & {"wait_input"}:
                step.on_input.append(Branch(otherwise=True, then=self.target(action.target), set=self._heard()))
            else:
                step.then = self.target(action.target)
            self.ended = True
        elif action.kind in ("wait_input", "classify_intent"):
            self._routes(step, branches, action.routes)
        elif action.kind in ("if", "else"):
            branch = Branch(condition=action.condition, otherwise=action.kind == "else", pos=action.pos)
            self._fill(branch, action)
            branches.append(branch)
        elif action.kind in ("on_success", "on_failure"):
            outcome = Outcome(pos=action.pos)
            self._fill(outcome, action)
            setattr(step, action.kind, outcome)
        else:
            _do(step, action)

    def _routes(self, step: Step, branches: list[Branch], routes: Sequence[Route]) -> None:
        for route in routes:
            target = self.target(route.target)
            if route.kind == "max_attempts":
                step.max_attempts, step.on_exhausted = route.count, target
            elif route.kind != "default":
                heard = self._heard() if branches is step.on_input else []
                branches.append(Branch(condition=condition_of(route), then=target, set=heard, pos=route.pos))
        for route in routes:
            if route.kind == "default":
                heard = self._heard() if branches is step.on_input else []
                branches.append(Branch(otherwise=True, then=self.target(route.target), set=heard, pos=route.pos))

    def _fill(self, node: Branch | Outcome, action: LegacyAction) -> None:
        """Write what happens in a branch: nested actions, then the target."""
        said: list[str] = []
        for one in action.actions:
            if one.text:
                said.append(one.text)
            if one.kind in ("goto", "signal"):
                node.then = self.target(one.target) if one.kind == "goto" else SIGNAL_TARGETS.get(one.signal, "")
            elif one.kind in ("if", "else") and isinstance(node, Outcome):
                branch = Branch(condition=one.condition, otherwise=one.kind == "else", pos=one.pos)
                self._fill(branch, one)
                node.branches.append(branch)
            else:
                _do(node, one)
        if said:
            node.respond = "\n".join(said)
        if action.target:
            node.then = self.target(action.target)


def _do(node: Step | Branch | Outcome, action: LegacyAction) -> None:
    """Write an assignment, an answer or a call."""
    if action.kind == "set_state":
        made = Assignment(variable=action.variable, expression=action.expression, pos=action.pos, at=dict(action.at))
        node.set.append(made)
    elif action.kind == "respond":
        node.respond = action.text or node.respond
        if "text" in action.at:
            node.at.setdefault("respond", action.at["text"])
    elif action.kind == "call_tool":
        node.call = action.call


def _settled(step: Step) -> bool:
    """Return whether the branches of a step leave no other way on."""
    if step.on_result and step.on_result[-1].otherwise and all(branch.then for branch in step.on_result):
        return True
    good, bad = step.on_success, step.on_failure
    return bool(good and good.then and bad and bad.then)
