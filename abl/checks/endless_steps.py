"""Steps that lead back to themselves without ever asking. Spec: abl-language 5.1, 5.8.

A turn ends where a step asks, waits, leaves the flow or has nothing to follow. A step from which no such place can be
reached runs in circles until the limit of steps per turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.checks.blocks import Block
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import Subject, dig, rows, text, texts
from abl.checks.report import Check
from abl.checks.targets import TARGET_KEYS, edges_of, entry_of, reached, targets_of
from abl.syntax.flow import TERMINALS

_WAITS = ("on_input", "await_attachment", "human_approval", "reasoning_zone", "check", "success_when", "on_error")
"""Keys of a step with which it can end the turn, or go another way than its THEN."""
_LEAVES = ("handoff", "delegate", "complete", "escalate", "collect", "retry")
_BRANCHES = ("on_result", "branches")
_MAY_CHANGE = (
    "call_spec", "transform", "await_attachment", "human_approval", "reasoning_zone", "max_attempts",
    "when", "on_error", "complete_when",
)  # fmt: skip
"""Keys of a step that may make its CHECK hold when it is entered again, or lead out of it."""
_HOLDS_CALLS = (
    "await_attachment", "human_approval", "reasoning_zone", "max_attempts", "when", "on_error", "check", "do",
    "transform", "complete_when", "success_when",
)  # fmt: skip
"""Keys of a step that wait, count or decide before its call is made again."""
_PASSES = frozenset({"name", "respond", "message_key", "voice_config", "rich_content", "then", "set", "clear"})
"""All that a step may have in which nothing but its own THEN can be next."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_WAITING_TOOLS = frozenset({"async_webhook", "workflow"})
_ASKING_TOOLS = ("jit_auth", "consent_mode")


