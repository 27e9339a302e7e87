"""Calling tools: arguments, mocks, the effect, retries, and what a result does to the state.

`send` asks; the task `call.settle` takes what came back and leaves it under a key for whoever asked.
Spec: abl-language 3.2, 5.4, 8, 14.3.
"""

from __future__ import annotations

import json

import msgspec

from domain.json_values import JsonObject, JsonValue
from domain.limits import ASYNC_TOOL_TIMEOUT_S
from domain.tool_calls import is_final
from domain.traces import TraceType
from engine import access, changing, failures, guardrails, judging, memory, pii, variables
from engine.arguments import missing_arguments, with_defaults
from engine.effects import CallTool, StartTimer, Suspend
from engine.limits import TOOL_TIMEOUT_MS
from engine.run import Run
from engine.sensitive import shown
from engine.state import Outcome, Task

BINDINGS = (
    ("http_binding", "http"),
    ("mcp_binding", "mcp"),
    ("sandbox_binding", "sandbox"),
    ("connector_binding", "connector"),
    ("workflow_binding", "workflow"),
    ("searchai_binding", "searchai"),
    ("async_webhook_binding", "async_webhook"),
)

TRACED_KINDS = frozenset({"http", "mcp", "sandbox", "lambda", "async_webhook", "builtin"})
"""Spec: platform-api 5.7."""


def arguments_of(run: Run, spec: JsonObject) -> JsonObject:
    """Return the arguments of a CALL: its expressions, then parameters of the same name, then defaults."""
    tool = tool_of(run, spec["tool"]) or {}
    parameters = {one["name"]: one for one in tool.get("parameters", ())}
    found: JsonObject = {}
    for name, expression in (spec.get("with") or {}).items():
        value = run.value(expression)
        if value is not None:
            found[name] = value
    if spec.get("args"):
        found["args"] = [run.value(expression) for expression in spec["args"]]
    for name in parameters:
        if name in found:
            continue
        value = run.scope.get(name) if spec.get("from_state") else None
        if value is not None:
            found[name] = value
    return with_defaults(tool, found)


def send(
    run: Run, name: str, arguments: JsonObject, key: str, *, call_id: str = "", attempt: int = 1, first: str = ""
) -> Task:
    """Ask for a tool and return the task that settles it; the result is left in `state.outcomes[key]`."""
    tool = tool_of(run, name)
    if tool is not None:
        arguments = with_defaults(tool, arguments)
    needs: JsonObject = {"tool": name, "arguments": arguments, "key": key, "call_id": call_id, "attempt": attempt}
    refusal = _refusal(name, tool, arguments)
    if refusal is None:
        about = guardrails.of_call("tool_input", name, arguments)
        checked, stopped = guardrails.check_value(run, arguments, about)
        needs["arguments"] = checked if isinstance(checked, dict) else arguments
        refusal = _stopped(run, stopped) if stopped is not None else None
    if refusal is not None:
        return refused(run, {**needs, "first": first}, refusal)
    if guardrails.rules_for(run, "tool_input", local=False) and attempt == 1 and run.state.begun.has_model:
        return Task("call.judge", run.thread.agent, {**needs, "first": first})
    return _sent(run, tool or {}, {**needs, "first": first})


def refused(run: Run, needs: JsonObject, refusal: Outcome) -> Task:
    """Return the task that settles a call which is not made at all."""
    effect = f"{needs['key']}:refused"
    run.state.outcomes[effect] = refusal
    return Task("call.settle", run.thread.agent, {**needs, "effect": effect})


def _sent(run: Run, tool: JsonObject, needs: JsonObject) -> Task:
    call_id, first = needs["call_id"] or needs["key"], needs["first"]
    effect, suspension = _effect(run, tool, needs["tool"], needs["arguments"], call_id, first)
    return Task(
        "call.settle",
        run.thread.agent,
        {**needs, "effect": effect, "first": first or effect, "suspension": suspension},
    )


def judge(run: Run, task: Task) -> None:
    """Have a model look at the texts of a call first."""
    run.push("call.judged", **task.data)
    judging.push_checks(run, "tool_input", _as_text(task.data["arguments"]))


def _as_text(arguments: JsonObject) -> str:
    """Return what a model is to judge of a call: its texts, and what is no text as JSON."""
    values = [one for one in arguments.values() if one not in ("", None) and not isinstance(one, bool)]
    return "\n".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in values)


def judged(run: Run, task: Task) -> None:
    """Make the call unless a model found something against it."""
    said = _as_text(task.data["arguments"])
    checked = judging.take_verdict(run, said)
    tool = tool_of(run, task.data["tool"]) or {}
    if checked.is_blocked or checked.reask or checked.text != said:  # what is to be taken out cannot be told apart
        run.state.tasks.append(refused(run, task.data, _stopped(run, checked)))
    else:
        run.state.tasks.append(_sent(run, tool, task.data))


def _refusal(name: str, tool: JsonObject | None, arguments: JsonObject) -> Outcome | None:
    """Return why a call is not made at all."""
    if tool is None:
        return Outcome(ok=False, kind="invalid_input", message=f"There is no tool {name}", code="unknown_tool")
    if absent := missing_arguments(tool, arguments):
        return Outcome(ok=False, kind="invalid_input", message=f"Missing: {', '.join(absent)}", code="missing_argument")
    return None


