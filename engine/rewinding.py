"""Going back for a corrected value: what it has decided on the way to the call that is asked about is decided again.

A CHECK is tested again where the flow stands (`flow_calls`). Whatever else reads the value has done something with it:
a WHEN, the condition of a branch, a SET, a lookup, a person who has approved. From the first step that has, the flow
goes on anew; nothing is called meanwhile that would need a yes. Decision: 0098.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from domain.json_values import JsonObject, JsonValue
from engine import profiles
from engine.naming import LATER, SPOKEN, reads
from engine.run import Run

_BEHIND_CALL = frozenset({"call_spec", "on_input", "on_result", "on_success", "on_failure", "on_fail", "success_when"})
"""The own call of a step, and what the step does behind it."""
_NOT_GIVEN = frozenset({"set", "tool"})
"""How a variable came that the user has not given. See `Thread.gathered`."""
_SET = "set"
_RESULTS = frozenset({"call_spec", "on_result"})
MAX_COPIES = 10
"""How many copies of copies of a value are followed."""
_TYPED = frozenset({"input", "last_input"})
"""What an answer is called in the step that takes a value out of it."""


def first_step(run: Run, names: Set[str], spec: JsonObject) -> str:
    """Return the step to go back to for corrected values, "" when nothing on the way has read them.

    `spec` is the call that is asked about; what it takes itself is no such reading, nor are the CHECKs that are tested
    again where the flow stands.
    """
    places = [place for name in sorted(names) if (place := _first_place(run, name, spec)) is not None]
    return run.thread.trail[min(places)] if places else ""


def _first_place(run: Run, name: str, spec: JsonObject) -> int | None:
    """Return where on the trail a value was first read, from the step on that took it; None for nowhere."""
    trail = run.thread.trail
    asking = (profiles.step_of(run, trail[-1]) or {}) if trail else {}
    tests_again = asking.get("call_spec") == spec

    def decides(step: JsonObject, *, is_asking: bool) -> bool:
        done = _done_before(step, spec, is_asking=is_asking)
        if tests_again:
            done = _untested(done, is_asking=is_asking)
        return _decides(run, done, {name}, everything=is_asking)

    return _first_that(run, name, decides)


def _first_that(run: Run, name: str, decides: Callable[..., bool]) -> int | None:
    """Return where on the trail the first step stands that decides something, from the step on that took a value."""
    trail = run.thread.trail
    found = None
    for place in range(len(trail) - 1, -1, -1):
        step = profiles.step_of(run, trail[place]) or {}
        if decides(step, is_asking=place == len(trail) - 1):
            found = place
        if _takes(step, {name}):
            break
    return found


def is_held_outside(run: Run, names: Set[str], spec: JsonObject) -> bool:
    """Return whether the call stands in a handler of the agent, not of its flow, that reads one of these names.

    Nothing leads back into such a handler.
    """
    pending: list[JsonValue] = [one for key, one in run.agent.ir.items() if key != "flow"]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending += node
        elif isinstance(node, dict):
            rest = _without(node, spec)
            if rest != node and reads(run, rest, names, without=SPOKEN):
                return True
            pending += node.values()
    return False


def origin_of(run: Run, source: str) -> str:
    """Return the variable in which the user has given what an expression is, "" for what he has not given.

    A literal, the result of a tool, a sum and what the author has set are not his: he may say no to them. A plain copy
    (`SET: d = days`) leads to what was copied.
    """
    for _ in range(MAX_COPIES):
        if not source.isidentifier() or run.scope.get(source) is None:
            return ""
        if run.thread.gathered.get(source, _SET) not in _NOT_GIVEN:
            return source
        expression = _set_last(run, source)
        if run.program.texts.roots(expression) and run.program.texts.roots(expression) <= _TYPED:
            return source
        source = expression.strip()
    return ""


def _set_last(run: Run, name: str) -> str:
    """Return what the last SET of a variable on the way says, "" for none."""
    for step in (profiles.step_of(run, one) or {} for one in reversed(run.thread.trail)):
        if lines := [line for line in _lines(step) if line["variable"] == name]:
            return str(lines[-1]["expression"])
    return ""


def _lines(node: JsonValue) -> Iterator[JsonObject]:
    """Yield all SET lines of a piece of IR, those of the results of calls aside."""
    if isinstance(node, list):
        for one in node:
            yield from _lines(one)
    elif isinstance(node, dict):
        if "variable" in node and "expression" in node:
            yield node
        for key, one in node.items():
            if key not in _RESULTS:
                yield from _lines(one)


def go_back(run: Run, step: str) -> None:
    """Go on from a step anew; that it is entered once more is no further attempt of the user's."""
    run.thread.attempts[step] = run.thread.attempts.get(step, 0) - 1
    run.unwind()
    run.state.turn.is_consumed = True
    run.push("flow.enter", step=step)


