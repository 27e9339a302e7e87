"""Control moves to another agent and back. Spec: abl-language 7.2."""

from __future__ import annotations

import re

from abl.templates import interpolate_braces
from domain.json_values import JsonObject
from domain.messages import TranscriptLine
from domain.traces import TraceType
from engine import changing, earlier, elsewhere, flow, guardrails, judging, memory, saying, variables
from engine.channels import SPOKEN
from engine.effects import HandOff, Suspend
from engine.limits import HISTORY_MESSAGES, MAX_HANDOFFS
from engine.run import Run
from engine.state import Task, Thread

_SPEAKS_OF_INPUT = re.compile(r"\b(?:input|intent)\b")
"""A rule that was chosen for what the user said: the message is its target's, and no answer to an open question."""
_STARTED: list[tuple[str, JsonObject]] = [("thread.start", {}), ("barrier", {})]


def begin(run: Run, task: Task) -> None:
    """Check that the target may take over, build what it is told, and let it run on the same message."""
    target, parent = str(task.data["target"]), run.thread
    at, rule = _rule(run, target, task.data.get("rule"))
    found = run.program.find(target)
    remote = elsewhere.address_of(run, rule.get("remote"), found, target)
    if target == parent.agent or (found is not None and found.name == parent.agent):
        _refuse(run, "self_handoff", target)
        return
    if found is None and not remote:
        _fail(run, rule, "invalid_handoff", target)
        return
    run.state.turn.handoffs += 1
    if run.state.turn.handoffs > MAX_HANDOFFS:
        _fail(run, rule, "error_handoff", target)
        return
    context = _context(run, rule, task.data.get("context") or {})
    summary = _summary(run, rule)
    if summary and not task.data.get("is_judged") and guardrails.rules_for(run, "handoff", local=False):
        run.state.turn.handoffs -= 1
        run.push("handoff.begin", **{**task.data, "is_judged": True})
        judging.push_checks(run, "handoff", summary)
        return
    checked = _checked_summary(run, target, summary)
    if checked.is_blocked:
        _refuse(run, "", target, text=checked.text)
        return
    summary = checked.text
    if rule.get("experienceMode") == "visible_handoff":
        key = "remote_handoff_message" if remote else "handoff_message"
        key += "_voice" if run.state.begun.channel in SPOKEN else ""
        saying.tell(run, key, {"agent": target.replace("_", " ")})
    returns = bool(rule.get("return"))
    _record(run, target, returns, context, str(task.data.get("reason", "")), summary)
    grants = {one["path"]: one.get("access", "read") for one in rule.get("context", {}).get("memory_grants", ())}
    is_async = bool(rule.get("async"))
    if found is None or remote or is_async:
        told: JsonObject = {"target": target, "context": context, "summary": summary, "grants": grants}
        told |= {"returns": returns, "text": run.state.turn.text, "remote": remote}
        if remote:
            told |= elsewhere.history_of(run, _history(run, rule))
        _send_away(run, at, rule, told, is_local_name=found is not None, is_async=is_async)
        return
    run.send(HandOff, target=found.name, context=context, summary=summary, returns=returns, grants=grants)
    view = _history(run, rule)
    _switch(run, found.name, at, returns=returns)
    child = run.thread
    child.grants, child.summary, child.view = {**child.grants, **grants}, summary, view
    is_new = child.status == "new"
    child.status = "active"
    for name, value in context.items():
        if value is not None:
            variables.set_value(run, name, value, "passed")
    run.unwind_turn()
    run.push_all([*(_STARTED if is_new else memory.read_anew(run)), ("turn.again", {"is_new": is_new})])


def _switch(run: Run, target: str, at: int, *, returns: bool, remote: JsonObject | None = None) -> None:
    """Make the target's thread the active one; a parent that expects no return ends."""
    state, parent = run.state, run.thread
    known = state.threads.get(target)
    if known is None or known.status == "completed":
        known = state.threads[target] = Thread(agent=target, remote=remote or {})
    if returns:
        parent.status = "waiting"
        known.parent, known.rule = parent.agent, at
    else:
        parent.status = "completed"
        if parent.parent != target:
            known.parent, known.rule = parent.parent, parent.rule
    known.wish = state.turn.text
    state.active = target
    run.focus(target)


def _rule(run: Run, target: str, at: int | None) -> tuple[int, JsonObject]:
    rules = run.agent.handoffs
    if at is not None:
        return at, rules[at]
    for index, rule in enumerate(rules):
        if rule["to"] == target:
            return index, rule
    return -1, {"to": target, "return": False, "context": {"pass": [], "history": "auto"}, "on_failure": "continue"}


