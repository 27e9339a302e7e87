"""Where control goes: ESCALATE, then HANDOFF, then DELEGATE on conditions over state; COMPLETE; broken constraints.

Spec: abl-language 7.1, 7.4, 7.5, 8.
"""

from __future__ import annotations

from abl.compiler.conditions import is_always
from domain.json_values import JsonObject
from engine import constraints, memory, profiles, saying, variables
from engine.effects import OpenTask, Suspend, request_hash
from engine.gather import prompt_of
from engine.limits import MAX_REASON_CHARS, MIN_REASON_CHARS
from engine.run import Run
from engine.state import Task

PRIORITIES = {0: "critical", 1: "critical", 2: "high", 3: "medium"}
OWN_INTENTS = frozenset({"greeting", "farewell"})


def route(run: Run, task: Task) -> None:
    """Look at the rules over state and push the first thing they ask for."""
    is_first = bool(task.data.get("is_first"))
    if _escalates(run) or _hands_off(run, with_default=is_first):
        return
    give_out(run)


def give_out(run: Run) -> bool:
    """Give out the sub-tasks whose conditions hold and that have not been given out; return whether there are any."""
    due = {
        at: delegate_mark(run, at, one)
        for at, one in enumerate(run.agent.ir["coordination"]["delegates"])
        if not is_always(one["when"]) and run.test(one["when"])
    }
    fresh = [at for at, mark in due.items() if mark not in run.thread.fired]
    if fresh:
        run.thread.fired += [due[at] for at in fresh]
        run.push("delegate.many", rules=fresh)
    return bool(fresh)


def delegate_mark(run: Run, at: int, rule: JsonObject) -> str:
    """Return what marks a sub-task as given: the entry, and what it is given."""
    given = {name: run.value(text) for name, text in (rule.get("input") or {}).items()}
    return f"delegate:{at}:{request_hash(given)[:8]}" if given else f"delegate:{at}:"


def _escalates(run: Run) -> bool:
    escalation = run.agent.ir["coordination"]["escalation"]
    if any(one.kind == "human" for one in run.state.suspensions.values()):
        return False
    for at, trigger in enumerate(escalation.get("triggers", ())):
        if f"escalate:{at}" in run.thread.fired or not trigger.get("when") or not run.test(trigger["when"]):
            continue
        run.thread.fired.append(f"escalate:{at}")
        run.decide("escalation", trigger.get("reason", ""), condition=trigger["when"], matched=True)
        run.unwind_turn()
        needs = {
            "reason": trigger.get("reason", ""),
            "priority": trigger.get("priority"),
            "tags": trigger.get("tags", []),
            "is_written": True,
        }
        run.push("escalate.begin", **needs)
        return True
    return False


def _hands_off(run: Run, *, with_default: bool) -> bool:
    handoffs = sorted(enumerate(run.agent.handoffs), key=lambda one: (one[1].get("priority", 1_000), one[0]))
    speaks_itself = run.agent.is_supervisor and run.state.intent.get("category") in OWN_INTENTS
    for at, rule in handoffs:
        when = rule.get("when", "")
        if not when or f"handoff:{at}" in run.thread.fired:
            continue
        if is_always(when) and (not with_default or speaks_itself):
            continue
        if run.test(when):
            run.decide(
                "handoff", rule["to"], condition=when, matched=True, candidates=[one["to"] for _, one in handoffs]
            )
            run.thread.fired.append(f"handoff:{at}")
            run.unwind_turn()
            run.push("handoff.begin", target=rule["to"], rule=at, reason=when)
            return True
    return False


def completes(run: Run, task: Task) -> None:
    """End the agent when a COMPLETE condition holds."""
    thread = run.state.threads.get(run.state.active)
    if thread is None or thread.status == "completed" or run.state.is_ended:
        return
    run.focus(thread.agent)
    if rule := matching_completion(run):
        run.decide("completion", rule["when"], condition=rule["when"], matched=True)
        run.push("complete.begin", message="")


