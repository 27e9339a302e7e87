"""What a branch, outcome, handler, digression or hook does: SET, CLEAR, CALL, RESPOND, then where to go.

`perform` is the only door; the pieces are tasks, because a CALL has to wait. Spec: abl-language 3.11, 3.13, 5.5, 5.6.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from domain.json_values import JsonObject
from domain.messages import ActionEvent
from engine import asked_calls, calls, changing, consent, constraints, failures, profiles, saying, variables
from engine.limits import MAX_MISSES, MAX_OPEN_QUESTIONS
from engine.run import Run
from engine.state import Outcome, Task

TARGETS = ("then", "goto", "transition")


_TURN_ENDS = frozenset({"turn.late", "turn.complete", "turn.close", "turn.finish"})
"""Work that ends the turn in which the user is asked; all other work goes on after his answer."""


def perform(run: Run, node: JsonObject, *, quiet: bool = False, asks: bool = True) -> None:
    """Do all that `node` says; `quiet` leaves the answer to failures of its call to the caller (hooks).

    Without `asks` nobody can be asked about its call: one that needs a yes is not made.
    """
    run.push("act.node", node=node, quiet=quiet, **({} if asks else {"mute": True}))


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
        call(run, node["call_spec"], quiet=bool(task.data.get("quiet")), asks=not task.data.get("mute"))


def checked(run: Run, node: JsonObject, *, holds: bool) -> None:
    """Do what stands under a CHECK of a DO list, or its ON_FAIL."""
    run.decide("flow_transition", run.thread.step, condition=node["check"], matched=holds)
    if holds:
        perform_all(run, node.get("do", ()))
    elif node.get("on_fail"):
        perform(run, node["on_fail"])


def call(
    run: Run, spec: JsonObject, *, quiet: bool = False, asks: bool = True, asked: JsonObject | None = None
) -> None:
    """Send a call; its result goes to the AS variable. What needs a yes, a consent or a sign-in is asked for first.

    `asked`: what was asked about this call before: how often (`tries`), and what was open then (`before`).
    """
    asked = asked or {}
    arguments = consent.as_settled(run, spec["tool"], _place(run, spec), calls.arguments_of(run, spec))
    tool = calls.tool_of(run, spec["tool"])
    rule = constraints.forbids(run, tool, spec["tool"], arguments)
    if rule is not None:
        run.state.turn.failures[_failed_key(spec["tool"])] = 1
        run.push("constraint.act", rule=rule)
        return
    need = asked_calls.needed(run, tool, arguments)
    if tool is not None and need:
        _hold_back(run, spec, tool, arguments, need, {"quiet": quiet, "asks": asks, "asked": asked})
        return
    run.state.turn.is_agreed |= tool is not None and changing.asks_each_time(tool)
    if "waits" in run.thread.confirmation:
        run.thread.confirmation = asked.get("before") or {}
    key = f"call:{run.state.count}"
    run.push("act.called", key=key, spec=spec, quiet=quiet)
    run.state.tasks.append(calls.send(run, spec["tool"], arguments, key))


def call_again(run: Run, task: Task) -> None:
    """Make a call after what it needed was asked for."""
    needs = task.data
    call(run, needs["spec"], quiet=bool(needs["quiet"]), asks=bool(needs["asks"]), asked=needs.get("asked") or {})


def _place(run: Run, spec: JsonObject) -> str:
    """Return what tells a call from others of the same tool, so that a yes counts for this one."""
    return f"{run.thread.step} {msgspec.json.encode(spec).decode()}"


# --- The question before a call -------------------------------------------------------------------------------------


def _hold_back(
    run: Run, spec: JsonObject, tool: JsonObject, arguments: JsonObject, need: consent.Need, how: JsonObject
) -> None:
    """Ask the user first, and keep the work at hand for after his answer; what nobody can ask for is refused."""
    if need in ("declined", "unauthorized") or not how["asks"] or _is_nested_too_deep(run, how):
        _refuse(run, spec, consent.refusal(need, tool), quiet=bool(how["quiet"]))
    elif need == "auth":
        consent.sign_in(run, tool, ("act.call", {"spec": spec, **how}))
    else:
        _ask(run, spec, tool, arguments, need, how)


def _ask(
    run: Run, spec: JsonObject, tool: JsonObject, arguments: JsonObject, need: consent.Need, how: JsonObject
) -> None:
    thread, turn, tasks = run.thread, run.state.turn, run.state.tasks
    cut = len(tasks)
    while cut and tasks[cut - 1].op not in _TURN_ENDS:
        cut -= 1
    asked: JsonObject = how["asked"]
    before = asked.get("before") if "before" in asked else _open_question(run)
    waits: JsonObject = {
        "spec": spec,
        "quiet": how["quiet"],
        "asked": {**asked, "before": before},
        "tasks": [[one.op, one.thread, one.data] for one in tasks[cut:]],
        "awaiting": thread.awaiting,
        "text": turn.text,
        "is_consumed": turn.is_consumed,
        "is_branched": turn.is_branched,
        "action": None if turn.action is None else msgspec.to_builtins(turn.action),
    }
    del tasks[cut:]
    fixed = asked_calls.fixed(run, tool, spec)
    words = consent.ask(run, need, tool, arguments, step=_place(run, spec), waits=waits, fixed=fixed)
    thread.awaiting = "confirm"
    saying.say(run, words)
    run.act("collect", fields=[], prompts=[words])


def _open_question(run: Run) -> JsonObject:
    """Return the question about a call that another one of a side question comes before; empty for none."""
    asked = run.thread.confirmation
    is_open = run.thread.awaiting in ("confirm", "zone") and "kind" in asked
    return asked if is_open else {}


def _is_nested_too_deep(run: Run, how: JsonObject) -> bool:
    depth, asked = 0, {} if "before" in how["asked"] else _open_question(run)
    while asked:
        depth += 1
        asked = ((asked.get("waits") or {}).get("asked") or {}).get("before") or {}
    return depth >= MAX_OPEN_QUESTIONS


def is_asked(run: Run) -> bool:
    """Return whether the user has been asked about a call that is not a step's own."""
    return run.thread.awaiting == "confirm" and "waits" in run.thread.confirmation