def _refuse(run: Run, key: str, target: str, *, text: str = "") -> None:
    run.decide("handoff", target, outcome="refused", matched=False, reasoning=key)
    run.unwind_turn()
    saying.say(run, text or run.message(key))


def _fail(run: Run, rule: JsonObject, key: str, target: str, *, way: str = "on_failure") -> None:
    """Do ON_FAILURE of a handoff that its target has not accepted, or ON_TIMEOUT of one that did not answer."""
    run.fault("handoff_error", f"Handoff to {target} failed", origin="flow", details={"target": target})
    run.unwind_turn()
    words = rule.get("timeout_message" if way == "on_timeout" else "failure_message")
    match rule.get(way, "continue"):
        case "escalate":
            written = rule.get(f"{way}_reason")
            run.push("escalate.begin", reason=written or f"Handoff to {target} failed", is_written=bool(written))
        case "handoff" if rule.get(f"{way}_target") not in (None, target):
            run.push("handoff.begin", target=rule[f"{way}_target"], reason="failure")
        case _ if words and (key or way == "on_timeout"):
            saying.say(run, run.render(words))
        case _ if key:
            saying.say(run, run.message(key))
        case _:
            saying.unknown_outcome(run, target)


def _checked_summary(run: Run, target: str, summary: str) -> guardrails.Checked:
    """Return what the guardrails make of a handoff and its summary; one without a summary is checked too."""
    about = guardrails.Subject("handoff", {"target": target})
    if not summary:
        return guardrails.check_whole(run, about) or guardrails.Checked("")
    checked = judging.take_verdict(run, summary)
    return checked if checked.is_blocked else guardrails.check_local(run, "handoff", checked.text, subject=about)


def _context(run: Run, rule: JsonObject, given: JsonObject) -> JsonObject:
    told = rule.get("context", {})
    context = {one["name"]: run.scope.get(one["name"]) for one in told.get("pass", ())}
    context.update({name: run.value(expression) for name, expression in told.get("set", {}).items()})
    context.update({name: value for name, value in given.items() if value is not None and not name.startswith("_")})
    return {name: value for name, value in context.items() if value is not None}


def _summary(run: Run, rule: JsonObject) -> str:
    words = rule.get("context", {}).get("summary", "")
    return interpolate_braces(run.render(words), run.scope).strip() if words else ""


def _history(run: Run, rule: JsonObject) -> list[TranscriptLine]:
    """Return the lines the target sees of what was said before."""
    history = rule.get("context", {}).get("history", "auto")
    lines = run.state.transcript[:-1] if run.state.transcript and run.state.turn.text else list(run.state.transcript)
    lines = [*earlier.told(run.program, run.state.begun), *lines]
    if isinstance(history, dict):
        count = int(history.get("count") or 0)
        return lines[-count:] if count else []
    if history in ("none", "summary_only"):
        return []
    return lines if history == "full" else lines[-HISTORY_MESSAGES:]


def _record(run: Run, target: str, returns: bool, context: JsonObject, reason: str, summary: str) -> None:
    run.trace(
        TraceType.HANDOFF,
        fromAgent=run.thread.agent,
        toAgent=target,
        reason=reason or None,
        timestamp=run.state.at,
        returnExpected=returns,
        context=context,
        direction="forward",
    )
    run.act("handoff", target=target, returnExpected=returns, **({"summary": summary} if summary else {}))


def _send_away(run: Run, at: int, rule: JsonObject, told: JsonObject, *, is_local_name: bool, is_async: bool) -> None:
    """Let an agent in a session of its own, or elsewhere, have the message; its answer comes back as a fact."""
    run.unwind_turn()
    if told["remote"] or changing.can_change(run.program, told["target"]):
        changing.note(run, changing.MADE)
    if is_async:
        timeout = rule.get("asyncTimeout")
        expires_s = float(timeout) if timeout else None
        suspension = run.send(Suspend, kind="handoff", subject=told["target"], expires_s=expires_s)
        run.send(HandOff, suspension_id=suspension, **told)
        run.push("suspend.begin", task=["handoff.answered", {"effect": suspension, "rule": at}], effect=suspension)
        return
    effect = run.send(HandOff, **told)
    name = told["target"] + (elsewhere.ELSEWHERE if is_local_name else "")
    run.push("handoff.accepted", effect=effect, rule=at, name=name, **{key: told[key] for key in ("returns", "remote")})


