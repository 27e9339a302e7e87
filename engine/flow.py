"""FLOW: entering steps, the order inside a step, and what the user's next message means to the step that waits.

Spec: abl-language 5, 14.4.
"""

from __future__ import annotations

from collections.abc import Callable

from domain.json_values import JsonObject
from engine import (
    actions,
    asking,
    consent,
    digressions,
    first_words,
    gather,
    memory,
    on_input,
    profiles,
    readback,
    rewinding,
    routing,
    saying,
    variables,
)
from engine.flow_calls import OPS as CALL_OPS
from engine.flow_calls import (
    answered,
    before_call,
    call_phase,
    check_phase,
    given_up_key,
    left_behind,
    result_phase,
    speaks_after_call,
)
from engine.limits import MAX_FLOW_ITERATIONS
from engine.phases import ATTACHMENT, BEFORE_CALL, CALL, OPEN
from engine.run import Run
from engine.state import Task
from engine.transform import transform
from engine.waiting import attachment_phase

MAX_TRAIL = 50
TERMINALS = {"COMPLETE": "complete.begin", "ESCALATE": "escalate.begin"}


def begin(run: Run, task: Task) -> None:
    """Enter the entry step, or the step a test context names."""
    del task
    flow = profiles.flow_of(run)
    context = run.state.begun.test_context
    began_in = int(run.state.begun.with_message)
    is_first = run.state.turn_number == began_in and not run.thread.trail and not run.thread.parent
    start = context.start_at_step if context is not None and is_first else ""
    run.push("flow.enter", step=start if start in flow["definitions"] else flow["entry_point"])


def enter(run: Run, task: Task) -> None:
    """Go to a step or a terminal; guards, attempts and the limit of steps per turn are looked at here."""
    name, thread, turn = task.data["step"], run.thread, run.state.turn
    if turn.changed and run.agent.ir["coordination"]["delegates"] and _gives_out_first(run, name):
        return
    if turn.opening == thread.agent and not thread.step:
        turn.said_before = saying.spoken(run)
    if name in TERMINALS:
        run.decide("flow_transition", name, outcome="terminal", matched=True)
        needs = {"message": ""} if name == "COMPLETE" else {"reason": f"Step {thread.step}"}
        run.push(TERMINALS[name], **needs)
        return
    turn.flow_iterations += 1
    most = int(run.agent.ir["execution"].get("max_flow_iterations") or MAX_FLOW_ITERATIONS)
    if turn.flow_iterations > most:
        run.fault("max_iterations", f"More than {most} steps in one turn", origin="flow", handled=True)
        saying.tell(run, "max_iterations")
        run.unwind()
        return
    step = profiles.step_of(run, name)
    if step is None:
        run.fault("unknown_step", f"There is no step {name}", origin="flow")
        saying.tell(run, "error_default")
        run.unwind()
        return
    if first_words.waits(run, step):
        _change_step(run, name)
        run.decide("flow_transition", name, outcome="waits for input")
        run.unwind()
        return
    if (before := profiles.inserted(run, name, "before")) and thread.step != before:
        name, step = before, profiles.step_of(run, before) or {}
    _change_step(run, name)
    if profiles.is_skipped(run, name) or (step.get("when") and not run.test(step["when"])):
        run.decide("flow_transition", name, outcome="skipped", condition=step.get("when"))
        run.push("flow.leave", step=name)
        return
    attempts = thread.attempts[name] = thread.attempts.get(name, 0) + 1
    if step.get("max_attempts") and attempts > step["max_attempts"]:
        run.decide("flow_transition", name, outcome="exhausted", reasoning=f"{step['max_attempts']} attempts")
        if step.get("on_exhausted"):
            run.push("flow.enter", step=step["on_exhausted"])
        else:
            run.push("flow.leave", step=name)
        return
    if step.get("on_input") and "gather" in step:
        thread.counters[f"entered:{name}"] = 1
    asking.mark_said(run, name)
    _phase(run, name, 0)