def answered(run: Run, task: Task) -> None:
    """Take the answer to what was asked before a call; a model reads what the words leave open."""
    if "effect" not in task.data and consent.is_open_to_model(run):
        run.push(task.op, effect=consent.ask_model(run))
        return
    thread = run.thread
    asked = thread.confirmation
    waits, tries = asked["waits"], int(asked["waits"]["asked"].get("tries", 0))
    spec, name = waits["spec"], str(asked["tool"])
    tool = calls.tool_of(run, name) or {"name": name}
    by_model = consent.model_answer(run, task.data["effect"]) if "effect" in task.data else ""
    now = {**_arguments_then(run, waits), **(asked.get("corrected") or {})}
    answer = consent.answer(run, tool, now, by_model=by_model)
    if answer == "correction":
        _take_up(run, waits)
        run.state.turn.is_agreed = True
        if not asked_calls.take_over(run, spec):
            run.push("act.call", spec=spec, quiet=waits["quiet"], asks=True, asked={**waits["asked"], "tries": tries})
        return
    tries += 1
    if answer in ("no", "cancel") or (answer not in ("yes", "changed") and tries >= MAX_MISSES):
        _take_up(run, waits)
        thread.confirmation = waits["asked"].get("before") or {}
        _refuse(run, spec, consent.refusal("declined", tool), quiet=bool(waits["quiet"]))
        return
    if answer == "unclear":
        saying.tell(run, "correction_unclear")
    _take_up(run, waits)
    run.state.turn.is_agreed |= answer != "yes"
    run.push("act.call", spec=spec, quiet=waits["quiet"], asks=True, asked={**waits["asked"], "tries": tries})


def hold_message(run: Run) -> None:
    """Keep a message that was written before the question for after its answer: it answers nothing."""
    thread, turn = run.thread, run.state.turn
    waits = thread.confirmation["waits"]
    work = [("agent.main", {}), ("turn.route", {"is_first": True}), ("flow.hear", {})]
    tasks = [[op, thread.agent, needs] for op, needs in work if op != "flow.hear" or run.agent.flow is not None]
    waits = {**waits, "text": turn.text, "is_consumed": False, "tasks": [*tasks, *waits["tasks"]]}
    thread.confirmation = {**thread.confirmation, "waits": waits, "turn": turn.number}


