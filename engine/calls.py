"""Calling tools: arguments, mocks, the effect, retries, and what a result does to the state.

`send` asks; the task `call.settle` takes what came back and leaves it under a key for whoever asked.
Spec: abl-language 3.2, 5.4, 8, 14.3.
"""

from __future__ import annotations

from typing import Any

from domain.json_values import JsonObject, JsonValue
from domain.traces import MAX_VALUE_BYTES, TraceType
from engine import failures, guardrails, memory, variables
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
ASYNC_TIMEOUT_S = 3_600


def arguments_of(run: Run, spec: JsonObject) -> JsonObject:
    """Return the arguments of a CALL: its expressions, then parameters of the same name, then defaults."""
    tool = run.agent.tools.get(spec["tool"]) or {}
    parameters = {one["name"]: one for one in tool.get("parameters", ())}
    found: JsonObject = {}
    for name, expression in (spec.get("with") or {}).items():
        value = run.value(expression)
        if value is not None:
            found[name] = value
    if spec.get("args"):
        found["args"] = [run.value(expression) for expression in spec["args"]]
    for name, one in parameters.items():
        if name in found:
            continue
        value = run.scope.get(name) if spec.get("from_state") else None
        if value is None:
            value = one.get("default")
        if value is not None:
            found[name] = value
    return found


def missing_arguments(tool: JsonObject, arguments: JsonObject) -> list[str]:
    """Return the required parameters that have no value."""
    return [
        one["name"]
        for one in tool.get("parameters", ())
        if one.get("required") and one.get("default") is None and arguments.get(one["name"]) is None
    ]


def send(
    run: Run, name: str, arguments: JsonObject, key: str, *, call_id: str = "", attempt: int = 1, first: str = ""
) -> Task:
    """Ask for a tool and return the task that settles it; the result is left in `state.outcomes[key]`."""
    tool = run.agent.tools.get(name) or _added(run, name)
    needs: JsonObject = {"tool": name, "arguments": arguments, "key": key, "call_id": call_id, "attempt": attempt}
    refusal = _refusal(run, name, tool, arguments)
    if refusal is not None:
        run.state.outcomes[f"{key}:refused"] = refusal
        return Task("call.settle", run.thread.agent, {**needs, "effect": f"{key}:refused", "first": first})
    effect, suspension = _effect(run, tool or {}, name, arguments, call_id or key, first)
    needs = {**needs, "effect": effect, "first": first or effect, "suspension": suspension}
    return Task("call.settle", run.thread.agent, needs)


