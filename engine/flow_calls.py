"""The part of a step around its CALL: the call itself, CHECK, and the outcomes. Spec: abl-language 5.4, 5.8."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from domain.json_values import JsonObject
from domain.tool_calls import is_final
from engine import (
    actions,
    asked_calls,
    calls,
    changing,
    consent,
    constraints,
    failures,
    profiles,
    rewinding,
    saying,
    variables,
)
from engine.effects import StartTimer
from engine.limits import MAX_MISSES
from engine.phases import CALL, CHECK, INPUT, PREPARE
from engine.run import Run
from engine.state import Outcome, Task
from engine.transform import transform
from engine.waiting import approval_phase

SENT, ANSWERED = 1, 2
"""How far the call of a step had come whose turn was given up."""
GIVEN_UP = "The turn was given up before an answer came"
UNTOLD, TOLD = 1, 2
"""Whether the user has been told that nobody knows whether the call was made."""


def speaks_after_call(step: JsonObject) -> bool:
    """Return whether the answer of a step mentions what its call or its DO gives, and therefore comes after it."""
    if "call_spec" not in step and not step.get("do"):
        return False
    if step.get("say_last"):
        return True
    names = {name.partition(".")[0] for name in _set_by(step.get("do", ()))}
    if spec := step.get("call_spec"):
        names |= {line["variable"].partition(".")[0] for line in spec.get("set", ())}
        names |= {"result", "match", spec.get("as", ""), spec["tool"], f"last_{spec['tool']}_result"}
    said = f"{step.get('respond', '')} {step.get('rich_content', '')} {step.get('voice_config', '')}"
    mentioned = " ".join(re.findall(r"\{\{(.*?)\}\}", said, re.DOTALL))
    return any(re.search(rf"\b{re.escape(name)}\b", mentioned) for name in names if name)


def _set_by(nodes: Iterable[JsonObject]) -> Iterator[str]:
    """Yield the variables that actions give a value, those under checks too."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        yield from (str(line["variable"]) for line in node.get("set", ()))
        spec = node.get("call_spec") or {}
        yield str(spec.get("as", ""))
        yield from (str(line["variable"]) for line in spec.get("set", ()))
        pending += node.get("do", ())


def _failed_key(step: JsonObject) -> str:
    return f"call:{step['name']}"


def given_up_key(step: str) -> str:
    """Return the counter of a thread that says how far the call of a step had come when its turn was given up."""
    return f"given_up:{step}"


def _doubt_key(step: JsonObject) -> str:
    return f"doubt:{step['name']}"


def before_call(run: Run, step: JsonObject) -> None:
    """Do what stands above the call; a person's approval is asked for behind it. Decision: 0088."""
    if step.get("do_first"):
        run.state.turn.failures.pop(_failed_key(step), None)
        run.push("flow.approval", step=step["name"])
        run.push("flow.do", step=step["name"], at=0, until=step["do_first"])
    else:
        approval_phase(run, step)


def ask_approval(run: Run, task: Task) -> None:
    """Ask a person, where the step wants that."""
    approval_phase(run, profiles.step_of(run, task.data["step"]) or {})


def call_phase(run: Run, step: JsonObject) -> None:
    """Send the call of the step, unless a constraint at this checkpoint forbids it."""
    spec = step.get("call_spec")
    if step.get("do_first") and _failed_key(step) in run.state.turn.failures:
        return  # a call above it was refused, and this one counts as failed with it
    if spec is None or (step.get("check_first") and not _is_let_through(run, step)):
        return
    arguments = consent.as_settled(run, spec["tool"], step["name"], calls.arguments_of(run, spec))
    tool = calls.tool_of(run, spec["tool"])
    rule = constraints.forbids(run, tool, spec["tool"], arguments)
    if rule is not None:
        run.push("constraint.act", rule=rule)
        return
    need = asked_calls.needed(run, tool, arguments)
    if tool is not None and need:
        _hold_back(run, step, tool, arguments, need)
        return
    run.state.turn.is_agreed |= tool is not None and changing.asks_each_time(tool)
    run.thread.confirmation = {}
    key = f"step:{run.state.count}"
    run.push("flow.called", step=step["name"], key=key, arguments=arguments)
    run.state.tasks.append(calls.send(run, spec["tool"], arguments, key))


def _is_let_through(run: Run, step: JsonObject) -> bool:
    """Return whether the CHECK above a call holds; where it does not, the call is not made. Decision: 0080."""
    if run.test(step["check"]):
        return True
    _refuse_check(run, step, step["check"], is_guard=True)
    return False


def answered(run: Run, step: JsonObject) -> None:
    """Take the answer to what was asked before the call; a model reads what the words leave open."""
    if consent.is_open_to_model(run):
        run.state.turn.is_consumed, run.thread.awaiting = True, ""
        run.push("flow.answered", step=step["name"], effect=consent.ask_model(run))
        return
    _settle(run, step, "")


