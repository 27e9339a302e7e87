"""A turn that is given up: nothing is waited for any more, and what may have been done all the same is said.

Spec: platform-api 4.1 (deadline, cancel), abl-language 14.2.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from domain.traces import TraceType
from engine import calls, changing, delegate, prompts, saying
from engine.effects import Delegate
from engine.elsewhere import ELSEWHERE
from engine.flow_calls import ANSWERED, SENT, given_up_key
from engine.phases import CALL, CHECK
from engine.run import Run
from engine.state import Outcome, Task

UNKNOWN = Outcome(ok=False, kind="outcome_unknown", message="The outcome is unknown")
NOT_HEARD = '{"error": "outcome_unknown", "message": "It may have been done; check before it is asked for again"}'
NOT_READ = '{"status": "done, but the turn was given up before the result was read"}'


def give_up(run: Run, reason: str) -> None:
    """End the running turn with what it has said, and with a warning for each call that may have changed something."""
    state = run.state
    sent = [task for task in state.tasks if task.op == "call.settle"]
    out = [task for task in sent if task.data["effect"] in state.pending]
    heard = {task.data["call_id"]: NOT_READ for task in sent}
    heard |= {key.removeprefix("model:"): NOT_READ for key, outcome in state.outcomes.items() if outcome.ok}
    heard |= {task.data["call_id"]: NOT_HEARD for task in out}
    heard |= {task.data["call"]["id"]: NOT_HEARD for task in state.tasks if task.op == "reason.joined"}
    lost = [task for task in out if _may_have_changed_something(run, task)]
    elsewhere = [(task.thread, name) for task in state.tasks if (name := _agent_elsewhere(run, task))]
    delegated = [one for task in reversed(state.tasks) for one in _delegated(run, task)]
    _note_steps(run)
    state.tasks.clear()
    state.pending.clear()
    state.outcomes.clear()
    state.turn.held.clear()
    state.turn.status, state.turn.error = "cancelled", reason
    if lost or elsewhere or delegated:
        changing.note(run, changing.UNKNOWN)
    run.focus(state.active)
    run.decide("stop", "turn", outcome=reason)
    prompts.answer_open_calls(run.thread.messages, heard)
    for task in lost:
        run.focus(task.thread)
        calls.trace_result(run, task.data, UNKNOWN, calls.tool_of(run, task.data["tool"]) or {})
        saying.unknown_outcome(run, task.data["tool"])
    for thread, name in elsewhere:
        run.focus(thread)
        saying.unknown_outcome(run, name)
    for thread, name, effect, outcome in delegated:
        run.focus(thread)
        delegate.record(run, name, outcome, effect)
        saying.unknown_outcome(run, name)
    run.focus(state.active)
    run.trace(
        TraceType.RESPONSE, messageId=state.turn.reply_id or None, text="\n\n".join(state.turn.says), interrupted=True
    )
    run.push("turn.finish")


def _note_steps(run: Run) -> None:
    """Note for each flow whether the call of its step is made, so that the next message does not make it again."""
    for task in run.state.tasks:
        thread = run.state.threads.get(task.thread)
        if thread is None or thread.awaiting or task.data.get("step") != thread.step:
            continue
        key = given_up_key(thread.step)
        if task.op == "flow.called":
            thread.counters[key] = SENT
        elif task.op in ("flow.step", "flow.do") and task.data.get("phase", CHECK) > CALL and "until" not in task.data:
            thread.counters.setdefault(key, ANSWERED)


def _delegated(run: Run, task: Task) -> Iterator[tuple[str, str, str, Outcome]]:
    """Yield thread, agent and effect of each sub-task that a task waits for and that may have changed something."""
    for effect in (task.data.get("effect"), *(one["effect"] for one in task.data.get("sent") or ())):
        asked = run.state.pending.get(effect) if effect else None
        if asked is not None and asked.kind == Delegate.__name__ and asked.notes.get(delegate.MAY_CHANGE):
            outcome = msgspec.structs.replace(UNKNOWN, extra=asked.notes)
            yield task.thread, asked.subject, str(effect), outcome


def _agent_elsewhere(run: Run, task: Task) -> str:
    """Return the name of the agent elsewhere that has or gets control and whose answer a task waits for, else empty."""
    if task.data.get("effect") not in run.state.pending:
        return ""
    match task.op:
        case "handoff.accepted":
            return str(task.data["name"]).removesuffix(ELSEWHERE)
        case "remote.replied":
            return str(run.state.threads[task.thread].remote["name"])
        case _:
            return ""


def _may_have_changed_something(run: Run, task: Task) -> bool:
    run.focus(task.thread)
    tool = calls.tool_of(run, task.data["tool"]) or {}
    return changing.has_side_effects(tool)
