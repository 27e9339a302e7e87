"""Beginning and ending: of an agent's thread, of a turn, of a wait for someone outside.

Spec: abl-language 14.1, 14.2.
"""

from __future__ import annotations

from domain.json_values import JsonObject
from engine import (
    actions,
    elsewhere,
    first_words,
    flow,
    guardrails,
    judging,
    lookups,
    memory,
    multi_intent,
    profiles,
    prompts,
    saying,
    summaries,
    variables,
)
from engine.effects import EndTurn
from engine.limits import MAX_INPUT_CHARS
from engine.run import Run
from engine.state import Suspension, Task, Turn

MS_PER_SECOND = 1_000
WAITS = {"approval": "approval_pending"}
"""Kind of a wait -> what is said of it where the turn has said nothing; all others say `answer_pending`."""
KEPT_OUT = frozenset({"turn.complete", "turn.route", "turn.late", "turn.unseen", "barrier"})
"""Work of the turn that is not taken up again after a wait: the new turn has its own."""


def start(run: Run, task: Task) -> None:
    """Start an agent: memory, profiles, recall, before_agent, ON_START, and the entry step of its flow.

    With `waits` the flow is left to the user's message, behind its guardrails (`hear`).
    """
    run.thread.status = "active"
    run.push_all(
        [
            ("memory.load", {}),
            *([("lookup.load", {})] if lookups.tables_of(run.agent) else []),
            ("thread.ready", {}),
            ("hook.run", {"name": "before_agent"}),
            ("thread.greet", {}),
            *([("flow.open", {"waits": bool(task.data.get("waits"))})] if run.agent.flow is not None else []),
        ]
    )


def open_flow(run: Run, task: Task) -> None:
    """Begin the flow of an agent that has started, unless the message that is in hand will; not after a wait."""
    if not task.data["waits"] or run.state.turn.is_resumed:
        run.push("flow.begin")


def hear(run: Run, task: Task) -> None:
    """Begin a flow that has not begun with the message in hand, so that one that asks nothing runs once, on it."""
    del task
    thread = run.thread
    is_through = thread.step or run.state.opened is not None
    if run.agent.flow is None or is_through or thread.remote or _waits(run) is not None or actions.is_asked(run):
        return
    run.state.turn.opening = thread.agent
    thread.counters["began"] = 1
    run.push_all([("flow.begin", {}), ("barrier", {}), ("turn.unseen", {})])


def ready(run: Run, task: Task) -> None:
    """Fill in what the test context or the caller gave, choose profiles, run the first recalls."""
    state, thread = run.state, run.thread
    is_entry = not thread.counters.get("runs") and state.turn_number == 0
    thread.counters["runs"] = thread.counters.get("runs", 0) + 1
    if is_entry:
        for name, value in state.begun.input.items():
            if not name.startswith("_"):
                variables.set_value(run, name, value, "passed")
        context = state.begun.test_context
        if context is not None:
            for values in (context.session_variables, context.gather_values):
                for name, value in values.items():
                    variables.set_value(run, name, value, "api")
        memory.recall(run, "session:start")
    profiles.select(run)
    memory.recall(run, f"agent:{thread.agent}:before")


def greet(run: Run, task: Task) -> None:
    """Carry out ON_START, unless a test context skips it."""
    node = run.agent.ir.get("on_start")
    context = run.state.begun.test_context
    is_skipped = context is not None and context.skip_on_start and run.state.turn_number == 0
    if node is not None and not (is_skipped and not run.thread.parent):
        actions.perform(run, node)


def unseen(run: Run, task: Task) -> None:
    """Note that the agent has begun in this very turn: what it has asked nobody has read yet."""
    del task
    run.state.turn.opening = ""
    run.state.turn.opening_unseen |= saying.spoken(run) > run.state.turn.said_before


def hook(run: Run, task: Task) -> None:
    """Run one of HOOKS; a failing one is logged, a critical one meets ON_ERROR."""
    node = run.agent.ir["hooks"].get(task.data["name"])
    if node:
        actions.perform(run, node, quiet=not node.get("critical"), asks=False)


def open_turn(run: Run, task: Task) -> None:
    """Look at the message itself: nothing said, or too much."""
    turn = run.state.turn
    profiles.select(run)
    if not turn.text.strip() and turn.action is None and not turn.attachments:
        run.unwind_turn()
        saying.tell(run, "empty_input")
        return
    turn.text = turn.text[:MAX_INPUT_CHARS]