def matching_completion(run: Run, *, is_asked: bool = False) -> JsonObject | None:
    """Return the first COMPLETE entry that holds; one without WHEN only when something else asked to complete."""
    for rule in run.agent.ir["completion"]["conditions"]:
        if (rule.get("when") and run.test(rule["when"])) or (is_asked and not rule.get("when")):
            found: JsonObject = rule
            return found
    return None


def complete(run: Run, task: Task) -> None:
    """Say the last words, store what STORE says, run after_agent, and end the agent's thread."""
    rule = matching_completion(run, is_asked=True) or {}
    message = str(task.data.get("message") or "")
    is_for_user = not run.state.begun.task and not run.thread.parent
    if not saying.respond(run, rule, text=message) and not saying.has_spoken(run) and is_for_user:
        saying.tell(run, "conversation_complete")
    if "store" in rule:
        memory.store(run, rule["store"])
    run.unwind_turn()
    run.push("complete.end", message=message)
    run.push("hook.run", name="after_agent")


def completed(run: Run, task: Task) -> None:
    """Return to the waiting parent, or leave the session open for the entry agent."""
    thread = run.thread
    memory.recall(run, f"agent:{thread.agent}:after")
    thread.status, thread.awaiting = "completed", ""
    run.decide("completion", thread.agent, outcome="completed", matched=True)
    if thread.parent and thread.parent in run.state.threads:
        run.push("handoff.return", child=thread.agent)
        return
    run.act("complete", **({"message": task.data["message"]} if task.data.get("message") else {}))
    run.state.turn.status = "completed"


def escalate(run: Run, task: Task) -> None:
    """Open a human task, tell the user, and suspend the session.

    The user may read the reason where MESSAGES wants it and an author has written it; what the engine or a model says
    of why is for the person who takes over.
    """
    run.unwind_turn()
    reason = str(task.data.get("reason") or "").strip()
    reason = (run.render(reason) if "{{" in reason else reason)[:MAX_REASON_CHARS]
    if len(reason) < MIN_REASON_CHARS:
        reason = f"Escalated: {reason or 'unknown'}"
    written = task.data.get("priority") or "medium"
    priority = PRIORITIES.get(written, "low") if isinstance(written, int) else str(written)
    if run.state.begun.task:
        run.state.turn.status, run.state.turn.error = "failed", "escalated"
        return
    escalation = run.agent.ir["coordination"]["escalation"]
    context = {}
    for entry in escalation.get("context_for_human", ()):
        is_text = "{{" in entry or " " in entry
        context[entry] = run.render(entry) if is_text else run.value(entry)
    suspension = run.send(Suspend, kind="human", subject=reason)
    run.send(
        OpenTask,
        suspension_id=suspension,
        task_type="escalation",
        priority=priority,
        reason=reason,
        context=context,
        tags=tuple(task.data.get("tags") or ()),
        routing=escalation.get("routing") or {},
        connector_action=str(escalation.get("connector_action", "")),
    )
    saying.tell(run, "escalation_format", {"reason": reason if task.data.get("is_written") else ""})
    run.push("suspend.begin", task=["escalate.resolved", {"effect": suspension}], effect=suspension)
    run.act("escalate", reason=reason, priority=priority, taskId=None)


def resolved(run: Run, task: Task) -> None:
    """Take what the person entered and do the first on_human_complete entry that fits."""
    outcome = run.take(task.data["effect"])
    for name, value in (outcome.value or {}).items() if isinstance(outcome.value, dict) else ():
        variables.set_value(run, name, value, "human")
    run.thread.counters["escalations_completed"] = run.thread.counters.get("escalations_completed", 0) + 1
    escalation = run.agent.ir["coordination"]["escalation"]
    entries = escalation.get("on_human_complete", ())
    if not outcome.ok:  # nobody has completed anything: only what names what has come instead is about that
        entries = [entry for entry in entries if outcome.kind in entry.get("condition", "")]
    for entry in entries:
        if not run.test(entry.get("condition", "")):
            continue
        words = str(entry.get("action", "")).split()
        run.decide("resume", entry.get("action", ""), condition=entry.get("condition"), matched=True)
        if entry.get("respond"):
            saying.say(run, run.render(entry["respond"]))
        match words[0].upper() if words else "":
            case "COMPLETE":
                run.push("complete.begin", message="")
            case "HANDOFF":
                run.push("handoff.begin", target=words[-1], reason="human")
            case "ESCALATE":
                run.push("escalate.begin", reason="Escalated again")
            case _:
                run.push("agent.continue")
        return
    if not outcome.ok:
        saying.tell(run, "error_default")
        return
    if (escalation.get("routing") or {}).get("post_agent") == "end":
        memory.recall(run, "session:end")
        run.state.is_ended = True
        run.state.turn.status = "ended"
        return
    run.push("agent.continue")


