"""Steps that wait for something other than words: a file, or a person's yes or no. Spec: abl-language 5.2, 7.4."""

from __future__ import annotations

from domain.json_values import JsonObject
from engine import profiles, saying, variables
from engine.effects import OpenTask, StartTimer, Suspend
from engine.run import Run
from engine.state import Task

MS_PER_SECOND = 1_000


def attachment_phase(run: Run, step: JsonObject, *, is_answer: bool = True) -> None:
    """Take the file of the turn, or ask for it and end the turn; `is_answer`: a message without one is a refusal."""
    ir = step.get("await_attachment")
    if ir is None:
        return
    name = ir.get("variable") or "attachment"
    if run.scope.get(name) is not None:
        return
    declared: JsonObject = next((one for one in run.agent.ir["attachments"] if one["name"] == name), {})
    category = ir.get("category") or declared.get("category")
    for at, file in enumerate(run.state.turn.attachments):
        if category in (None, "", file.category) and _fits(declared, file.mime_type, file.size_bytes):
            value = {
                "id": file.id,
                "filename": file.filename,
                "mimeType": file.mime_type,
                "sizeBytes": file.size_bytes,
                "category": file.category,
                "text": file.text,
            }
            variables.set_value(run, name, value, "gather")
            del run.state.turn.attachments[at]
            run.thread.awaiting = ""
            return
    required = ir.get("required", True)
    is_refused = is_answer and run.thread.awaiting == "attachment" and not required
    if is_refused:
        run.thread.awaiting = ""
        return
    saying.say(
        run, run.render(ir.get("prompt") or declared.get("prompt") or run.message("gather_prompt", {"fields": name}))
    )
    run.act("collect", fields=[name], prompts=[ir.get("prompt", "")])
    if ir.get("timeout_seconds") and run.thread.awaiting != "attachment":
        delay = int(float(ir["timeout_seconds"]) * MS_PER_SECOND)
        timer = run.send(StartTimer, delay_ms=delay, reason=f"attachment:{step['name']}", outlives_turn=True)
        run.thread.counters[f"timer:{timer}"] = 1
    run.thread.awaiting = "attachment"
    run.unwind()


def _fits(declared: JsonObject, mime_type: str, size_bytes: int) -> bool:
    types = declared.get("allowed_mime_types")
    if types and mime_type and mime_type not in types:
        return False
    return size_bytes <= int(declared.get("max_file_size_bytes", size_bytes))


def approval_phase(run: Run, step: JsonObject) -> None:
    """Ask a person for a yes or no and suspend."""
    ir = step.get("human_approval")
    if ir is None:
        return
    suspension = run.send(
        Suspend,
        kind="approval",
        subject=step["name"],
        expires_s=float(ir["timeout_seconds"]) if ir.get("timeout_seconds") else None,
    )
    run.send(
        OpenTask,
        suspension_id=suspension,
        task_type="approval",
        priority="medium",
        reason=run.render(ir.get("prompt", "")),
        assignee=str(ir.get("assignee", "")),
        context={"step": step["name"]},
    )
    run.thread.awaiting = "callback"
    run.push("suspend.begin", task=["flow.approved", {"step": step["name"], "effect": suspension}], effect=suspension)


def approved(run: Run, task: Task) -> None:
    """Go where the person's answer leads."""
    outcome = run.take(task.data["effect"])
    step = profiles.step_of(run, task.data["step"]) or {}
    ir = step.get("human_approval") or {}
    key = "on_timeout" if outcome.kind == "expired" else "on_approve" if outcome.extra.get("approved") else "on_reject"
    run.thread.awaiting = ""
    for name, value in (outcome.value or {}).items() if isinstance(outcome.value, dict) else ():
        variables.set_value(run, name, value, "human")
    run.decide("resume", key, outcome=ir.get(key), matched=True)
    if ir.get(key):
        run.unwind()
        run.push("flow.enter", step=ir[key])


def timed_out(run: Run, task: Task) -> None:
    """Nobody sent the file in time."""
    step = profiles.step_of(run, run.thread.step) or {}
    target = (step.get("await_attachment") or {}).get("on_timeout")
    run.thread.awaiting = ""
    if target:
        run.push("flow.enter", step=target)


OPS = {"flow.approved": approved, "flow.timed_out": timed_out}