def guard_input(run: Run, task: Task) -> None:
    """Pass the text through the input guardrails: local ones now, then those a model decides."""
    checked = guardrails.check_local(run, "input", run.state.turn.text)
    if checked.is_blocked:
        _block(run, checked)
        return
    run.state.turn.text = checked.text
    run.push("guard.judged")
    judging.push_checks(run, "input", checked.text)


def judged_input(run: Run, task: Task) -> None:
    """Apply the model's verdicts and note what the user said."""
    checked = judging.take_verdict(run, run.state.turn.text)
    if checked.is_blocked:
        _block(run, checked)
        return
    run.state.turn.text = checked.text
    if checked.text:
        run.note("user", checked.text)
    if checked.text and run.agent.flow is not None and run.agent.has_loop:
        if not summaries.sums_turns(run) or prompts.is_overfull(run):
            prompts.trim(run)
        run.thread.heard = run.state.turn.number
        run.hear("user", checked.text)


def _block(run: Run, checked: guardrails.Checked) -> None:
    run.unwind_turn()
    saying.say(run, checked.text, is_checked=True)
    run.act("block", reason=checked.text, constraint=checked.rule)
    if checked.is_escalated:
        run.push("escalate.begin", reason=f"Guardrail {checked.rule}")


def main(run: Run, task: Task) -> None:
    """Let the agent that has control deal with the message."""
    thread = run.thread
    if thread.status == "completed" or run.state.is_ended:
        first_words.say_again(run, {})
        return
    if _waits(run) is not None and not run.state.turn.is_resumed:
        saying.say(run, run.message("still_waiting"))
        return
    if thread.remote:
        elsewhere.forward(run)
        return
    if actions.is_asked(run) and not thread.step:
        if run.state.turn.opening_unseen:
            actions.hold_message(run)
        else:
            run.push("act.answered")
        return
    if run.agent.flow is None:
        run.push("reason.begin", step="")
    elif not task.data.get("is_new"):
        run.push("flow.turn")
    if run.agent.preflight:
        run.push("consent.preflight")


def _waits(run: Run) -> Suspension | None:
    """Return what an agent waits for that cannot deal with a message meanwhile."""
    waits = next((one for one in run.state.suspensions.values() if one.thread == run.thread.agent), None)
    return waits if waits is not None and (waits.kind != "tool" or run.agent.flow is not None) else None


def again(run: Run, task: Task) -> None:
    """Let the active agent deal with the message of this turn: after a handoff, or when it is routed again."""
    is_new = bool(task.data.get("is_new"))
    run.push_all(
        [
            ("hook.run", {"name": "before_turn"}),
            ("understand.begin", {}),
            ("turn.check", {}),
            ("turn.route", {"is_first": True}),
            ("agent.main", {"is_new": is_new}),
            ("turn.late", {"is_first": False}),
            ("turn.complete", {}),
        ]
    )


def go_on(run: Run, task: Task) -> None:
    """Let an agent go on in this turn after a child, a person or a callback: its flow, or its model."""
    if run.agent.flow is None:
        if run.state.begun.has_model:
            run.push("reason.ask", step="", round=1)
    elif run.thread.awaiting == "zone":
        run.push("reason.ask", step=run.thread.step, round=1)
    elif flow.has_open_question(run) and not flow.is_answered(run):
        run.push("flow.resume")
    elif run.thread.step and (profiles.step_of(run, run.thread.step) or {}).get("then") == "ESCALATE":
        run.thread.step, run.thread.awaiting = (
            "",
            "",
        )  # the flow had ended with the person: the next message begins it anew
    elif run.thread.step:
        run.push("flow.leave", step=run.thread.step)


