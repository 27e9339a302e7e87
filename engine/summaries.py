"""What a model sums up for itself: turns that no longer fit into its window, and results longer than wanted.

Without a model, or when it gives no answer, the same texts are cut instead. Spec: abl-language 3.15 (compaction,
`strategy: summarize`).
"""

from __future__ import annotations

from domain.json_values import JsonObject
from domain.model_calls import Message, ModelRequest
from engine import pii, prompts
from engine.compaction import cut
from engine.effects import AskModel
from engine.limits import LLM_TIMEOUT_MS, MAX_SUMMARY_CHARS, MAX_SUMMED_CHARS
from engine.model_outcomes import asked_notes, trace_call
from engine.run import Run
from engine.state import Task

SUMMARIZE, OPERATION = "summarize", "summarization"
OF_TURNS = (
    "Sum up the earlier part of this conversation for the agent that goes on with it. Keep names, numbers, codes, "
    "dates, what was decided, what the user wants and what is still open. Write plain sentences and nothing else."
)
OF_RESULT = (
    "Sum up this result of a tool for the agent that asked for it. Keep names, numbers, codes, dates and whatever the "
    "user may ask about. Write plain sentences and nothing else."
)
BEFORE = "[Earlier in this conversation] "
"""Begins the message that stands for the turns that were summed up."""


def sums_turns(run: Run) -> bool:
    """Return whether a model sums up the turns that the agent's window no longer holds."""
    rules = (run.agent.ir["execution"].get("compaction") or {}).get("prior_turns") or {}
    return rules.get("strategy") == SUMMARIZE and run.state.begun.has_model


def begin(run: Run, step: str) -> bool:
    """Have the oldest turns summed up when the window has run over; return whether the turn waits for that."""
    count = prompts.overhang(run) if sums_turns(run) else 0
    if not count:
        return False
    said = (f"{one.role}: {one.content}" for one in run.thread.messages[:count] if one.content)
    effect = _ask(run, OF_TURNS, "\n".join(said)[-MAX_SUMMED_CHARS:])
    run.push("history.summed", effect=effect, count=count, step=step)
    return True


def summed(run: Run, task: Task) -> None:
    """Put the summary in the place of what it sums up; without one only an earlier summary is kept of it."""
    text = _answer(run, task.data["effect"])
    messages = run.thread.messages
    before = [one for one in messages[:1] if one.role == "user" and one.content.startswith(BEFORE)]
    messages[: task.data["count"]] = [Message("user", BEFORE + text)] if text else before
    run.push("reason.hear", step=task.data["step"])


def of_result(run: Run, call_id: str, name: str) -> None:
    """Have a result that stands in the messages summed up where the agent wants that and it is too long."""
    rules = (run.agent.ir["execution"].get("compaction") or {}).get("tool_results") or {}
    most = int(rules.get("max_chars") or 0)
    found = next((one for one in reversed(run.thread.messages) if one.tool_call_id == call_id), None)
    if found is None or len(found.content) <= most:
        return
    wanted = str(rules.get("summarize_prompt") or OF_RESULT)
    effect = _ask(run, f"{wanted}\nAt most {most} characters. The tool is {name}.", found.content, name)
    run.push("history.result", effect=effect, call_id=call_id, most=most)


def result_summed(run: Run, task: Task) -> None:
    """Put the summary of a result in its place; without one it is cut."""
    text, most, messages = _answer(run, task.data["effect"]), task.data["most"], run.thread.messages
    for at, one in enumerate(messages):
        if one.tool_call_id == task.data["call_id"]:
            messages[at] = Message("tool", cut(text or one.content, most), (), one.tool_call_id, one.name)


def _ask(run: Run, system: str, text: str, tool: str = "") -> str:
    execution = run.agent.ir["execution"]
    models = execution.get("operation_models") or {}
    compaction = execution.get("compaction") or {}
    shown = text if tool in run.agent.open_tools else pii.hidden(run.state, text)
    request = ModelRequest(
        messages=(Message("system", system), Message("user", shown)),
        model=str(compaction.get("model") or models.get(OPERATION) or execution.get("model") or ""),
        temperature=0.0,
        metadata={"agent": run.thread.agent, "operation": OPERATION, "session_id": run.state.begun.session_id},
    )
    timeout = (execution.get("timeouts") or {}).get("llm_timeout_ms") or LLM_TIMEOUT_MS
    return run.send(
        AskModel,
        about=OPERATION,
        notes=asked_notes(run, request, OPERATION),
        request=request,
        operation=OPERATION,
        timeout_ms=int(timeout),
    )


def _answer(run: Run, effect_id: str) -> str:
    outcome = run.take(effect_id)
    trace_call(run, effect_id, outcome)
    value: JsonObject = outcome.value if outcome.ok and isinstance(outcome.value, dict) else {}
    return str(pii.restored(run.state, str(value.get("text") or "").strip()[:MAX_SUMMARY_CHARS]))


OPS = {"history.summed": summed, "history.result": result_summed}