def _stopped(run: Run, checked: guardrails.Checked) -> Outcome:
    """Return what becomes of a call that a guardrail stops; one that escalates does so after the turn's work."""
    if checked.is_escalated:
        run.state.turn.hints = {**run.state.turn.hints, "escalate": checked.rule}
    message = checked.reask or checked.text
    return Outcome(ok=False, kind="constraint_violation", message=message, code="guardrail")


def tool_of(run: Run, name: str) -> JsonObject | None:
    """Return a tool of the agent, or one that a profile adds."""
    known = run.agent.tools.get(name)
    return known if known is not None or not run.thread.profiles else _added(run, name)


def _added(run: Run, name: str) -> JsonObject | None:
    for profile in run.agent.ir["behavior_profiles"]:
        for tool in profile.get("tools_add", ()):
            if tool["name"] == name and profile["name"] in run.thread.profiles:
                found: JsonObject = tool
                return found
    return None


def _effect(run: Run, tool: JsonObject, name: str, arguments: JsonObject, call_id: str, first: str) -> tuple[str, str]:
    """Send the effect; return its id, and that of the suspension of an asynchronous tool."""
    binding, kind = _binding(run, tool, name, arguments)
    hints = tool.get("hints") or {}
    suspension = ""
    if is_async := _is_async(binding, kind):
        expires = binding.get("timeoutSeconds") or ASYNC_TOOL_TIMEOUT_S
        suspension = run.send(Suspend, kind="tool", subject=name, expires_s=float(expires))
    timeout = hints.get("timeout") or run.agent.ir["execution"].get("timeouts", {}).get("tool_timeout_ms")
    effect: str = run.send(
        CallTool,
        about=name,
        call_id=call_id,
        tool=name,
        arguments=arguments,
        kind=kind,
        binding=binding,
        safe=not changing.has_side_effects(tool),
        idempotency_key=first or f"{run.state.turn.number}.{run.state.count + 1}",
        timeout_ms=int(timeout or TOOL_TIMEOUT_MS),
        variables=access.given(run, tool, binding, kind, arguments),
        suspension_id=suspension,
        auth_profile=str(tool.get("auth_profile_ref", "")),
    )
    run.trace(
        TraceType.TOOL_CALL,
        span=effect,
        toolCallId=call_id,
        toolName=name,
        toolType=kind if kind in TRACED_KINDS else "builtin",
        parameters=arguments
        if tool.get("pii_access") in pii.OPEN_TO_LOGS
        else {key: shown(run.agent, key, value) for key, value in arguments.items()},
        is_open=tool.get("pii_access") in pii.OPEN_TO_LOGS,
        mocked=kind == "mock",
        **{"async": is_async},
    )
    return effect, suspension


def _binding(run: Run, tool: JsonObject, name: str, arguments: JsonObject) -> tuple[JsonObject, str]:
    """Return how the tool is reached; the first usable mock of the test context comes before its binding."""
    for at, mock in enumerate(run.state.mocks):
        fits = mock.tool_name == name and all(arguments.get(key) == value for key, value in mock.match.items())
        if fits and (mock.times is None or mock.times > 0):
            if mock.times is not None:
                run.state.mocks[at] = mock.__class__(
                    tool_name=mock.tool_name,
                    response=mock.response,
                    error=mock.error,
                    delay_ms=mock.delay_ms,
                    times=mock.times - 1,
                    match=mock.match,
                )
            return {"response": mock.response, "error": mock.error, "delayMs": mock.delay_ms}, "mock"
    for key, kind in BINDINGS:
        if key in tool:
            found: JsonObject = tool[key]
            return found, kind
    return {}, str(tool.get("tool_type") or "unbound")


def suspends(tool: JsonObject) -> bool:
    """Return whether a tool only starts its work, and its result comes as a callback. Spec: abl-language 3.2."""
    return any(_is_async(tool[key], kind) for key, kind in BINDINGS if key in tool)


def _is_async(binding: JsonObject, kind: str) -> bool:
    return kind == "async_webhook" or (kind == "workflow" and binding.get("mode") == "async")


def settle(run: Run, task: Task) -> None:
    """Take what a tool gave: on success the values it sets, on failure another try or the error."""
    needs = task.data
    outcome = run.take(needs["effect"])
    if (outcome.ok or outcome.extra.get("accepted")) and changing.has_side_effects(tool_of(run, needs["tool"]) or {}):
        changing.note(run, changing.MADE)
    if outcome.extra.get("accepted"):
        later = {**needs, "effect": needs["suspension"]}
        run.push("suspend.begin", task=[task.op, later], effect=needs["suspension"])
        return
    name, tool = needs["tool"], tool_of(run, needs["tool"]) or {}
    trace_result(run, needs, outcome, tool)
    if outcome.ok:
        about = guardrails.of_call("tool_output", name, needs["arguments"], outcome.value)
        value, _ = guardrails.check_value(run, outcome.value, about)
        if guardrails.rules_for(run, "tool_output", local=False) and run.state.begun.has_model:
            run.push("call.taken", **needs, value=value)
            judging.push_checks(run, "tool_output", _output_text(value))
            return
        _take(run, needs, tool, value)
        return
    run.state.tool_failures += 1
    if _tries_again(run, needs, tool, outcome):
        return
    if outcome.kind == "outcome_unknown":
        changing.note(run, changing.UNKNOWN)
    run.fault(outcome.kind, outcome.message, origin="tool", details={"tool": name, "code": outcome.code})
    thread = run.thread
    thread.last_result = {"error": outcome.kind, "code": outcome.code, "message": outcome.message, **_later(outcome)}
    variables.set_lines(run, (tool.get("on_error") or {}).get("set", ()), "tool")
    run.state.outcomes[needs["key"]] = outcome


