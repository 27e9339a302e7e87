"""Asking a model to read values, to name the intent, or to judge a sentence; answers are JSON of a given schema."""

from __future__ import annotations

import json
from collections.abc import Iterable

from domain.json_values import JsonObject
from domain.model_calls import Message, ModelRequest
from engine.effects import AskModel
from engine.limits import LLM_TIMEOUT_MS
from engine.model_outcomes import trace_call
from engine.run import Run

_TYPES = {
    "number": "number",
    "float": "number",
    "currency": "number",
    "integer": "integer",
    "boolean": "boolean",
}
_FORMS = {"date": "as YYYY-MM-DD", "datetime": "as ISO 8601", "time": "as HH:MM"}
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
    if understand:
        categories = (run.agent.ir.get("routing") or {}).get("intent_classification", {}).get("categories") or [
            {"name": one["name"], "description": one.get("description", "")}
            for one in (run.agent.ir.get("intent_handling") or {}).get("intents", ())
        ]
        names = [one["name"] for one in categories]
        properties["intents"] = {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "category": {"type": "string", "enum": [*names, "unclear"]},
                    "confidence": {"type": "number"},
                },
                "required": ["category", "confidence"],
            },
        }
        properties["sentiment"] = {"type": "string", "enum": ["positive", "neutral", "negative", "angry"]}
        lines.append("`intents`: what the user wants, the strongest first, from:")
        lines += [f"- {one['name']}: {one.get('description', '')}" for one in categories]
    schema: JsonObject = {"type": "object", "properties": properties, "required": list(properties)}
    return _send(run, "\n".join(lines), run.state.turn.text, schema, "extraction" if fields else "coordination")


def judge(run: Run, rule: str, text: str, *, operation: str = "validation") -> str:
    """Ask whether `text` keeps a rule in words; return the effect's id."""
    system = f"Judge whether the text keeps this rule. Answer with JSON only.\nRule: {rule}"
    schema: JsonObject = {
        "type": "object",
        "properties": {"valid": {"type": "boolean"}, "reason": {"type": "string"}, "score": {"type": "number"}},
        "required": ["valid"],
    }
    return _send(run, system, text, schema, operation)


def _send(run: Run, system: str, text: str, schema: JsonObject, operation: str) -> str:
    execution = run.agent.ir["execution"]
    models = execution.get("operation_models") or {}
    messages = [Message("system", system)]
    if operation in ("extraction", "coordination"):
        lines = run.state.transcript[-HISTORY - 1 : -1] if run.state.transcript else []
        messages += [Message("assistant" if line.role == "assistant" else "user", line.content) for line in lines]
    messages.append(Message("user", text))
    request = ModelRequest(
        messages=tuple(messages),
        model=str(models.get(operation) or execution.get("model") or ""),
        temperature=0.0,
        json_schema=schema,
        metadata={"agent": run.thread.agent, "operation": operation, "session_id": run.state.begun.session_id},
    )
    timeout = (execution.get("timeouts") or {}).get("llm_timeout_ms") or LLM_TIMEOUT_MS
    return run.send(AskModel, subject=operation, request=request, operation=operation, timeout_ms=int(timeout))


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
    return found if isinstance(found, dict) else {}


def values_of(run: Run, effect_id: str) -> JsonObject:
    """Return the values a model read; the object may stand bare or under `entities`."""
    found = answer_of(run, effect_id)
    entities = found.get("entities", found)
    return entities if isinstance(entities, dict) else {}


def verdict_of(run: Run, effect_id: str) -> bool:
    """Return whether a model found the rule kept; without an answer it counts as kept."""
    return answer_of(run, effect_id).get("valid", True) is not False
