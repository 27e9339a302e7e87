"""Sub-tasks for other agents: sent together, joined in the order of the text. Spec: abl-language 7.3."""

from __future__ import annotations

from domain.json_values import JsonObject
from domain.traces import TraceType
from engine import elsewhere, saying, variables
from engine.effects import Delegate
from engine.limits import DELEGATE_TIMEOUT_MS, MAX_DELEGATION_DEPTH
from engine.run import Run
from engine.state import Outcome, Task

MS_PER_SECOND = 1_000
MAX_RESULT_KEYS = 50


def many(run: Run, task: Task) -> None:
    """Send all due DELEGATE entries at once."""
    rules = run.agent.ir["coordination"]["delegates"]
    group = f"{run.state.turn.number}.{run.state.count + 1}" if len(task.data["rules"]) > 1 else ""
    settling = []
    for at in task.data["rules"]:
        rule = rules[at]
        run.decide("delegation", rule["agent"], condition=rule["when"], matched=True)
        effect = send(
            run, rule, {name: run.value(text) for name, text in (rule.get("input") or {}).items()}, group=group
        )
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
    told = task or run.render(rule.get("purpose", "")) or f"Sub-task of {run.thread.agent}"
    effect: str = run.send(
        Delegate,
        about=rule["agent"],
        notes={"task": told},
        target=target.name if target is not None else rule["agent"],
        task=told,
        input={name: value for name, value in given.items() if value is not None},
        timeout_ms=int(float(timeout) * MS_PER_SECOND) if timeout else DELEGATE_TIMEOUT_MS,
        remote=elsewhere.address_of(run, rule.get("remote"), target, rule["agent"]),
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


def settle(run: Run, task: Task) -> None:
    """Take the values of one child, or do its ON_FAILURE."""
    needs = task.data
    rule = run.agent.ir["coordination"]["delegates"][needs["rule"]]
    outcome = run.take(needs["effect"])
    record(run, rule["agent"], outcome, needs["effect"], needs["group"])
    if outcome.ok:
        take_values(run, rule, outcome)
        return
    run.fault("delegation_error", outcome.message or outcome.kind, origin="flow", details={"agent": rule["agent"]})
    match rule.get("on_failure", "continue"):
        case "retry" if outcome.kind != elsewhere.UNKNOWN and needs["attempt"] <= int(rule.get("retry_count", 1)):
            given = {name: run.value(text) for name, text in (rule.get("input") or {}).items()}
            effect = send(run, rule, given)
            run.push("delegate.settle", **{**needs, "effect": effect, "attempt": needs["attempt"] + 1})
        case "respond":
            saying.say(run, run.render(rule.get("failure_message", "")) or run.message("error_delegation"))
        case "escalate":
            run.unwind_turn()
            run.push("escalate.begin", reason=rule.get("on_failure_reason") or f"{rule['agent']} failed")
        case "handoff":
            run.unwind_turn()
            run.push("handoff.begin", target=rule.get("on_failure_target", ""), reason="failure")
        case _ if rule.get("failure_message"):
            saying.say(run, run.render(rule["failure_message"]))
        case _ if outcome.kind == elsewhere.UNKNOWN:
            saying.unknown_outcome(run, rule["agent"])
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
    """Send the DELEGATE of a handler, digression or branch."""
    written = task.data["call"]
    rule = next(
        (one for one in run.agent.ir["coordination"]["delegates"] if one["agent"] == written["agent"]),
        {"agent": written["agent"], "on_failure": "continue"},
    )
    inputs = written.get("input") or rule.get("input") or {}
    effect = send(run, rule, {name: run.value(text) for name, text in inputs.items()})
    run.push(
        "delegate.called",
        effect=effect,
        agent=written["agent"],
        returns=written.get("map") or rule.get("returns") or {},
    )


def called(run: Run, task: Task) -> None:
    """Take the result of a DELEGATE of a handler."""
    needs = task.data
    outcome = run.take(needs["effect"])
    record(run, needs["agent"], outcome, needs["effect"])
    if outcome.ok:
        take_values(run, {"agent": needs["agent"], "returns": needs["returns"]}, outcome)
    else:
        run.fault("delegation_error", outcome.message or outcome.kind, origin="flow")
        if outcome.kind == elsewhere.UNKNOWN:
            saying.unknown_outcome(run, needs["agent"])
        else:
            saying.tell(run, "error_delegation")


OPS = {
    "delegate.many": many,
    "delegate.settle": settle,
    "delegate.call": call,
    "delegate.called": called,
}
