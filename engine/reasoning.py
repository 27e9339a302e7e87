"""The model-driven loop of an agent or zone: ask, run tools, look at the rules, ask again. Spec: abl-language 14.3."""

from __future__ import annotations

import msgspec

from domain.json_values import JsonObject
from domain.messages import Attachment
from domain.model_calls import UNANSWERABLE, Message
from domain.tool_calls import ToolCall
from engine import (
    compaction,
    failures,
    gather,
    guardrails,
    judging,
    pii,
    profiles,
    prompts,
    saying,
    streaming,
    summaries,
)
from engine.effects import AskModel, StartTimer
from engine.limits import LLM_TIMEOUT_MS, MAX_ITERATIONS
from engine.model_outcomes import asked_notes, trace_call
from engine.phases import INPUT
from engine.run import Run
from engine.state import Outcome, Task
from engine.tool_round import OPS as ROUND_OPS
from engine.tool_round import confirmed_call

DEFAULT_MAX_TURNS = 10


def _step(run: Run, name: str) -> JsonObject | None:
    return profiles.step_of(run, name) if name else None


def begin(run: Run, task: Task) -> None:
    """Add the user's message and start the rounds; without a model the next missing field is asked for."""
    name = task.data.get("step", "")
    step, thread = _step(run, name), run.thread
    if step is not None:
        thread.zone_turns += 1
        if _zone_ends(run, step):
            return
    if not run.state.begun.has_model:
        _without_model(run, name)
        return
    prompts.answer_open_calls(thread.messages)
    compaction.shorten_earlier(run, sums_turns=summaries.sums_turns(run))
    if not summaries.begin(run, name):
        prompts.trim(run)
        hear(run, Task("reason.hear", thread.agent, {"step": name}))


def hear(run: Run, task: Task) -> None:
    """Let the model hear the message of this turn, and ask it."""
    name = task.data["step"]
    thread, turn = run.thread, run.state.turn
    text = turn.text or run.state.begun.task
    if (text or turn.attachments) and not turn.is_resumed and thread.heard != turn.number:
        thread.heard = turn.number
        thread.messages.append(Message("user", (text + _files(turn.attachments)).lstrip("\n")))
    thread.awaiting = ""
    run.push("reason.ask", step=name, round=1)
    if "call_id" in thread.confirmation:
        confirmed_call(run, name)


def _files(attachments: list[Attachment]) -> str:
    """Return what a model reads of the files of a message."""
    lines = [f"\n[file {one.filename or one.id}, {one.mime_type or one.category}] {one.text}" for one in attachments]
    return "".join(line.rstrip() for line in lines)


def _without_model(run: Run, name: str) -> None:
    """Go on without a model: ask for the next field, else say that this cannot be answered."""
    wanted = gather.missing(run, gather.fields_of(run, name if (_step(run, name) or {}).get("gather") else ""))
    if wanted and gather.gives_up(run, wanted[0]):
        run.thread.retries.pop(wanted[0]["name"], None)
        run.unwind()
        run.push("escalate.begin", reason=f"No valid answer for {wanted[0]['name']}")
        return
    if wanted:
        run.thread.asked = [wanted[0]["name"]]
        is_failed = f"field:{wanted[0]['name']}" in run.state.turn.failures
        words = run.render(gather.retry_text(run, wanted[0]) if is_failed else gather.prompt_of(run, wanted[0]))
        saying.say(run, words)
        run.act("collect", fields=[one["name"] for one in wanted], prompts=[words])
    else:
        run.fault("not_configured", "No model is configured", origin="llm", handled=False)
        run.state.turn.status, run.state.turn.error = "failed", "not_configured"
    run.thread.awaiting = "zone" if name else ""
    run.unwind()


def ask(run: Run, task: Task) -> None:
    """Make one round's model call, unless there have been enough."""
    needs = task.data
    execution = run.agent.ir["execution"]
    most = int(execution.get("max_iterations") or MAX_ITERATIONS)
    if needs["round"] > most:
        run.fault("max_iterations", f"More than {most} rounds in one turn", origin="llm")
        saying.tell(run, "max_iterations")
        run.push("reason.end", step=needs["step"])
        return
    prompts.answer_open_calls(run.thread.messages)
    request, hashed = prompts.request(run, _step(run, needs["step"]), note=str(needs.get("note", "")))
    if needs.get("fallback"):
        request = msgspec.structs.replace(request, model=needs["fallback"])
    timeout = (execution.get("timeouts") or {}).get("llm_timeout_ms") or LLM_TIMEOUT_MS
    stream = streaming.is_streamed(run)
    effect = run.send(
        AskModel,
        about="reasoning",
        notes=asked_notes(run, request, "reasoning", stream=stream),
        hashed=[hashed, request.model],
        request=request,
        operation="reasoning",
        stream=stream,
        fallback_model=str(execution.get("fallback_model") or ""),
        timeout_ms=int(timeout),
    )
    run.push("reason.take", **{**needs, "effect": effect})


