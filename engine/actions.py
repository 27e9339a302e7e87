"""What a branch, outcome, handler, digression or hook does: SET, CLEAR, CALL, RESPOND, then where to go.

`perform` is the only door; the pieces are tasks, because a CALL has to wait. Spec: abl-language 3.11, 3.13, 5.5, 5.6.
"""

from __future__ import annotations

from collections.abc import Iterable

from domain.json_values import JsonObject
from engine import calls, constraints, failures, profiles, saying, variables
from engine.run import Run
from engine.state import Task

TARGETS = ("then", "goto", "transition")


def perform(run: Run, node: JsonObject, *, quiet: bool = False) -> None:
    """Do all that `node` says; `quiet` leaves the answer to failures of its call to the caller (hooks)."""
    run.push("act.node", node=node, quiet=quiet)


def perform_all(run: Run, nodes: Iterable[JsonObject]) -> None:
    """Do the single actions of a DO list one after the other."""
    for node in reversed(list(nodes)):
        perform(run, node)


def first_branch(run: Run, branches: Iterable[JsonObject]) -> JsonObject | None:
    """Return the first branch whose condition holds; ELSE has none. All are tested on the state as it stands."""
    for branch in branches:
        if "condition" not in branch or run.test(branch["condition"]):
            return branch
    return None


def node_op(run: Run, task: Task) -> None:
    """Set and clear, then send the call or go on to the answer."""
    node = task.data["node"]
    if node.get("check"):
        checked(run, node, holds=run.test(node["check"]))
        return
    variables.set_lines(run, node.get("set", ()))
    for name in node.get("clear", ()):
        variables.clear_value(run, name)
    run.push("act.go", node=node)
    if node.get("clear_last"):
        run.push("act.clear", names=node["clear_last"])
    run.push("act.say", node=node)
    if "delegate" in node and "agent" in node["delegate"]:
        run.push("delegate.call", call=node["delegate"])
    if "call_spec" in node:
        call(run, node["call_spec"], quiet=bool(task.data.get("quiet")))


def checked(run: Run, node: JsonObject, *, holds: bool) -> None:
    """Do what stands under a CHECK of a DO list, or its ON_FAIL."""
    run.decide("flow_transition", run.thread.step, condition=node["check"], matched=holds)
    if holds:
        perform_all(run, node.get("do", ()))
    elif node.get("on_fail"):
        perform(run, node["on_fail"])


def call(run: Run, spec: JsonObject, *, quiet: bool = False) -> None:
    """Send a call; its result goes to the AS variable."""
    arguments = calls.arguments_of(run, spec)
    rule = constraints.violated(run, constraints.rules_of(run), "tool_call", spec["tool"], arguments)
    if rule is not None:
        run.push("constraint.act", rule=rule)
        return
    key = f"call:{run.state.count}"
    run.push("act.called", key=key, spec=spec, quiet=quiet)
    run.state.tasks.append(calls.send(run, spec["tool"], arguments, key))


def called(run: Run, task: Task) -> None:
    """Give the AS variable its value; a failure meets ON_ERROR."""
    outcome, spec = run.take(task.data["key"]), task.data["spec"]
    if "as" in spec:
        variables.set_value(run, spec["as"], run.thread.last_result, "tool")
    if outcome.ok:
        variables.set_lines(run, spec.get("set", ()), "tool")
    if not outcome.ok and not task.data.get("quiet"):
        handler = failures.find(run, outcome.kind, (spec["tool"], outcome.code))
        failures.follow(run, handler, outcome.kind, outcome.message, subject=spec["tool"])


def say_op(run: Run, task: Task) -> None:
    """Say what the node says."""
    saying.respond(run, task.data["node"])


def clear(run: Run, task: Task) -> None:
    """Clear what stands below the calls and answers of a node; decision 0070."""
    for name in task.data["names"]:
        variables.clear_value(run, name)


def go(run: Run, task: Task) -> None:
    """Go where the node leads; without a target the work below goes on."""
    node = task.data["node"]
    for name in node.get("collect", ()):
        variables.clear_value(run, name)
    if branches := node.get("branches"):
        branch = first_branch(run, branches)
        if branch is not None:
            if not _leads(node):
                perform(run, branch)
                return
            perform(run, {key: value for key, value in branch.items() if key not in TARGETS})
    if node.get("handoff"):
        _redirect(run, "handoff.begin", target=node["handoff"], reason="action")
    elif node.get("complete"):
        _redirect(run, "complete.begin", message="")
    elif node.get("escalate"):
        _redirect(run, "escalate.begin", reason=str(run.thread.step or "action"))
    elif target := next((node[key] for key in TARGETS if node.get(key)), ""):
        _redirect(run, "flow.enter", step=target)
    elif node.get("retry") or node.get("collect"):
        run.state.turn.is_consumed = True
        _redirect(run, "flow.again", step=run.thread.step)
    elif node.get("resume"):
        _redirect(run, "flow.resume")


def _leads(node: JsonObject) -> bool:
    return any(node.get(key) for key in (*TARGETS, "handoff", "complete", "escalate", "retry", "collect"))


def _redirect(run: Run, op: str, /, **needs: object) -> None:
    run.unwind()
    run.push(op, **needs)


def handle_action(run: Run, task: Task) -> None:
    """Run the handler of the pressed button: the step's ON_ACTION before ACTION_HANDLERS. Spec: abl-language 3.13."""
    event = run.state.turn.action
    if event is None:
        return
    step = profiles.step_of(run, run.thread.step) or {}
    for handler in (*(step.get("on_action") or ()), *run.agent.ir["action_handlers"]):
        if handler.get("action_id") == event.action_id and run.test(handler.get("condition", "")):
            run.decide("routing", event.action_id, matched=True, outcome="action_handler")
            run.state.turn.is_consumed = True
            _redirect(run, "act.end")
            perform(run, handler)
            perform_all(run, handler.get("do", ()))
            return
    run.decide("routing", event.action_id, matched=False, outcome="no handler")


def end(run: Run, task: Task) -> None:
    """A handler that leads nowhere leaves everything as it stands."""
    run.unwind()


OPS = {
    "act.node": node_op,
    "act.called": called,
    "act.say": say_op,
    "act.clear": clear,
    "act.go": go,
    "act.event": handle_action,
    "act.end": end,
}