def _gives_out_first(run: Run, name: str) -> bool:
    """Give out sub-tasks that what this turn has changed calls for; the flow goes on with what they bring."""
    run.push("flow.enter", step=name)
    if routing.give_out(run):
        return True
    run.state.tasks.pop()
    return False


def _change_step(run: Run, name: str) -> None:
    thread = run.thread
    old = thread.step
    run.decide("flow_transition", name, outcome="entered", matched=True, candidates=None, reasoning=old or None)
    if old and old != name:
        memory.recall(run, f"step:exit:{old}")
        for one in run.agent.ir["memory"]["session"]:
            if one.get("reset") == "per_step" and run.scope.get(one["name"]) != one.get("initial_value"):
                thread.variables = {**thread.variables, one["name"]: one.get("initial_value")}
    thread.counters.pop(given_up_key(old), None)
    thread.counters.pop(on_input.taken_key(old), None)
    thread.step = name
    thread.awaiting, thread.asked = "", []
    thread.zone_turns = thread.misses = 0
    thread.trail.append(name)
    del thread.trail[:-MAX_TRAIL]
    memory.recall(run, f"step:enter:{name}")


def _phase(run: Run, name: str, index: int) -> None:
    run.push("flow.step", step=name, phase=index)


def step_op(run: Run, task: Task) -> None:
    """Do one phase of a step; the next one follows unless the phase leads elsewhere."""
    name, index = task.data["step"], task.data["phase"]
    step = profiles.step_of(run, name)
    if step is None:
        run.unwind()
        return
    due = _due_phases(run, name, step)
    at = next(place for place in due if place >= index)
    if at + 1 < len(PHASES):
        _phase(run, name, at + 1)
    PHASES[at](run, step)


def _due_phases(run: Run, name: str, step: JsonObject) -> tuple[int, ...]:
    """Return the phases in which a step has something to do; the last one always has."""
    known = run.agent.phases.get(name) if not run.thread.profiles else None
    if known is not None:
        return known
    found = tuple(at for at, keys in enumerate(PHASE_KEYS) if not keys or any(step.get(key) for key in keys))
    if not run.thread.profiles:
        run.agent.phases[name] = found
    return found


def _prepare(run: Run, step: JsonObject) -> None:
    asking.set_now(run, step)
    for name in step.get("clear", ()):
        variables.clear_value(run, name)
    if "transform" in step and not step.get("transform_last"):
        transform(run, step["transform"])


def _zone(run: Run, step: JsonObject) -> None:
    if "reasoning_zone" in step:
        run.push("zone.run", step=step["name"])


def _open(run: Run, step: JsonObject) -> None:
    if not speaks_after_call(step):
        asking.open_step(run, step)


def _gather(run: Run, step: JsonObject) -> None:
    if "gather" not in step:
        return
    if asking.asks_once_more(run, step):
        asking.clear(run, step)
    run.thread.counters.pop(f"entered:{step['name']}", None)
    gather.begin(run, step["name"])
    run.push("gather.ask", step=step["name"])
    run.push("gather.read", step=step["name"], answer=False)


def _then(run: Run, step: JsonObject) -> None:
    run.push("flow.leave", step=step["name"])


PHASES: tuple[Callable[[Run, JsonObject], None], ...] = (
    _prepare,
    _zone,
    _open,
    _gather,
    attachment_phase,
    before_call,
    call_phase,
    check_phase,
    result_phase,
    on_input.input_phase,
    _then,
)
"""The order inside a step."""

PHASE_KEYS: tuple[tuple[str, ...], ...] = (
    ("set", "clear", "transform"),
    ("reasoning_zone",),
    ("respond", "message_key", "voice_config", "rich_content", "actions"),
    ("gather",),
    ("await_attachment",),
    ("human_approval", "do_first"),
    ("call_spec",),
    ("call_spec", "check", "success_when", "do"),
    ("call_spec", "do", "on_result", "on_success", "on_failure", "on_fail", "success_when"),
    ("on_input",),
    (),
)
"""Phase -> the properties that give it something to do; the last one is always due."""