def endless_steps(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield one finding for each circle of steps that nothing leads out of, at its first step.

    The flows that profiles put in the place of the agent's are looked at like its own.
    """
    for flow in (facts, *facts.with_other_flows):
        for step, way in _circles(flow, context):
            said = {"step": step, "detail": way}
            yield Finding("ENDLESS_STEPS", facts.block(flow.steps[step].subject), "then", arguments=said)
        for step, outcome, way in _failing_checks(flow):
            said = {"step": step, "detail": way}
            yield Finding("ENDLESS_STEPS", flow.block(outcome), "then", arguments=said)


def _failing_checks(facts: AgentFacts) -> Iterator[tuple[str, Subject, str]]:
    """Yield step, outcome and the way of each CHECK that leads back to its step, wherever it stands.

    Nothing on the way changes what its step looks at, so it comes out the same, again and again, until the limit of
    steps per turn.
    """
    changed = _changed_by_profiles(facts)
    for name, block in facts.steps.items():
        step = block.subject
        if name in changed or any(step.get(one) for one in _MAY_CHANGE):
            continue
        if any(one.get(key) for one in rows(step.get("do")) if not one.get("check") for key in (*_LEAVES, "resume")):
            continue
        checks = list(_checks_in(step.get("do")))
        asked = [text(step.get("check")), *(text(one.get("check")) for one in checks)]
        read = {word for one in asked for word in _WORD.findall(one)}
        read |= {text(field.get("name")) for field in rows(dig(step, "gather", "fields"))}
        if any(_changes(one, read) for one in ({**step, **_NO_WAYS}, *_actions_in(step.get("do")))):
            continue  # it gathers or sets anew each time
        for outcome in _outcomes_of(step, checks, is_checked=any(asked)):
            if way := _way_back(facts, name, outcome, read, changed):
                yield name, outcome, way
                break


_NO_WAYS: Subject = dict.fromkeys((*_LEAVES, *_BRANCHES))
"""What of a step says where it leads."""


def _actions_in(actions: object) -> Iterator[Subject]:
    """Yield the actions of a DO list and those nested in them, without what is done when a check fails."""
    for one in rows(actions):
        yield {**one, **_NO_WAYS}
        yield from _actions_in(one.get("do"))


def _checks_in(actions: object) -> Iterator[Subject]:
    """Yield the actions of a DO list that are checks, and those nested in them."""
    for one in rows(actions):
        if one.get("check"):
            yield one
        yield from _checks_in(one.get("do"))


def _gotos_in(actions: object) -> Iterator[Subject]:
    """Yield the actions of a DO list, and those nested in them, that lead to a step."""
    for one in rows(actions):
        if one.get("goto"):
            yield one
        yield from _gotos_in(one.get("do"))


def _outcomes_of(step: Subject, checks: list[Subject], *, is_checked: bool) -> Iterator[Subject]:
    """Yield what follows when a check of a step holds or does not, and its action that leads on in any case."""
    if is_checked:
        yield from (step[key] for key in ("on_fail", "on_failure") if isinstance(step.get(key), dict))
    for one in checks:
        if isinstance(one.get("on_fail"), dict):
            yield one["on_fail"]
    yield from _gotos_in(step.get("do"))


def _way_back(facts: AgentFacts, name: str, outcome: Subject, read: set[str], changed: set[str]) -> str:
    """Return how an outcome leads back to its step without a change of what is read, empty when it does not."""
    way, subject = [name], outcome
    while way[-1] not in way[:-1] and not _changes(subject, read):
        target = next((text(subject.get(one)) for one in ("then", "goto", "transition") if subject.get(one)), "")
        if target == name:
            return " -> ".join([*way, name])
        passed = facts.steps.get(target)
        if passed is None or target in changed or not _PASSES.issuperset(passed.subject):
            return ""
        way.append(target)
        subject = passed.subject
    return ""


def _changes(subject: Subject, read: set[str]) -> bool:
    """Return whether an outcome or a step changes what is read, or leads elsewhere than to its step."""
    if any(subject.get(key) for key in (*_LEAVES, *_BRANCHES, "call_spec", "resume")):
        return True
    touched = {*texts(subject.get("clear")), *texts(subject.get("clear_last"))}
    touched |= {text(one.get("variable")).partition(".")[0] for one in rows(subject.get("set"))}
    return not read.isdisjoint(touched)


def repeated_calls(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield one finding for each step that makes its call again at once, with the same arguments.

    What the call gives may be different the next time, so the circle may end; nothing waits in it.
    """
    for flow in (facts, *facts.with_other_flows):
        changed = _changed_by_profiles(flow)
        told = {name for _, way in _circles(flow, context) for name in way.split(" -> ")}
        for name, block in flow.steps.items():
            step = block.subject
            if (
                name in changed
                or name in told
                or not step.get("call_spec")
                or any(step.get(one) for one in _HOLDS_CALLS)
            ):
                continue
            if _may_wait(facts, step):
                continue
            read = _read_by_call(facts, step) | {
                text(field.get("name")) for field in rows(dig(step, "gather", "fields"))
            }
            if _changes({**step, **_NO_WAYS, "call_spec": None}, read):
                continue
            for outcome in _outcomes_of_call(step):
                if way := _way_back(flow, name, outcome, read, changed):
                    said = {"step": name, "name": text(step["call_spec"].get("tool")), "detail": way}
                    yield Finding("REPEATED_CALL", flow.block(outcome), "then", arguments=said)
                    break


def _read_by_call(facts: AgentFacts, step: Subject) -> set[str]:
    """Return the words that the arguments of a step's call read."""
    spec = step["call_spec"] if isinstance(step["call_spec"], dict) else {}
    given = [*(spec.get("with") or {}).values(), *texts(spec.get("args"))]
    read = {word for one in given for word in _WORD.findall(text(one))}
    if spec.get("from_state"):
        tool = next((one for one in rows(facts.ir.get("tools")) if one.get("name") == spec.get("tool")), {})
        read |= {text(one.get("name")) for one in rows(tool.get("parameters"))}
    return read


def _outcomes_of_call(step: Subject) -> Iterator[Subject]:
    """Yield what may follow the call of a step."""
    for key in ("on_success", "on_failure", "on_fail"):
        if isinstance(step.get(key), dict):
            yield from rows(step[key].get("branches"))
            yield step[key]
    yield from rows(step.get("on_result"))


def _circles(facts: AgentFacts, context: CheckContext) -> Iterator[tuple[str, str]]:
    """Yield the first step of each circle that nothing leads out of, and the way around."""
    entry = entry_of(facts)
    if entry not in facts.steps:
        return
    edges = edges_of(facts, context, targets_of(facts))
    after = {name: reached(edges, following) for name, following in edges.items()}
    circles = {name: {one for one in found if name in after[one]} for name, found in after.items() if name in found}
    under: dict[str, list[Block]] = {name: [] for name in facts.steps}
    for block in facts.under("flow"):
        under.get(block.step, []).append(block)
    resting = {name for name in facts.steps if _rests(facts, name, edges[name], circles.get(name, set()), under)}
    resting |= _changed_by_profiles(facts)
    told: set[str] = set()
    for name in facts.steps:
        circle = circles.get(name)
        if circle is None or name in told or not resting.isdisjoint({name, *after[name]}):
            continue
        told |= circle
        way = " -> ".join([*(one for one in facts.steps if one in circle), name])
        yield name, way


def _rests(facts: AgentFacts, name: str, following: set[str], circle: set[str], under: dict[str, list[Block]]) -> bool:
    """Return whether the turn can end at a step, or the flow be left there."""
    step = facts.steps[name].subject
    leads_on = text(step.get("then")) or _always_leads_on(step)
    if not following or not leads_on or any(step.get(key) for key in _WAITS):
        return True
    if any(_leads_out(block.subject) for block in under[name]) or _may_wait(facts, step):
        return True
    return bool(step.get("gather")) and (
        not circle or _is_asked_again(step, [one for at in circle for one in under[at]])
    )


def _always_leads_on(step: Subject) -> bool:
    """Return whether a call leads on whatever comes of it."""
    if any("condition" not in one and text(one.get("then")) for one in rows(step.get("on_result"))):
        return True
    failed = step.get("on_failure") or step.get("on_fail")
    return all(isinstance(one, dict) and bool(text(one.get("then"))) for one in (step.get("on_success"), failed))


def _changed_by_profiles(facts: AgentFacts) -> set[str]:
    """Return the steps that a profile skips, changes or puts others beside: where they lead is not known here."""
    found: set[str] = set()
    for profile in rows(facts.ir.get("behavior_profiles")):
        changes = profile.get("flow_modifications")
        if not isinstance(changes, dict):
            continue
        found.update(texts(changes.get("skip")))
        found.update(str(name) for name in changes.get("overrides") or ())
        found.update(text(one.get(key)) for one in rows(changes.get("insertions")) for key in ("before", "after"))
    return found


def _leads_out(subject: Subject) -> bool:
    goals = (subject.get(key) for key in TARGET_KEYS)
    if any(isinstance(goal, str) and goal.strip().upper() in TERMINALS for goal in goals):
        return True
    if any(subject.get(key) for key in _LEAVES):
        return True
    return any(not text(branch.get("then")) for key in _BRANCHES for branch in rows(subject.get(key)))


def _may_wait(facts: AgentFacts, step: Subject) -> bool:
    """Return whether the call of a step asks the user first, or suspends the session; an unknown tool may."""
    spec = step.get("call_spec")
    if not isinstance(spec, dict):
        return False
    tool = next((one for one in rows(facts.ir.get("tools")) if one.get("name") == spec.get("tool")), None)
    if tool is None or text(tool.get("tool_type")) in _WAITING_TOOLS:
        return True
    return _asks_first(tool) or any(tool.get(key) for key in _ASKING_TOOLS)


def _asks_first(tool: Subject) -> bool:
    """Return whether the user is asked about each call of a tool, or may be asked to agree to it."""
    confirmation = tool.get("confirmation")
    if not isinstance(confirmation, dict):
        return bool(confirmation)
    require = text(confirmation.get("require")) or "always"
    is_asked = require == "always" or (require != "never" and bool(dig(tool, "hints", "side_effects")))
    return is_asked or bool(confirmation.get("consent_required_in"))


def _is_asked_again(step: Subject, circle: list[Block]) -> bool:
    """Return whether a gather in a circle asks each time: a field of it is cleared or set on the way."""
    gather = step["gather"] if isinstance(step["gather"], dict) else {}
    if gather.get("complete_when") or step.get("complete_when") or step.get("on_fail"):
        return True
    names = {text(field.get("name")) for field in rows(gather.get("fields"))}
    for block in circle:
        subject = block.subject
        touched = {one for key in ("clear", "clear_last", "collect") for one in texts(subject.get(key))}
        touched |= {text(one.get("variable")) for one in rows(subject.get("set"))}
        if not names.isdisjoint(touched):
            return True
    return False


CHECKS = (Check("ENDLESS_STEPS", endless_steps), Check("REPEATED_CALL", repeated_calls))
"""The rules of this family."""