def accepted(run: Run, task: Task) -> None:
    """Move control to an agent elsewhere that has taken over; what it has said already comes with it."""
    needs = task.data
    outcome, at, parent = run.take(needs["effect"]), int(needs["rule"]), run.thread
    rule = run.agent.handoffs[at] if at >= 0 else {"to": needs["name"]}
    if not elsewhere.is_accepted(outcome):
        if outcome.kind == elsewhere.UNKNOWN:
            changing.note(run, changing.UNKNOWN)
        key = "" if outcome.kind == elsewhere.UNKNOWN else "error_handoff"
        _fail(run, rule, key, str(rule.get("to", "")))
        return
    grants = {one["path"]: one.get("access", "read") for one in rule.get("context", {}).get("memory_grants", ())}
    remote = {**needs["remote"], "name": needs["name"].removesuffix(elsewhere.ELSEWHERE), "by": parent.agent}
    _switch(run, needs["name"], at, returns=needs["returns"], remote=remote)
    run.thread.status, run.thread.grants = "active", {**run.thread.grants, **grants}
    elsewhere.take_reply(run, outcome)


def answered(run: Run, task: Task) -> None:
    """Take what an agent brings that worked while the session waited."""
    outcome, at = run.take(task.data["effect"]), int(task.data["rule"])
    rule = run.agent.handoffs[at] if at >= 0 else {}
    payload: JsonObject = outcome.value if isinstance(outcome.value, dict) else {}
    if not outcome.ok:
        way, target = "on_timeout" if outcome.kind == "expired" else "on_failure", str(rule.get("to", ""))
        may_be_done = bool(rule.get("remote")) or changing.can_change(run.program, target)
        _fail(run, rule, "" if may_be_done else "error_handoff", target, way=way)
        return
    inner = payload.get("values")
    if text := str(payload.get("text") or ""):
        saying.say(run, text)
    _go_on(run, rule, inner if isinstance(inner, dict) else payload)


def come_back(run: Run, task: Task) -> None:
    """A child is done: its values are mapped, the return handler speaks, the parent goes on."""
    child = run.state.threads[task.data["child"]]
    run.focus(child.parent)
    run.state.active, run.thread.status = child.parent, "active"
    at = child.rule
    rule = run.agent.handoffs[at] if 0 <= at < len(run.agent.handoffs) else {}
    run.thread.counters["handoffs_completed"] = run.thread.counters.get("handoffs_completed", 0) + 1
    run.trace(
        TraceType.HANDOFF,
        fromAgent=child.agent,
        toAgent=run.thread.agent,
        reason="return",
        timestamp=run.state.at,
        returnExpected=False,
        direction="return",
    )
    run.act("handoff", target=run.thread.agent, returnExpected=False)
    run.unwind_turn()
    _go_on(run, rule, child.variables, child.wish)


def _go_on(run: Run, rule: JsonObject, values: JsonObject, wish: str = "") -> None:
    """Do ON_RETURN of a rule; a question that was open is asked again, unless the parent has left it."""
    returning = rule.get("on_return") or {}
    for theirs, ours in (returning.get("map") or {}).items():
        if values.get(theirs) is not None:
            variables.set_value(run, ours, values[theirs], "set")
    variables.set_map(run, returning.get("set") or {})
    handler = run.agent.ir["coordination"]["return_handlers"].get(returning.get("handler", "")) or {}
    has_spoken = saying.respond(run, handler)
    for name in handler.get("clear", ()):
        variables.clear_value(run, name)
    memory.recall(run, f"agent:{rule.get('to', '')}:after")
    action = returning.get("action") or (
        "resume_intent" if handler.get("resume_intent") else "continue" if handler.get("continue") else ""
    )
    if run.state.queued:
        run.push("turn.queued")
    elif action == "resume_intent":
        _route_again(run, rule, returning, wish)
    elif flow.has_open_question(run) and not (action == "continue" and flow.is_answered(run)):
        run.push("flow.resume")
    elif action == "continue" and not (has_spoken and run.agent.flow is None):
        run.push("agent.continue")


def _route_again(run: Run, rule: JsonObject, returning: JsonObject, wish: str) -> None:
    """Route the user's message again, or the one RESUME_WITH gives; what was meant for the child answers nothing."""
    turn, handoffs = run.state.turn, run.agent.handoffs
    if returning.get("resume_with"):
        turn.text = run.render(returning["resume_with"])
        turn.is_consumed = False
    else:
        turn.text = wish or turn.text
        turn.is_consumed = bool(_SPEAKS_OF_INPUT.search(str(rule.get("when", "")))) and flow.takes_only_answers(run)
        if rule in handoffs:
            run.thread.fired.append(f"handoff:{handoffs.index(rule)}")
    run.push("turn.again")


OPS = {
    "handoff.begin": begin,
    "handoff.accepted": accepted,
    "handoff.answered": answered,
    "handoff.return": come_back,
}
