"""Options that give a value and what it is called: `{id: std, label: "Standard room"}`. Spec: abl-language 3.3, 4.3."""

from __future__ import annotations

import re

from abl.parser.values import inline_map, unquote

MAX_OPTION_CHARS = 500
"""Characters of an option in which an arrow is looked for."""
_VALUE = ("id", "value", "key", "name")
_CALLED = ("label", "title", "text", "name", "description")
_LINES = re.compile(r"(?:\A|\s)(id|value|key|name|label|title|text|description):\s*", re.IGNORECASE)
_ARROW = re.compile(r"(.+?)\s*(?:->|→|=>)\s*([\w.\-]+)")


def choices_of(options: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return the values of options, and value -> other words for it."""
    values: list[str] = []
    called: dict[str, list[str]] = {}
    for option in options:
        value, label = _choice(option)
        values.append(value)
        if label and label != value:
            called.setdefault(value, []).append(label)
    return values, called


def _choice(option: str) -> tuple[str, str]:
    fields = _fields(option)
    value = next((fields[key] for key in _VALUE if fields.get(key)), "")
    if value:
        return value, next((fields[key] for key in _CALLED if fields.get(key) and fields[key] != value), "")
    if len(option) <= MAX_OPTION_CHARS and (arrow := _ARROW.fullmatch(option)):
        return arrow[2], unquote(arrow[1])
    return option, ""


def _fields(option: str) -> dict[str, str]:
    """Return the fields of `{id: a, label: b}` or `id: a label: b`; none for a plain text."""
    if option.startswith("{") and not option.startswith("{{"):
        return {key.lower(): unquote(text) for key, text, _ in inline_map(option) or ()}
    parts = _LINES.split(option)
    if len(parts) < 5 or parts[0].strip():
        return {}
    return {key.lower(): unquote(text.strip()) for key, text in zip(parts[1::2], parts[2::2], strict=False)}