def leave(run: Run, task: Task) -> None:
    """Go to the step after this one; without one the turn ends and the flow stays."""
    name = task.data["step"]
    target = _successor(run, name)
    run.unwind()
    if target:
        run.push("flow.enter", step=target)


def _successor(run: Run, name: str) -> str:
    if (after := profiles.inserted(run, name, "after")) and after != name:
        return after
    step = profiles.step_of(run, name) or {}
    if step.get("then"):
        return str(step["then"])
    for profile in profiles.active(run):
        for one in (profile.get("flow_modifications") or {}).get("insertions", ()):
            if one.get("step") == name and one.get("before"):
                return str(one["before"])
            if one.get("step") == name and one.get("after"):
                return str((profiles.step_of(run, one["after"]) or {}).get("then", ""))
    return ""


_READS_UNSEEN = frozenset({"gather", "input", "attachment"})
"""Questions that the very message may answer with which the flow began; a yes to what nobody has read is none."""


def turn(run: Run, task: Task) -> None:
    """Give the user's message to the step that waits: digressions, sub-intents, corrections, then its question."""
    del task
    name, thread = run.thread.step, run.thread
    step = profiles.step_of(run, name)
    is_done = bool(thread.counters.get("began")) and (run.state.turn.is_resumed or thread.awaiting not in _READS_UNSEEN)
    if step is None:
        if not is_done:
            run.push("flow.begin")
        return
    is_agreed = not is_done and thread.awaiting == "confirm" and consent.is_yes(run)
    if not is_agreed and not run.state.turn.is_consumed and digressions.take(run, step):
        return
    if is_done or _is_put_again(run):
        return
    if _may_correct(run, step) and gather.correct(run):
        _go_on_corrected(run, name)
        return
    match thread.awaiting:
        case "gather":
            thread.awaiting = ""
            asking.mark_said(run, name)
            on_input.reread(run, step)
            _phase(run, name, ATTACHMENT)
            run.push("gather.ask", step=name)
            run.push("gather.read", step=name, answer=True)
        case "attachment":
            _phase(run, name, BEFORE_CALL)
            attachment_phase(run, step)
        case "input":
            on_input.answer(run, step)
        case "confirm" if actions.is_asked(run):
            run.push("act.answered")
        case "confirm":
            answered(run, step)
        case "readback":
            _read_back(run, name)
        case "zone":
            _phase(run, name, OPEN)
            run.push("zone.run", step=name)
        case "callback":
            saying.say(run, run.message("still_waiting"))
            run.unwind()
        case _:
            _begin_again(run, step)


def _go_on_corrected(run: Run, name: str) -> None:
    """Put the question again after a correction, or decide again what the old value has decided. Decision: 0098."""
    if back := rewinding.earlier_step(run, run.state.turn.correction["field"]):
        rewinding.go_back(run, back)
    else:
        run.thread.counters[f"changed:{name}"] = 1
        run.push("flow.resume", reask=True)


def _is_put_again(run: Run) -> bool:
    """Put a question again that a message which is no answer meets; return whether that is so."""
    is_so = run.state.turn.is_consumed and run.thread.awaiting in ("attachment", "confirm")
    if is_so:
        run.push("flow.resume")
    return is_so


def _may_correct(run: Run, step: JsonObject) -> bool:
    is_open = step.get("corrections") is not False and run.thread.awaiting in ("gather", "input", "readback")
    return is_open and ("gather" in step or bool(step.get("corrections")))


def _begin_again(run: Run, step: JsonObject) -> None:
    """Begin the step that stands without a question; one whose call is made already is gone on with behind it.

    The message is for the question that the flow comes to then. What the opening has done is not done again.
    """
    if first_words.say_again(run, step):
        return
    if given_up_key(step["name"]) in run.thread.counters:
        run.push("flow.behind")
        run.push("barrier")
        left_behind(run, step)
    else:
        run.push("flow.enter", step=step["name"])


