"""The tool calls of one model answer: system tools act at once, others are checked, confirmed and run.

Spec: abl-language 8 (confirmation), 12.3, 14.3.
"""

from __future__ import annotations

import json

from domain.json_values import JsonObject, JsonValue
from domain.model_calls import Message
from domain.tool_calls import ToolCall
from engine import calls, compaction, consent, constraints, delegate, gather, prompts, saying, summaries, variables
from engine.arguments import checked, with_defaults
from engine.limits import MAX_FAN_OUT, MAX_RESULT_CHARS, MIN_FAN_OUT
from engine.run import Run
from engine.state import Outcome, Task

ENDING = ("__handoff__", "__complete__", "__escalate__", "__return_to_parent__")


def begin(run: Run, task: Task) -> None:
    """Run the calls: together when all may run in parallel, else one after the other."""
    needs = task.data
    asked: list[JsonObject] = needs["calls"]
    run.push("reason.check", step=needs["step"], round=needs["round"])
    tools = [run.agent.tools.get(one["name"]) or {} for one in asked]
    together = len(asked) > 1 and all((tool.get("hints") or {}).get("parallelizable") for tool in tools)
    together = together and not any(map(calls.suspends, tools))
    groups = [asked] if together else [[one] for one in asked]
    run.push_all(
        [("reason.call", {"calls": group, "step": needs["step"], "round": needs["round"]}) for group in groups]
    )


def call(run: Run, task: Task) -> None:
    """Make the calls of one group."""
    needs = task.data
    ready: list[JsonObject] = []
    keys: list[str] = []
    for one in needs["calls"]:
        key = f"model:{one['id']}"
        keys.append(key)
        if one["name"].startswith("_"):
            if _system(run, one, key):
                return
            continue
        if key in run.state.outcomes:
            continue
        made = _prepared(run, one, key)
        if made is None:
            continue
        if _is_held_back(run, made, key, task):
            return
        if key not in run.state.outcomes:
            ready.append(made)
    run.push("reason.results", calls=needs["calls"], keys=keys)
    settling = [
        calls.send(run, one["name"], one["arguments"], f"model:{one['id']}", call_id=one["id"]) for one in ready
    ]
    run.state.tasks.extend(reversed(settling))


def _prepared(run: Run, one: JsonObject, key: str) -> JsonObject | None:
    """Return a call with its arguments as the tool wants them; None, and a refusal, where that cannot be."""
    arguments = one.get("arguments") or {}
    tool = calls.tool_of(run, one["name"])
    if tool is None:
        return {**one, "arguments": arguments}
    arguments, faults = checked(tool, arguments)
    if not faults:
        return {**one, "arguments": with_defaults(tool, arguments)}
    message = "; ".join(faults)
    run.decide("stop", one["name"], outcome="wrong argument", reasoning=message)
    run.state.outcomes[key] = Outcome(ok=False, kind="invalid_input", message=message, code="wrong_argument")
    return None


def _is_held_back(run: Run, one: JsonObject, key: str, task: Task) -> bool:
    """Look at constraints and confirmation; return whether the turn goes another way, refusals are left as outcomes."""
    name, arguments = one["name"], one.get("arguments") or {}
    rule = constraints.violated(run, constraints.rules_of(run), "tool_call", name, arguments)
    if rule is not None:
        _answer(run, one, {"error": "constraint", "message": constraints.text_of(run, rule)})
        action = rule.get("on_fail") or {"type": "block"}
        if action.get("then_action") == "retry" or action["type"] == "retry_step":
            for field in action.get("collect_fields", ()):
                variables.clear_value(run, field)
            wanted = ", ".join(action.get("collect_fields", ()))
            run.state.outcomes[key] = Outcome(
                ok=False, kind="constraint", message=f"First find out: {wanted}", code="said"
            )
            return False
        run.push("reason.end", step="")
        run.push("constraint.act", rule=rule)
        return True
    tool = calls.tool_of(run, name)
    need = consent.needed(run, tool, arguments) if tool is not None else ""
    if tool is None or need == "":
        return False
    if need in ("declined", "unauthorized"):
        run.state.outcomes[key] = consent.refusal(need, tool)
        return False
    if need == "auth":
        consent.sign_in(run, tool, (task.op, task.data))
        return True
    _answer(run, one, {"status": "waiting for the user's yes"})
    _ask(run, need, tool, one)
    return True


def _ask(run: Run, need: consent.Need, tool: JsonObject, one: JsonObject) -> None:
    """Ask the user about a call of the model, and end the turn."""
    fixed = list((tool.get("confirmation") or {}).get("immutable_params") or ())
    words = consent.ask(run, need, tool, one.get("arguments") or {}, call_id=one["id"], fixed=fixed)
    prompts.answer_open_calls(run.thread.messages)
    run.thread.messages.append(Message("assistant", words))
    run.unwind()
    if run.thread.step:
        run.thread.awaiting = "zone"
    saying.say(run, words, is_heard=True)