def _later(outcome: Outcome) -> JsonObject:
    """Return when another try may go better, where that is known."""
    return {key: value for key, value in outcome.extra.items() if key == "retryAfterMs"}


def taken(run: Run, task: Task) -> None:
    """Take a result that a model has looked at; what it finds fault with is not handed on."""
    needs, said = task.data, _output_text(task.data["value"])
    checked = judging.take_verdict(run, said)
    if checked.is_blocked or checked.reask:
        text = checked.reask or checked.text
        run.state.outcomes[needs["key"]] = Outcome(
            ok=False, kind="constraint_violation", message=text, code="guardrail"
        )
        return
    is_changed = checked.text != said
    _take(run, needs, tool_of(run, needs["tool"]) or {}, checked.text if is_changed else needs["value"])


def _output_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _take(run: Run, needs: JsonObject, tool: JsonObject, value: JsonValue) -> None:
    for name in run.agent.transient:
        known = run.thread.variables.get(name)
        if known is not None and known in needs["arguments"].values() and name not in run.thread.used:
            run.thread.used.append(name)
    _succeed(run, needs["tool"], tool, value)
    run.state.outcomes[needs["key"]] = Outcome(ok=True, value=run.thread.last_result)


def _succeed(run: Run, name: str, tool: JsonObject, value: JsonValue) -> None:
    thread = run.thread
    thread.last_result = value
    thread.tool_results[name] = value
    thread.tool_results[f"last_{name}_result"] = value
    variables.set_lines(run, (tool.get("on_result") or {}).get("set", ()), "tool")
    run.changes += 1
    memory.recall(run, f"tool:{name}:after")


def _tries_again(run: Run, needs: JsonObject, tool: JsonObject, outcome: Outcome) -> bool:
    """Ask once more after the handler's delay; a call with unknown outcome or side effects only if a rule says so."""
    handler = failures.find(run, outcome.kind, (needs["tool"], outcome.code))
    is_written = handler.level in ("step", "agent") and handler.ir["type"] != "default"
    is_safe = not changing.has_side_effects(tool)
    if handler.retries_step or is_final(outcome.kind, outcome.code):
        return False
    if not (is_written or (is_safe and outcome.kind not in ("outcome_unknown", "expired"))):
        return False
    if outcome.kind in changing.IN_DOUBT and changing.asks_each_time(tool):
        return False  # the yes was for one call, and that may have been made
    delay = failures.delay_before(handler, needs["attempt"])
    if delay is None:
        return False
    run.decide("retry", needs["tool"], outcome=f"attempt {needs['attempt'] + 1}", reasoning=outcome.message)
    run.act("retry", delay=delay)
    again = {name: needs[name] for name in ("tool", "arguments", "key", "call_id", "first")}
    run.push("call.again", **again, attempt=needs["attempt"] + 1)
    if delay:
        run.send(StartTimer, delay_ms=delay, reason=f"retry {needs['tool']}")
    return True


def again(run: Run, task: Task) -> None:
    """Make the next try of a call."""
    needs = task.data
    run.state.tasks.append(
        send(
            run,
            needs["tool"],
            needs["arguments"],
            needs["key"],
            call_id=needs["call_id"],
            attempt=needs["attempt"],
            first=needs["first"],
        )
    )


def trace_result(run: Run, needs: JsonObject, outcome: Outcome, tool: JsonObject) -> None:
    """Record what came of a call."""
    size = len(msgspec.json.encode(outcome.value)) if outcome.ok else 0
    run.trace(
        TraceType.TOOL_RESULT,
        span=needs["effect"],
        took_ms=outcome.duration_ms,
        toolCallId=needs["call_id"] or needs["key"],
        toolName=needs["tool"],
        success=outcome.ok,
        result=outcome.value if outcome.ok else None,
        error=None
        if outcome.ok
        else {"code": outcome.code or outcome.kind, "message": outcome.message, **_later(outcome)},
        latencyMs=outcome.duration_ms,
        resultSizeBytes=size,
        executionSkipped=True if needs["effect"].endswith(":refused") else None,
        attempts=needs["attempt"],
        is_open=tool.get("pii_access") in pii.OPEN_TO_LOGS,
    )


OPS = {
    "call.settle": settle,
    "call.again": again,
    "call.judge": judge,
    "call.judged": judged,
    "call.taken": taken,
}
