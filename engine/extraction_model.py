"""Asking a model to read values, to name the intent, or to judge a sentence; answers are JSON of a given schema."""

from __future__ import annotations

import json
from collections.abc import Iterable

from domain.json_values import JsonObject
from domain.model_calls import Message, ModelRequest
from engine import pii
from engine.effects import AskModel
from engine.limits import LLM_TIMEOUT_MS
from engine.model_outcomes import asked_notes, trace_call
from engine.run import Run

_TYPES = {
    "number": "number",
    "float": "number",
    "currency": "number",
    "integer": "integer",
    "boolean": "boolean",
}
_FORMS = {"date": "as YYYY-MM-DD", "datetime": "as ISO 8601", "time": "as HH:MM"}
INFER_CONFIDENCE = 0.8
HISTORY = 6
"""Messages of the conversation that are read along."""


def schema_of(fields: Iterable[JsonObject]) -> JsonObject:
    """Return the JSON schema of an object with these fields; what was not said is null."""
    properties: JsonObject = {}
    for field in fields:
        kind = _TYPES.get(str(field.get("type")), "string")
        one: JsonObject = {"type": [kind, "null"]}
        if field.get("list"):
            one = {"type": ["array", "null"], "items": {"type": kind}}
        if field.get("enum_values"):
            one["enum"] = [*field["enum_values"], None]
        hints = [str(hint) for hint in field.get("extraction_hints", ())]
        if field.get("type") in ("date", "datetime", "time", "email", "phone"):
            hints.append(_FORMS.get(field["type"], str(field["type"])))
        if hints:
            one["description"] = "; ".join(hints)
        properties[field["name"]] = one
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def ask(run: Run, fields: list[JsonObject], *, understand: bool) -> str:
    """Ask for the values of `fields`, and with `understand` for intent and sentiment; return the effect's id."""
    properties: JsonObject = {}
    lines = [
        "Read the user's last message and answer with JSON only.",
        f"Today is {run.state.at[:10]}.",
    ]
    if fields:
        properties["entities"] = schema_of(fields)
        lines.append("`entities`: values the user has stated; null for everything that was not said. Do not guess.")
    if inferred := [one["name"] for one in fields if one.get("infer")]:
        number: JsonObject = {"type": "number"}
        properties["confidence"] = {"type": "object", "properties": dict.fromkeys(inferred, number)}
        lines.append(f"You may infer {', '.join(inferred)}; say in `confidence` from 0 to 1 how sure you are of each.")
    if understand:
        _add_intents(run, properties, lines)
    schema: JsonObject = {"type": "object", "properties": properties, "required": list(properties)}
    return send(run, "\n".join(lines), run.state.turn.text, schema, "extraction" if fields else "coordination")


def classify(run: Run, targets: list[str], tools: list[JsonObject], *, model: str) -> str:
    """Ask a small model for the intents, the agent each belongs to, and the tools that fit; return the effect's id."""
    properties: JsonObject = {}
    lines = ["Classify the user's last message and answer with JSON only."]
    _add_intents(run, properties, lines)
    if targets:
        properties["intents"]["items"]["properties"]["target"] = {"type": "string", "enum": targets}
        lines.append(f"`target` of an intent: the agent that deals with it, one of {', '.join(targets)}.")
    if tools:
        properties["tools"] = {"type": "array", "items": {"type": "string", "enum": [one["name"] for one in tools]}}
        lines.append("`tools`: those that may be needed, the likeliest first, from:")
        lines += [f"- {one['name']}: {one.get('description', '')}" for one in tools]
    schema: JsonObject = {"type": "object", "properties": properties, "required": ["intents"]}
    return send(run, "\n".join(lines), run.state.turn.text, schema, "coordination", model=model)


