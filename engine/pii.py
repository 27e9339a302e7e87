"""Sensitive values have stand-ins where a model reads: `[[IBAN_1]]` goes out, the value comes back.

A value gets its stand-in when a field or path that is sensitive takes it; from then on it is replaced in all that a
model reads and masked in all that a trace tells. Spec: abl-language 8 (sensitive data), 14.2 (7).
"""

from __future__ import annotations

import re
from functools import lru_cache

from domain.json_values import JsonObject, JsonValue
from domain.model_calls import Message
from engine.sensitive import is_sensitive, masked
from engine.state import SessionState

MIN_CHARS = 4
"""Shorter values say too little of anyone, and would be found in other words."""

MAX_TOKENS = 200
OPEN_TO_MODELS = frozenset({"llm", "original"})
"""Values of `pii_access` of a tool whose results a model may read as they are."""

OPEN_TO_LOGS = frozenset({"logs", "original"})

_TOKEN = re.compile(r"\[\[[A-Z][A-Z0-9_]{0,60}_\d{1,4}\]\]")
_OTHER = re.compile(r"[^A-Z0-9]+")
_SEPARATORS = r"[\s()./-]{0,3}"
_JOINED = re.compile(r"^\+?[\w\s()./-]*\d[\w\s()./-]*$")


def register(state: SessionState, field: JsonObject, value: JsonValue) -> None:
    """Give the value of a sensitive field its stand-in."""
    if not is_sensitive(field) or isinstance(value, bool) or not isinstance(value, str | int | float):
        return
    text = str(value).strip()
    if len(text) < MIN_CHARS or len(state.tokens) >= MAX_TOKENS or any(one[0] == text for one in state.tokens.values()):
        return
    name = _OTHER.sub("_", str(field.get("name") or field.get("path") or "VALUE").upper()).strip("_")[:60] or "VALUE"
    count = sum(1 for token in state.tokens if token.startswith(f"[[{name}_")) + 1
    state.tokens[f"[[{name}_{count}]]"] = [text, masked(field, value)]


def token_of(state: SessionState, value: JsonValue) -> str:
    """Return the stand-in of a value, empty when it has none."""
    text = str(value).strip()
    return next((token for token, known in state.tokens.items() if known[0] == text), "")


def hidden(state: SessionState, text: str) -> str:
    """Return a text with stand-ins for sensitive values, however they are spaced."""
    for token, (value, _) in sorted(state.tokens.items(), key=lambda one: -len(one[1][0])):
        text = _replaced(text, value, token)
    return text


def hidden_messages(
    state: SessionState, messages: tuple[Message, ...], open_tools: frozenset[str]
) -> tuple[Message, ...]:
    """Return messages as a model may read them; results of `open_tools` stay as they are."""
    if not state.tokens:
        return messages
    return tuple(
        one
        if (one.role == "tool" and one.name in open_tools) or not one.content
        else Message(one.role, hidden(state, one.content), one.tool_calls, one.tool_call_id, one.name)
        for one in messages
    )


def restored(state: SessionState, value: JsonValue) -> JsonValue:
    """Return a model's words or arguments with the values in place of their stand-ins."""
    if not state.tokens:
        return value
    if isinstance(value, str):
        if "[[" not in value:
            return value
        return _TOKEN.sub(lambda found: state.tokens.get(found[0], [found[0]])[0], value)
    if isinstance(value, list | tuple):
        return [restored(state, one) for one in value]
    if isinstance(value, dict):
        return {key: restored(state, one) for key, one in value.items()}
    return value


def masked_data(state: SessionState, value: JsonValue) -> JsonValue:
    """Return what a trace tells, with sensitive values as they may be shown."""
    if isinstance(value, str):
        for text, display in state.tokens.values():
            if len(value) >= len(text):
                value = _replaced(value, text, display)
        return value
    if isinstance(value, list | tuple):
        return [masked_data(state, one) for one in value]
    if isinstance(value, dict):
        return {key: masked_data(state, one) for key, one in value.items()}
    return value


def _replaced(text: str, value: str, by: str) -> str:
    return _pattern(value).sub(by.replace("\\", r"\\"), text)


@lru_cache(maxsize=2_048)
def _pattern(value: str) -> re.Pattern[str]:
    """Return what finds a value: letters in any case; numbers and codes with any spacing."""
    if _JOINED.match(value) and sum(sign.isdigit() for sign in value) >= MIN_CHARS:
        signs = [re.escape(sign) for sign in value if sign.isalnum() or sign == "+"]
        return re.compile(r"(?<![A-Za-z0-9])" + _SEPARATORS.join(signs) + r"(?![A-Za-z0-9])", re.IGNORECASE)
    return re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE)
