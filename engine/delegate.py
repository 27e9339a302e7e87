"""Sub-tasks for other agents: sent together, joined in the order of the text. Spec: abl-language 7.3."""

from __future__ import annotations

import msgspec

from domain.json_values import JsonObject
from domain.traces import TraceType
from engine import changing, elsewhere, saying, variables
from engine.effects import Delegate
from engine.limits import DELEGATE_TIMEOUT_MS, MAX_DELEGATION_DEPTH
from engine.run import Run
from engine.state import Outcome, Task

MS_PER_SECOND = 1_000
MAX_RESULT_KEYS = 50
CUT_OFF = frozenset({"timeout", "lost", "cancelled"})
"""How a sub-task fails that was begun and has not said how far it came."""
MAY_CHANGE = "mayChange"
"""The note on a sub-task whose agent, or one that it can reach, can change something outside."""


def many(run: Run, task: Task) -> None:
    """Send all due DELEGATE entries at once."""
    rules = run.agent.ir["coordination"]["delegates"]
    group = f"{run.state.turn.number}.{run.state.count + 1}" if len(task.data["rules"]) > 1 else ""
    settling = []
    for at in task.data["rules"]:
        rule = rules[at]
        run.decide("delegation", rule["agent"], condition=rule["when"], matched=True)
        effect = send(run, rule, _given(run, rule.get("input")), group=group)
        settling.append(("delegate.settle", {"effect": effect, "rule": at, "group": group, "attempt": 1}))
    run.push_all(settling)


def send(run: Run, rule: JsonObject, given: JsonObject, *, task: str = "", group: str = "") -> str:
    """Send one sub-task and return the effect's id; agents that delegate too deep get a failure at once."""
    depth = int(run.state.begun.input.get("_depth", 0)) + 1 if run.state.begun.task else 1
    if depth > MAX_DELEGATION_DEPTH:
        refused = run.next_id()
        message = f"Sub-tasks lead to sub-tasks more than {MAX_DELEGATION_DEPTH} deep"
        run.state.outcomes[refused] = Outcome(ok=False, kind="delegation_error", message=message)
        return refused
    target = run.program.find(rule["agent"])
    timeout = rule.get("timeout")
    remote = elsewhere.address_of(run, rule.get("remote"), target, rule["agent"])
    told = task or run.render(rule.get("purpose", "")) or f"Sub-task of {run.thread.agent}"
    effect: str = run.send(
        Delegate,
        about=rule["agent"],
        notes={
            "task": told,
            **({MAY_CHANGE: True} if remote or changing.can_change(run.program, rule["agent"]) else {}),
        },
        target=target.name if target is not None else rule["agent"],
        task=told,
        input={name: value for name, value in given.items() if value is not None},
        timeout_ms=int(float(timeout) * MS_PER_SECOND) if timeout else DELEGATE_TIMEOUT_MS,
        remote=remote,
        group=group,
        depth=depth,
    )
    run.act("delegate", agent=rule["agent"], useResult=bool(rule.get("use_result")))
    return effect


def record(run: Run, target: str, outcome: Outcome, effect: str, group: str = "") -> None:
    """Record what came of a sub-task."""
    run.trace(
        TraceType.DELEGATE,
        span=effect,
        took_ms=outcome.duration_ms,
        fromAgent=run.thread.agent,
        toAgent=target,
        task=str(outcome.extra.get("task", "")),
        success=outcome.ok,
        result=outcome.value if outcome.ok else None,
        parallelGroup=group or None,
        error=None if outcome.ok else {"code": outcome.kind, "message": outcome.message},
        duration_ms=outcome.duration_ms,
    )


def taken(run: Run, effect: str, target: str, group: str = "") -> Outcome:
    """Record and return what came of a sub-task; one that was cut off and may have changed something is unknown."""
    outcome = run.take(effect)
    if outcome.kind in CUT_OFF and outcome.extra.get(MAY_CHANGE):
        outcome = msgspec.structs.replace(outcome, kind=elsewhere.UNKNOWN)
    is_unknown = outcome.kind == elsewhere.UNKNOWN
    changing.note(run, changing.UNKNOWN if is_unknown else str(outcome.extra.get("changes", "")))
    record(run, target, outcome, effect, group)
    return outcome


def settle(run: Run, task: Task) -> None:
    """Take the values of one child, or do its ON_FAILURE."""
    needs = task.data
    rule = run.agent.ir["coordination"]["delegates"][needs["rule"]]
    outcome = taken(run, needs["effect"], rule["agent"], needs["group"])
    if outcome.ok:
        take_values(run, rule, outcome)
        return
    _fault(run, rule, outcome)
    if _tries_again(rule, outcome, needs["attempt"]):
        effect = send(run, rule, _given(run, rule.get("input")))
        run.push("delegate.settle", **{**needs, "effect": effect, "attempt": needs["attempt"] + 1})
    else:
        _follow(run, rule, outcome)