def suspend(run: Run, task: Task) -> None:
    """Keep the work of this turn for later and end the turn; one that has said nothing says that it waits."""
    op, needs = task.data["task"]
    effect = task.data["effect"]
    tasks = run.state.tasks
    kept: list[Task] = []
    while tasks and tasks[-1].op != "turn.close":
        one = tasks.pop()
        if one.op not in KEPT_OUT:
            kept.append(one)
    later = (*reversed(kept), Task(op, run.thread.agent, needs))
    sent = next((one for one in reversed(run.effects) if one.id == effect), None)
    subject = str(getattr(sent, "subject", "") or needs.get("tool", ""))
    kind = str(getattr(sent, "kind", "tool"))
    expires_s = getattr(sent, "expires_s", None)
    if not saying.has_spoken(run):
        saying.tell(run, WAITS.get(kind, "answer_pending"))
    run.state.suspensions[effect] = Suspension(kind, run.thread.agent, subject, later, expires_s)
    run.decide("pause", subject or kind, outcome="suspended")
    run.state.turn.status = "suspended"
    if kind == "human":
        run.state.turn.last_action = {**run.state.turn.last_action, "suspensionId": effect}
    else:
        run.act("suspend", suspensionId=effect, kind=kind)


def close(run: Run, task: Task) -> None:
    """Run after_turn and finish."""
    run.focus(run.state.active)
    if rule := run.state.turn.hints.get("escalate"):
        run.state.turn.hints = {}
        run.push("turn.close")
        run.push("escalate.begin", reason=f"Guardrail {rule}")
        return
    if run.state.turn.held:
        run.push("turn.close")
        run.push("say.release")
        return
    if run.state.queued and multi_intent.is_due(run):
        run.push("turn.close")
        run.push("turn.queued")
        return
    run.push("turn.finish")
    if run.state.turn.number and run.thread.status != "completed" and "after_turn" in run.agent.ir["hooks"]:
        run.push("hook.run", name="after_turn")


def finish(run: Run, task: Task) -> None:
    """End the turn: what was said, what it did, what changed."""
    state, turn = run.state, run.state.turn
    run.focus(state.active)
    thread = run.thread
    status = turn.status
    if status == "idle" and state.begun.task:
        status = "needs_input" if thread.awaiting in ("gather", "input", "attachment", "confirm") else "completed"
    begun = state.begun
    for_parent: JsonObject = {"changes": turn.changes} if begun.task and turn.changes else {}
    values = dict(thread.variables) if begun.task else {}
    reply = "\n\n".join(turn.says)
    agent = turn.agent or thread.agent
    _forget(run)
    changed: JsonObject = dict(turn.changed)
    if thread.step:
        changed["currentStep"] = thread.step
    run.send(
        EndTurn,
        reply=reply,
        action=turn.last_action or {"type": "continue"},
        status=status,
        rich_content=turn.rich_content,
        actions=turn.actions,
        voice=turn.voice,
        state=changed,
        metadata={"agentName": agent, "turn": turn.number, **_refusal(turn)},
        values=values,
        error=turn.error,
        **for_parent,
    )
    state.last_input = turn.text or state.last_input
    state.tasks.clear()
    state.outcomes.clear()


def _refusal(turn: Turn) -> JsonObject:
    """Return why a turn has no reply, where somebody has said so."""
    return {"refusal": turn.hints["refusal"]} if turn.error and "refusal" in turn.hints else {}


def _forget(run: Run) -> None:
    """Drop fields that are only for the moment once they have been used, and the threads that are over."""
    turn = run.state.turn
    turn.metadata = {}
    for name in run.agent.transient:
        if name in run.thread.variables and (name in run.thread.used or run.thread.status == "completed"):
            variables.clear_value(run, name, "reset")
            turn.changed.pop(name, None)
    run.thread.used.clear()
    if run.thread.status != "completed":
        return
    entry = run.state.begun.agent or run.program.entry_agent
    if not run.thread.parent and not run.state.begun.task:
        run.state.active = entry
        for name, thread in list(run.state.threads.items()):
            if thread.status == "completed" and name != entry:
                del run.state.threads[name]


def barrier(run: Run, task: Task) -> None:
    """Mark a place that a change of direction does not jump over."""


OPS = {
    "thread.start": start,
    "thread.ready": ready,
    "thread.greet": greet,
    "hook.run": hook,
    "flow.open": open_flow,
    "flow.hear": hear,
    "turn.open": open_turn,
    "turn.unseen": unseen,
    "guard.input": guard_input,
    "guard.judged": judged_input,
    "agent.main": main,
    "agent.continue": go_on,
    "turn.again": again,
    "suspend.begin": suspend,
    "turn.close": close,
    "turn.finish": finish,
    "barrier": barrier,
}
