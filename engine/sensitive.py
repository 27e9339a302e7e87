"""How sensitive values are shown where they must not be read: in traces and prompts. Spec: abl-language 3.3, 8."""

from __future__ import annotations

from domain.json_values import JsonObject, JsonValue
from engine.program import AgentProgram

REDACTED = "[REDACTED]"


def shown(agent: AgentProgram, name: str, value: JsonValue) -> JsonValue:
    """Return `value` as it may stand in a trace: sensitive fields and paths masked."""
    if value is None:
        return None
    declared = agent.fields.get(name) or next(
        (one for one in agent.ir["memory"]["persistent"] if one.get("path") == name), None
    )
    return masked(declared, value) if declared is not None and is_sensitive(declared) else value


def is_sensitive(field: JsonObject) -> bool:
    """Return whether a field's value is personal or secret."""
    return bool(field.get("sensitive") or field.get("pii_type"))


def masked(field: JsonObject, value: JsonValue) -> str:
    """Return how a sensitive value of `field` is shown.

    >>> masked({"name": "iban", "sensitive_display": "mask"}, "DE89370400440532013000")
    '******************3000'
    """
    display = field.get("sensitive_display", "redact")
    if display == "replace":
        return f"[{str(field.get('name') or field.get('path')).upper()}]"
    if display != "mask":
        return REDACTED
    config = field.get("mask_config") or {}
    first, last, sign = int(config.get("show_first", 0)), int(config.get("show_last", 4)), config.get("char", "*")
    text = str(value)
    name, at, host = text.rpartition("@")
    if at:
        return f"{_hidden(name, first, last, sign)}@{host}"
    return _hidden(text, first, last, sign)


def _hidden(text: str, first: int, last: int, sign: str) -> str:
    hidden = max(len(text) - first - last, 0)
    if not hidden:
        return sign * len(text)
    return text[:first] + sign * hidden + (text[len(text) - last :] if last else "")