def _add_intents(run: Run, properties: JsonObject, lines: list[str]) -> None:
    """Add what is asked about intent and sentiment."""
    handling = run.agent.ir.get("intent_handling") or {}
    categories = (run.agent.ir.get("routing") or {}).get("intent_classification", {}).get("categories") or [
        {"name": one["name"], "description": one.get("description", "")} for one in handling.get("intents", ())
    ]
    names = list(dict.fromkeys([*(one["name"] for one in categories), "out_of_scope", "unclear"]))
    item: JsonObject = {"category": {"type": "string", "enum": names}, "confidence": {"type": "number"}}
    multi = handling.get("multi_intent") or {}
    if multi.get("enabled"):
        item["text"] = {"type": "string", "description": "The part of the message that says so"}
    properties["intents"] = {
        "type": "array",
        "items": {"type": "object", "properties": item, "required": ["category", "confidence"]},
    }
    properties["sentiment"] = {"type": "string", "enum": ["positive", "neutral", "negative", "angry"]}
    lines.append("`intents`: what the user wants, the strongest first, from:")
    lines += [f"- {one['name']}: {one.get('description', '')}" for one in categories]
    if multi.get("enabled"):
        properties["relationship"] = {"type": "string", "enum": ["independent", "dependent", "ambiguous"]}
        lines.append("`relationship`: how several intents belong together.")


def judge(run: Run, rule: str, text: str, *, operation: str = "validation", blocking: bool = True) -> str:
    """Ask whether `text` keeps a rule in words; return the effect's id."""
    system = f"Judge whether the text keeps this rule. Answer with JSON only.\nRule: {rule}"
    schema: JsonObject = {
        "type": "object",
        "properties": {"valid": {"type": "boolean"}, "reason": {"type": "string"}, "score": {"type": "number"}},
        "required": ["valid"],
    }
    return send(run, system, text, schema, operation, blocking=blocking)


def send(
    run: Run, system: str, text: str, schema: JsonObject, operation: str, *, blocking: bool = True, model: str = ""
) -> str:
    """Ask for JSON of a schema about a text; return the effect's id."""
    execution = run.agent.ir["execution"]
    models = execution.get("operation_models") or {}
    messages = [Message("system", system)]
    if operation in ("extraction", "coordination"):
        lines = run.state.transcript[-HISTORY - 1 : -1] if run.state.transcript else []
        messages += [Message("assistant" if line.role == "assistant" else "user", line.content) for line in lines]
    messages.append(Message("user", text))
    request = ModelRequest(
        messages=pii.hidden_messages(run.state, tuple(messages), frozenset()),
        model=model or str(models.get(operation) or execution.get("model") or ""),
        temperature=0.0,
        json_schema=schema,
        metadata={"agent": run.thread.agent, "operation": operation, "session_id": run.state.begun.session_id},
    )
    timeout = (execution.get("timeouts") or {}).get("llm_timeout_ms") or LLM_TIMEOUT_MS
    return run.send(
        AskModel,
        blocking=blocking,
        about=operation,
        notes=asked_notes(run, request, operation),
        request=request,
        operation=operation,
        timeout_ms=int(timeout),
    )


def answer_of(run: Run, effect_id: str) -> JsonObject:
    """Return the JSON object a model answered with, empty when it gave none."""
    outcome = run.take(effect_id)
    trace_call(run, effect_id, outcome)
    if not outcome.ok:
        return {}
    text = str((outcome.value or {}).get("text", "")).strip()
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return {}
    try:
        found = json.loads(text[start : end + 1])
    except ValueError:
        run.fault("invalid_json", "The model's answer is no JSON", origin="llm")
        return {}
    if not isinstance(found, dict):
        return {}
    known: JsonObject = pii.restored(run.state, found)
    return known


def values_of(run: Run, effect_id: str) -> JsonObject:
    """Return the values a model read; the object may stand bare or under `entities`."""
    return sure_values(run, answer_of(run, effect_id))


def sure_values(run: Run, found: JsonObject) -> JsonObject:
    """Return the values of an answer without inferred ones that the model is not sure enough of."""
    entities, sure = found.get("entities", found), found.get("confidence")
    if not isinstance(entities, dict):
        return {}
    if not isinstance(sure, dict):
        return entities
    least = {name: float(one.get("infer_confidence") or INFER_CONFIDENCE) for name, one in run.agent.fields.items()}
    return {
        name: value
        for name, value in entities.items()
        if not isinstance(sure.get(name), int | float) or sure[name] >= least.get(name, 0)
    }


def verdict_of(run: Run, effect_id: str) -> bool:
    """Return whether a model found the rule kept; without an answer nobody has looked, so it counts as broken."""
    return answer_of(run, effect_id).get("valid") is True