def confirmed_call(run: Run, step: str) -> None:
    """Carry out or drop the call the user was asked about; the model then goes on with its result."""
    asked, thread = run.thread.confirmation, run.thread
    tool = calls.tool_of(run, asked["tool"]) or {"name": asked["tool"]}
    answer = consent.answer(run, tool)
    settled = thread.confirmation
    thread.confirmation = {}
    if answer == "correction":
        run.state.tasks.pop()
        call = {"id": asked["call_id"], "name": asked["tool"], "arguments": settled["arguments"]}
        _ask(run, consent.needed(run, tool, settled["arguments"]), tool, call)
        return
    if answer != "yes":
        return
    granted = settled.get("granted")
    one = {"id": f"{asked['call_id']}-confirmed", "name": asked["tool"], "arguments": asked["arguments"]}
    from_model = ToolCall(one["id"], one["name"], one["arguments"])
    thread.messages.append(Message("assistant", "", tool_calls=(from_model,)))
    key = f"model:{one['id']}"
    run.state.tasks.pop()
    run.push("reason.check", step=step, round=0)
    if asked.get("kind") == "consent" and consent.needed(run, tool, asked["arguments"]) == "confirm" and not granted:
        run.push("reason.call", calls=[one], step=step, round=0)
        return
    run.push("reason.results", calls=[one], keys=[key])
    rule = constraints.violated(run, constraints.rules_of(run), "tool_call", asked["tool"], asked["arguments"])
    if rule is not None:
        run.state.outcomes[key] = Outcome(ok=False, kind="constraint", message=constraints.text_of(run, rule))
        return
    run.state.tasks.append(calls.send(run, asked["tool"], asked["arguments"], key, call_id=one["id"]))


def results(run: Run, task: Task) -> None:
    """Give the model what its calls brought."""
    for one, key in zip(task.data["calls"], task.data["keys"], strict=True):
        outcome = run.state.outcomes.pop(key, None)
        if outcome is None or outcome.code == "said":
            continue
        value = outcome.value if outcome.ok else {"error": outcome.kind, "message": outcome.message}
        _answer(run, one, compaction.result_text(run, one["name"], value))
        if outcome.ok and compaction.sums_results(run):
            summaries.of_result(run, one["id"], one["name"])


def _answer(run: Run, one: JsonObject, value: JsonValue) -> None:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    run.thread.messages.append(Message("tool", text[:MAX_RESULT_CHARS], tool_call_id=one["id"], name=one["name"]))


def _system(run: Run, one: JsonObject, key: str) -> bool:
    """Act on a system tool; return whether it ends the loop."""
    name, arguments = one["name"], one.get("arguments") or {}
    if not prompts.offers(run, name):
        _answer(run, one, {"error": "invalid_input", "message": f"There is no tool {name}"})
        return False
    run.decide("routing", name, outcome="system_tool", matched=True)
    if name in ENDING:
        _answer(run, one, {"ok": True})
        run.unwind_turn()
    match name:
        case "__handoff__":
            context = arguments.get("context")
            run.push(
                "handoff.begin",
                target=str(arguments.get("target", "")),
                context=context if isinstance(context, dict) else {},
                reason="model",
            )
        case "__complete__" | "__return_to_parent__":
            stored = arguments.get("store") or arguments.get("result") or {}
            for variable, value in stored.items() if isinstance(stored, dict) else ():
                variables.set_value(run, variable, value, "tool")
            run.push("complete.begin", message=str(arguments.get("message") or ""))
        case "__escalate__":
            run.push("escalate.begin", reason=str(arguments.get("reason", "")), priority=arguments.get("priority"))
        case "__delegate__":
            _delegate(run, one, [arguments], key)
        case "__fan_out__":
            asked = arguments.get("tasks")
            tasks = [task for task in asked if isinstance(task, dict)] if isinstance(asked, list) else []
            if MIN_FAN_OUT <= len(tasks) <= MAX_FAN_OUT:
                _delegate(run, one, tasks, key)
            else:
                _answer(run, one, {"error": "invalid_input", "message": "Two to five tasks"})
        case "__set_context__":
            variables.set_value(run, str(arguments.get("key", "")), arguments.get("value"), "tool")
            _answer(run, one, {"ok": True})
        case "_extract_entities":
            count = gather.offer_all(run, gather.fields_of(run, ""), arguments)
            _answer(run, one, {"recorded": count})
        case _:
            raise ValueError(f"{name} is offered to models and nothing carries it out")
    return name in ENDING


def _delegate(run: Run, one: JsonObject, tasks: list[JsonObject], key: str) -> None:
    """Send the sub-tasks a model asks for; unknown targets are answered with an error."""
    rules = {rule["agent"]: rule for rule in run.agent.ir["coordination"]["delegates"]}
    group = key if len(tasks) > 1 else ""
    sent = []
    unknown = [str(asked.get("target", "")) for asked in tasks if str(asked.get("target", "")) not in rules]
    if unknown:
        _answer(run, one, {"error": "invalid_input", "message": f"There is no agent {unknown[0]} to ask"})
        return
    for asked in tasks:
        rule = rules[str(asked["target"])]
        given = {name: run.value(text) for name, text in (rule.get("input") or {}).items()}
        if isinstance(asked.get("input"), dict):
            given.update(asked["input"])
        effect = delegate.send(run, rule, given, task=str(asked.get("task") or ""), group=group)
        sent.append({"effect": effect, "agent": rule["agent"], "returns": rule.get("returns") or {}})
    run.push("reason.joined", call=one, sent=sent, group=group)


def joined(run: Run, task: Task) -> None:
    """Give the model what the children brought, in the order it named them."""
    found: list[JsonObject] = []
    for sent in task.data["sent"]:
        outcome = delegate.taken(run, sent["effect"], sent["agent"], task.data["group"])
        if outcome.ok:
            delegate.take_values(run, {"agent": sent["agent"], "returns": sent["returns"]}, outcome)
            text = str(outcome.extra.get("text", ""))
            found.append({"agent": sent["agent"], "result": outcome.value, **({"text": text} if text else {})})
        else:
            run.fault("delegation_error", outcome.message or outcome.kind, origin="flow")
            found.append({"agent": sent["agent"], "error": outcome.kind, "message": outcome.message})
    _answer(run, task.data["call"], found if len(found) > 1 else found[0])


OPS = {
    "reason.tools": begin,
    "reason.call": call,
    "reason.results": results,
    "reason.joined": joined,
}