def read_by_model(run: Run, task: Task) -> None:
    """Take what a model says an answer was; without a clear one the question stays open."""
    step = profiles.step_of(run, task.data["step"]) or {"name": task.data["step"]}
    _settle(run, step, consent.model_answer(run, task.data["effect"]))


def _settle(run: Run, step: JsonObject, by_model: str) -> None:
    """Make the call, refuse it, or ask about it again."""
    asked, spec = run.thread.confirmation, step.get("call_spec") or {}
    name = str(asked.get("tool"))
    tool = calls.tool_of(run, name) or {"name": name}
    run.state.turn.is_consumed, run.thread.awaiting = True, ""
    now = {**calls.arguments_of(run, spec), **(asked.get("corrected") or {})} if spec else None
    answer = consent.answer(run, tool, now, by_model=by_model)
    if answer == "correction":
        if asked_calls.take_over(run, spec):
            return
        if (broken := _broken_before(run, step)) is not None:
            run.thread.confirmation, run.thread.step = {}, broken["name"]
            run.push("flow.step", step=broken["name"], phase=CHECK)
            return
        if (at := _broken_above(run, step)) is not None:
            run.state.turn.is_consumed = False
            run.push("flow.step", step=step["name"], phase=CALL)
            run.push("flow.do", step=step["name"], at=at, until=at + 1)
            return
    else:
        run.thread.misses += 1
    is_open = answer not in ("no", "cancel") and run.thread.misses < MAX_MISSES
    if answer in ("yes", "changed") or is_open:
        if answer == "unclear":
            saying.tell(run, "correction_unclear")
        run.state.turn.is_consumed = answer == "yes"
        run.push("flow.step", step=step["name"], phase=CALL)
        return
    run.push("flow.step", step=step["name"], phase=CHECK)
    refused(run, step, consent.refusal("declined", tool))


def _broken_before(run: Run, step: JsonObject) -> JsonObject | None:
    """Return the step on the way to this one whose CHECK does not hold any more, None where all do.

    The CHECK of a step that calls is of its result, and the result is not changed by a correction.
    """
    for name in reversed(run.thread.trail):
        before = profiles.step_of(run, name) or {}
        is_own = name == step["name"] or "call_spec" in before
        if not is_own and before.get("check") and not run.test(before["check"]):
            return before
    return None


def _broken_above(run: Run, step: JsonObject) -> int | None:
    """Return which bare CHECK of DO above the call a correction has broken, None for none.

    One that does something itself is done again with its step (`rewinding`). Decisions: 0088, 0098.
    """
    above = step.get("do", ())[: int(step.get("do_first", 0))]
    checks = ((at, one["check"]) for at, one in enumerate(above) if rewinding.is_bare_check(one))
    return next((at for at, check in checks if not run.test(check)), None)


def _hold_back(run: Run, step: JsonObject, tool: JsonObject, arguments: JsonObject, need: consent.Need) -> None:
    """Ask the user first; what was refused counts as a failed call."""
    if need in ("declined", "unauthorized"):
        refused(run, step, consent.refusal(need, tool))
    elif need == "auth":
        run.thread.awaiting = "callback"
        consent.sign_in(run, tool, ("flow.step", {"step": step["name"], "phase": CALL}))
    else:
        fixed = asked_calls.fixed(run, tool, step["call_spec"])
        words = consent.ask(run, need, tool, arguments, step=step["name"], fixed=fixed)
        run.thread.awaiting = "confirm"
        saying.say(run, words)
        run.act("collect", fields=[], prompts=[words])
        run.unwind()


def refused(run: Run, step: JsonObject, outcome: Outcome) -> None:
    """Let a call count as failed that was never made."""
    run.state.turn.failures[_failed_key(step)] = 1
    run.thread.last_result = {"error": outcome.kind, "code": outcome.code, "message": outcome.message}
    run.state.turn.error = outcome.kind
    if not any(step.get(name) for name in ("on_failure", "on_fail", "on_result")):
        saying.tell(run, "constraint_blocked")


