"""A turn that is given up: nothing is waited for any more, and what may have been done all the same is said.

Spec: platform-api 4.1 (deadline, cancel), abl-language 14.2.
"""

from __future__ import annotations

from domain.traces import TraceType
from engine import calls, prompts, saying
from engine.elsewhere import ELSEWHERE, address_of
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
    lost = [task for task in out if _may_have_changed_something(run, task)]
    elsewhere = [(task.thread, name) for task in state.tasks if (name := _agent_elsewhere(run, task))]
    state.tasks.clear()
    state.pending.clear()
    state.outcomes.clear()
    state.turn.held.clear()
    state.turn.status, state.turn.error = "cancelled", reason
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
    run.focus(state.active)
    run.trace(
        TraceType.RESPONSE, messageId=state.turn.reply_id or None, text="\n\n".join(state.turn.says), interrupted=True
    )
    run.push("turn.finish")


def _agent_elsewhere(run: Run, task: Task) -> str:
    """Return the name of the agent elsewhere whose answer a task waits for, empty when it waits for none."""
    if task.data.get("effect") not in run.state.pending:
        return ""
    match task.op:
        case "handoff.accepted":
            return str(task.data["name"]).removesuffix(ELSEWHERE)
        case "remote.replied":
            return str(run.state.threads[task.thread].remote["name"])
        case "delegate.settle":
            run.focus(task.thread)
            rule = run.agent.ir["coordination"]["delegates"][task.data["rule"]]
            found = run.program.find(rule["agent"])
            return str(rule["agent"]) if address_of(run, rule.get("remote"), found, rule["agent"]) else ""
        case _:
            return ""


def _may_have_changed_something(run: Run, task: Task) -> bool:
    run.focus(task.thread)
    tool = calls.tool_of(run, task.data["tool"]) or {}
    return bool((tool.get("hints") or {}).get("side_effects", True))