def check_turn(run: Run, task: Task) -> None:
    """Check the constraints of the turn; values given in this turn that break one are not kept."""
    del task
    rule = constraints.violated(run, constraints.rules_of(run))
    if rule is not None:
        run.push("constraint.act", rule=rule)


def act_on_constraint(run: Run, task: Task) -> None:
    """Do the ON_FAIL of a broken rule."""
    rule = task.data["rule"]
    action = rule.get("on_fail") or {"type": "block"}
    kind = action["type"]
    text = constraints.text_of(run, rule)
    run.state.turn.error = "constraint_violation"
    if (
        kind in ("respond", "block", "redact")
        or (kind == "collect_field" and action.get("message"))
        or action.get("message")
    ):
        saying.say(run, text, is_checked=True)
    if kind == "block":
        run.act("block", reason=text, constraint=rule["condition"])
    then = action.get("then_action")
    match kind:
        case "escalate":
            run.unwind_turn()
            run.push("escalate.begin", reason=action.get("reason") or text, is_written=True)
        case "handoff":
            run.unwind_turn()
            run.push("handoff.begin", target=action.get("target", ""), reason="constraint")
        case "collect_field":
            _collect(run, action)
        case "goto_step":
            run.unwind()
            run.push("flow.enter", step=action.get("target", ""))
        case "retry_step":
            run.unwind()
            if run.thread.step:
                run.push("flow.again", step=run.thread.step)
        case _:
            if then == "goto_step":
                run.unwind()
                run.push("flow.enter", step=action.get("then_step", ""))
            elif then != "continue":
                _forget_given(run, rule)
                run.unwind()
                if run.state.tasks and run.state.tasks[-1].op == "turn.late":
                    run.state.tasks.pop()


def _forget_given(run: Run, rule: JsonObject) -> None:
    """Drop fields the user filled in this turn that the rule speaks about, so that they are asked again."""
    for name in list(run.thread.gathered):
        if name in run.state.turn.changed and name in rule["condition"]:
            variables.clear_value(run, name)
            if "gather" in (profiles.step_of(run, run.thread.step) or {}):
                run.thread.awaiting, run.thread.asked = "gather", []


def _collect(run: Run, action: JsonObject) -> None:
    """Clear fields and ask for them: in the step that gathers them, else right here."""
    names = list(action.get("collect_fields", ()))
    for name in names:
        variables.clear_value(run, name)
    run.unwind()
    definitions = profiles.flow_of(run)["definitions"]
    current = run.thread.step
    order = [current, *definitions] if current else list(definitions)
    for step_name in order:
        fields = (definitions.get(step_name, {}).get("gather") or {}).get("fields", ())
        if any(field["name"] in names for field in fields):
            run.state.turn.is_consumed = True
            run.push("flow.enter", step=step_name)
            return
    field = run.agent.fields.get(names[0]) if names else None
    if field is not None:
        run.thread.asked = names
        saying.say(run, run.render(prompt_of(run, field)))
        run.act("collect", fields=names, prompts=[field.get("prompt", "")])


OPS = {
    "turn.route": route,
    "turn.late": route,
    "turn.complete": completes,
    "turn.check": check_turn,
    "complete.begin": complete,
    "complete.end": completed,
    "escalate.begin": escalate,
    "escalate.resolved": resolved,
    "constraint.act": act_on_constraint,
}