def _refusal(run: Run, name: str, tool: JsonObject | None, arguments: JsonObject) -> Outcome | None:
    """Return why a call is not made at all."""
    if tool is None:
        return Outcome(ok=False, kind="invalid_input", message=f"There is no tool {name}", code="unknown_tool")
    if absent := missing_arguments(tool, arguments):
        return Outcome(ok=False, kind="invalid_input", message=f"Missing: {', '.join(absent)}", code="missing_argument")
    for value in arguments.values():
        if isinstance(value, str):
            checked = guardrails.check_local(run, "tool_input", value)
            if checked.is_blocked:
                return Outcome(ok=False, kind="constraint_violation", message=checked.text, code="guardrail")
    return None


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
    if kind == "async_webhook":
        expires = binding.get("timeoutSeconds") or ASYNC_TIMEOUT_S
        suspension = run.send(Suspend, kind="tool", subject=name, expires_s=float(expires))
    timeout = hints.get("timeout") or run.agent.ir["execution"].get("timeouts", {}).get("tool_timeout_ms")
    access = set((tool.get("context_access") or {}).get("read") or ())
    given = {name_: run.scope.get(name_) for name_ in [*_mentioned(run, binding), *sorted(access)]}
    given = {name_: value for name_, value in given.items() if value is not None and name_ not in arguments}
    effect: str = run.send(
        CallTool,
        subject=name,
        call_id=call_id,
        tool=name,
        arguments=arguments,
        kind=kind,
        binding=binding,
        safe=not hints.get("side_effects", True),
        idempotency_key=first or f"{run.state.turn.number}.{run.state.count + 1}",
        timeout_ms=int(timeout or TOOL_TIMEOUT_MS),
        variables=given,
        suspension_id=suspension,
        auth_profile=str(tool.get("auth_profile_ref", "")),
    )
    run.trace(
        TraceType.TOOL_CALL,
        span=effect,
        toolCallId=call_id,
        toolName=name,
        toolType=kind if kind != "mock" else "builtin",
        parameters={key: shown(run.agent, key, value) for key, value in arguments.items()},
        mocked=kind == "mock",
        **{"async": kind == "async_webhook"},
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


def _mentioned(run: Run, binding: Any) -> list[str]:
    """Return the root names the texts of a binding mention."""
    if isinstance(binding, str):
        if "{{" not in binding:
            return []
        return [name for name in run.program.mentioned(binding) if name not in ("secrets", "env", "config")]
    values = binding.values() if isinstance(binding, dict) else binding if isinstance(binding, list) else ()
    return list(dict.fromkeys(name for value in values for name in _mentioned(run, value)))


def settle(run: Run, task: Task) -> None:
    """Take what a tool gave: on success the values it sets, on failure another try or the error."""
    needs = task.data
    outcome = run.take(needs["effect"])
    if outcome.extra.get("accepted"):
        later = {**needs, "effect": needs["suspension"]}
        run.push("suspend.begin", task=[task.op, later], effect=needs["suspension"])
        return
    name, tool = needs["tool"], run.agent.tools.get(needs["tool"]) or {}
    _trace_result(run, needs, outcome)
    if outcome.ok:
        _succeed(run, name, tool, _checked_value(run, outcome.value))
        run.state.outcomes[needs["key"]] = Outcome(ok=True, value=run.thread.last_result)
        return
    run.state.tool_failures += 1
    if _tries_again(run, needs, tool, outcome):
        return
    run.fault(outcome.kind, outcome.message, origin="tool", details={"tool": name, "code": outcome.code})
    thread = run.thread
    thread.last_result = {"error": outcome.kind, "code": outcome.code, "message": outcome.message}
    variables.set_lines(run, (tool.get("on_error") or {}).get("set", ()), "tool")
    run.state.outcomes[needs["key"]] = outcome


def _succeed(run: Run, name: str, tool: JsonObject, value: JsonValue) -> None:
    thread = run.thread
    thread.last_result = value
    thread.tool_results[name] = value
    thread.tool_results[f"last_{name}_result"] = value
    variables.set_lines(run, (tool.get("on_result") or {}).get("set", ()), "tool")
    run.changes += 1
    memory.recall(run, f"tool:{name}:after")


def _checked_value(run: Run, value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return guardrails.check_local(run, "tool_output", value).text
    if isinstance(value, dict) and guardrails.rules_for(run, "tool_output", local=True):
        return {key: _checked_value(run, one) for key, one in value.items()}
    return value


def _tries_again(run: Run, needs: JsonObject, tool: JsonObject, outcome: Outcome) -> bool:
    """Ask once more after the handler's delay; a call with unknown outcome or side effects only if a rule says so."""
    handler = failures.find(run, outcome.kind, (needs["tool"], outcome.code))
    is_written = handler.level in ("step", "agent") and handler.ir["type"] != "default"
    is_safe = not (tool.get("hints") or {}).get("side_effects", True)
    if handler.retries_step or outcome.kind in ("invalid_input", "constraint_violation"):
        return False
    if not (is_written or (is_safe and outcome.kind != "outcome_unknown")):
        return False
    delay = failures.delay_before(handler, needs["attempt"])
    if delay is None:
        return False
    run.decide("retry", needs["tool"], outcome=f"attempt {needs['attempt'] + 1}", reasoning=outcome.message)
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


def _trace_result(run: Run, needs: JsonObject, outcome: Outcome) -> None:
    text = str(outcome.value) if outcome.ok else ""
    value = outcome.value if len(text) <= MAX_VALUE_BYTES else {"truncated": True, "sizeBytes": len(text)}
    run.trace(
        TraceType.TOOL_RESULT,
        span=needs["effect"],
        duration_ms=outcome.duration_ms,
        toolCallId=needs["call_id"] or needs["key"],
        toolName=needs["tool"],
        success=outcome.ok,
        result=value if outcome.ok else None,
        error=None if outcome.ok else {"code": outcome.code or outcome.kind, "message": outcome.message},
        latencyMs=outcome.duration_ms,
        resultSizeBytes=len(text),
        executionSkipped=True if needs["effect"].endswith(":refused") else None,
        attempts=needs["attempt"],
    )


OPS = {"call.settle": settle, "call.again": again}