def behind(run: Run, task: Task) -> None:
    """Give the message to the question that was put behind a call that was given up; a yes to it is none yet."""
    if run.thread.awaiting in _READS_UNSEEN and not run.state.turn.is_consumed:
        turn(run, task)


def _read_back(run: Run, name: str) -> None:
    """Go on behind the gather when the values stand; else ask for what was taken back."""
    answer = readback.answered(run, name)
    if run.thread.awaiting:
        run.unwind()
        return
    if answer == "failed":
        return
    _phase(run, name, ATTACHMENT)
    if answer != "stands":
        run.push("gather.ask", step=name)
        return
    asking.mark_said(run, name)
    asking.gathered(run, profiles.step_of(run, name) or {})


def resume(run: Run, task: Task) -> None:
    """Go back to the question that was interrupted and put it again."""
    name, thread = run.thread.step, run.thread
    step = profiles.step_of(run, name) or {}
    run.state.turn.is_consumed = True
    if "gather" in step and thread.awaiting in ("gather", "readback", ""):
        if thread.awaiting == "gather" and not task.data.get("reask"):
            on_input.reread(run, step)
        thread.awaiting = ""
        _phase(run, name, ATTACHMENT)
        run.push("gather.ask", step=name)
    elif thread.awaiting == "input":
        _say_question(run, step)
        run.unwind()
    elif thread.awaiting == "attachment":
        _phase(run, name, BEFORE_CALL)
        attachment_phase(run, step, is_answer=False)
    elif actions.is_asked(run):
        run.push("act.ask")
    elif thread.awaiting == "confirm":
        run.state.turn.is_consumed = False
        _phase(run, name, CALL)
    elif not thread.awaiting:
        run.unwind()


def _say_question(run: Run, step: JsonObject) -> None:
    """Put the question of ON_INPUT again; a step that says nothing asks with the words of the steps before it."""
    earlier = (profiles.step_of(run, name) or {} for name in reversed(run.thread.trail[:-1]))
    any(saying.respond(run, one) for one in (step, *earlier))


OPEN_QUESTIONS = frozenset({"gather", "readback", "input", "confirm", "attachment"})
"""Questions that are put again when another agent or a person gives control back. Decision: 0086."""


def has_open_question(run: Run) -> bool:
    """Return whether the flow of the agent waits for an answer; what is said to another agent is none."""
    return run.agent.flow is not None and run.thread.awaiting in OPEN_QUESTIONS


def takes_only_answers(run: Run) -> bool:
    """Return whether a message that is routed again could be taken for an answer; ON_INPUT is there to sort it."""
    return has_open_question(run) and run.thread.awaiting != "input"


def is_answered(run: Run) -> bool:
    """Return whether a branch of ON_INPUT has taken the answer and given control away, and THEN leads on."""
    name = run.thread.step
    is_taken = run.thread.awaiting == "input" and on_input.taken_key(name) in run.thread.counters
    return is_taken and bool(_successor(run, name))


def again(run: Run, task: Task) -> None:
    """Do a step again from its beginning, not counted as another attempt."""
    _phase(run, task.data["step"], int(task.data.get("phase", 0)))


def failed(run: Run, task: Task) -> None:
    """A gather gave up on a field: ON_FAIL, else the field is skipped when optional, else a person takes over."""
    step = profiles.step_of(run, task.data["step"]) or {}
    field = task.data["field"]
    run.decide("stop", field, outcome="too many invalid answers")
    outcome = step.get("on_fail") or step.get("on_failure")
    run.thread.awaiting = ""
    if outcome:
        run.push("flow.leave", step=step["name"])
        actions.perform(run, outcome)
    else:
        run.unwind()
        run.push("escalate.begin", reason=f"No valid answer for {field}")


OPS = {
    "flow.begin": begin,
    "flow.enter": enter,
    "flow.step": step_op,
    "flow.leave": leave,
    "flow.turn": turn,
    "flow.behind": behind,
    "flow.resume": resume,
    "flow.again": again,
    "flow.failed": failed,
    **CALL_OPS,
    **on_input.OPS,
    **asking.OPS,
}
