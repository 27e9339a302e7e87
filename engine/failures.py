"""ON_ERROR: which handler a failure meets, how often it is tried again, and what happens then.

Order: the step's ON_ERROR, the agent's (one that names the tool or code before one for all), DEFAULT, the built-in
handler. Spec: abl-language 3.12, 8, 12.8.
"""

from __future__ import annotations

from dataclasses import dataclass

from domain.json_values import JsonObject
from engine import profiles, saying
from engine.limits import MAX_BACKTRACKS, MAX_DELAY_MS, MAX_RETRIES
from engine.run import Run

UNKNOWN = "outcome_unknown"
"""The kind of failure of a call of which nobody knows whether it was made. Decision: 0067."""


@dataclass(frozen=True, slots=True)
class Handler:
    """The handler of a failure and where it stands: `step`, `agent`, `default` (written) or `builtin`."""

    ir: JsonObject
    level: str

    @property
    def retries_step(self) -> bool:
        """Whether the whole step is tried again instead of the call alone."""
        return bool(self.ir.get("then") == "retry_step")


def find(run: Run, kind: str, subjects: tuple[str, ...] = ()) -> Handler:
    """Return the handler of a failure of this kind; `subjects` are the tool and the code of the failure."""
    step = profiles.step_of(run, run.thread.step) or {}
    for handlers, level in (
        (step.get("on_error") or (), "step"),
        (run.agent.ir["error_handling"]["handlers"], "agent"),
    ):
        of_kind = [one for one in handlers if one["type"].lower() == kind]
        named = [one for one in of_kind if set(one.get("subtypes") or ()) & set(subjects)]
        plain = [one for one in of_kind if not one.get("subtypes")]
        for one in (*named, *plain, *(one for one in handlers if one["type"] == "default")):
            return Handler(one, level)
    default = run.agent.ir["error_handling"]["default_handler"]
    is_built_in = (
        default.get("retry") == 1 and default.get("then") == "continue" and "retry_max_delay_ms" not in default
    )
    is_built_in = is_built_in and default.get("respond") == run.agent.messages.get("error_default")
    return Handler(default, "builtin" if is_built_in else "default")


def delay_before(handler: Handler, attempt: int) -> int | None:
    """Return the milliseconds before try number `attempt` + 1, None when there is no further one."""
    ir = handler.ir
    if attempt > min(int(ir.get("retry") or 0), MAX_RETRIES):
        return None
    delay = float(ir.get("retry_delay_ms") or 0)
    if ir.get("retry_backoff") == "exponential":
        delay *= 2 ** (attempt - 1)
    elif ir.get("retry_backoff") == "linear":
        delay *= attempt
    return int(min(delay, float(ir.get("retry_max_delay_ms") or MAX_DELAY_MS), MAX_DELAY_MS))


def follow(run: Run, handler: Handler, kind: str, message: str = "", *, subject: str = "") -> bool:
    """Say what the handler says and do its THEN; return whether the work at hand is given up for that.

    `subject` is the tool that has failed. Of a call that may have been made only a handler for that says anything of
    its own; the words of all others are for failures.
    """
    run.state.turn.error = kind
    then = handler.ir.get("then", "continue")
    is_built_in = handler.level == "builtin"
    text = run.wording(f"error_{kind}") or run.wording("error_default") if is_built_in else ""
    if kind == UNKNOWN and not is_for_unknown(handler):
        saying.unknown_outcome(run, subject)
    else:
        saying.respond(run, handler.ir if not text else {"respond": text}, {"_error": message or kind})
    match then:
        case "backtrack":
            _backtrack(run, str(handler.ir.get("backtrack_to", "")))
        case "escalate":
            _redirect(run, "escalate.begin", reason=message or kind)
        case "handoff":
            _redirect(run, "handoff.begin", target=handler.ir.get("handoff_target", ""), reason=kind)
        case "complete":
            _redirect(run, "complete.begin", message="")
        case _:
            return False
    return True


def is_for_unknown(handler: Handler) -> bool:
    """Return whether a handler is for calls of which nobody knows whether they were made."""
    return str(handler.ir["type"]).lower() == UNKNOWN


def _backtrack(run: Run, target: str) -> None:
    """Go back to a step, at most three times per step; then a person takes over."""
    thread = run.thread
    target = target or (thread.trail[-2] if len(thread.trail) > 1 else thread.step)
    count = thread.backtracks.get(target, 0) + 1
    thread.backtracks[target] = count
    if count > MAX_BACKTRACKS:
        _redirect(run, "escalate.begin", reason=f"Went back to {target} too often")
        return
    run.decide("backtrack", target, outcome=f"{count} of {MAX_BACKTRACKS}")
    step = profiles.step_of(run, target) or {}
    for field in (step.get("gather") or {}).get("fields", ()):
        thread.variables = {name: value for name, value in thread.variables.items() if name != field["name"]}
        thread.gathered.pop(field["name"], None)
    run.state.turn.is_consumed = True
    _redirect(run, "flow.enter", step=target)


def _redirect(run: Run, op: str, /, **needs: object) -> None:
    run.unwind()
    run.push(op, **needs)
