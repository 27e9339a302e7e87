"""State -> the messages and tools of a model call. What never changes stands first, so that prefixes can be cached.

Order: identity, goal, rules, routing (the same for all sessions of an agent); then profiles, values, recalled memory,
warnings (of this moment); then the conversation. Spec: abl-language 14.3.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from domain.json_values import JsonObject, JsonValue
from domain.model_calls import Message, ModelRequest, ToolSpec
from engine import extraction_model, gather, pii, profiles
from engine.effects import request_hash
from engine.limits import MOST_WINDOWS, WINDOW_MESSAGES
from engine.program import AgentProgram
from engine.run import Run
from engine.sensitive import is_sensitive, masked

JSON_TYPES = {
    "date": "string",
    "datetime": "string",
    "float": "number",
    "currency": "number",
    "any": "string",
    "list": "array",
}
HASHED_MESSAGES = 6
"""The last messages of a request that its hash covers; those before were the last ones of earlier requests."""

_BREAKS = {ord(one): f"\\u{ord(one):04x}" for one in "\x85\u2028\u2029"}
"""Line breaks that JSON leaves as they are, and how it writes them too."""
KNOWN_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object"})


def reasoning_model(execution: JsonObject) -> str:
    """Return the model that an agent names for its reasoning, empty when it names none."""
    models = execution.get("operation_models") or {}
    return str(models.get("reasoning") or models.get("response_gen") or execution.get("model") or "")


def request(run: Run, step: JsonObject | None, *, note: str = "") -> tuple[ModelRequest, JsonValue]:
    """Return the next request of the reasoning loop of a zone, or the agent, and what stands for it in its hash."""
    execution = run.agent.ir["execution"]
    fixed = _fixed(run, step)
    system = "\n\n".join(part for part in (fixed, _moment(run, step, note)) if part)
    specs, specs_hash = tools(run, step)
    made = ModelRequest(
        messages=pii.hidden_messages(
            run.state, (Message("system", system), *run.thread.messages), run.agent.open_tools
        ),
        tools=specs,
        model=reasoning_model(execution),
        temperature=execution.get("temperature"),
        max_tokens=execution.get("max_tokens"),
        stable_chars=len(fixed),
        metadata={"agent": run.thread.agent, "operation": "reasoning", "session_id": run.state.begun.session_id},
    )
    last = made.messages[-HASHED_MESSAGES:]
    return made, [system, specs_hash, made.model, made.temperature, made.max_tokens, len(made.messages), last]


def _fixed(run: Run, step: JsonObject | None) -> str:
    """Return the part of the prompt that depends on nothing but the program, made once."""
    key = f"prompt:{step['name'] if step else ''}"
    known = run.agent.prompts.get(key)
    if known is None:
        known = run.agent.prompts[key] = _write_fixed(run.agent, step)
    return run.render(known) if "{{" in known else known


def _write_fixed(agent: AgentProgram, step: JsonObject | None) -> str:
    identity = agent.ir["identity"]
    prompt = identity.get("system_prompt") or {}
    parts = (
        [str(prompt.get("template") or "")] if prompt.get("custom") else [f"You are {agent.name.replace('_', ' ')}."]
    )
    zone = (step or {}).get("reasoning_zone") or {}
    parts.append(f"Your goal:\n{(zone.get('goal') or identity.get('goal') or '').strip()}")
    if identity.get("persona"):
        parts.append(f"Your manner: {identity['persona']}")
    if identity.get("limitations"):
        parts.append("You cannot or must not:\n" + "\n".join(f"- {one}" for one in identity["limitations"]))
    if rules := _rules(agent, zone):
        parts.append("Rules:\n" + "\n".join(f"- {one}" for one in rules))
    if agent.handoffs:
        lines = [f"- {one['to']}: {_described(agent, one)}" for one in agent.handoffs]
        parts.append("Agents you can hand over to with __handoff__:\n" + "\n".join(lines))
    if delegates := agent.ir["coordination"]["delegates"]:
        lines = [
            f"- {one['agent']}: {one.get('purpose', '')} {one.get('use_result', '')}".rstrip() for one in delegates
        ]
        parts.append("Agents you can give a sub-task with __delegate__:\n" + "\n".join(lines))
    if ways := _ways_out(agent):
        parts.append("\n".join(ways))
    if agent.is_supervisor and not (agent.ir.get("routing") or {}).get("direct_response_allowed", True):
        parts.append("You only route. Answer yourself only a greeting, a farewell, or a request nobody here is for.")
    if behavior := agent.ir.get("conversation_behavior"):
        parts.append("How to talk: " + json.dumps(behavior, sort_keys=True, ensure_ascii=False))
    if language := identity.get("language"):
        parts.append(f"Answer in the language {language} unless the user writes in another one.")
    return "\n\n".join(part for part in parts if part)


def _ways_out(agent: AgentProgram) -> list[str]:
    """Return when to ask a person and when the work is done, as far as that is said in words or conditions."""
    triggers = agent.ir["coordination"]["escalation"].get("triggers", ())
    lines = [
        f"- __escalate__ when {one['when']}: {one.get('reason', '')}".rstrip(": ")
        for one in triggers
        if one.get("when")
    ]
    done = [one["when"] for one in agent.ir["completion"]["conditions"] if one.get("when")]
    lines += [f"- __complete__ when {when}" for when in done]
    return ["Ways out:", *lines] if lines else []


def _rules(agent: AgentProgram, zone: JsonObject) -> list[str]:
    found = list(agent.ir["constraints"].get("instructions", ()))
    for rule in (*agent.ir["constraints"]["constraints"], *(zone.get("constraints") or ())):
        message = (rule.get("on_fail") or {}).get("message")
        checkpoint = rule.get("checkpoint") or {}
        where = f" (before {checkpoint.get('target') or 'replying'})" if checkpoint else ""
        if message:
            found.append(f"{message}{where}")
    return found


def _described(agent: AgentProgram, handoff: JsonObject) -> str:
    rules = (agent.ir.get("routing") or {}).get("rules") or ()
    described = next((rule["description"] for rule in rules if rule["to"] == handoff["to"]), "")
    when = handoff.get("when", "")
    return f"{described} (when {when})" if when and when != "true" else described


def _moment(run: Run, step: JsonObject | None, note: str) -> str:
    """Return the part of the prompt that speaks of now."""
    parts = [f"Now: {run.state.at[:16]}Z."]
    for profile in profiles.active(run):
        parts += [str(profile.get("instructions", "")), *[f"- {one}" for one in profile.get("constraints", ())]]
        if behavior := profile.get("conversation_behavior"):
            parts.append("How to talk now: " + json.dumps(behavior, sort_keys=True, ensure_ascii=False))
    if (style := profiles.gather_rule(run, "confirmation")) in ("always", "on_change"):
        parts.append(f"Read values back to the user and ask for a yes: {style.replace('_', ' ')}.")
    thread = run.thread
    if thread.summary:
        parts.append(f"Handed over to you: {_line(thread.summary)}")
    if thread.view:
        lines = [f"{line.role}: {_quoted(line.content)}" for line in thread.view]
        parts.append("Said before you took over, quoted:\n" + "\n".join(lines))
    parts += _values(run, step)
    if thread.recalled:
        parts.append("Remember:\n" + "\n".join(f"- {one}" for one in thread.recalled))
    if thread.warnings:
        parts.append("Warnings:\n" + "\n".join(f"- {one}" for one in thread.warnings))
    if run.state.suspensions:
        waiting = ", ".join(one.subject for one in run.state.suspensions.values() if one.subject)
        parts.append(f"Still waiting for an answer from: {waiting}")
    if hint := run.state.turn.hints.get("note"):
        parts.append(hint)
    if note:
        parts.append(note)
    return "\n\n".join(part for part in parts if part)


def _values(run: Run, step: JsonObject | None) -> list[str]:
    """Return what is known, what is still to find out, and what was only inferred."""
    thread, parts = run.thread, []
    fields = gather.fields_of(run, "") if step is None or "gather" not in step else gather.fields_of(run, step["name"])
    known = [f"- {one['name']}: {_shown(run, one)}" for one in fields if run.scope.get(one["name"]) is not None]
    others = [name for name in thread.gathered if name not in run.agent.fields]
    known += [f"- {name}: {_line(run.scope.get(name))}" for name in others]
    known += [
        f"- {one['name']}: {_line(value)}"
        for one in run.agent.ir["memory"]["session"]
        if (value := run.scope.get(one["name"])) is not None
    ]
    if known:
        parts.append("Known:\n" + "\n".join(known))
    if wanted := gather.missing(run, fields):
        lines = [f"- {one['name']}: {one.get('prompt') or one.get('type')}" for one in wanted]
        parts.append("Still to find out, one question at a time:\n" + "\n".join(lines))
    unsure = [name for name, how in thread.gathered.items() if how == "unconfirmed"]
    if unsure:
        parts.append(f"Inferred, confirm with the user: {', '.join(unsure)}")
    return parts


def _line(value: object) -> object:
    """Return a value as it may stand in a line of a prompt: one of several lines is quoted, so that it begins none.

    Else what a user has said could look like a block of the prompt.
    """
    return _quoted(value) if isinstance(value, str) and value.splitlines() not in ([], [value]) else value


def _quoted(text: str) -> str:
    """Return a text as JSON, in one line by any reading."""
    return json.dumps(text, ensure_ascii=False).translate(_BREAKS)


def _shown(run: Run, field: JsonObject) -> object:
    value = run.scope.get(field["name"])
    if not is_sensitive(field):
        return _line(value)
    return pii.token_of(run.state, value) or masked(field, value)


def tools(run: Run, step: JsonObject | None) -> tuple[tuple[ToolSpec, ...], str]:
    """Return the tools the model sees now, and their hash; made once where nothing changes them."""
    if run.thread.profiles or "tools" in run.state.turn.hints:
        made = tuple(_tools(run, step))
        return made, request_hash(made)
    key = (step["name"] if step else "", bool(run.thread.parent))
    known = run.agent.specs.get(key)
    if known is None:
        made = tuple(_tools(run, step))
        known = run.agent.specs[key] = (made, request_hash(made))
    return known


def _tools(run: Run, step: JsonObject | None) -> list[ToolSpec]:
    """Return the tools the model sees now: available ones, without those a profile hides, and the system tools."""
    zone = (step or {}).get("reasoning_zone") or {}
    available = zone.get("available_tools")
    hidden = profiles.hidden_tools(run)
    narrowed = run.state.turn.hints.get("tools")
    found: list[ToolSpec] = []
    for tool in (*run.agent.ir["tools"], *profiles.added_tools(run)):
        is_system = bool(tool.get("system"))
        if narrowed is not None and not is_system and tool["name"] not in narrowed:
            continue
        if tool["name"] in hidden or (available is not None and not is_system and tool["name"] not in available):
            continue
        found.append(ToolSpec(tool["name"], tool.get("description", ""), _parameters(tool.get("parameters", ()))))
    if offers(run, "__return_to_parent__"):
        text = {"type": "string"}
        found.append(
            ToolSpec(
                "__return_to_parent__",
                "Give the conversation back when your part is done",
                {"type": "object", "properties": {"result": {"type": "object"}, "message": text}},
            )
        )
    if offers(run, "__fan_out__"):
        found.append(_fan_out(run))
    if offers(run, "_extract_entities"):
        schema = extraction_model.schema_of(gather.fields_of(run, ""))
        given: JsonObject = {"type": "object", "properties": schema["properties"]}
        found.append(ToolSpec("_extract_entities", "Record what the user has stated", given))
    if offers(run, "__set_context__"):
        properties = {"key": {"type": "string"}, "value": {}}
        found.append(ToolSpec("__set_context__", "Keep a value", {"type": "object", "properties": properties}))
    return found


def offers(run: Run, name: str) -> bool:
    """Return whether a system tool is there: those of the compiler, and those of the runtime by their conditions.

    Spec: abl-language 12.3.
    """
    ir = run.agent.ir
    match name:
        case "__return_to_parent__":
            return bool(run.thread.parent)
        case "__fan_out__":
            return len(ir["coordination"]["delegates"]) > 1
        case "_extract_entities":
            return bool(ir["execution"].get("inline_gather") and ir["gather"]["fields"])
        case "__set_context__":
            return any(one.get("access") != "read" for one in ir["memory"]["persistent"])
        case _:
            return bool(run.agent.tools.get(name, {}).get("system"))


def _fan_out(run: Run) -> ToolSpec:
    targets = [one["agent"] for one in run.agent.ir["coordination"]["delegates"]]
    one_task = {
        "type": "object",
        "properties": {
            "target": {"type": "string", "enum": list(dict.fromkeys(targets))},
            "task": {"type": "string"},
            "input": {"type": "object"},
        },
        "required": ["target"],
    }
    tasks = {"type": "array", "items": one_task, "minItems": 2, "maxItems": 5}
    schema: JsonObject = {"type": "object", "properties": {"tasks": tasks}, "required": ["tasks"]}
    return ToolSpec("__fan_out__", "Give two to five sub-tasks to agents at the same time", schema)


def _parameters(parameters: list[JsonObject] | tuple[JsonObject, ...]) -> JsonObject:
    properties = {one["name"]: _schema(one) for one in parameters}
    required = [one["name"] for one in parameters if one.get("required")]
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _schema(one: JsonObject) -> JsonObject:
    kind = str(one.get("type", "string"))
    if kind.endswith("[]"):
        return {"type": "array", "items": {"type": _json_type(kind[:-2])}}
    schema: JsonObject = {"type": _json_type(kind)}
    for key in ("description", "enum", "default"):
        if one.get(key) is not None:
            schema[key] = one[key]
    if isinstance(one.get("properties"), list):
        schema["properties"] = {inner["name"]: _schema(inner) for inner in one["properties"]}
    if isinstance(one.get("items"), dict):
        schema["items"] = _schema(one["items"])
    return schema


def _json_type(kind: str) -> str:
    return kind if kind in KNOWN_TYPES else JSON_TYPES.get(kind, "string")


def trim(run: Run) -> None:
    """Forget the oldest messages when half as many again as the window are there; a turn is never cut in two."""
    if count := overhang(run):
        del run.thread.messages[:count]


def overhang(run: Run) -> int:
    """Return how many of the oldest messages are too many, 0 until half as many again as the window are there."""
    window = _window(run)
    messages = run.thread.messages
    if len(messages) <= window + window // 2:
        return 0
    at = len(messages) - window
    while at < len(messages) and messages[at].role != "user":
        at += 1
    return at


def is_overfull(run: Run) -> bool:
    """Return whether there are more messages than can wait to be summed up."""
    return len(run.thread.messages) > MOST_WINDOWS * _window(run)


def _window(run: Run) -> int:
    return int(run.agent.ir["execution"].get("conversation_history_window") or WINDOW_MESSAGES)


def answer_open_calls(messages: list[Message], known: Mapping[str, str] | None = None) -> None:
    """Give every tool call of the last answer a result: a model refuses a conversation in which one is missing.

    `known` says by call what there is to say of those that were made.
    """
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if message.role != "assistant":
            continue
        if not message.tool_calls:
            return
        answered = {one.tool_call_id for one in messages[at + 1 :]}
        place = at + 1
        while place < len(messages) and messages[place].role == "tool":
            place += 1
        for call in message.tool_calls:
            if call.id not in answered:
                text = (known or {}).get(call.id, '{"status": "not run"}')
                messages.insert(place, Message("tool", text, tool_call_id=call.id, name=call.name))
        return