def ask_again(run: Run, task: Task) -> None:
    """Put the question about a call again; an earlier answer counts for nothing."""
    del task
    waits = run.thread.confirmation["waits"]
    run.thread.confirmation = {key: one for key, one in run.thread.confirmation.items() if key != "granted"}
    run.unwind()
    _take_up(run, waits)
    run.push("act.call", spec=waits["spec"], quiet=waits["quiet"], asks=True, asked=waits["asked"])


def _arguments_then(run: Run, waits: JsonObject) -> JsonObject:
    """Return what the call's arguments are by now, with the message that has led to it."""
    turn, said = run.state.turn, run.state.turn.text
    turn.text = waits["text"]
    found = calls.arguments_of(run, waits["spec"])
    turn.text = said
    return found


def _take_up(run: Run, waits: JsonObject) -> None:
    """Go back to the work that waited for the answer, and to the message it was about."""
    turn = run.state.turn
    run.thread.awaiting = str(waits["awaiting"])
    turn.text = str(waits["text"])
    turn.is_consumed, turn.is_branched = bool(waits["is_consumed"]), bool(waits["is_branched"])
    if waits["action"] is not None:
        turn.action = msgspec.convert(waits["action"], ActionEvent)
    run.state.tasks.extend(Task(str(op), str(thread), data) for op, thread, data in waits["tasks"])


def _refuse(run: Run, spec: JsonObject, outcome: Outcome, *, quiet: bool) -> None:
    """Let a call count as failed that was never made: nothing is done or said that stands below it in its block."""
    run.fault(outcome.kind, outcome.message, origin="tool", details={"tool": spec["tool"], "code": outcome.code})
    run.thread.last_result = {"error": outcome.kind, "code": outcome.code, "message": outcome.message}
    if "as" in spec:
        variables.set_value(run, spec["as"], run.thread.last_result, "tool")
    tasks = run.state.tasks
    while tasks and tasks[-1].op in _BLOCK:
        dropped = tasks.pop()
        if dropped.op == "flow.do":
            run.state.turn.failures[f"call:{dropped.data['step']}"] = 1
    if not quiet:
        run.state.turn.error = outcome.kind
        saying.tell(run, "constraint_blocked")


_BLOCK = frozenset({"act.node", "act.say", "act.clear", "act.go", "delegate.call", "flow.do"})
"""What is still to be done of a block below its call."""


def called(run: Run, task: Task) -> None:
    """Give the AS variable its value; a failure meets ON_ERROR."""
    outcome, spec = run.take(task.data["key"]), task.data["spec"]
    if outcome.ok:
        run.state.turn.failures.pop(_failed_key(spec["tool"]), None)
    else:
        run.state.turn.failures[_failed_key(spec["tool"])] = 1
    if "as" in spec:
        variables.set_value(run, spec["as"], run.thread.last_result, "tool")
    if outcome.ok:
        variables.set_lines(run, spec.get("set", ()), "tool")
    if not outcome.ok and not task.data.get("quiet"):
        handler = failures.find(run, outcome.kind, (spec["tool"], outcome.code))
        failures.follow(run, handler, outcome.kind, outcome.message, subject=spec["tool"])


def say_op(run: Run, task: Task) -> None:
    """Say what the node says; words about a call above it are not said when that was not made or has failed.

    Decision: 0089.
    """
    node = task.data["node"]
    if _failed_key(str(node.get("say_after", ""))) not in run.state.turn.failures:
        saying.respond(run, node)


def _failed_key(tool: str) -> str:
    return f"failed:{tool}"


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
            if not leads(node):
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


def leads(node: JsonObject) -> bool:
    """Return whether a node goes somewhere itself; its branches are not looked at."""
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
    "act.call": call_again,
    "act.called": called,
    "act.answered": answered,
    "act.ask": ask_again,
    "act.say": say_op,
    "act.clear": clear,
    "act.go": go,
    "act.event": handle_action,
    "act.end": end,
}