def _given(run: Run, inputs: JsonObject | None) -> JsonObject:
    return {name: run.value(text) for name, text in (inputs or {}).items()}


def _fault(run: Run, rule: JsonObject, outcome: Outcome) -> None:
    run.fault("delegation_error", outcome.message or outcome.kind, origin="flow", details={"agent": rule["agent"]})


def _tries_again(rule: JsonObject, outcome: Outcome, attempt: int) -> bool:
    """Return whether a sub-task is given out again: as the rule says, unless it has changed something or may have.

    One that another system has refused, or whose address may not be called, is not: it would be refused again.
    """
    lasts = bool(rule.get("remote")) and outcome.kind == elsewhere.REFUSED
    may_be = outcome.kind != elsewhere.UNKNOWN and not outcome.extra.get("changes") and not lasts
    return may_be and rule.get("on_failure") == "retry" and attempt <= int(rule.get("retry_count", 1))


def _follow(run: Run, rule: JsonObject, outcome: Outcome, stock: str = "") -> None:
    """Do ON_FAILURE of a sub-task that is not tried again; `stock` names what is said where the rule says nothing.

    The words of a rule are for failures: of one that may have been done they are not true. Decision: 0067.
    """
    is_unknown = outcome.kind == elsewhere.UNKNOWN
    match rule.get("on_failure", "continue"):
        case "respond" if not is_unknown:
            saying.say(run, run.render(rule.get("failure_message", "")) or run.message("error_delegation"))
        case "escalate":
            run.unwind_turn()
            written = rule.get("on_failure_reason")
            run.push("escalate.begin", reason=written or f"{rule['agent']} failed", is_written=bool(written))
        case "handoff":
            run.unwind_turn()
            run.push("handoff.begin", target=rule.get("on_failure_target", ""), reason="failure")
        case _ if is_unknown:
            saying.unknown_outcome(run, rule["agent"])
        case _ if rule.get("failure_message"):
            saying.say(run, run.render(rule["failure_message"]))
        case _ if stock:
            saying.tell(run, stock)
        case _:
            pass


def take_values(run: Run, rule: JsonObject, outcome: Outcome) -> None:
    """Copy what RETURNS names; the result is kept for the prompt when USE_RESULT says what to do with it."""
    values = outcome.value if isinstance(outcome.value, dict) else {}
    for theirs, ours in (rule.get("returns") or {}).items():
        if values.get(theirs) is not None:
            variables.set_value(run, ours, values[theirs], "tool")
    run.thread.last_result = values
    if rule.get("use_result"):
        text = str(outcome.extra.get("text", ""))
        note = f"Result of {rule['agent']}: {text or _short(values)}. {rule['use_result']}"
        run.thread.recalled.append(note)


def _short(values: JsonObject) -> str:
    return ", ".join(f"{name}: {value}" for name, value in list(values.items())[:MAX_RESULT_KEYS])


def call(run: Run, task: Task) -> None:
    """Send the DELEGATE of a step, handler, digression or branch."""
    written = task.data["call"]
    rule = _rule_of(run, written["agent"])
    effect = send(run, rule, _given(run, written.get("input") or rule.get("input")))
    returns = written.get("map") or rule.get("returns") or {}
    run.push("delegate.called", effect=effect, agent=written["agent"], returns=returns, call=written, attempt=1)


def called(run: Run, task: Task) -> None:
    """Take the result of such a DELEGATE, or do the ON_FAILURE of its rule."""
    needs = task.data
    rule, outcome = _rule_of(run, needs["agent"]), taken(run, needs["effect"], needs["agent"])
    if outcome.ok:
        take_values(run, {"agent": needs["agent"], "returns": needs["returns"]}, outcome)
        if needs["call"].get("tells") and (told := str(outcome.extra.get("text") or "")):
            saying.say(run, told)
        return
    _fault(run, rule, outcome)
    if _tries_again(rule, outcome, needs["attempt"]):
        effect = send(run, rule, _given(run, needs["call"].get("input") or rule.get("input")))
        run.push("delegate.called", **{**needs, "effect": effect, "attempt": needs["attempt"] + 1})
    else:
        _follow(run, rule, outcome, stock="error_delegation")


def _rule_of(run: Run, agent: str) -> JsonObject:
    """Return the DELEGATE entry of an agent."""
    rules = run.agent.ir["coordination"]["delegates"]
    return next((one for one in rules if one["agent"] == agent), {"agent": agent, "on_failure": "continue"})


OPS = {
    "delegate.many": many,
    "delegate.settle": settle,
    "delegate.call": call,
    "delegate.called": called,
}