def earlier_step(run: Run, name: str) -> str:
    """Return the step to go back to for a value that was corrected at a later question, "" for none.

    What the step does that stands is done with the new value anyway.
    """

    def decides(step: JsonObject, *, is_asking: bool) -> bool:
        return not is_asking and _decides(run, step, {name}, everything=False)

    place = _first_that(run, name, decides)
    return "" if place is None else run.thread.trail[place]


def _takes(step: JsonObject, names: Set[str]) -> bool:
    """Return whether a step has one of these values of the user: what came before it was decided without."""
    fields = {str(one["name"]) for one in (step.get("gather") or {}).get("fields", ())}
    return not names.isdisjoint(fields | _set_by_answer(step))


def _set_by_answer(step: JsonObject) -> set[str]:
    return {str(line["variable"]) for branch in step.get("on_input", ()) for line in branch.get("set", ())}


def _decides(run: Run, step: JsonObject, names: Set[str], *, everything: bool) -> bool:
    """Return whether something in a step depends on one of these names; `everything`: its handlers too."""
    if step.get("human_approval"):
        return True
    if not names.isdisjoint(_set_by_answer(step)) and any(
        reads(run, branch.get("condition", ""), _TYPED, key="condition") for branch in step["on_input"]
    ):
        return True
    without = SPOKEN | {"call_with"}
    return reads(run, step, names, without=without if everything else without | LATER)


def _done_before(step: JsonObject, spec: JsonObject, *, is_asking: bool) -> JsonObject:
    """Return what of a step may have been done before the call that is asked about."""
    if not is_asking or step.get("call_spec") != spec:
        return _without(step, spec)
    above = {key: one for key, one in step.items() if key not in _BEHIND_CALL and key not in LATER}
    above["do"] = step.get("do", [])[: int(step.get("do_first", 0))]
    if step.get("transform_last"):
        above.pop("transform", None)
    if not step.get("check_first"):
        above.pop("check", None)
    return above


def _untested(done: JsonObject, *, is_asking: bool) -> JsonObject:
    """Return what was done without the CHECKs that a correction before the step's own call tests again."""
    kept = {key: one for key, one in done.items() if key != "check" or (not is_asking and "call_spec" in done)}
    if is_asking:
        kept["do"] = [one for one in done["do"] if not is_bare_check(one)]
    return kept


def is_bare_check(node: JsonObject) -> bool:
    """Return whether an entry of DO is a CHECK that does nothing itself: ON_FAIL of its step is next, if any."""
    return bool(node.get("check")) and not node.get("do") and not node.get("on_fail")


def _without(node: JsonObject, spec: JsonObject) -> JsonObject:
    """Return a piece of IR without the call that is asked about; a handler of the step may hold it."""
    kept: JsonObject = {}
    for key, one in node.items():
        if key == "call_spec" and one == spec:
            continue
        if isinstance(one, dict):
            kept[key] = _without(one, spec)
        elif isinstance(one, list):
            kept[key] = [_without(item, spec) if isinstance(item, dict) else item for item in one]
        else:
            kept[key] = one
    return kept