def called(run: Run, task: Task) -> None:
    """Take the result; a failure meets ON_ERROR before the outcomes of the step."""
    step = profiles.step_of(run, task.data["step"]) or {"name": task.data["step"]}
    spec, outcome = step["call_spec"], run.take(task.data["key"])
    failures_ = run.state.turn.failures
    failures_.pop(_failed_key(step), None)
    failures_.pop(_doubt_key(step), None)
    if outcome.ok:
        failures_.pop(f"step:{step['name']}", None)
        if "as" in spec:
            variables.set_value(run, spec["as"], run.thread.last_result, "tool")
        variables.set_lines(run, spec.get("set", ()), "tool")
        return
    failures_[_failed_key(step)] = 1
    run.state.turn.error = outcome.kind
    handler = failures.find(run, outcome.kind, (spec["tool"], outcome.code))
    lasts = is_final(outcome.kind, outcome.code)
    if handler.retries_step and not lasts and _retry_step(run, step, handler):
        tool = calls.tool_of(run, spec["tool"]) or {}
        if outcome.kind not in changing.IN_DOUBT and changing.asks_each_time(tool) and "arguments" in task.data:
            consent.grant_again(run, spec["tool"], step["name"], task.data["arguments"])
        return
    has_outcome = any(step.get(name) for name in ("on_failure", "on_fail", "on_result"))
    is_for_doubt = outcome.kind == failures.UNKNOWN and failures.is_for_unknown(handler)
    if outcome.kind == failures.UNKNOWN:
        failures_[_doubt_key(step)] = UNTOLD
    if handler.retries_step and not has_outcome:
        run.unwind()
        run.push("escalate.begin", reason=outcome.message or outcome.kind)
    elif handler.level == "step" or not has_outcome or is_for_doubt:
        if _doubt_key(step) in failures_:
            failures_[_doubt_key(step)] = TOLD
        failures.follow(run, handler, outcome.kind, outcome.message, subject=spec["tool"])


def left_behind(run: Run, step: JsonObject) -> None:
    """Go on behind a call whose turn was given up, which is not made again: nobody knows what came of it.

    As after a call whose outcome is unknown, and the user has been told so, or has taken his question back. Decision:
    0084.
    """
    name, failures_ = step["name"], run.state.turn.failures
    if run.thread.counters.pop(given_up_key(name), 0) == ANSWERED or "call_spec" not in step:
        target = _way_on(run, step)
        if target:
            run.push("flow.leave", step=name)
            run.push("flow.enter", step=target)
        else:
            run.push("flow.step", step=name, phase=INPUT)
        return
    tool = step["call_spec"]["tool"]
    failures_[_failed_key(step)], failures_[_doubt_key(step)] = 1, TOLD
    run.thread.last_result = {"error": failures.UNKNOWN, "code": "", "message": GIVEN_UP}
    run.state.turn.error = failures.UNKNOWN
    run.push("flow.step", step=name, phase=CHECK)
    handler = failures.find(run, failures.UNKNOWN, (tool, ""))
    if failures.is_for_unknown(handler) and not handler.retries_step:
        failures.follow(run, handler, failures.UNKNOWN, GIVEN_UP, subject=tool)


def _way_on(run: Run, step: JsonObject) -> str:
    """Return where the outcome of an answered call leads when the step itself leads nowhere."""
    if step.get("on_input") or step.get("then"):
        return ""
    has_failed = isinstance(run.thread.last_result, dict) and "error" in run.thread.last_result
    failed = step.get("on_failure") or step.get("on_fail")
    outcomes = [failed, step.get("on_success")] if has_failed else [step.get("on_success"), failed]
    outcomes += [one for one in step.get("on_result", ()) if "condition" not in one]
    return next((str(one["then"]) for one in outcomes if one and one.get("then")), "")


def _retry_step(run: Run, step: JsonObject, handler: failures.Handler) -> bool:
    counts, key = run.state.turn.failures, f"step:{step['name']}"
    counts[key] = counts.get(key, 0) + 1
    delay = failures.delay_before(handler, counts[key])
    if delay is None:
        return False
    if counts[key] == 1:
        saying.respond(run, handler.ir)
    run.decide("retry", step["name"], outcome=f"attempt {counts[key] + 1}")
    run.unwind()
    run.push("flow.again", step=step["name"], phase=PREPARE)
    if delay:
        run.send(StartTimer, delay_ms=delay, reason=f"retry {step['name']}")
    return True


def _perform(run: Run, step: JsonObject, node: JsonObject, doubt: int) -> None:
    """Do what a step says of its call; where nobody knows whether it was made, all but the words: they are not true.

    An author who asks for `outcome_unknown` in `node` knows of it, and all is done as it is written. Decision: 0067.
    """
    if not doubt or failures.UNKNOWN in str(node):
        actions.perform(run, node)
        return
    if doubt == UNTOLD:
        saying.unknown_outcome(run, step["call_spec"]["tool"])
    actions.perform(run, _without_words(node))


def _without_words(node: JsonObject) -> JsonObject:
    kept = {key: value for key, value in node.items() if key not in saying.WORDS}
    kept |= {key: [_without_words(one) for one in kept[key]] for key in ("branches", "do") if key in kept}
    if "on_fail" in kept:
        kept["on_fail"] = _without_words(kept["on_fail"])
    return kept