def take(run: Run, task: Task) -> None:
    """Take the model's answer: tools are run, a text is checked and said, a failure meets ON_ERROR."""
    needs = task.data
    outcome = run.take(needs["effect"])
    trace_call(run, needs["effect"], outcome, ends_turn=outcome.kind in UNANSWERABLE)
    if not outcome.ok:
        _fail(run, needs, outcome)
        return
    reply = outcome.value
    calls = [
        ToolCall(one["id"], one["name"], one.get("arguments") or {}, one.get("signature", ""))
        for one in reply.get("tool_calls") or ()
    ]
    if calls:
        run.thread.messages.append(Message("assistant", reply.get("text") or "", tool_calls=tuple(calls)))
        asked = pii.restored(run.state, reply["tool_calls"])
        run.push("reason.tools", step=needs["step"], round=needs["round"], calls=asked)
        return
    text = str(pii.restored(run.state, reply.get("text") or ""))
    kept = {"reasks": needs.get("reasks", 0), "first_token_ms": outcome.extra.get("first_token_ms", 0)}
    run.push("reason.text", step=needs["step"], round=needs["round"], text=text, **kept)
    judging.push_checks(run, "output", text)


def _fail(run: Run, needs: JsonObject, outcome: Outcome) -> None:
    """Try the fallback model once, then what ON_ERROR says."""
    kind, message = outcome.kind, outcome.message
    if kind in UNANSWERABLE:
        turn = run.state.turn
        turn.status, turn.error, turn.hints = "failed", kind, {**turn.hints, "refusal": message}
        run.thread.awaiting = "zone" if needs.get("step") else ""
        run.unwind()
        return
    fallback = str(run.agent.ir["execution"].get("fallback_model") or "")
    kept = {name: needs[name] for name in ("step", "round", "reasks") if name in needs}
    if fallback and not needs.get("fallback"):
        run.decide("retry", fallback, outcome="fallback model", reasoning=message)
        run.push("reason.ask", **kept, fallback=fallback)
        return
    group = kind if kind in ("llm_timeout",) else "llm_error"
    handler = failures.find(run, kind, ("llm",))
    if handler.level not in ("step", "agent"):
        handler = failures.find(run, group, (kind,))
    attempt = int(needs.get("attempt", 1))
    may_again = handler.level != "builtin" and not outcome.extra.get("final")
    delay = failures.delay_before(handler, attempt) if may_again else None
    if delay is not None:
        run.push("reason.ask", **kept, attempt=attempt + 1)
        if delay:
            run.send(StartTimer, delay_ms=delay, reason="retry model")
        return
    if not failures.follow(run, handler, kind, message):
        run.push("reason.end", step=needs["step"])


def text_op(run: Run, task: Task) -> None:
    """Check the final text; ask again where a guardrail wants that, else say it."""
    needs, text = task.data, str(task.data["text"])
    judged = judging.take_verdict(run, text)
    checked = (
        guardrails.check_local(run, "output", judged.text) if not judged.is_blocked and not judged.reask else judged
    )
    if checked.reask and needs["reasks"] < checked.max_reasks:
        run.push(
            "reason.ask",
            step=needs["step"],
            round=needs["round"] + 1,
            reasks=needs["reasks"] + 1,
            note=f"Your last draft was refused: {checked.reask} Draft: {text}",
        )
        return
    text = checked.reask or checked.text
    run.thread.messages.append(Message("assistant", text))
    if text:
        saying.say(run, text, is_checked=True, is_heard=True, first_token_ms=int(needs.get("first_token_ms", 0)))
    if checked.is_escalated:
        run.push("escalate.begin", reason=f"Guardrail {checked.rule}")
        return
    run.push("reason.end", step=needs["step"])


def end(run: Run, task: Task) -> None:
    """Leave the zone when it is done, else wait for the next message."""
    step = _step(run, task.data["step"])
    if step is not None and not _zone_ends(run, step, after=True):
        run.thread.awaiting = "zone"
        run.unwind()


def check(run: Run, task: Task) -> None:
    """After a tool result: the zone's exit, then the rules over state, then the next round."""
    needs = task.data
    step = _step(run, needs["step"])
    if step is not None and _zone_ends(run, step):
        return
    run.push("reason.ask", step=needs["step"], round=needs["round"] + 1)
    run.push("turn.complete")
    run.push("turn.route", is_first=False)
    run.push("turn.check")


def _zone_ends(run: Run, step: JsonObject, *, after: bool = False) -> bool:
    """Go on behind the zone when EXIT_WHEN holds or its turns are used up; return whether it does."""
    zone = step["reasoning_zone"]
    condition = zone.get("exit_when")
    most = int(zone.get("max_turns") or DEFAULT_MAX_TURNS)
    is_over = bool(condition) and run.test(condition)
    is_used_up = run.thread.zone_turns > most if not after else run.thread.zone_turns >= most
    if not (is_over or is_used_up):
        return False
    run.decide(
        "flow_transition",
        step["name"],
        outcome="exit_when" if is_over else "max_turns",
        condition=condition,
        matched=is_over,
    )
    run.unwind()
    run.push("flow.again", step=step["name"], phase=INPUT)
    return True


def zone(run: Run, task: Task) -> None:
    """Run a reasoning zone of a flow."""
    run.push("reason.begin", step=task.data["step"])


OPS = {
    "reason.begin": begin,
    "reason.hear": hear,
    "reason.ask": ask,
    "reason.take": take,
    "reason.text": text_op,
    "reason.end": end,
    "reason.check": check,
    "zone.run": zone,
    **ROUND_OPS,
}
