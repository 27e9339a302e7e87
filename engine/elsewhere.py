"""Agents that run elsewhere: a thread whose turns are answered by another system.

Control moves to such a thread as to any other one; from then on each message of the user is sent to it, until it says
that it is done. What goes to it and what it says is judged by the rules of the agent that handed over.
Spec: abl-language 7.2, 3.8 (LOCATION).
"""

from __future__ import annotations

from domain.json_values import JsonObject
from domain.messages import TranscriptLine
from engine import changing, pii, saying
from engine.effects import HandOff
from engine.limits import MAX_REMOTE_MISSES
from engine.program import AgentProgram
from engine.run import Run
from engine.state import Outcome, Task

ELSEWHERE = "@remote"
"""Ends the name of a thread elsewhere whose agent has the name of one in this program."""
NEEDS_INPUT = "needs_input"
UNKNOWN = "outcome_unknown"
REFUSED = "delegation_error"
"""How an agent elsewhere answers: it has a question, nobody knows, no."""


def address_of(run: Run, written: JsonObject | None, found: AgentProgram | None, target: str) -> JsonObject:
    """Return `{endpoint, protocol}` of a target elsewhere, empty when it is an agent of this program.

    A rule's own LOCATION counts before an agent of the same name here; `{{env.NAME}}` in ENDPOINT is filled in.
    """
    known = written or (run.program.remote_agents.get(target) if found is None else None) or {}
    endpoint = str(known.get("endpoint", ""))
    if "{{" in endpoint:
        names: JsonObject = {"env": run.state.begun.environment}
        known = {**known, "endpoint": run.program.texts.template(endpoint).render(names, run.environment)}
    return known


def history_of(run: Run, lines: list[TranscriptLine]) -> JsonObject:
    """Return the conversation so far as another system may read it, sensitive values masked; empty without."""
    told = [{"role": one.role, "content": pii.masked_data(run.state, one.content)} for one in lines]
    return {"history": told} if told else {}


def is_accepted(outcome: Outcome) -> bool:
    """Return whether the other side has taken over: it is done already, or has something to ask."""
    return outcome.ok or outcome.kind == NEEDS_INPUT


def take_reply(run: Run, outcome: Outcome) -> None:
    """Say what the agent elsewhere says, keep its values, and end its thread when it is done."""
    thread = run.thread
    thread.misses = 0
    values = outcome.value if isinstance(outcome.value, dict) else {}
    thread.variables = {**thread.variables, **values}
    if known := outcome.extra.get("conversation"):
        thread.remote = {**thread.remote, "conversation": known}
    state = "completed" if outcome.ok else "answered"
    run.decide("handoff", thread.agent, outcome=state, matched=True, took_ms=outcome.duration_ms)
    if text := str(outcome.extra.get("text") or ""):
        saying.say(run, text)
    if outcome.ok:
        run.unwind_turn()
        run.push("complete.end", message="")
    else:
        thread.awaiting = "input"


def forward(run: Run) -> None:
    """Send the user's message to the agent elsewhere that has control."""
    turn, remote = run.state.turn, run.thread.remote
    event = turn.action
    text = turn.text or (event.value or event.action_id if event is not None else "")
    address = {name: remote[name] for name in ("endpoint", "protocol")}
    effect = run.send(
        HandOff,
        target=remote["name"],
        text=text,
        returns=bool(run.thread.parent),
        remote=address,
        conversation=remote.get("conversation") or {},
    )
    turn.is_consumed = True
    run.push("remote.replied", effect=effect)


def replied(run: Run, task: Task) -> None:
    """Take the answer to a forwarded message; an agent that fails again and again loses control."""
    outcome, thread = run.take(task.data["effect"]), run.thread
    if is_accepted(outcome):
        take_reply(run, outcome)
        return
    thread.misses += 1
    is_over = thread.misses >= MAX_REMOTE_MISSES or outcome.kind == REFUSED
    run.fault(
        "handoff_error",
        outcome.message or f"{thread.remote['name']} does not answer",
        origin="flow",
        details={"target": thread.remote["name"], "kind": outcome.kind},
    )
    if outcome.kind == UNKNOWN:
        changing.note(run, changing.UNKNOWN)
        saying.unknown_outcome(run, thread.remote["name"])
    elif not is_over:
        saying.tell(run, "error_default")
    if not is_over:
        return
    saying.tell(run, "error_handoff")
    run.unwind_turn()
    thread.variables = {}
    run.push("remote.lost")


def lost(run: Run, task: Task) -> None:
    """Give control back to the agent that waits, which then goes on with the next message; else to the entry agent."""
    del task
    thread = run.thread
    thread.status, thread.awaiting = "completed", ""
    run.decide("handoff", thread.agent, outcome="lost", matched=False)
    parent = run.state.threads.get(thread.parent) if thread.parent else None
    if parent is None:
        return
    run.state.active, parent.status = parent.agent, "active"
    run.focus(parent.agent)


OPS = {"remote.replied": replied, "remote.lost": lost}