def check_phase(run: Run, step: JsonObject) -> None:
    """Look at the rules after a result, then at CHECK and SUCCESS_WHEN; a failed call has its own way out."""
    if "call_spec" in step and _failed_key(step) not in run.state.turn.failures:
        if step.get("transform_last"):
            transform(run, step["transform"])
        rule = constraints.violated(run, constraints.rules_of(run))
        if rule is not None:
            run.push("constraint.act", rule=rule)
            return
    _test_success(run, step)
    if _failed_key(step) in run.state.turn.failures:
        return
    if not step.get("check") or step.get("check_first") or run.test(step["check"]):
        if step.get("do"):
            run.push("flow.do", step=step["name"], at=step.get("do_first", 0))
        return
    run.decide("flow_transition", step["name"], outcome="check failed", condition=step["check"], matched=False)
    _fail_check(run, step, step.get("on_fail") or step.get("on_failure"))


def do_op(run: Run, task: Task) -> None:
    """Do one action of DO; the next one follows unless it leads elsewhere. Spec: abl-language 5.5.

    A CHECK without anything under it has to hold, or ON_FAIL of the step is next. Of those that have, each is tried;
    when none holds, ON_FAIL of the step is next.
    """
    at, step = int(task.data["at"]), profiles.step_of(run, task.data["step"]) or {"name": task.data["step"]}
    actions_, tried, held = step.get("do", ()), bool(task.data.get("tried")), bool(task.data.get("held"))
    until = task.data.get("until")
    if at >= len(actions_[:until]):
        if tried and not held:
            _fail_check(run, step, step.get("on_fail"))
        return
    node = actions_[at]
    is_check = bool(node.get("check"))
    holds = is_check and run.test(node["check"])
    branches = is_check and bool(node.get("do"))
    more = {} if until is None else {"until": until}
    run.push(
        "flow.do", step=step["name"], at=at + 1, tried=tried or branches, held=held or (branches and holds), **more
    )
    if not is_check:
        actions.perform(run, node)
    elif holds or node.get("on_fail") or branches:
        actions.checked(run, node, holds=holds)
    else:
        _refuse_check(run, step, node["check"], is_guard=until is not None)


def _refuse_check(run: Run, step: JsonObject, condition: str, *, is_guard: bool) -> None:
    """Go to ON_FAIL for a CHECK that does not hold. One above the call is its guard: the call counts as failed then."""
    run.decide("flow_transition", step["name"], outcome="check failed", condition=condition, matched=False)
    outcome = step.get("on_fail") or step.get("on_failure")
    if is_guard:
        run.thread.confirmation = {}
    if is_guard and not outcome:
        run.state.turn.failures[_failed_key(step)] = 1
        run.thread.last_result = {"error": "check_failed", "message": f"CHECK does not hold: {condition}"}
        run.unwind()
        run.push("flow.step", step=step["name"], phase=CHECK)
    elif not outcome and run.state.tasks and run.state.tasks[-1].op == "flow.do":
        run.state.tasks.pop()  # with no way out, what stands below it in its list is not done
    _fail_check(run, step, outcome)


def _fail_check(run: Run, step: JsonObject, outcome: JsonObject | None) -> None:
    if outcome:
        run.push("flow.leave", step=step["name"])
        actions.perform(run, outcome)


def _test_success(run: Run, step: JsonObject) -> None:
    """Let the step count as failed when SUCCESS_WHEN does not hold."""
    condition = step.get("success_when")
    if not condition or _failed_key(step) in run.state.turn.failures or run.test(condition):
        return
    run.state.turn.failures[_failed_key(step)] = 1
    run.decide("flow_transition", step["name"], outcome="no success", condition=condition, matched=False)


def result_phase(run: Run, step: JsonObject) -> None:
    """Run ON_RESULT, else ON_SUCCESS or ON_FAILURE/ON_FAIL; the answer that waited for the call comes first."""
    has_failed = _failed_key(step) in run.state.turn.failures
    doubt = run.state.turn.failures.pop(_doubt_key(step), 0)
    if has_failed:
        run.state.turn.failures.pop(_failed_key(step))
        outcome = step.get("on_failure") or step.get("on_fail")
        if outcome:
            _perform(run, step, outcome, doubt)
            return
    elif speaks_after_call(step):
        saying.respond(run, step)
    branch = actions.first_branch(run, step.get("on_result", ()))
    if branch is not None:
        run.decide(
            "flow_transition", str(branch.get("then", "stay")), condition=branch.get("condition", "ELSE"), matched=True
        )
        _perform(run, step, branch, doubt)
    elif doubt == UNTOLD:
        saying.unknown_outcome(run, step["call_spec"]["tool"])
    elif not has_failed and step.get("on_success"):
        actions.perform(run, step["on_success"])


OPS = {"flow.called": called, "flow.answered": read_by_model, "flow.do": do_op, "flow.approval": ask_approval}
